#include "data/store/rocks_tables.h"

#include <limits>

#include <rocksdb/transaction_log.h>
#include <rocksdb/utilities/checkpoint.h>

namespace cairn {
namespace {

rocksdb::Slice as_slice(ByteView bytes) { return {bytes.data(), bytes.size()}; }
ByteView as_view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

}  // namespace

std::unique_ptr<RocksTables> RocksTables::open(const std::filesystem::path& directory,
                                               const Options& options, rocksdb::Status& status) {
  rocksdb::DBOptions db_options = rocks_db_options(options.memory);
  db_options.create_if_missing = options.create;
  if (options.env != nullptr) db_options.env = options.env;
  std::unique_ptr<RocksTables> opened(new RocksTables(directory, options.access));
  rocksdb::DB* db = nullptr;
  const auto tables = rocks_tables(options.memory);
  db_options.paranoid_checks = options.access != Access::kWhatIsLeft;
  if (options.access != Access::kReadWrite) {
    db_options.create_missing_column_families = false;
    status = rocksdb::DB::OpenForReadOnly(db_options, directory.string(), tables, &opened->handles_,
                                          &db);
  } else {
    status = rocksdb::DB::Open(db_options, directory.string(), tables, &opened->handles_, &db);
  }
  opened->db_.reset(db);
  return status.ok() ? std::move(opened) : nullptr;
}

RocksTables::~RocksTables() {
  if (!db_) return;
  for (auto* handle : handles_) db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  db_->Close().PermitUncheckedError();
}

Failure RocksTables::cannot_read(const rocksdb::Status& status) const {
  return fail(Code::kIoError, "cannot read the store in '{}': {}{}", directory_.string(),
              status.ToString(),
              status.IsCorruption() ? "; `cairn fsck --repair` keeps all that can be read" : "");
}

Result<bool> RocksTables::read(Table table, ByteView key, const Backend::Reader& reader,
                               const rocksdb::Snapshot* then) const {
  rocksdb::PinnableSlice value;
  // Checksums are looked at also where the hash of a node is: RocksDB trusts what is in a block so
  // far that damage there would end the process.
  rocksdb::ReadOptions options;
  options.snapshot = then;
  auto status = db_->Get(options, handle(table), as_slice(key), &value);
  if (status.IsNotFound()) return false;
  // Only for node data, where the reader knows which node is lost. In the other tables a damaged
  // block is a failure of the store.
  if (status.IsCorruption() && table == Table::kNodeData) {
    return fail(Code::kCorruptNode, "the store in '{}' is damaged: {}", directory_.string(),
                status.ToString());
  }
  if (!status.ok()) return cannot_read(status);
  reader(as_view(value));
  return true;
}

Result<void> RocksTables::scan(Table table, const KeyRange& range, Direction direction,
                               const KeyValueStore::Visitor& visit,
                               const rocksdb::Snapshot* then) const {
  if (!range.end.empty() && range.end <= range.begin) return {};
  const rocksdb::Slice lower = as_slice(range.begin);
  const rocksdb::Slice upper = as_slice(range.end);
  rocksdb::ReadOptions options;
  options.iterate_lower_bound = &lower;
  options.snapshot = then;
  options.total_order_seek = true;  // node data is kept by prefix
  if (!range.end.empty()) options.iterate_upper_bound = &upper;
  const bool forward = direction == Direction::kForward;
  std::unique_ptr<rocksdb::Iterator> row(db_->NewIterator(options, handle(table)));
  for (forward ? row->SeekToFirst() : row->SeekToLast(); row->Valid();
       forward ? row->Next() : row->Prev()) {
    if (visit(as_view(row->key()), as_view(row->value())) == Scan::kStop) return {};
  }
  if (!row->status().ok()) return cannot_read(row->status());
  return {};
}

rocksdb::Status RocksTables::write(const Changes& changes, ByteView mark, Durability durability) {
  rocksdb::WriteBatch batch;
  auto status = batch.PutLogData(as_slice(mark));
  for (Table table : kTables) {
    for (const auto& [key, value] : changes[table]) {
      if (!status.ok()) return status;
      status = value ? batch.Put(handle(table), as_slice(key), as_slice(*value))
                     : batch.Delete(handle(table), as_slice(key));
    }
  }
  if (!status.ok()) return status;
  rocksdb::WriteOptions options;
  options.sync = durability == Durability::kSynced;
  return db_->Write(options, &batch);
}

rocksdb::Status RocksTables::compact(Table table, const KeyRange& range) {
  rocksdb::CompactRangeOptions options;
  // Compactions that RocksDB starts by itself may go on meanwhile.
  options.exclusive_manual_compaction = false;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  if (table == Table::kNodeData) {
    // What was deleted would stay in the log.
    if (auto flushed = flush(); !flushed.ok()) return flushed;
    options.blob_garbage_collection_policy = rocksdb::BlobGarbageCollectionPolicy::kForce;
    // All blob files, not only the oldest: a sweep leaves holes anywhere.
    options.blob_garbage_collection_age_cutoff = 1.0;
  }
  const rocksdb::Slice begin = as_slice(range.begin);
  const rocksdb::Slice end = as_slice(range.end);
  return db_->CompactRange(options, handle(table), &begin, &end);
}

rocksdb::Status RocksTables::checkpoint(const std::filesystem::path& target, Log log) {
  rocksdb::Checkpoint* made = nullptr;
  auto status = rocksdb::Checkpoint::Create(db_.get(), &made);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  if (!status.ok()) return status;
  constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  return checkpoint->CreateCheckpoint(std::filesystem::absolute(target).string(),
                                      log == Log::kFlushed ? 0 : kNever);
}

std::uint64_t RocksTables::unflushed_bytes() const {
  std::uint64_t total = 0;
  for (auto* handle : handles_) {
    std::uint64_t bytes = 0;
    if (db_->GetIntProperty(handle, rocksdb::DB::Properties::kCurSizeActiveMemTable, &bytes)) {
      total += bytes;
    }
  }
  return total;
}

std::pair<std::uint64_t, std::uint64_t> RocksTables::log() const {
  std::unique_ptr<rocksdb::LogFile> log;
  if (!db_->GetCurrentWalFile(&log).ok() || !log) return {0, 0};
  return {log->LogNumber(), log->SizeFileBytes()};
}

}  // namespace cairn
