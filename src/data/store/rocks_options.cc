#include "data/store/rocks_options.h"

#include <algorithm>
#include <iterator>

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/memtablerep.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include "base/os/descriptors.h"

namespace cairn {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// Values are compressed by us, and node data lies in blob files outside the sorted tables: these
// hold keys and small records only, so compaction rewrites little.
void use_blobs(rocksdb::ColumnFamilyOptions& options) {
  options.enable_blob_files = true;
  options.min_blob_size = 256;
  options.blob_compression_type = rocksdb::kNoCompression;
  // Not with every compaction, which would copy old nodes about for nothing: only a sweep leaves
  // holes, and RocksBackend::reclaim() closes them.
  options.enable_blob_garbage_collection = false;
}

// RocksDB would look every few seconds whether it can go on after an error; RocksBackend asks it to
// when there is something to write, and so knows where it stands.
class RecoverOnlyWhenAsked final : public rocksdb::EventListener {
 public:
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status,
                            bool* automatically) override {
    *automatically = false;
  }
};

// RocksDB would keep a log of what it does among the data. What it has to say comes back as the
// status of a call; and where such a log cannot be written, because the disk is full, Debian's
// RocksDB ends the process.
class SaysNothing final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

rocksdb::ColumnFamilyOptions table_options(Table table,
                                           const std::shared_ptr<rocksdb::Cache>& blocks) {
  rocksdb::BlockBasedTableOptions block;
  block.block_cache = blocks;
  block.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  block.whole_key_filtering = true;

  rocksdb::ColumnFamilyOptions options;
  options.compression = rocksdb::kNoCompression;
  // The log bounds what is in them, and may be written out at once. Were they smaller, opening a
  // store would write them out while it reads the log, which needs room on the disk.
  options.write_buffer_size = table == Table::kNodeData ? 64 * kMiB : 16 * kMiB;
  switch (table) {
    case Table::kPointers:
      // A scan looks at the row beside its range, and would read all of it: so large values lie
      // elsewhere. They are replaced one by one, not swept.
      options.enable_blob_files = true;
      options.min_blob_size = 16 << 10;
      options.blob_compression_type = rocksdb::kNoCompression;
      options.enable_blob_garbage_collection = true;
      break;
    case Table::kNodeInfo:
      // Most lookups are for nodes that are not there yet: filters answer them, in memory and
      // on disk.
      options.memtable_prefix_bloom_size_ratio = 0.05;
      options.memtable_whole_key_filtering = true;
      block.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
      break;
    case Table::kNodeData:
      // Only nodes that are there are read: the last level needs no filter.
      options.optimize_filters_for_hits = true;
      block.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
      use_blobs(options);
      // Node data is looked up by key and never listed: in memory a hash table by realm and the
      // first bytes of the key takes new nodes faster than one long sorted list.
      options.prefix_extractor.reset(rocksdb::NewCappedPrefixTransform(24));
      options.memtable_factory.reset(rocksdb::NewHashSkipListRepFactory(1 << 16));
      break;
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(block));
  return options;
}

}  // namespace

std::vector<rocksdb::ColumnFamilyDescriptor> rocks_tables(const RocksMemory& memory) {
  auto blocks = rocksdb::NewLRUCache(memory.block_cache);
  std::vector<rocksdb::ColumnFamilyDescriptor> result;
  result.reserve(std::size(kTables) + 1);
  for (Table table : kTables) {
    result.emplace_back(rocks_table_name(table), table_options(table, blocks));
  }
  // RocksDB wants its default family named, too; it stays empty.
  result.emplace_back(rocksdb::kDefaultColumnFamilyName, rocksdb::ColumnFamilyOptions());
  return result;
}

rocksdb::DBOptions rocks_db_options(const RocksMemory& memory) {
  rocksdb::DBOptions options;
  options.create_missing_column_families = true;
  options.allow_concurrent_memtable_write =
      false;  // a hash table in memory has one writer; so do we
  options.max_open_files = static_cast<int>(os::DescriptorShares::of(os::descriptor_limit()).store);
  options.skip_stats_update_on_db_open = true;
  // Sixteen threads for each table family, as RocksDB would have it, take longer to make than most
  // stores take to open.
  options.max_file_opening_threads = 2;
  options.skip_checking_sst_file_sizes_on_db_open = true;
  // Bounds how long opening takes after a crash, and what it holds: the log is read again then.
  // Half of the share: while the one half is written out, the other is written to.
  options.max_total_wal_size = std::clamp(memory.write_buffers / 2, 4 * kMiB, 64 * kMiB);
  // Opening must not need room: what the log has stays there until there is enough of it.
  options.avoid_flush_during_recovery = true;
  options.max_manifest_file_size = 16 * kMiB;
  options.max_background_jobs = 2;
  options.bytes_per_sync = kMiB;
  // It would take 64 MiB for each log beforehand, which is all of a small disk.
  options.allow_fallocate = false;
  options.info_log = std::make_shared<SaysNothing>();
  options.listeners.push_back(std::make_shared<RecoverOnlyWhenAsked>());
  options.max_bgerror_resume_count = 0;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

std::string rocks_table_name(Table table) {
  switch (table) {
    case Table::kPointers:
      return "pointers";
    case Table::kNodeInfo:
      return "node_info";
    case Table::kNodeData:
      return "node_data";
  }
  return {};
}

}  // namespace cairn
