// How Cairn sets up RocksDB: what each table is read and written for.
#pragma once

#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include "data/store/backend.h"

namespace cairn {

// What all tables of one database hold in memory together, at most. Besides, indices and filters of
// the tables on disk are held: some two bytes for each node.
struct RocksMemory {
  std::size_t block_cache = 64 << 20;
  std::size_t write_buffers = 192 << 20;  // written to, and on their way to the disk
};

// Opening takes time that does not grow with the store: no file is opened or checked before it is
// read, the log to replay and the manifest are bounded.
rocksdb::DBOptions rocks_db_options(const RocksMemory& memory = {});

std::vector<rocksdb::ColumnFamilyDescriptor> rocks_tables(const RocksMemory& memory);

std::string rocks_table_name(Table table);

}  // namespace cairn
