#include "data/store/node_cache.h"

#include <cstring>
#include <vector>

#include "base/guarded.h"

namespace cairn {
namespace {

enum class Pool : std::uint8_t { kDict, kData };
constexpr std::size_t kPools = 2;

Pool pool_of(const Node& node) { return node.kind() == Kind::kDict ? Pool::kDict : Pool::kData; }

// Keys are uniformly distributed already; realms only have to shift them.
std::uint64_t hash_of(const RealmId& realm, const NodeKey& key) {
  std::uint64_t low = 0;
  std::memcpy(&low, realm.bytes().data() + 8, sizeof low);
  return key.word() ^ (low * 0x9e3779b97f4a7c15U);
}

// The least-recently-used cache of one shard. Three structures share the entries:
//
//   entries_   the nodes themselves, in a vector whose places are used again through free_; an
//              entry keeps its number as long as it lives
//   table_     finds an entry by its hash: open addressing with linear probing, at most half full;
//              slots are 8 bytes, so a probe reads one cache line and seldom a wrong entry
//   pools_     two doubly linked lists through the entries, newest to oldest, for directories and
//              for data; each has a capacity of its own, so neither pushes out the other
//
// The links are numbers and not pointers: half the size, and growing the vector leaves them valid.
// Threads  one at a time.
class Entries final {
 public:
  explicit Entries(NodeCache::Capacity capacity)
      : pools_{PoolState{.capacity = capacity.dict_bytes},
               PoolState{.capacity = capacity.data_bytes}},
        table_(kInitialTable) {}

  NodePtr find(const RealmId& realm, const NodeKey& key, std::uint64_t hash) {
    const Slot* slot = lookup(realm, key, hash);
    if (slot == nullptr) return nullptr;
    touch(slot->entry);
    return entries_[slot->entry].node;
  }

  // Returns the nodes it had to drop. The caller frees them when it no longer holds the lock.
  std::vector<NodePtr> insert(const RealmId& realm, const NodePtr& node, std::uint64_t hash) {
    const std::size_t charge = node->memory() + sizeof(Entry) + 2 * sizeof(Slot);
    const auto pool = static_cast<std::size_t>(pool_of(*node));
    std::vector<NodePtr> evicted;
    // Larger than its whole pool: keeping it would empty the pool for one node.
    if (charge > pools_[pool].capacity) return evicted;
    // Two threads missed it at the same time and both read it.
    if (const Slot* slot = lookup(realm, node->key(), hash)) {
      touch(slot->entry);
      return evicted;
    }
    while (pools_[pool].used + charge > pools_[pool].capacity) {
      evicted.push_back(remove(pools_[pool].oldest));
    }
    add(Entry{realm, node, hash, charge, pool});
    return evicted;
  }

  // Returns the node that was there, to be freed outside the lock.
  NodePtr erase(const RealmId& realm, const NodeKey& key, std::uint64_t hash) {
    const Slot* slot = lookup(realm, key, hash);
    return slot == nullptr ? nullptr : remove(slot->entry);
  }

  std::size_t memory() const { return pools_[0].used + pools_[1].used; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::size_t kInitialTable = 64;

  struct Entry {
    RealmId realm;
    NodePtr node;
    std::uint64_t hash = 0;
    std::size_t charge = 0;
    std::size_t pool = 0;
    std::uint32_t newer = kNone;
    std::uint32_t older = kNone;
  };
  struct Slot {
    std::uint32_t entry = kNone;
    std::uint32_t tag = 0;  // the high half of the hash: most mismatches end here
  };
  struct PoolState {
    std::size_t capacity = 0;
    std::size_t used = 0;
    std::uint32_t newest = kNone;
    std::uint32_t oldest = kNone;
  };

  std::size_t mask() const { return table_.size() - 1; }
  static std::uint32_t tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

  const Slot* lookup(const RealmId& realm, const NodeKey& key, std::uint64_t hash) const {
    for (std::size_t at = hash & mask(); table_[at].entry != kNone; at = (at + 1) & mask()) {
      if (table_[at].tag != tag(hash)) continue;
      const Entry& entry = entries_[table_[at].entry];
      if (entry.node->key() == key && entry.realm == realm) return &table_[at];
    }
    return nullptr;
  }

  void add(Entry entry) {
    if (2 * (count_ + 1) > table_.size()) grow();
    std::uint32_t number = 0;
    if (free_.empty()) {
      number = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back(std::move(entry));
    } else {
      number = free_.back();
      free_.pop_back();
      entries_[number] = std::move(entry);
    }
    place(number);
    ++count_;
    pools_[entries_[number].pool].used += entries_[number].charge;
    link(number);
  }

  NodePtr remove(std::uint32_t number) {
    Entry& entry = entries_[number];
    unlink(number);
    pools_[entry.pool].used -= entry.charge;
    vacate(number);
    --count_;
    free_.push_back(number);
    return std::move(entry.node);
  }

  void place(std::uint32_t number) {
    const std::uint64_t hash = entries_[number].hash;
    std::size_t at = hash & mask();
    while (table_[at].entry != kNone) at = (at + 1) & mask();
    table_[at] = {number, tag(hash)};
  }

  // Empties the slot of an entry and closes the gap: linear probing without tombstones.
  void vacate(std::uint32_t number) {
    std::size_t gap = entries_[number].hash & mask();
    while (table_[gap].entry != number) gap = (gap + 1) & mask();
    for (std::size_t at = (gap + 1) & mask(); table_[at].entry != kNone; at = (at + 1) & mask()) {
      const std::size_t home = entries_[table_[at].entry].hash & mask();
      // An entry may move into the gap unless its home lies between the gap and where it is: then a
      // probe that starts at home would not come past the gap.
      if (((at - home) & mask()) >= ((at - gap) & mask())) {
        table_[gap] = table_[at];
        gap = at;
      }
    }
    table_[gap] = {};
  }

  void grow() {
    std::vector<Slot> old(table_.size() * 2);
    old.swap(table_);
    for (const Slot& slot : old) {
      if (slot.entry != kNone) place(slot.entry);
    }
  }

  void touch(std::uint32_t number) {
    if (pools_[entries_[number].pool].newest == number) return;
    unlink(number);
    link(number);
  }

  void link(std::uint32_t number) {
    Entry& entry = entries_[number];
    PoolState& pool = pools_[entry.pool];
    entry.newer = kNone;
    entry.older = pool.newest;
    (pool.newest == kNone ? pool.oldest : entries_[pool.newest].newer) = number;
    pool.newest = number;
  }

  void unlink(std::uint32_t number) {
    Entry& entry = entries_[number];
    PoolState& pool = pools_[entry.pool];
    (entry.newer == kNone ? pool.newest : entries_[entry.newer].older) = entry.older;
    (entry.older == kNone ? pool.oldest : entries_[entry.older].newer) = entry.newer;
  }

  std::array<PoolState, kPools> pools_;
  std::vector<Slot> table_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::size_t count_ = 0;
};

}  // namespace

// The result of insert() and erase() outlives the temporary lock: nodes are freed when the lock is
// free again, since freeing a large one takes long.
struct NodeCache::Shard {
  explicit Shard(Capacity capacity) : entries(Entries(capacity)) {}
  Guarded<Entries> entries;
};

NodeCache::NodeCache(Capacity capacity) {
  for (auto& shard : shards_) {
    shard = std::make_unique<Shard>(
        Capacity{capacity.dict_bytes / kShards, capacity.data_bytes / kShards});
  }
}

NodeCache::~NodeCache() = default;

// The table of a shard uses the low bits of the hash and the tag its high half.
NodeCache::Shard& NodeCache::shard(std::uint64_t hash) const {
  return *shards_[(hash >> 28) % kShards];
}

NodePtr NodeCache::find(const RealmId& realm, const NodeKey& key) {
  const std::uint64_t hash = hash_of(realm, key);
  return shard(hash).entries.lock()->find(realm, key, hash);
}

void NodeCache::insert(const RealmId& realm, const NodePtr& node) {
  const std::uint64_t hash = hash_of(realm, node->key());
  const auto evicted = shard(hash).entries.lock()->insert(realm, node, hash);
}

// Inserted first, compared second. An eraser counts before it erases: if it counts after the
// comparison it finds the node and removes it, if before, the comparison shows it. An erasure of
// another key only costs this one its place.
void NodeCache::insert(const RealmId& realm, const NodePtr& node, std::uint64_t erasures_before) {
  insert(realm, node);
  if (erasures_ != erasures_before) erase(realm, node->key());
}

void NodeCache::erase(const RealmId& realm, const NodeKey& key) {
  ++erasures_;
  const std::uint64_t hash = hash_of(realm, key);
  const auto erased = shard(hash).entries.lock()->erase(realm, key, hash);
}

std::size_t NodeCache::memory() const {
  std::size_t total = 0;
  for (const auto& shard : shards_) total += shard->entries.lock()->memory();
  return total;
}

}  // namespace cairn
