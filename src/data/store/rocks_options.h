// How Cairn sets up RocksDB: what each table is read and written for.
#pragma once

#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include "data/store/backend.h"

namespace cairn {

// Opening takes time that does not grow with the store: no file is opened or checked before it is
// read, the log to replay and the manifest are bounded.
rocksdb::DBOptions rocks_db_options();

// All tables, with a block cache of this size that they share.
std::vector<rocksdb::ColumnFamilyDescriptor> rocks_tables(std::size_t block_cache_bytes);

// Block caches are shared by all tables of one database.
rocksdb::ColumnFamilyOptions rocks_table_options(Table table,
                                                 const std::shared_ptr<rocksdb::Cache>& blocks);

std::string rocks_table_name(Table table);

}  // namespace cairn
