// Every change of an embedded store goes through here: checked, grouped, written, made known.
//
// Invariants  a request sees those before it in its group; one that is refused changes nothing;
//             when the write of a group fails, all its requests fail and nothing has changed.
//             Watchers hear of changes in commit order, and before the commit returns.
// Threads     any. Hashing and compressing is done by the caller's thread, before it queues.
#pragma once

#include <map>

#include "data/store/node_cache.h"
#include "data/store/node_store.h"
#include "data/store/realm_ledger.h"
#include "data/store/watchers.h"
#include "data/store/write_queue.h"

namespace cairn {

class Writer final {
 public:
  Writer(Backend& backend, NodeCache& cache, Watchers& watchers, const Clock& clock);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Whether new directories are read next, so that they are kept in memory.
  enum class Reread { kSoon, kNotSoon };
  Result<void> commit(const Batch& batch, Reread reread = Reread::kSoon);
  // From the return of note() to forget(), nodes that commits store or require are noted.
  Result<void> note(const RealmId& realm);
  void forget(const RealmId& realm);
  // REQUIRES: noting.
  Result<Sweep::Removed> sweep(const RealmId& realm, const Sweep::Choose& choose);
  Result<void> set_quota(const RealmId& realm, std::uint64_t physical_bytes);
  // See recount.h.
  Result<Usage> recount(const RealmId& realm);

  // How many changes are in line behind the group being written.
  std::size_t waiting() { return queue_.waiting(); }

 private:
  void write_group(WriteQueue::Group group);
  Result<void> write(WriteQueue::Group group);
  Result<std::vector<NewNode>> prepare(const Batch& batch) const;
  bool is_sound(const RealmId& realm, const Node& node) const;
  void note_nodes(const Batch& batch) const;
  Result<void> apply(Overlay& overlay, const Batch& batch, std::vector<NewNode>& nodes) const;

  Backend& backend_;
  NodeCache& cache_;
  Watchers& watchers_;
  const Clock& clock_;
  WriteQueue queue_;
  mutable Guarded<std::map<RealmId, std::vector<NodeKey>>> noted_;
};

}  // namespace cairn
