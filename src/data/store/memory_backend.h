// The tables in memory: the twin of RocksBackend for tests.
//
// A scan holds on to the state it began with; a write meanwhile copies it first.
// Threads     as Backend: reads from any thread, one write at a time.
#pragma once

#include "base/guarded.h"
#include "data/store/backend.h"

namespace cairn {

class MemoryBackend final : public Backend {
 public:
  MemoryBackend();

  Result<bool> read(Table table, ByteView key, const Reader& reader) const override;
  Result<void> scan(Table table, const KeyRange& range, Direction direction,
                    const KeyValueStore::Visitor& visit) const override;
  Result<void> write(const Changes& changes, Durability durability) override;
  Result<void> reclaim(Table, const KeyRange&) override { return {}; }
  Result<std::unique_ptr<Backend>> snapshot() const override;
  // INVALID_ARGUMENT: there is nothing on disk to copy.
  Result<void> checkpoint(const std::filesystem::path& target) override;

 private:
  using Rows = std::map<Bytes, Bytes, std::less<>>;
  using Tables = std::array<Rows, kTables.size()>;
  class Snapshot;

  mutable Guarded<std::shared_ptr<Tables>> tables_;
};

}  // namespace cairn
