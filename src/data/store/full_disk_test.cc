// On real file systems that are small: filled up by commits, they refuse writes, go on reading,
// can be freed and opened, and write again when there is room.
#include <cstdlib>
#include <fstream>

#include <sys/mount.h>
#include <unistd.h>

#include "data/store/store_test_support.h"

namespace cairn {
namespace {

namespace fs = std::filesystem;

enum class Disk { kExt4, kTmpfs };

// A file system of its own below the temporary directory. Not there: `why`.
class SmallDisk final {
 public:
  SmallDisk(const TempDir& dir, Disk kind) : at_(dir / "disk") {
    fs::create_directories(at_);
    const std::string image = (dir / "image").string();
    const std::string how =
        kind == Disk::kTmpfs
            ? fmt::format("mount -t tmpfs -o size=24m cairn-test {}", at_.string())
            : fmt::format("truncate -s 24M {0} && mkfs.ext4 -q -m 0 {0} && mount -o loop {0} {1}",
                          image, at_.string());
    if (::geteuid() != 0) {
      why = "only root can mount";
    } else if (std::system(fmt::format("({}) >{} 2>&1", how, (dir / "said").string()).c_str()) !=
               0) {
      std::ifstream said(dir / "said");
      std::getline(said, why);
      why = "cannot mount: " + why;
    }
    mounted_ = why.empty();
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount2(at_.c_str(), MNT_DETACH);
  }
  void read_only(bool on) const {
    const unsigned long flags = on ? (MS_REMOUNT | MS_RDONLY) : MS_REMOUNT;
    ASSERT_EQ(::mount(nullptr, at_.c_str(), nullptr, flags, nullptr), 0);
  }
  fs::path operator/(std::string_view name) const { return at_ / name; }

  std::string why;

 private:
  fs::path at_;
  bool mounted_ = false;
};

class FullDiskTest : public ::testing::TestWithParam<Disk> {
 protected:
  void SetUp() override {
    if (!disk.why.empty()) GTEST_SKIP() << disk.why;
  }
  Result<std::unique_ptr<Store>> open() {
    return open_rocks_store(disk / "data", clock, {.reserve_bytes = 16 << 20});
  }
  Batch a_commit(int number) {
    Batch batch;
    batch.realm = realm_number(1);
    batch.nodes = {file(random.bytes(100'000))};
    batch.puts = {{fmt::format("root/{:06}", number), Bytes(batch.nodes[0]->key().bytes())}};
    return batch;
  }
  static int roots(Store& store) {
    int found = 0;
    EXPECT_THAT(
        store.kv().scan(KeyRange::prefix("root/"), Direction::kForward,
                        [&](ByteView, ByteView value) {
                          EXPECT_THAT(
                              store.nodes(realm_number(1)).get_uncached(NodeKey::from_bytes(value)),
                              IsOk());
                          ++found;
                          return Scan::kContinue;
                        }),
        IsOk());
    return found;
  }
  // Until it is refused, and then some more.
  int fill(Store& store, int from) {
    int refusals = 0;
    int acknowledged = from;
    while (refusals < 5) {
      auto done = store.kv().commit(a_commit(acknowledged));
      if (done) {
        ++acknowledged;
      } else {
        EXPECT_THAT(done, FailsWith(Code::kStorageFull));
        ++refusals;
      }
    }
    return acknowledged;
  }
  // Everything but the first few goes, as garbage goes.
  static Result<void> free_all_but(Store& store, int kept) {
    auto& nodes = store.nodes(realm_number(1));
    std::vector<NodeKey> garbage;
    Batch batch;
    TRY(store.kv().scan(KeyRange::prefix("root/"), Direction::kForward,
                        [&](ByteView key, ByteView value) {
                          if (--kept >= 0) return Scan::kContinue;
                          batch.deletes.emplace_back(key);
                          garbage.push_back(NodeKey::from_bytes(value));
                          return Scan::kContinue;
                        }));
    TRY(store.kv().commit(std::move(batch)));
    auto sweep = TRY(nodes.begin_sweep());
    TRY(sweep->run([&](auto) { return garbage; }));
    return sweep->reclaim();
  }

  TempDir dir;
  SmallDisk disk{dir, GetParam()};
  ManualClock clock;
  SeededRandom random{7};
};

INSTANTIATE_TEST_SUITE_P(Disks, FullDiskTest, ::testing::Values(Disk::kExt4, Disk::kTmpfs),
                         [](const auto& param) {
                           return param.param == Disk::kExt4 ? "RocksOnExt4" : "RocksOnTmpfs";
                         });

TEST_P(FullDiskTest, RefusesReadsFreesAndGoesOn) {
  auto store = open().value();
  const int filled = fill(*store, 0);
  ASSERT_GT(filled, 10);
  EXPECT_THAT(store->ready(), FailsWith(Code::kStorageFull));
  EXPECT_EQ(roots(*store), filled) << "what was acknowledged is there, and nothing else";
  ASSERT_THAT(free_all_but(*store, 5), IsOk());
  EXPECT_EQ(roots(*store), 5);
  ASSERT_THAT(store->kv().commit(a_commit(900)), IsOk()) << "by itself";
  EXPECT_THAT(store->ready(), IsOk());
  store.reset();
  EXPECT_EQ(roots(**open()), 6);
}

TEST_P(FullDiskTest, IsOpenedWhileFull) {
  int filled = 0;
  {
    auto store = open().value();
    filled = fill(*store, 0);
  }
  {
    // Whoever else uses the disk takes the rest.
    std::ofstream other(disk / "other", std::ios::binary);
    const Bytes block(4096, 'x');
    while (other.write(block.data(), 4096).flush()) {
    }
  }
  for (int i = 0; i < 3; ++i) {
    auto store = open();
    ASSERT_THAT(store, IsOk()) << i;
    EXPECT_EQ(roots(**store), filled);
    EXPECT_THAT((*store)->kv().commit(a_commit(filled)), FailsWith(Code::kStorageFull));
    ASSERT_THAT((*store)->backup(dir / fmt::format("backup{}", i)), IsOk());
  }
  auto store = open().value();
  fs::remove(disk / "other");
  ASSERT_THAT(free_all_but(*store, 5), IsOk());
  ASSERT_THAT(store->kv().commit(a_commit(900)), IsOk());
  store.reset();
  EXPECT_EQ(roots(**open()), 6);
  ASSERT_THAT(restore_backup(dir / "backup0", dir / "restored"), IsOk());
  EXPECT_EQ(roots(*open_rocks_store(dir / "restored", clock).value()), filled);
}

TEST_P(FullDiskTest, IsReadAndBackedUpWhereNothingCanBeWritten) {
  {
    auto store = open().value();
    for (int i = 0; i < 10; ++i) ASSERT_THAT(store->kv().commit(a_commit(i)), IsOk());
  }
  disk.read_only(true);
  {
    auto store = open();
    ASSERT_THAT(store, IsOk());
    EXPECT_EQ(roots(**store), 10);
    EXPECT_THAT((*store)->kv().commit(a_commit(10)), FailsWith(Code::kStoreReadOnly));
    EXPECT_THAT((*store)->ready(), FailsWith(Code::kStoreReadOnly));
    ASSERT_THAT((*store)->backup(dir / "backup"), IsOk());
    disk.read_only(false);
    EXPECT_THAT((*store)->kv().commit(a_commit(10)), IsOk()) << "as soon as it can be";
    EXPECT_THAT((*store)->ready(), IsOk());
  }
  ASSERT_THAT(restore_backup(dir / "backup", dir / "restored"), IsOk());
  EXPECT_EQ(roots(*open_rocks_store(dir / "restored", clock).value()), 10);
}

}  // namespace
}  // namespace cairn
