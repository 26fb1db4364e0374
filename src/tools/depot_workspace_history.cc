// DepotWorkspace: its history, and taking a change of it back.
#include <charconv>
#include <set>

#include "base/quote.h"
#include "data/tree/diff.h"
#include "tools/depot_workspace.h"

namespace cairn {
namespace {

constexpr std::size_t kLookedThrough = 500;
constexpr std::size_t kPathsShown = 5;
constexpr std::string_view kUndo = "undo ";

// The change that a commit took back.
std::optional<std::uint64_t> undone_by(const HistoryEntry& entry) {
  if (!entry.message.starts_with(kUndo)) return std::nullopt;
  std::uint64_t number = 0;
  const auto* begin = entry.message.data() + kUndo.size();
  const auto* end = entry.message.data() + entry.message.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || stop == end || *stop != ':') return std::nullopt;
  return number;
}

// Newest first: an undo that was itself taken back does not count.
std::set<std::uint64_t> undone_in(const std::vector<HistoryEntry>& entries) {
  std::set<std::uint64_t> out;
  for (const auto& entry : entries) {
    const auto number = undone_by(entry);
    if (number && !out.contains(entry.sequence)) out.insert(*number);
  }
  return out;
}

Result<std::uint64_t> change_number(std::string_view id) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (error == std::errc() && stop == id.data() + id.size()) return number;
  return fail(Code::kInvalidArgument, "'{}' is not the id of a change; history has them",
              shown(id));
}

}  // namespace

Result<WorkChange> DepotWorkspace::render(const HistoryEntry& entry,
                                          const std::optional<NodeKey>& before) const {
  WorkChange out;
  out.id = std::to_string(entry.sequence);
  out.time = entry.time;
  out.author = entry.author ? entry.author->render() : "";
  out.message = entry.message;
  if (!before) return out;
  const auto& nodes = call_.realm().nodes();
  const auto old_tree = TRY(view_tree(nodes, *before));
  const auto new_tree = TRY(view_tree(nodes, entry.root));
  if (old_tree.root->kind() == Kind::kFile || new_tree.root->kind() == Kind::kFile) return out;
  Budget budget(call_.clock(), call_.limits(1000));
  const auto found = TRY(diff(nodes, old_tree.root, new_tree.root, Directories::kWhole, budget));
  for (const auto& change : found.changes) {
    if (out.paths.size() < kPathsShown) {
      out.paths.push_back(change.path);
    } else {
      ++out.more_paths;
    }
  }
  return out;
}

Result<WorkHistory> DepotWorkspace::history(std::size_t limit, std::string_view from) const {
  auto& realm = call_.realm();
  const auto newest = TRY(realm.history_at(place_, kLookedThrough, std::nullopt));
  const auto undone = undone_in(newest.entries);
  const auto cursor = from.empty() ? std::nullopt : std::optional(from);
  const auto page = TRY(realm.history_at(place_, limit, cursor));
  std::optional<NodeKey> last;  // what was there before the last of the page
  if (page.next_cursor) {
    const auto older = TRY(realm.history_at(place_, 1, *page.next_cursor));
    if (!older.entries.empty()) last = older.entries.front().root;
  }
  WorkHistory out;
  out.next = page.next_cursor.value_or("");
  for (std::size_t i = 0; i < page.entries.size(); ++i) {
    const bool has_older = i + 1 < page.entries.size();
    auto change = TRY(render(page.entries[i], has_older ? page.entries[i + 1].root : last));
    change.undone = undone.contains(page.entries[i].sequence);
    out.changes.push_back(std::move(change));
  }
  return out;
}

Result<WorkChange> DepotWorkspace::undo(std::string_view id) {
  auto& realm = call_.realm();
  const auto page = TRY(realm.history_at(place_, kLookedThrough, std::nullopt));
  const auto& entries = page.entries;
  const auto undone = undone_in(entries);
  const auto& self = call_.session().answers_for();
  std::optional<std::uint64_t> wanted;
  if (!id.empty()) wanted = TRY(change_number(id));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& entry = entries[i];
    const bool own = entry.author == self && !undone_by(entry) && !undone.contains(entry.sequence);
    if (wanted ? entry.sequence != *wanted : !own) continue;
    if (undone.contains(entry.sequence)) {
      return fail(Code::kInvalidArgument, "change {} was taken back already", entry.sequence);
    }
    if (i + 1 == entries.size()) break;  // what was there before is not known
    const auto& before = entries[i + 1].root;
    const CommitRequest request{
        .depot = place_.depot,
        .root = before,
        .expected_root = entry.root,
        .message = fmt::format("{}{}: {}", kUndo, entry.sequence, shown(entry.message, 1000)),
        .author = self,
        .place = place_.path,
        .owners = call_.session().owners};
    auto out = TRY(render(entry, before));
    const auto done = TRY(realm.commit(request));
    tree_.root = TRY(view_tree(realm.nodes(), done.root)).root;
    out.undone = true;
    return out;
  }
  if (!wanted) {
    return fail(Code::kHistoryNotFound,
                "there is no change of yours to take back; name one of "
                "another with its id from history");
  }
  return fail(Code::kHistoryNotFound,
              "there is no change {} that can be taken back: the first of all stays, and those "
              "that the history has dropped; history lists the others",
              *wanted);
}

}  // namespace cairn
