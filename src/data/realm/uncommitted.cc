// Realm::uncommitted: what an author has made beside what was committed.

#include "data/realm/realm.h"
#include "data/tree/diff.h"
#include "data/tree/view.h"

namespace cairn {
namespace {

constexpr std::size_t kMostRoots = 5;
constexpr std::size_t kMostPaths = 20;
// A commit waits for it: as many changes are looked at as take a few milliseconds.
constexpr std::int64_t kMostChanges = 2000;

// The changes of a root since its base that the current one does not have as they are.
Result<Uncommitted> missing(const NodeReader& nodes, const Leaf& leaf, const TreeView& current,
                            Budget& budget) {
  Uncommitted out{leaf.root, {}, false};
  const auto changes = TRY(diff(nodes, TRY(nodes.get(leaf.base)), TRY(nodes.get(leaf.root)),
                                Directories::kExpanded, budget));
  for (const auto& change : changes.changes) {
    const auto now = TRY(find(current, TRY(Path::parse(change.path))));
    const bool there = now ? change.after == EntryValue::of(now->entry) : !change.after;
    if (there) continue;
    if (out.paths.size() == kMostPaths) {
      out.more = true;
      return out;
    }
    out.paths.push_back(change.path);
  }
  out.more = changes.more;
  return out;
}

}  // namespace

Result<std::vector<Uncommitted>> Realm::uncommitted(const DelegateId& author, const Place& place,
                                                    const NodeKey& current) {
  std::vector<Uncommitted> out;
  auto leaves = TRY(leaves_.of(author, place));
  if (leaves.empty()) return out;
  if (leaves.size() > kMostRoots) leaves.resize(kMostRoots);
  const auto tree = TRY(view_tree(nodes_, current));
  Budget budget(clock_, {.entries = kMostChanges});
  for (const auto& leaf : leaves) {
    auto found = missing(nodes_, leaf, tree, budget);
    // Its base may have been taken by the garbage collector, and what is not known is not told.
    if (found && (!found->paths.empty() || found->more)) out.push_back(std::move(*found));
  }
  // Whoever was told need not hear it with every commit to come.
  TRY(leaves_.forget(leaves));
  return out;
}

}  // namespace cairn
