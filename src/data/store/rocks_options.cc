#include "data/store/rocks_options.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/memtablerep.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

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

}  // namespace

rocksdb::DBOptions rocks_db_options() {
  rocksdb::DBOptions options;
  options.create_missing_column_families = true;
  options.allow_concurrent_memtable_write =
      false;  // a hash table in memory has one writer; so do we
  options.max_open_files = 1024;
  options.skip_stats_update_on_db_open = true;
  // Sixteen threads for each table family, as RocksDB would have it, take longer to make than most
  // stores take to open.
  options.max_file_opening_threads = 2;
  options.skip_checking_sst_file_sizes_on_db_open = true;
  // Bounds how long opening takes after a crash: the log is read again then.
  options.max_total_wal_size = 64 * kMiB;
  options.max_manifest_file_size = 16 * kMiB;
  options.max_background_jobs = 2;
  options.bytes_per_sync = kMiB;
  options.keep_log_file_num = 2;
  options.max_log_file_size = kMiB;
  options.info_log_level = rocksdb::WARN_LEVEL;
  options.listeners.push_back(std::make_shared<RecoverOnlyWhenAsked>());
  options.max_bgerror_resume_count = 0;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

rocksdb::ColumnFamilyOptions rocks_table_options(Table table,
                                                 const std::shared_ptr<rocksdb::Cache>& blocks) {
  rocksdb::BlockBasedTableOptions block;
  block.block_cache = blocks;
  block.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  block.whole_key_filtering = true;

  rocksdb::ColumnFamilyOptions options;
  options.compression = rocksdb::kNoCompression;
  // Small tables in memory are fast to insert into; node data is appended to blob files by the
  // buffer.
  options.write_buffer_size = table == Table::kNodeData ? 64 * kMiB : 16 * kMiB;
  switch (table) {
    case Table::kPointers:
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
