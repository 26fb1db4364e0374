// Damaged blocks of tables: what can be read is kept, what cannot is told, and nothing stands in
// the way afterwards.
#include "data/store/table_repair.h"

#include <fstream>
#include <set>

#include <rocksdb/db.h>

#include "data/store/rocks_options.h"
#include "data/store/store_test_support.h"

namespace cairn {
namespace {

namespace fs = std::filesystem;

constexpr int kNodes = 3000;

class RocksTableRepairTest : public ::testing::TestWithParam<Table> {
 protected:
  void SetUp() override {
    auto store = open().value();
    for (int i = 0; i < kNodes; ++i) {
      Batch batch;
      batch.realm = realm;
      // Too small for blobs, and not to be compressed: they lie in the tables.
      batch.nodes = {file(random.bytes(120))};
      batch.puts = {{fmt::format("root/{:06}", i), Bytes(batch.nodes[0]->key().bytes())}};
      batch.durability = Durability::kBuffered;
      all.push_back(batch.nodes[0]);
      ASSERT_THAT(store->kv().commit(std::move(batch)), IsOk());
    }
    // Which writes everything out of the log.
    ASSERT_THAT(store->backup(dir / "backup"), IsOk());
  }

  Result<std::unique_ptr<Store>> open() { return open_rocks_store(dir / "data", clock); }

  Result<std::optional<TableRepair>> repair() { return repair_tables(dir / "data/store", clock); }

  // The files of a table on the disk.
  std::vector<fs::path> files_of(Table table) {
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* db = nullptr;
    EXPECT_TRUE(rocksdb::DB::OpenForReadOnly(rocks_db_options(), (dir / "data/store").string(),
                                             rocks_tables({}), &handles, &db)
                    .ok());
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    for (auto* handle : handles) db->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
    delete db;
    std::vector<fs::path> out;
    for (const auto& file : files) {
      if (file.column_family_name == rocks_table_name(table))
        out.push_back(file.db_path + file.name);
    }
    return out;
  }

  // A bit of the blocks of a table, at this part of its first file.
  void damage(Table table, double where) {
    const auto files = files_of(table);
    ASSERT_FALSE(files.empty());
    const auto at = static_cast<std::streamoff>(where * static_cast<double>(file_size(files[0])));
    std::fstream file(files[0], std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const char before = static_cast<char>(file.get());
    file.seekp(at);
    file.put(static_cast<char>(before ^ 4));
  }

  // By number; what is there is what was stored.
  std::set<int> nodes_there(Store& store) {
    std::set<int> out;
    for (int i = 0; i < kNodes; ++i) {
      const auto node = store.nodes(realm).get_uncached(all[i]->key());
      if (!node) continue;
      EXPECT_EQ((*node)->bytes(), all[i]->bytes());
      out.insert(i);
    }
    return out;
  }
  std::set<int> roots_there(Store& store) {
    std::set<int> out;
    for (int i = 0; i < kNodes; ++i) {
      const auto value = store.kv().get(fmt::format("root/{:06}", i));
      if (!value || !*value) continue;
      EXPECT_EQ(**value, all[i]->key().bytes());
      out.insert(i);
    }
    return out;
  }
  void expect_exact_counts(Store& store) {
    Usage sum;
    EXPECT_THAT(store.nodes(realm).for_each([&](const NodeInfo& info) {
      sum.physical_bytes += info.physical_bytes;
      sum.logical_bytes += info.logical_bytes;
      sum.node_count += 1;
      return true;
    }),
                IsOk());
    EXPECT_EQ(*store.nodes(realm).usage(), sum);
  }
  // All is stored again and compacted: nothing damaged is in the way.
  void expect_to_be_usable(Store& store) {
    for (int i = 0; i < kNodes; ++i) {
      Batch batch;
      batch.realm = realm;
      batch.nodes = {all[i]};
      batch.puts = {{fmt::format("root/{:06}", i), Bytes(all[i]->key().bytes())}};
      batch.durability = Durability::kBuffered;
      ASSERT_THAT(store.kv().commit(std::move(batch)), IsOk());
    }
    EXPECT_THAT(store.nodes(realm).begin_sweep().value()->reclaim(), IsOk());
    EXPECT_EQ(nodes_there(store).size(), kNodes);
    EXPECT_EQ(roots_there(store).size(), kNodes);
    expect_exact_counts(store);
    ASSERT_THAT(store.kv().commit({}), IsOk());
  }

  TempDir dir;
  ManualClock clock;
  SeededRandom random{11};
  const RealmId realm = realm_number(1);
  std::vector<NodePtr> all;
};

INSTANTIATE_TEST_SUITE_P(Tables, RocksTableRepairTest, ::testing::ValuesIn(kTables),
                         [](const auto& param) {
                           const auto name = rocks_table_name(param.param);
                           return name == "pointers"    ? "Pointers"
                                  : name == "node_info" ? "NodeInfo"
                                                        : "NodeData";
                         });

TEST_P(RocksTableRepairTest, LeavesWhatIsNotDamaged) {
  const auto files = files_of(GetParam());
  EXPECT_FALSE(repair().value());
  EXPECT_EQ(files_of(GetParam()), files);
  EXPECT_FALSE(fs::exists(dir / "data/store.repairing"));
}

TEST_P(RocksTableRepairTest, KeepsAllButADamagedBlock) {
  damage(GetParam(), 0.4);
  {
    auto store = open().value();
    if (GetParam() != Table::kPointers) {
      EXPECT_FALSE(store->nodes(realm).begin_sweep().value()->reclaim())
          << "whoever compacts meets it";
    }
  }
  const auto repaired = repair().value();
  ASSERT_TRUE(repaired);
  ASSERT_EQ(repaired->lost.size(), 1);
  EXPECT_EQ(repaired->lost[0].table, GetParam());
  EXPECT_LT(repaired->lost[0].after, repaired->lost[0].before);
  EXPECT_TRUE(fs::exists(repaired->saved / "CURRENT"));
  auto store = open().value();
  const auto nodes = nodes_there(*store).size();
  const auto roots = roots_there(*store).size();
  // A block has some dozen of them.
  EXPECT_GT(nodes, kNodes - 100);
  EXPECT_GT(roots, kNodes - 200);
  EXPECT_EQ(nodes == kNodes, GetParam() != Table::kNodeData);
  EXPECT_EQ(roots == kNodes, GetParam() != Table::kPointers);
  expect_exact_counts(*store);
  expect_to_be_usable(*store);
  store.reset();
  EXPECT_FALSE(repair().value());
}

TEST_P(RocksTableRepairTest, KeepsWhatLiesBetweenManyDamagedBlocks) {
  for (int i = 1; i < 10; ++i) damage(GetParam(), 0.09 * i);
  const auto repaired = repair().value();
  ASSERT_TRUE(repaired);
  auto store = open().value();
  EXPECT_GT(nodes_there(*store).size(), kNodes / 2);
  EXPECT_GT(roots_there(*store).size(), kNodes / 2);
  expect_exact_counts(*store);
  expect_to_be_usable(*store);
}

TEST_P(RocksTableRepairTest, KeepsAllButTheFirstBlock) {
  damage(GetParam(), 0);
  const auto repaired = repair().value();
  ASSERT_TRUE(repaired);
  EXPECT_EQ(repaired->lost[0].after, "");
  auto store = open();
  ASSERT_THAT(store, IsOk());
  EXPECT_THAT((*store)->realms().value(), ::testing::ElementsAre(realm));
  expect_exact_counts(**store);
  expect_to_be_usable(**store);
}

// Without its end a table cannot be opened.
TEST_P(RocksTableRepairTest, GoesOnWithoutATableThatWasCutOff) {
  const auto table = files_of(GetParam()).at(0);
  fs::resize_file(table, fs::file_size(table) * 7 / 10);
  if (GetParam() == Table::kPointers) {
    EXPECT_THAT(repair(), FailsWith(Code::kStoreDamaged));
    EXPECT_FALSE(fs::exists(dir / "data/store.repairing"));
    EXPECT_TRUE(fs::exists(table));
    return;
  }
  ASSERT_TRUE(repair().value());
  auto store = open().value();
  EXPECT_EQ(roots_there(*store).size(), kNodes);
  EXPECT_EQ(nodes_there(*store).size() == kNodes, GetParam() == Table::kNodeInfo);
  expect_exact_counts(*store);
  expect_to_be_usable(*store);
}

TEST_P(RocksTableRepairTest, BeginsAnewWhereItWasInterrupted) {
  damage(GetParam(), 0.6);
  fs::create_directories(dir / "data/store.repairing/rest");
  ASSERT_TRUE(repair().value());
  EXPECT_FALSE(fs::exists(dir / "data/store.repairing"));
  expect_to_be_usable(*open().value());
}

TEST_P(RocksTableRepairTest, ChangesNothingWhileSomebodyHasTheStore) {
  damage(GetParam(), 0.5);
  auto store = open().value();
  EXPECT_THAT(repair(), FailsWith(Code::kStoreLocked));
}

}  // namespace
}  // namespace cairn
