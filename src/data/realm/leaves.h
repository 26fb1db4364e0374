// Leaves: the roots that delegates have made and not committed. A commit can so say what else there
// is, and what its author began from, when the same root arose in several ways.
//
// A leaf keeps nothing alive; the garbage collector forgets it after the grace time.
// Threads     every function may be called from any thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "data/realm/records.h"
#include "data/store/store.h"

namespace cairn {

class Leaves final {
 public:
  Leaves(KeyValueStore& kv, const RealmId& realm) : kv_(kv), realm_(realm) {}
  Leaves(const Leaves&) = delete;
  Leaves& operator=(const Leaves&) = delete;

  Result<std::optional<Leaf>> find(const DelegateId& author, const Place& place,
                                   const NodeKey& root) const;
  // The author's at the place that it was not told of, the newest first. Looks at kMostLooked of
  // the depot's.
  static constexpr std::size_t kMostLooked = 500;
  Result<std::vector<Leaf>> of(const DelegateId& author, const Place& place) const;

  // As a part of a batch: the leaf is in the place of the root that it was made on.
  void grow(Batch& batch, const Leaf& leaf, const NodeKey& from) const;
  void drop(Batch& batch, const DelegateId& author, const DepotId& depot,
            const NodeKey& root) const;
  // They were told of: of() has them no more, find() still has. Buffered.
  Result<void> forget(std::span<const Leaf> leaves) const;

 private:
  KeyValueStore& kv_;
  RealmId realm_;
};

}  // namespace cairn
