// Decoded nodes in memory, those least recently used forgotten first.
//
// Directories have a pool of their own, so that reading much file data never pushes them out.
// Threads     any; 16 shards with a mutex each.
// Cost        a hit is one probe, two list links and a reference count; nodes are freed outside
//             the lock.
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "base/id.h"
#include "data/cas/node.h"

namespace cairn {

class NodeCache final {
 public:
  // Bytes as Node::memory() counts them; 0: that pool keeps nothing.
  struct Capacity {
    std::size_t dict_bytes = 0;
    std::size_t data_bytes = 0;
  };

  explicit NodeCache(Capacity capacity);
  NodeCache(const NodeCache&) = delete;
  NodeCache& operator=(const NodeCache&) = delete;
  ~NodeCache();

  // Null when it is not there.
  NodePtr find(const RealmId& realm, const NodeKey& key);
  void insert(const RealmId& realm, const NodePtr& node);
  void erase(const RealmId& realm, const NodeKey& key);

  // For a node read from elsewhere: take erasures() before reading it, and give it to insert(),
  // which keeps nothing that may have been erased meanwhile.
  std::uint64_t erasures() const { return erasures_; }
  void insert(const RealmId& realm, const NodePtr& node, std::uint64_t erasures_before);

  // Bytes held in both pools.
  std::size_t memory() const;

 private:
  struct Shard;
  static constexpr std::size_t kShards = 16;

  Shard& shard(std::uint64_t hash) const;

  std::array<std::unique_ptr<Shard>, kShards> shards_;
  std::atomic<std::uint64_t> erasures_ = 0;
};

}  // namespace cairn
