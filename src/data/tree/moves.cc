#include "data/tree/moves.h"

#include <map>

namespace cairn {
namespace {

bool is_added(const Change& change) { return !change.before && change.after; }
bool is_removed(const Change& change) { return change.before && !change.after; }

bool is_worth_moving(const EntryValue& value) {
  return value.kind == Kind::kFile ? value.bytes > 0 : value.children > 0;
}

// Makes one change of a removal and an addition of the same.
void pair_up(std::vector<Change>& changes) {
  std::multimap<NodeKey, std::size_t> removed;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto& change = changes[i];
    if (is_removed(change) && is_worth_moving(*change.before)) {
      removed.emplace(change.before->key, i);
    }
  }
  std::vector<bool> gone(changes.size());
  for (auto& change : changes) {
    if (!is_added(change)) continue;
    const auto found = removed.find(change.after->key);
    if (found == removed.end() || changes[found->second].before != change.after) continue;
    change.from = changes[found->second].path;
    change.before = changes[found->second].before;
    gone[found->second] = true;
    removed.erase(found);
  }
  std::vector<Change> left;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!gone[i]) left.push_back(std::move(changes[i]));
  }
  changes = std::move(left);
}

// The changes with the files of added and removed directories in their place; false when the
// budget is used up.
Result<bool> expand(const NodeReader& nodes, std::vector<Change>& changes, Budget& budget) {
  std::vector<Change> out;
  for (auto& change : changes) {
    const auto& there = change.before ? change.before : change.after;
    const bool whole = is_added(change) || is_removed(change);
    if (!whole || there->kind != Kind::kDict || there->children == 0) {
      out.push_back(std::move(change));
      continue;
    }
    const auto dir = TRY(dict_open(nodes, there->key));
    auto below = change.before ? diff(nodes, dir, empty_dict(), Directories::kExpanded, budget)
                               : diff(nodes, empty_dict(), dir, Directories::kExpanded, budget);
    const auto found = TRY(std::move(below));
    if (found.more) return false;
    for (const auto& one : found.changes) {
      out.push_back({change.path + "/" + one.path, one.before, one.after, {}});
    }
  }
  changes = std::move(out);
  return true;
}

}  // namespace

Result<std::optional<std::vector<Change>>> diff_with_moves(const NodeReader& nodes,
                                                           const NodePtr& before,
                                                           const NodePtr& after, Budget& budget) {
  auto found = TRY(diff(nodes, before, after, Directories::kWhole, budget));
  if (found.more) return std::nullopt;
  pair_up(found.changes);
  if (!TRY(expand(nodes, found.changes, budget))) return std::nullopt;
  pair_up(found.changes);
  return std::move(found.changes);
}

}  // namespace cairn
