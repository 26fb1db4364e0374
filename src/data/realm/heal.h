// Healing: nodes that are damaged or missing are stored again, from wherever their content still
// is. A node is its hash, so whatever has it is as good as what was lost.
//
// Threads     any; one heal of a realm at a time.
// Fails with  what the store and the sources fail with.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <vector>

#include "data/realm/fsck.h"
#include "data/store/backup.h"

namespace cairn {

// Somewhere nodes may be.
class NodeSource {
 public:
  virtual ~NodeSource() = default;
  // Those of the nodes that it has, in any order. What it gives has its hash.
  virtual Result<std::vector<NodePtr>> find(std::span<const NodeKey> wanted) = 0;
};

// All realms of a store, which outlives it: a backup, or the damaged one itself.
std::unique_ptr<NodeSource> nodes_of(Store& store);

// Heals what a check has found, and what is missing below that, as far as the sources have it; the
// earlier ones are asked first. The nodes that were stored, durably. What is left, another check
// says.
Result<std::vector<NodeKey>> heal(Store& store, const RealmId& realm, const FsckReport& found,
                                  std::span<const std::unique_ptr<NodeSource>> sources);

// What the last check of a realm found damaged is remembered in the store, until another finds it
// whole: so that a backup can say what it is a backup of.
Result<void> remember_damage(Store& store, const RealmId& realm, const FsckReport& found);
// Of what is remembered, the nodes that are damaged or missing now. Costs nothing where nothing is.
Result<std::set<DamagedNode>> remembered_damage(Store& store);

}  // namespace cairn
