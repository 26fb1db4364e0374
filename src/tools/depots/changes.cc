#include "tools/depots/changes.h"

#include <algorithm>
#include <charconv>

#include "base/quote.h"
#include "data/tree/diff.h"

namespace cairn::depots {
namespace {

constexpr std::size_t kPage = 1000;
constexpr std::size_t kPathsCompared = 200;
constexpr std::size_t kUndosCompared = 200;

std::optional<std::uint64_t> number_at(std::string_view text, std::string_view& rest) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  rest = text.substr(static_cast<std::size_t>(stop - text.data()));
  return number;
}

// What a commit says it took back. An older program said it in the message only: `undo 14: …`.
std::optional<ChangeRange> undone_by(const HistoryEntry& entry) {
  if (entry.undid) return entry.undid;
  constexpr std::string_view kUndo = "undo ";
  if (!entry.message.starts_with(kUndo)) return std::nullopt;
  std::string_view rest;
  const auto number = number_at(std::string_view(entry.message).substr(kUndo.size()), rest);
  if (!number || !rest.starts_with(':')) return std::nullopt;
  return ChangeRange{*number, *number};
}

}  // namespace

Result<std::uint64_t> change_number(std::string_view text) {
  std::string_view rest;
  const auto number = number_at(text.starts_with('#') ? text.substr(1) : text, rest);
  if (number && rest.empty()) return *number;
  return fail(Code::kInvalidArgument,
              "'{}' is not the number of a change, such as #14; the history has them", shown(text));
}

bool contains(const std::vector<ChangeRange>& ranges, std::uint64_t sequence) {
  return std::ranges::any_of(ranges, [&](const ChangeRange& range) {
    return range.from <= sequence && sequence <= range.to;
  });
}

Result<std::vector<std::string>> Changes::touched(const NodeKey& before, const NodeKey& after,
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

Result<std::vector<std::string>> Changes::touched(const ChangeRange& changes,
                                                  std::size_t most) const {
  auto replaced = call_.realm().replaced_by(place_, changes);
  if (!replaced && replaced.error().code == Code::kHistoryNotFound) {
    return std::vector<std::string>();
  }
  const auto found = TRY(std::move(replaced));
  return touched(found.before, found.last.root, most);
}

bool Changes::may_read(const HistoryEntry& entry) const {
  return place_.path.is_root() || entry.author == call_.session().answers_for();
}

Result<std::string> Changes::message(const HistoryEntry& entry) const {
  if (may_read(entry)) return entry.message;
  constexpr std::size_t kShown = 5;
  const auto paths = TRY(touched({entry.sequence, entry.sequence}, kPage));
  std::string out = "changed";
  for (std::size_t i = 0; i < std::min(paths.size(), kShown); ++i) out += " " + paths[i];
  if (paths.size() > kShown) out += fmt::format(" and {} more", paths.size() - kShown);
  return out;
}

// Whether a commit took all of a change back, as seen from the place: one that only says so did
// not, nor did one that took another part of it back. Nothing is left as the change had made it.
Result<bool> Changes::took_back(const HistoryEntry& entry, const ChangeRange& changes) const {
  auto known = call_.realm().replaced_by(place_, changes);
  auto done = call_.realm().replaced_by(place_, {entry.sequence, entry.sequence});
  for (const auto* found : {&known, &done}) {
    if (*found) continue;
    if (found->error().code == Code::kHistoryNotFound) return false;
    return Failure(found->error());
  }
  const auto& nodes = call_.realm().nodes();
  const auto made = TRY(view_tree(nodes, known->last.root));
  const auto then = TRY(view_tree(nodes, done->last.root));
  for (const auto& path : TRY(touched(known->before, known->last.root, kPathsCompared))) {
    const auto at = TRY(Path::parse(path));
    const auto was = TRY(find(made, at));
    const auto is = TRY(find(then, at));
    const bool same = was && is ? EntryValue::of(was->entry) == EntryValue::of(is->entry)
                                : was.has_value() == is.has_value();
    if (same) return false;
  }
  return true;
}

// Newest first: an undo that was itself taken back does not count.
Result<std::vector<ChangeRange>> Changes::undone_since(std::uint64_t sequence) const {
  std::vector<ChangeRange> out;
  std::size_t compared = 0;
  std::optional<std::string> cursor;
  do {
    // The depot's own records, which cost no look at a tree.
    auto page = TRY(call_.realm().history(place_.depot, kPage, cursor));
    for (const auto& entry : page.entries) {
      if (entry.sequence < sequence || compared == kUndosCompared) return out;
      const auto range = undone_by(entry);
      if (!range || contains(out, entry.sequence)) continue;
      ++compared;
      if (TRY(took_back(entry, *range))) out.push_back(*range);
    }
    cursor = std::move(page.next_cursor);
  } while (cursor);
  return out;
}

Result<std::uint64_t> Changes::own_latest() const {
  constexpr std::size_t kLooked = 1000;
  const auto& self = call_.session().answers_for();
  auto page = TRY(call_.realm().history_at(place_, kLooked, std::nullopt));
  std::erase_if(page.entries, [&](const HistoryEntry& entry) {
    return entry.author != self || entry.sequence == 0 || undone_by(entry);
  });
  if (!page.entries.empty()) {
    const auto undone = TRY(undone_since(page.entries.back().sequence));
    for (const auto& entry : page.entries) {
      if (!contains(undone, entry.sequence)) return entry.sequence;
    }
  }
  return fail(Code::kHistoryNotFound,
              "there is no change of yours to take back{}; name one by its number from the history",
              page.next_cursor ? fmt::format(" among the newest {} commits", kLooked) : "");
}

}  // namespace cairn::depots
