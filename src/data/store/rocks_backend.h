// The tables in RocksDB: one column family each, one write-ahead log for all.
//
// A write that fails leaves the database refusing writes, for some errors for ever. So before the
// next one it is closed and opened anew, while reads go on in a second one that only reads: neither
// a full disk nor descriptors that were used up need a restart. (RocksDB's own Resume() may go on
// writing to a log that has failed, which ends the process.)
//
//   good       everything is written
//   full       only what makes room is written, out of the reserve (disk_room.h); good again as
//              soon as there is room
//   read-only  the disk cannot be written to at all, or is full to the last block: reads and copies
//
// Threads     as Backend: reads from any thread, one write at a time.
// Fails with  STORE_LOCKED, STORE_INCOMPATIBLE and STORE_DAMAGED from open(); STORAGE_FULL and
//             STORE_READ_ONLY from write(); CORRUPT_NODE, IO_ERROR.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "base/guarded.h"
#include "data/store/directory_lock.h"
#include "data/store/disk_room.h"
#include "data/store/rocks_tables.h"
#include "data/store/synced_note.h"

namespace cairn {

class RocksBackend final : public Backend {
 public:
  struct Options {
    bool create = true;
    RocksMemory memory = {};
    // The file system underneath; nothing: the machine's. Not owned.
    rocksdb::Env* env = nullptr;
    // Which records are commits, for messages.
    std::function<bool(ByteView key)> is_commit = {};
    // What is kept free for a full disk, at most; 0: nothing.
    std::uint64_t reserve_bytes = 0;
  };

  // STORE_LOCKED, STORE_INCOMPATIBLE, STORE_DAMAGED (log_guard.h), IO_ERROR with the path.
  static Result<std::unique_ptr<RocksBackend>> open(const std::filesystem::path& directory,
                                                    Options options);
  RocksBackend(const RocksBackend&) = delete;
  RocksBackend& operator=(const RocksBackend&) = delete;
  // Syncs what was only buffered, and writes out of the log what would make the next open slow.
  ~RocksBackend() override;

  Result<bool> read(Table table, ByteView key, const Reader& reader) const override {
    return tables()->read(table, key, reader);
  }
  Result<void> scan(Table table, const KeyRange& range, Direction direction,
                    const KeyValueStore::Visitor& visit) const override {
    return tables()->scan(table, range, direction, visit);
  }
  Result<void> write(const Changes& changes, Durability durability) override;
  Result<void> reclaim(Table table, const KeyRange& range) override;
  Result<void> room() override;
  Result<void> ready() override;
  Result<std::unique_ptr<Backend>> snapshot() const override;
  Result<void> checkpoint(const std::filesystem::path& target) override;

 private:
  RocksBackend(DirectoryLock lock, std::filesystem::path directory, Options options);

  using Access = RocksTables::Access;
  std::shared_ptr<RocksTables> tables() const { return *tables_.lock(); }
  rocksdb::Status open_tables(Access access);
  Result<void> begin();
  void flush_if_long();
  Result<void> open_again();
  Result<void> go_on();
  Result<void> write_again();
  bool has_room() const;
  Failure refused(const rocksdb::Status& status);
  Failure full() const;
  // Everything written so far is on disk.
  void note_synced();

  DirectoryLock lock_;  // the last to go
  std::filesystem::path directory_;
  Options options_;
  DiskRoom room_;
  std::optional<SyncedNote> note_;
  mutable Guarded<std::shared_ptr<RocksTables>> tables_;
  // How many snapshots live: while there are any, compacting takes no bytes away.
  std::shared_ptr<std::atomic<int>> snapshots_ = std::make_shared<std::atomic<int>>(0);
  // Why nothing can be written, where that is so.
  Guarded<std::optional<Error>> trouble_;
  std::atomic<bool> full_ = false;
  std::atomic<bool> stuck_ = false;  // a write failed: the database is not used for another
  std::uint64_t synced_ = 0;         // the last sequence that is on disk; of the one writer
};

}  // namespace cairn
