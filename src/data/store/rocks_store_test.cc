// Properties of the store on disk alone: it lasts, locks, is backed up, and survives a full disk.
#include <cstdlib>
#include <fstream>
#include <map>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <signal.h>
#include <unistd.h>

#include "data/store/backup.h"
#include "data/store/store_test_support.h"

namespace cairn {
namespace {

using ::testing::HasSubstr;

class RocksStoreTest : public ::testing::Test {
 public:
  std::unique_ptr<Store> open(std::string_view name) {
    return open_rocks_store(dir / name, clock).value();
  }
  static Batch a_batch(int number) {
    Batch batch;
    batch.realm = realm_number(1);
    batch.nodes = {file(fmt::format("content {}", number)), file(Bytes(3000, 'x'))};
    batch.puts = {{fmt::format("root/{:06}", number), Bytes(batch.nodes[0]->key().bytes())}};
    return batch;
  }
  // Every root's node is there, and the account is exact. Returns the number of roots.
  static int check(Store& store) {
    int roots = 0;
    auto& nodes = store.nodes(realm_number(1));
    EXPECT_THAT(store.kv().scan(KeyRange::prefix("root/"), Direction::kForward,
                                [&](ByteView, ByteView key) {
                                  ++roots;
                                  EXPECT_THAT(nodes.get_uncached(NodeKey::from_bytes(key)), IsOk());
                                  return Scan::kContinue;
                                }),
                IsOk());
    Usage sum;
    EXPECT_THAT(nodes.for_each([&](const NodeInfo& info) {
      sum.physical_bytes += info.physical_bytes;
      sum.logical_bytes += info.logical_bytes;
      sum.node_count += 1;
      return true;
    }),
                IsOk());
    EXPECT_EQ(*nodes.usage(), sum);
    return roots;
  }

  TempDir dir;
  ManualClock clock;
};

// What this thread has read from files since it began.
std::uint64_t bytes_read() {
  std::ifstream in("/proc/thread-self/io");
  std::string name;
  std::uint64_t value = 0;
  while (in >> name >> value) {
    if (name == "rchar:") return value;
  }
  return 0;
}

// The last of a range is found by looking at what is behind it.
TEST_F(RocksStoreTest, DoesNotReadTheLargeNeighbourOfARange) {
  constexpr std::size_t kLarge = 8 << 20;
  {
    auto store = open("data");
    Batch batch;
    for (int i = 0; i < 10; ++i) batch.puts.push_back({fmt::format("h{}", i), "small"});
    batch.puts.push_back({"i", Bytes(kLarge, 'x')});
    batch.puts.push_back({"g", Bytes(kLarge, 'x')});
    ASSERT_THAT(store->kv().commit(std::move(batch)), IsOk());
  }
  // So long a log was made a table when it was closed.
  auto store = open("data");
  for (const auto direction : {Direction::kForward, Direction::kBackward}) {
    int rows = 0;
    const auto before = bytes_read();
    ASSERT_THAT(store->kv().scan(KeyRange::prefix("h"), direction,
                                 [&](ByteView, ByteView) {
                                   ++rows;
                                   return Scan::kContinue;
                                 }),
                IsOk());
    EXPECT_EQ(rows, 10);
    EXPECT_LT(bytes_read() - before, kLarge / 8);
  }
  EXPECT_EQ(store->kv().get("i").value()->size(), kLarge);
}

TEST_F(RocksStoreTest, KeepsEverythingWhenReopened) {
  {
    auto store = open("data");
    for (int i = 0; i < 10; ++i) ASSERT_THAT(store->kv().commit(a_batch(i)), IsOk());
    ASSERT_THAT(store->nodes(realm_number(2)).set_quota(77), IsOk());
  }
  auto store = open("data");
  EXPECT_EQ(check(*store), 10);
  EXPECT_EQ(store->nodes(realm_number(2)).usage()->quota_limit, 77U);
  EXPECT_THAT(*store->realms(), ::testing::ElementsAre(realm_number(1)));
  EXPECT_TRUE(std::filesystem::exists(dir / "data" / "store" / "CURRENT"));
}

// Runs in a process of its own, which knows the directory from its environment.
[[noreturn]] void commit_and_die() {
  const SystemClock clock;
  auto store = open_rocks_store(std::getenv("CAIRN_STORE_TEST"), clock).value();
  for (int i = 0; i < 100; ++i) {
    Batch batch = RocksStoreTest::a_batch(i);
    batch.durability = Durability::kBuffered;
    store->kv().commit(std::move(batch)).value();
  }
  ::kill(::getpid(), SIGKILL);
  std::abort();
}

TEST_F(RocksStoreTest, KeepsBufferedCommitsWhenTheProcessIsKilled) {
  ::setenv("CAIRN_STORE_TEST", (dir / "data").c_str(), 0);
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto child = [this] {
    std::filesystem::remove_all(dir / "");  // its own fixture's: nothing else will
    commit_and_die();
  };
  EXPECT_EXIT(child(), ::testing::KilledBySignal(SIGKILL), "");
  ::unsetenv("CAIRN_STORE_TEST");
  EXPECT_EQ(check(*open("data")), 100);
}

TEST_F(RocksStoreTest, IsLockedWhileOpen) {
  auto store = open("data");
  auto second = open_rocks_store(dir / "data", clock);
  ASSERT_THAT(second, FailsWith(Code::kStoreLocked));
  EXPECT_THAT(second.error().message, HasSubstr((dir / "data").string()));
  store.reset();
  EXPECT_THAT(open_rocks_store(dir / "data", clock), IsOk());
}

TEST_F(RocksStoreTest, IsNotMadeUnlessAsked) {
  auto opened = open_rocks_store(dir / "nothing", clock, {.create = false});
  ASSERT_THAT(opened, FailsWith(Code::kIoError));
  EXPECT_THAT(opened.error().message, HasSubstr((dir / "nothing").string()));
  EXPECT_FALSE(std::filesystem::exists(dir / "nothing"));
  open("data");
  EXPECT_THAT(open_rocks_store(dir / "data", clock, {.create = false}), IsOk());
}

TEST_F(RocksStoreTest, CannotBeMadeWhereAFileIs) {
  std::ofstream(dir / "file") << "in the way";
  EXPECT_THAT(open_rocks_store(dir / "file", clock), FailsWith(Code::kIoError));
}

TEST_F(RocksStoreTest, RefusesTablesOfAnotherVersion) {
  open("data");
  {
    rocksdb::Options options;
    rocksdb::DB* db = nullptr;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    for (const char* name : {"default", "pointers", "node_info", "node_data"}) {
      families.emplace_back(name, options);
    }
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    ASSERT_TRUE(
        rocksdb::DB::Open(options, (dir / "data/store").string(), families, &handles, &db).ok());
    rocksdb::ColumnFamilyHandle* future = nullptr;
    ASSERT_TRUE(db->CreateColumnFamily(options, "future", &future).ok());
    handles.push_back(future);
    for (auto* handle : handles) delete handle;
    delete db;
  }
  EXPECT_THAT(open_rocks_store(dir / "data", clock), FailsWith(Code::kStoreIncompatible));
}

TEST_F(RocksStoreTest, IsBackedUpWhileWrittenToAndRestored) {
  auto store = open("data");
  std::atomic<int> committed = 0;
  {
    std::jthread writer([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        Batch batch = a_batch(committed);
        batch.durability = Durability::kBuffered;
        ASSERT_THAT(store->kv().commit(batch), IsOk());
        ++committed;
      }
    });
    while (committed < 200) std::this_thread::yield();
    const int before = committed;
    ASSERT_THAT(store->backup(dir / "backup"), IsOk());
    const int after = committed;
    ASSERT_THAT(restore_backup(dir / "backup", dir / "restored"), IsOk());
    const int restored = check(*open("restored"));
    EXPECT_GE(restored, before);
    EXPECT_LE(restored, after + 1);
  }
  EXPECT_EQ(check(*store), committed);
}

TEST_F(RocksStoreTest, RestoresACopyThatSharesNothingWithTheBackup) {
  auto store = open("data");
  ASSERT_THAT(store->kv().commit(a_batch(1)), IsOk());
  ASSERT_THAT(store->backup(dir / "backup"), IsOk());
  ASSERT_THAT(restore_backup(dir / "backup", dir / "some/where"), IsOk());
  for (const auto& entry : std::filesystem::directory_iterator(dir / "some/where/store")) {
    EXPECT_EQ(std::filesystem::hard_link_count(entry.path()), 1U) << entry.path();
  }
  auto restored = open("some/where");
  ASSERT_THAT(restored->kv().commit(a_batch(2)), IsOk());
  EXPECT_EQ(check(*restored), 2);
  EXPECT_EQ(check(*store), 1);
  ASSERT_THAT(restore_backup(dir / "backup", dir / "again"), IsOk());
  EXPECT_EQ(check(*open("again")), 1);
}

TEST_F(RocksStoreTest, RestoresToADirectoryNamedWithASlash) {
  auto store = open("data");
  ASSERT_THAT(store->kv().commit(a_batch(1)), IsOk());
  ASSERT_THAT(store->backup(dir / "backup"), IsOk());
  ASSERT_THAT(restore_backup(dir / "backup", dir / "restored/"), IsOk());
  EXPECT_EQ(check(*open("restored")), 1);
}

std::uintmax_t bytes_below(const std::filesystem::path& path) {
  std::uintmax_t total = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) total += entry.file_size();
  }
  return total;
}

TEST_F(RocksStoreTest, GivesTheSpaceOfSweptNodesBack) {
  SeededRandom random(1);
  std::vector<NodePtr> all;
  std::vector<NodeKey> garbage;
  for (int i = 0; i < 300; ++i) {
    all.push_back(file(random.bytes(50'000)));
    if (i % 10 != 0) garbage.push_back(all.back()->key());
  }
  {
    auto store = open("data");
    ASSERT_THAT(store->nodes(realm_number(1)).put(all), IsOk());
  }
  ASSERT_GT(bytes_below(dir / "data"), 14'000'000U);
  {
    auto store = open("data");
    auto sweep = store->nodes(realm_number(1)).begin_sweep();
    ASSERT_THAT(sweep, IsOk());
    ASSERT_THAT((*sweep)->run([&](auto) { return garbage; }), IsOk());
    ASSERT_THAT((*sweep)->reclaim(), IsOk());
    for (std::size_t i = 0; i < all.size(); i += 10) {
      EXPECT_THAT(store->nodes(realm_number(1)).get_uncached(all[i]->key()), IsOk());
    }
  }
  EXPECT_LT(bytes_below(dir / "data"), 4'000'000U);
}

TEST_F(RocksStoreTest, RefusesToBackUpOrRestoreOverSomething) {
  auto store = open("data");
  ASSERT_THAT(store->backup(dir / "backup"), IsOk());
  EXPECT_THAT(store->backup(dir / "backup"), FailsWith(Code::kTargetExists));
  EXPECT_THAT(restore_backup(dir / "backup", dir / "data"), FailsWith(Code::kTargetExists));
}

TEST_F(RocksStoreTest, RestoresOnlyFromABackup) {
  auto store = open("data");
  EXPECT_THAT(restore_backup(dir / "data", dir / "new"), FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(restore_backup(dir / "nothing", dir / "new"), FailsWith(Code::kInvalidArgument));
  EXPECT_FALSE(std::filesystem::exists(dir / "new"));
}

TEST_F(RocksStoreTest, SaysOfANewerBackupThatItIsNewer) {
  ASSERT_THAT(open("data")->backup(dir / "backup"), IsOk());
  const struct {
    std::string_view marker;
    Code code;
  } cases[] = {{"Cairn backup, format 2\n", Code::kStoreIncompatible},
               {"Cairn backup, format 99\n", Code::kStoreIncompatible},
               {"Cairn backup, format 0\n", Code::kInvalidArgument},
               {"Cairn backup, format 1", Code::kInvalidArgument},
               {"Cairn backup, format 1x\n", Code::kInvalidArgument},
               {"Cairn backup, format \n", Code::kInvalidArgument},
               {"", Code::kInvalidArgument}};
  for (const auto& [marker, code] : cases) {
    std::ofstream(dir / "backup" / "cairn-backup") << marker;
    EXPECT_THAT(restore_backup(dir / "backup", dir / "new"), FailsWith(code)) << marker;
    EXPECT_THAT(open_backup(dir / "backup", clock), FailsWith(code)) << marker;
  }
}

TEST_F(RocksStoreTest, ReadsABackupAndChangesNothingOfIt) {
  const auto node = make_file("text/plain", "kept");
  {
    auto store = open("data");
    ASSERT_THAT(store->nodes(realm_number(1)).put(std::vector{node}), IsOk());
    ASSERT_THAT(store->backup(dir / "backup"), IsOk());
  }
  const auto files = [&] {
    std::map<std::string, std::filesystem::file_time_type> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir / "backup")) {
      out.emplace(entry.path().string(), entry.last_write_time());
    }
    return out;
  };
  const auto before = files();
  {
    auto backup = open_backup(dir / "backup", clock);
    ASSERT_THAT(backup, IsOk());
    EXPECT_THAT((*backup)->nodes(realm_number(1)).get(node->key()), IsOk());
    Batch batch;
    batch.puts.push_back({"a", "1"});
    EXPECT_THAT((*backup)->kv().commit(batch), FailsWith(Code::kStoreReadOnly));
  }
  EXPECT_EQ(files(), before);
}

// A disk that is full as long as it is told to be.
class FullDisk final : public rocksdb::FileSystemWrapper {
 public:
  explicit FullDisk(std::atomic<bool>& full)
      : FileSystemWrapper(rocksdb::FileSystem::Default()), full_(full) {}
  const char* Name() const override { return "FullDisk"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    auto status = FileSystemWrapper::NewWritableFile(name, options, &file, debug);
    if (status.ok()) *result = std::make_unique<File>(std::move(file), full_);
    return status;
  }

 private:
  class File final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<rocksdb::FSWritableFile> file, std::atomic<bool>& full)
        : FSWritableFileOwnerWrapper(std::move(file)), full_(full) {}
    using FSWritableFileOwnerWrapper::Append;
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      if (full_) return rocksdb::IOStatus::NoSpace("No space left on device");
      return FSWritableFileOwnerWrapper::Append(data, options, debug);
    }

   private:
    std::atomic<bool>& full_;
  };

  std::atomic<bool>& full_;
};

TEST_F(RocksStoreTest, SaysThatTheDiskIsFullAndGoesOnWhenItNoLongerIs) {
  std::atomic<bool> full = false;
  auto env = rocksdb::NewCompositeEnv(std::make_shared<FullDisk>(full));
  {
    auto backend = RocksBackend::open(dir / "data/store", {.env = env.get()}).value();
    auto store = EmbeddedStore::open(std::move(backend), clock, {}).value();
    ASSERT_THAT(store->kv().commit(a_batch(1)), IsOk());
    full = true;
    for (int i = 0; i < 2; ++i) {
      auto refused = store->kv().commit(a_batch(2));
      ASSERT_THAT(refused, FailsWith(Code::kStorageFull));
      EXPECT_THAT(refused.error().message, HasSubstr("is full"));
      EXPECT_EQ(check(*store), 1);
    }
    full = false;
    EXPECT_THAT(store->kv().commit(a_batch(3)), IsOk());
    EXPECT_EQ(check(*store), 2);
  }
  EXPECT_EQ(check(*open("data")), 2) << "on disk as in memory";
}

TEST_F(RocksStoreTest, KeepsWhatItHasWhenClosedWhileTheDiskIsFull) {
  std::atomic<bool> full = false;
  auto env = rocksdb::NewCompositeEnv(std::make_shared<FullDisk>(full));
  {
    auto backend = RocksBackend::open(dir / "data/store", {.env = env.get()}).value();
    auto store = EmbeddedStore::open(std::move(backend), clock, {}).value();
    ASSERT_THAT(store->kv().commit(a_batch(1)), IsOk());
    full = true;
    ASSERT_THAT(store->kv().commit(a_batch(2)), FailsWith(Code::kStorageFull));
  }
  EXPECT_EQ(check(*open("data")), 1);
}

}  // namespace
}  // namespace cairn
