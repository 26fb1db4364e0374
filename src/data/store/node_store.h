// The nodes of one realm. Realms share nothing, not even nodes with the same bytes.
//
// Invariants  what get() returns hashes to its key; a node whose stored bytes do not is
//             CORRUPT_NODE, never data.
// Threads     every function may be called from any thread.
// Fails with  NODE_NOT_FOUND, CORRUPT_NODE, QUOTA_EXCEEDED, IO_ERROR.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/id.h"
#include "base/result.h"
#include "data/cas/node_io.h"

namespace cairn {

struct Usage {
  std::uint64_t physical_bytes = 0;  // as stored, after compression
  std::uint64_t logical_bytes = 0;   // the nodes' own bytes
  std::uint64_t node_count = 0;
  std::uint64_t quota_limit = 0;  // of physical bytes; 0: none

  bool operator==(const Usage&) const = default;
};

// The facts about a stored node that are known without reading it.
struct NodeInfo {
  NodeKey key;
  Millis stored_at = 0;  // last stored or required; to the minute, never in the future
  std::uint64_t physical_bytes = 0;
  std::uint64_t logical_bytes = 0;
};

// Removing nodes while others store more. From its beginning, the store notes which nodes are
// stored or required, so that run() can spare them and what they hold.
class Sweep {
 public:
  struct Removed {
    std::uint64_t nodes = 0;
    std::uint64_t physical_bytes = 0;
  };
  using Choose = std::function<Result<std::vector<NodeKey>>(std::span<const NodeKey> noted)>;

  virtual ~Sweep() = default;
  // Removes what `choose` returns, in one atomic step, durable with the next synced commit. It has
  // what was noted since the last one, is called with commits held back, and must not commit.
  virtual Result<Removed> run(const Choose& choose) = 0;
  // Gives the space of removed nodes back to the disk. Takes time in proportion to all that is
  // stored in the realm; others go on meanwhile.
  virtual Result<void> reclaim() = 0;
};

// A stored node counts as stored again only when its stamp is this old: whoever compares stamps
// with a grace time adds it.
inline constexpr std::chrono::minutes kRestampAfter{60};

class NodeStore : public NodeReader {
 public:
  virtual const RealmId& realm() const = 0;

  virtual Result<bool> has(const NodeKey& key) const = 0;
  // Stores nodes, children before or together with their parents. Nodes already there are kept
  // and count as stored now. Buffered: durable with the next synced commit of the same store.
  // QUOTA_EXCEEDED stores nothing.
  virtual Result<void> put(std::span<const NodePtr> nodes) = 0;
  // Up to `limit` keys in [low, high], in order.
  virtual Result<std::vector<NodeKey>> find(const NodeKey& low, const NodeKey& high,
                                            std::size_t limit) const = 0;
  // Visits every node's info, in key order, of one snapshot.
  virtual Result<void> for_each(const std::function<bool(const NodeInfo&)>& visit) const = 0;
  // Reads past the cache, so that fsck sees the disk.
  virtual Result<NodePtr> get_uncached(const NodeKey& key) const = 0;

  // Starts removing nodes: see Sweep. CONFLICT while another is running.
  virtual Result<std::unique_ptr<Sweep>> begin_sweep() = 0;

  virtual Result<Usage> usage() const = 0;
  virtual Result<void> set_quota(std::uint64_t physical_bytes) = 0;
};

// The one node that `prefix` names: NODE_NOT_FOUND, or AMBIGUOUS_KEY with the candidates.
Result<NodeKey> resolve(const NodeStore& store, const class KeyPrefix& prefix);

}  // namespace cairn
