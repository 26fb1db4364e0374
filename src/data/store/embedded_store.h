// A store in this process, over any backend: the same rules for RocksDB and for its twin in memory.
//
//   kv(), nodes() --reads--> cache --> backend
//         \--changes--> writer: queue, overlay, ledger --> backend --> watchers
//
// Threads     every function may be called from any thread.
// Fails with  as Store, KeyValueStore and NodeStore.
#pragma once

#include <map>
#include <set>

#include "data/store/backup.h"
#include "data/store/open.h"
#include "data/store/realm_nodes.h"

namespace cairn {

class EmbeddedStore final : public Store {
 public:
  // STORE_INCOMPATIBLE when the backend holds a newer format, or something else altogether.
  static Result<std::unique_ptr<EmbeddedStore>> open(std::unique_ptr<Backend> backend,
                                                     const Clock& clock, StoreOptions options);
  EmbeddedStore(const EmbeddedStore&) = delete;
  EmbeddedStore& operator=(const EmbeddedStore&) = delete;
  ~EmbeddedStore() override;

  KeyValueStore& kv() override;
  NodeStore& nodes(const RealmId& realm) override;
  Result<std::vector<RealmId>> realms() const override;
  Result<void> ready() override { return backend_->ready(); }
  Result<std::unique_ptr<Store>> snapshot() override;
  Result<void> backup(const std::filesystem::path& target) override;

 private:
  class KeyValue;
  std::set<DamagedNode> damage_met();

  EmbeddedStore(std::unique_ptr<Backend> backend, const Clock& clock, StoreOptions options);

  const Clock& clock_;
  const std::size_t snapshot_cache_bytes_;
  std::unique_ptr<Backend> backend_;
  NodeCache cache_;
  Watchers watchers_;
  Writer writer_;
  std::unique_ptr<KeyValue> kv_;
  Guarded<std::map<RealmId, std::unique_ptr<RealmNodes>>> realms_;
};

}  // namespace cairn
