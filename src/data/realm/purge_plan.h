// PurgePlan: which nodes a purge is to remove, which of them stay, and what holds those.
//
// Threads     one at a time; a part of one purge.
#pragma once

#include <map>
#include <unordered_map>
#include <unordered_set>

#include "data/realm/purge.h"

namespace cairn {

class Marker;

class PurgePlan final {
 public:
  // The versions written anew: the old root and the new one, for each depot.
  std::map<DepotId, std::map<NodeKey, NodeKey>> moved;
  std::unordered_set<NodeKey> content;
  // Nodes that go unless something else holds them: the content, the old roots and what is like
  // them.
  std::unordered_set<NodeKey> seeds;
  // These with all below them that is stored, and the physical bytes they take.
  std::unordered_map<NodeKey, std::uint64_t> doomed;

  // Fills `doomed`, and what files and directories the content is made of. Directories that have it
  // and are part of nothing become seeds too: what a scope was frozen to that has ended, or
  // uploads.
  Result<void> measure(Realm& realm, const Stage& stage, std::span<const FrozenScope> frozen);
  // What would be left, were the versions those in the stage.
  Result<void> simulate(Realm& realm, const Stage& stage, std::span<const FrozenScope> frozen);
  // What is left.
  Result<void> look_again(Realm& realm);
  // What went, what stayed and why.
  Result<void> report(Realm& realm, const Stage& stage, std::span<const FrozenScope> frozen,
                      PurgeReport& report) const;

 private:
  NodeKey now(const DepotId& depot, const NodeKey& root) const;
  // All that depots, imports, scopes and drafts hold.
  Result<void> mark_held(Realm& realm, std::span<const FrozenScope> frozen, Marker& marker) const;
  Result<std::vector<NodeKey>> young(Realm& realm) const;

  bool simulated_ = false;
  std::unordered_set<NodeKey> parts_;  // files and directories of the content
  std::unordered_set<NodeKey> left_;   // of doomed, those that stay
};

}  // namespace cairn
