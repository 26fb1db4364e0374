#include "data/store/rocks_backend.h"

#include <iterator>

#include <rocksdb/cache.h>
#include <rocksdb/utilities/checkpoint.h>

#include "base/os/disk_files.h"
#include "data/store/rocks_options.h"

namespace cairn {
namespace {

// A log this long takes some ten milliseconds to read when the store is opened next.
constexpr std::uint64_t kWorthFlushing = 4 << 20;

namespace fs = std::filesystem;

rocksdb::Slice slice(ByteView bytes) { return {bytes.data(), bytes.size()}; }
ByteView view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

// RocksDB has no code of its own for a held lock, only these words.
bool is_lock_held(const rocksdb::Status& status) {
  const std::string text = status.ToString();
  return status.IsIOError() && (text.find("lock hold by") != std::string::npos ||
                                text.find("While lock file") != std::string::npos);
}

Failure cannot_open(const fs::path& directory, const rocksdb::Status& status) {
  if (is_lock_held(status)) {
    return fail(Code::kStoreLocked,
                "another process has the store in '{}' open; stop it, or talk to it instead",
                directory.string());
  }
  // A table we do not know, or a file format RocksDB does not.
  if (status.IsInvalidArgument() || status.IsNotSupported()) {
    return fail(Code::kStoreIncompatible,
                "the store in '{}' was written by a newer version of Cairn; use that one ({})",
                directory.string(), status.ToString());
  }
  return fail(Code::kIoError, "cannot open the store in '{}': {}", directory.string(),
              status.ToString());
}

std::vector<rocksdb::ColumnFamilyDescriptor> tables(const RocksBackend::Options& options) {
  auto blocks = rocksdb::NewLRUCache(options.block_cache_bytes);
  std::vector<rocksdb::ColumnFamilyDescriptor> result;
  result.reserve(std::size(kTables) + 1);
  for (Table table : kTables) {
    result.emplace_back(rocks_table_name(table), rocks_table_options(table, blocks));
  }
  // RocksDB wants its default family named, too; it stays empty.
  result.emplace_back(rocksdb::kDefaultColumnFamilyName, rocksdb::ColumnFamilyOptions());
  return result;
}

Result<void> prepare_directory(const fs::path& directory, bool create) {
  std::error_code error;
  if (fs::exists(directory / "CURRENT", error)) return {};
  if (!create) {
    return fail(Code::kIoError, "there is no store in '{}'", directory.string());
  }
  return os::make_directories(directory);
}

// Node data is verified by its hash, which makes RocksDB's own checksums over it a second, slower
// look at the same bytes.
rocksdb::ReadOptions point_read(Table table) {
  rocksdb::ReadOptions options;
  options.verify_checksums = table != Table::kNodeData;
  return options;
}

}  // namespace

Result<std::unique_ptr<RocksBackend>> RocksBackend::open(const fs::path& directory,
                                                         Options options) {
  TRY(prepare_directory(directory, options.create));
  // Before RocksDB's own lock, which it takes too late (directory_lock.h).
  auto lock = TRY(DirectoryLock::take(directory));
  rocksdb::DBOptions db_options = rocks_db_options();
  db_options.create_if_missing = options.create;
  if (options.env != nullptr) db_options.env = options.env;
  rocksdb::DB* db = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  auto status = rocksdb::DB::Open(db_options, directory.string(), tables(options), &handles, &db);
  if (!status.ok()) return cannot_open(directory, status);
  return std::unique_ptr<RocksBackend>(new RocksBackend(
      std::move(lock), directory, std::unique_ptr<rocksdb::DB>(db), std::move(handles)));
}

RocksBackend::RocksBackend(DirectoryLock lock, fs::path directory, std::unique_ptr<rocksdb::DB> db,
                           std::vector<rocksdb::ColumnFamilyHandle*> handles)
    : lock_(std::move(lock)),
      directory_(std::move(directory)),
      db_(std::move(db)),
      handles_(std::move(handles)) {}

RocksBackend::~RocksBackend() {
  // Nobody is left to tell; what matters was synced by its commit.
  // A database that refuses writes would refuse these too.
  if (!needs_recovery_) {
    db_->SyncWAL().PermitUncheckedError();
    if (unflushed_bytes() > kWorthFlushing) {
      db_->Flush(rocksdb::FlushOptions(), handles_).PermitUncheckedError();
    }
  }
  for (auto* handle : handles_) db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  db_->Close().PermitUncheckedError();
}

std::uint64_t RocksBackend::unflushed_bytes() const {
  std::uint64_t total = 0;
  for (auto* handle : handles_) {
    std::uint64_t bytes = 0;
    if (db_->GetIntProperty(handle, rocksdb::DB::Properties::kCurSizeActiveMemTable, &bytes)) {
      total += bytes;
    }
  }
  return total;
}

rocksdb::ColumnFamilyHandle* RocksBackend::handle(Table table) const {
  return handles_[static_cast<std::size_t>(table)];
}

Failure RocksBackend::failed(std::string_view action, const rocksdb::Status& status) const {
  return fail(Code::kIoError, "cannot {} the store in '{}': {}", action, directory_.string(),
              status.ToString());
}

Result<bool> RocksBackend::read(Table table, ByteView key, const Reader& reader) const {
  rocksdb::PinnableSlice value;
  auto status = db_->Get(point_read(table), handle(table), slice(key), &value);
  if (status.IsNotFound()) return false;
  // Only for node data, where the reader knows which node is lost. In the other tables a damaged
  // block is a failure of the store.
  if (status.IsCorruption() && table == Table::kNodeData) {
    return fail(Code::kCorruptNode, "the store in '{}' is damaged: {}", directory_.string(),
                status.ToString());
  }
  if (!status.ok()) return failed("read", status);
  reader(view(value));
  return true;
}

Result<void> RocksBackend::scan(Table table, const KeyRange& range, Direction direction,
                                const KeyValueStore::Visitor& visit) const {
  if (!range.end.empty() && range.end <= range.begin) return {};
  const rocksdb::Slice lower = slice(range.begin);
  const rocksdb::Slice upper = slice(range.end);
  rocksdb::ReadOptions options;
  options.iterate_lower_bound = &lower;
  options.total_order_seek = true;  // node data is kept by prefix
  if (!range.end.empty()) options.iterate_upper_bound = &upper;
  const bool forward = direction == Direction::kForward;
  std::unique_ptr<rocksdb::Iterator> row(db_->NewIterator(options, handle(table)));
  for (forward ? row->SeekToFirst() : row->SeekToLast(); row->Valid();
       forward ? row->Next() : row->Prev()) {
    if (visit(view(row->key()), view(row->value())) == Scan::kStop) return {};
  }
  if (!row->status().ok()) return failed("read", row->status());
  return {};
}

Result<void> RocksBackend::recover() {
  if (!needs_recovery_) return {};
  auto status = db_->Resume();
  if (!status.ok()) return failed("write to", status);
  needs_recovery_ = false;
  return {};
}

Result<void> RocksBackend::write(const Changes& changes, Durability durability) {
  TRY(recover());
  rocksdb::Status status;
  // A synced commit without changes promises that everything before it is on disk.
  if (changes.empty()) {
    if (durability == Durability::kSynced) status = db_->SyncWAL();
  } else {
    rocksdb::WriteBatch batch;
    for (Table table : kTables) {
      for (const auto& [key, value] : changes[table]) {
        status = value ? batch.Put(handle(table), slice(key), slice(*value))
                       : batch.Delete(handle(table), slice(key));
        if (!status.ok()) return failed("write to", status);
      }
    }
    rocksdb::WriteOptions options;
    options.sync = durability == Durability::kSynced;
    status = db_->Write(options, &batch);
  }
  if (status.ok()) return {};
  needs_recovery_ = true;
  return failed("write to", status);
}

Result<void> RocksBackend::reclaim(Table table, const KeyRange& range) {
  rocksdb::CompactRangeOptions options;
  // Compactions that RocksDB starts by itself may go on meanwhile.
  options.exclusive_manual_compaction = false;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  if (table == Table::kNodeData) {
    // All tables, not this one alone: the log they share is dropped only when none needs it, and
    // what was deleted would stay in it.
    const auto flushed = db_->Flush(rocksdb::FlushOptions(), handles_);
    if (!flushed.ok()) return failed("compact", flushed);
    options.blob_garbage_collection_policy = rocksdb::BlobGarbageCollectionPolicy::kForce;
    // All blob files, not only the oldest: a sweep leaves holes anywhere.
    options.blob_garbage_collection_age_cutoff = 1.0;
  }
  const rocksdb::Slice begin = slice(range.begin);
  const rocksdb::Slice end = slice(range.end);
  auto status = db_->CompactRange(options, handle(table), &begin, &end);
  if (!status.ok()) return failed("compact", status);
  return {};
}

Result<void> RocksBackend::checkpoint(const fs::path& target) {
  rocksdb::Checkpoint* made = nullptr;
  auto status = rocksdb::Checkpoint::Create(db_.get(), &made);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  if (status.ok()) status = checkpoint->CreateCheckpoint(fs::absolute(target).string());
  if (!status.ok()) {
    return fail(Code::kIoError, "cannot back up the store in '{}' to '{}': {}", directory_.string(),
                target.string(), status.ToString());
  }
  return {};
}

}  // namespace cairn
