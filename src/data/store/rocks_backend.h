// The tables in RocksDB: one column family each, one write-ahead log for all.
//
// A write that fails (a full disk) leaves the database refusing writes; the next write first asks
// it to recover, so that freeing space is enough.
//
// Threads     as Backend: reads from any thread, one write at a time.
// Fails with  STORE_LOCKED and STORE_INCOMPATIBLE from open(); CORRUPT_NODE, IO_ERROR.
#pragma once

#include <memory>
#include <vector>

#include <rocksdb/db.h>

#include "data/store/backend.h"
#include "data/store/directory_lock.h"

namespace cairn {

class RocksBackend final : public Backend {
 public:
  struct Options {
    bool create = true;
    std::size_t block_cache_bytes = 64 << 20;
    // The file system underneath; nothing: the machine's. Not owned.
    rocksdb::Env* env = nullptr;
  };

  // STORE_LOCKED, STORE_INCOMPATIBLE, IO_ERROR with the path.
  static Result<std::unique_ptr<RocksBackend>> open(const std::filesystem::path& directory,
                                                    Options options);
  RocksBackend(const RocksBackend&) = delete;
  RocksBackend& operator=(const RocksBackend&) = delete;
  // Syncs what was only buffered, and writes out of the log what would make the next open slow.
  ~RocksBackend() override;

  Result<bool> read(Table table, ByteView key, const Reader& reader) const override;
  Result<void> scan(Table table, const KeyRange& range, Direction direction,
                    const KeyValueStore::Visitor& visit) const override;
  Result<void> write(const Changes& changes, Durability durability) override;
  Result<void> reclaim(Table table, const KeyRange& range) override;
  Result<void> checkpoint(const std::filesystem::path& target) override;

 private:
  RocksBackend(DirectoryLock lock, std::filesystem::path directory, std::unique_ptr<rocksdb::DB> db,
               std::vector<rocksdb::ColumnFamilyHandle*> handles);

  rocksdb::ColumnFamilyHandle* handle(Table table) const;
  Failure failed(std::string_view action, const rocksdb::Status& status) const;
  Result<void> recover();
  std::uint64_t unflushed_bytes() const;

  DirectoryLock lock_;  // the last to go
  std::filesystem::path directory_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  bool needs_recovery_ = false;  // only the one writer looks at it
};

}  // namespace cairn
