// The nodes of one realm in an embedded store.
//
// Threads     every function may be called from any thread.
// Fails with  as NodeStore.
#pragma once

#include <set>

#include "base/guarded.h"
#include "data/store/node_store.h"
#include "data/store/writer.h"

namespace cairn {

class RealmNodes final : public NodeStore {
 public:
  RealmNodes(const RealmId& realm, Backend& backend, NodeCache& cache, Writer& writer)
      : realm_(realm), backend_(backend), cache_(cache), writer_(writer) {}
  RealmNodes(const RealmNodes&) = delete;
  RealmNodes& operator=(const RealmNodes&) = delete;

  const RealmId& realm() const override { return realm_; }
  Result<NodePtr> get(const NodeKey& key) const override;
  Result<bool> has(const NodeKey& key) const override;
  Result<void> put(std::span<const NodePtr> nodes) override;
  Result<std::vector<NodeKey>> find(const NodeKey& low, const NodeKey& high,
                                    std::size_t limit) const override;
  Result<void> for_each(const std::function<bool(const NodeInfo&)>& visit) const override;
  Result<NodePtr> get_uncached(const NodeKey& key) const override;
  Result<std::unique_ptr<Sweep>> begin_sweep() override;
  Result<Usage> usage() const override;
  Result<void> set_quota(std::uint64_t physical_bytes) override;
  Result<Usage> recount() { return writer_.recount(realm_); }
  std::set<NodeKey> damage_met() const { return *damage_met_.lock(); }

 private:
  Failure corrupt(const NodeKey& key, std::string_view why) const;
  Result<NodePtr> decode(const NodeKey& key, std::optional<Bytes> bytes) const;

  const RealmId realm_;
  Backend& backend_;
  NodeCache& cache_;
  Writer& writer_;
  mutable Guarded<std::set<NodeKey>> damage_met_;
};

}  // namespace cairn
