// RocksTables: the tables in a RocksDB that is open, to read and write or only to read.
//
// Threads     as Backend: reads from any thread, one write at a time.
// Fails with  CORRUPT_NODE, IO_ERROR; write(), sync() and flush() with what RocksDB says.
#pragma once

#include <memory>
#include <vector>

#include <rocksdb/db.h>

#include "data/store/backend.h"
#include "data/store/rocks_options.h"

namespace cairn {

class RocksTables final {
 public:
  enum class Access {
    kReadWrite,
    kReadOnly,
    kWhatIsLeft,  // to read, and also where tables cannot be opened or are gone
  };

  struct Options {
    Access access = Access::kReadWrite;
    bool create = true;
    RocksMemory memory = {};
    rocksdb::Env* env = nullptr;
  };

  // The status is RocksDB's; null when it is not ok.
  static std::unique_ptr<RocksTables> open(const std::filesystem::path& directory,
                                           const Options& options, rocksdb::Status& status);
  RocksTables(const RocksTables&) = delete;
  RocksTables& operator=(const RocksTables&) = delete;
  ~RocksTables();

  Access access() const { return access_; }

  // As of a snapshot, or now.
  Result<bool> read(Table table, ByteView key, const Backend::Reader& reader,
                    const rocksdb::Snapshot* then = nullptr) const;
  Result<void> scan(Table table, const KeyRange& range, Direction direction,
                    const KeyValueStore::Visitor& visit,
                    const rocksdb::Snapshot* then = nullptr) const;
  const rocksdb::Snapshot* hold() { return db_->GetSnapshot(); }
  void release(const rocksdb::Snapshot* held) { db_->ReleaseSnapshot(held); }

  // `mark` goes to the log in front of the changes (log_state.h).
  rocksdb::Status write(const Changes& changes, ByteView mark, Durability durability);
  rocksdb::Status sync() { return db_->SyncWAL(); }
  // All of them: the log they share is dropped only when none needs it.
  rocksdb::Status flush() { return db_->Flush(rocksdb::FlushOptions(), handles_); }
  rocksdb::Status compact(Table table, const KeyRange& range);
  // Writes the tables out first, or copies the log instead.
  enum class Log { kFlushed, kCopied };
  rocksdb::Status checkpoint(const std::filesystem::path& target, Log log);

  // Of every block of every table on the disk.
  rocksdb::Status verify() { return db_->VerifyChecksum(); }

  std::uint64_t sequence() const { return db_->GetLatestSequenceNumber(); }
  std::uint64_t unflushed_bytes() const;
  // The log that is written to now: its number and bytes.
  std::pair<std::uint64_t, std::uint64_t> log() const;

 private:
  RocksTables(std::filesystem::path directory, Access access)
      : directory_(std::move(directory)), access_(access) {}

  rocksdb::ColumnFamilyHandle* handle(Table table) const {
    return handles_[static_cast<std::size_t>(table)];
  }
  Failure cannot_read(const rocksdb::Status& status) const;

  std::filesystem::path directory_;
  Access access_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

}  // namespace cairn
