// DepotWorkspace: its history, and taking a change of it back.
#include <algorithm>
#include <charconv>
#include <set>

#include "base/quote.h"
#include "data/tree/diff.h"
#include "tools/workspace/depot_workspace.h"

namespace cairn {
namespace {

constexpr std::size_t kPageSize = 500;
constexpr std::size_t kPathsShown = 5;
constexpr std::size_t kPathsCompared = 200;
constexpr std::size_t kUndosCompared = 200;
constexpr std::string_view kUndo = "undo ";

// The change that a commit says it took back.
std::optional<std::uint64_t> undone_by(const HistoryEntry& entry) {
  if (!entry.message.starts_with(kUndo)) return std::nullopt;
  std::uint64_t number = 0;
  const auto* begin = entry.message.data() + kUndo.size();
  const auto* end = entry.message.data() + entry.message.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || stop == end || *stop != ':') return std::nullopt;
  return number;
}

Result<std::uint64_t> change_number(std::string_view id) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (!id.empty() && error == std::errc() && stop == id.data() + id.size()) return number;
  return fail(Code::kInvalidArgument, "'{}' is not the id of a change; history has them",
              shown(id));
}

}  // namespace

// The newest changes at the place.
struct DepotWorkspace::Changes {
  std::vector<HistoryEntry> entries;

  // The root before the change at this index.
  std::optional<NodeKey> before(std::size_t index) const {
    if (index + 1 < entries.size()) return entries[index + 1].root;
    return std::nullopt;
  }
  std::optional<std::size_t> find(std::uint64_t number) const {
    const auto found = std::ranges::find(entries, number, &HistoryEntry::sequence);
    if (found == entries.end()) return std::nullopt;
    return static_cast<std::size_t>(found - entries.begin());
  }
};

// Down to the change of this number and the one before it.
Result<DepotWorkspace::Changes> DepotWorkspace::changes(std::uint64_t down_to) const {
  Changes out;
  std::optional<std::string> cursor;
  do {
    auto page = TRY(call_.realm().history_at(place_, kPageSize, cursor));
    std::ranges::move(page.entries, std::back_inserter(out.entries));
    cursor = std::move(page.next_cursor);
  } while (cursor && (out.entries.empty() || out.entries.back().sequence >= down_to));
  return out;
}

Result<std::vector<std::string>> DepotWorkspace::touched(const NodeKey& before,
                                                         const NodeKey& after,
                                                         std::size_t most) const {
  const auto& nodes = call_.realm().nodes();
  const auto old_tree = TRY(view_tree(nodes, before));
  const auto new_tree = TRY(view_tree(nodes, after));
  std::vector<std::string> out;
  if (old_tree.root->kind() == Kind::kFile || new_tree.root->kind() == Kind::kFile) return out;
  Budget budget(call_.clock(), call_.limits());
  auto found = TRY(diff(nodes, old_tree.root, new_tree.root, Directories::kWhole, budget,
                        {.skip = 0, .most = most}));
  for (auto& change : found.changes) out.push_back(std::move(change.path));
  return out;
}

// Newest first: an undo that was itself taken back does not count, nor does a commit that only says
// it is one: it has to have touched what the change had.
Result<std::set<std::uint64_t>> DepotWorkspace::undone_in(const Changes& known) const {
  std::set<std::uint64_t> out;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < known.entries.size() && compared < kUndosCompared; ++i) {
    const auto number = undone_by(known.entries[i]);
    if (!number || out.contains(known.entries[i].sequence)) continue;
    const auto index = known.find(*number);
    if (!index || !known.before(*index) || !known.before(i)) continue;
    ++compared;
    const auto changed =
        TRY(touched(*known.before(*index), known.entries[*index].root, kPathsCompared));
    const auto undone = TRY(touched(*known.before(i), known.entries[i].root, kPathsCompared));
    const bool all = std::ranges::all_of(changed, [&](const std::string& path) {
      return std::ranges::find(undone, path) != undone.end();
    });
    if (all) out.insert(*number);
  }
  return out;
}

Result<WorkChange> DepotWorkspace::render(const HistoryEntry& entry,
                                          const std::optional<NodeKey>& before) const {
  WorkChange out;
  out.id = std::to_string(entry.sequence);
  out.time = entry.time;
  out.author = entry.author ? entry.author->render() : "";
  out.message = entry.message;
  if (before) {
    constexpr std::size_t kCounted = 1000;
    out.paths = TRY(touched(*before, entry.root, kCounted));
    if (out.paths.size() > kPathsShown) {
      out.more_paths = out.paths.size() - kPathsShown;
      out.paths.resize(kPathsShown);
    }
  }
  // A caller that sees a part of a depot is not told what others said about the rest.
  const bool others = !place_.path.is_root() && entry.author != call_.session().answers_for();
  if (others) {
    out.message = "changed";
    for (const auto& path : out.paths) out.message += " " + path;
    if (out.more_paths > 0) out.message += fmt::format(" and {} more", out.more_paths);
  }
  return out;
}

Result<WorkHistory> DepotWorkspace::history(std::size_t limit, std::string_view from) const {
  const auto cursor = from.empty() ? std::nullopt : std::optional(from);
  const auto page = TRY(call_.realm().history_at(place_, limit, cursor));
  WorkHistory out;
  out.next = page.next_cursor.value_or("");
  if (page.entries.empty()) return out;
  const auto known = TRY(changes(page.entries.back().sequence));
  const auto undone = TRY(undone_in(known));
  for (const auto& entry : page.entries) {
    const auto index = known.find(entry.sequence);
    auto change = TRY(render(entry, index ? known.before(*index) : std::nullopt));
    change.undone = undone.contains(entry.sequence);
    out.changes.push_back(std::move(change));
  }
  return out;
}

Result<std::size_t> DepotWorkspace::change_to_undo(const Changes& known,
                                                   const std::set<std::uint64_t>& undone,
                                                   std::optional<std::uint64_t> wanted) const {
  const auto& self = call_.session().answers_for();
  for (std::size_t i = 0; i + 1 < known.entries.size(); ++i) {
    const auto& entry = known.entries[i];
    const bool taken = undone.contains(entry.sequence);
    if (wanted && entry.sequence == *wanted && taken) {
      return fail(Code::kInvalidArgument, "change {} was taken back already", entry.sequence);
    }
    const bool own = entry.author == self && !undone_by(entry) && !taken;
    if (wanted ? entry.sequence == *wanted : own) return i;
  }
  if (!wanted) {
    return fail(Code::kHistoryNotFound,
                "there is no change of yours to take back; name one of another with its id from "
                "history");
  }
  return fail(Code::kHistoryNotFound,
              "there is no change {} that can be taken back: the first of all stays, and those "
              "that the history has dropped; history lists the others",
              *wanted);
}

Result<WorkChange> DepotWorkspace::undo(std::string_view id) {
  TRY(check_writable());
  std::optional<std::uint64_t> wanted;
  if (!id.empty()) wanted = TRY(change_number(id));
  const auto known = TRY(changes(wanted.value_or(0)));
  const auto index = TRY(change_to_undo(known, TRY(undone_in(known)), wanted));
  const auto& entry = known.entries[index];
  const auto before = *known.before(index);
  auto out = TRY(render(entry, before));
  const CommitRequest request{
      .depot = place_.depot,
      .root = before,
      .made_on = entry.root,
      .message = fmt::format("{}{}: {}", kUndo, entry.sequence, shown(out.message, 1000)),
      .author = call_.session().answers_for(),
      .place = place_.path,
      .owners = call_.session().owners,
      .dry_run = dry_run_};
  auto done = call_.realm().commit(request);
  if (!done && done.error().code == Code::kConflict) {
    auto error = std::move(done).error();
    error.message = fmt::format(
        "change {} ({}) cannot be taken back by itself: later changes of {} build on it; nothing "
        "was "
        "changed. Take those back first, or edit the files",
        entry.sequence, shown(out.message, 300), paths_in_conflict(error));
    return Failure(std::move(error));
  }
  const auto committed = TRY(std::move(done));
  if (!committed.changed) {
    return fail(Code::kInvalidArgument, "nothing is left of change {} that could be taken back",
                entry.sequence);
  }
  if (dry_run_) return out;
  tree_.root = TRY(view_tree(call_.realm().nodes(), committed.root)).root;
  // The files are no longer as the caller knew them.
  for (const auto& path : TRY(touched(before, entry.root, kPathsCompared))) {
    for (const auto& [file, root] : seen_.below(agent_, path)) seen_.forget(agent_, file);
  }
  out.undone = true;
  return out;
}

}  // namespace cairn
