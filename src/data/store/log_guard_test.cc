// A damaged log is noticed, kept, and cut off only when somebody asks for it.
#include "data/store/log_guard.h"

#include <algorithm>
#include <fstream>
#include <random>
#include <set>

#include "data/store/log_reader.h"
#include "data/store/store_test_support.h"
#include "data/store/synced_note.h"

namespace cairn {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class RocksLogGuardTest : public ::testing::Test {
 public:
  static Batch a_commit(int number, Durability durability = Durability::kSynced) {
    Batch batch;
    batch.realm = realm_number(1);
    batch.nodes = {file(fmt::format("content {} {}", number, Bytes(500, 'x')))};
    batch.puts = {{fmt::format("root/{:06}", number), Bytes(batch.nodes[0]->key().bytes())}};
    batch.durability = durability;
    return batch;
  }
  Result<std::unique_ptr<Store>> open(const fs::path& data) const {
    return open_rocks_store(data, clock,
                            {.is_commit = [](ByteView key) { return key.starts_with("root/"); }});
  }
  // A store with so many commits, as it lies there when the process is killed.
  fs::path killed_after(int synced, int buffered = 0) {
    auto store = open(dir / "living").value();
    for (int i = 0; i < synced + buffered; ++i) {
      const auto durability = i < synced ? Durability::kSynced : Durability::kBuffered;
      EXPECT_THAT(store->kv().commit(a_commit(i, durability)), IsOk());
    }
    fs::copy(dir / "living", dir / "killed", fs::copy_options::recursive);
    return dir / "killed";
  }
  static fs::path log_of(const fs::path& data) {
    fs::path largest;
    for (const auto& entry : fs::directory_iterator(data / "store")) {
      if (!log_number(entry.path())) continue;
      if (largest.empty() || entry.file_size() > fs::file_size(largest)) largest = entry.path();
    }
    return largest;
  }
  static Bytes content(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void overwrite(const fs::path& path, std::uint64_t at, ByteView bytes) {
    std::fstream out(path, std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(static_cast<std::streamoff>(at));
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  static std::map<std::string, Bytes> files_in(const fs::path& data) {
    std::map<std::string, Bytes> out;
    for (const auto& entry : fs::directory_iterator(data / "store")) {
      if (entry.is_regular_file()) out[entry.path().filename()] = content(entry.path());
    }
    return out;
  }
  static int roots(Store& store) {
    int found = 0;
    EXPECT_THAT(
        store.kv().scan(KeyRange::prefix("root/"), Direction::kForward,
                        [&](ByteView key, ByteView value) {
                          EXPECT_EQ(key, fmt::format("root/{:06}", found)) << "a hole";
                          EXPECT_THAT(
                              store.nodes(realm_number(1)).get_uncached(NodeKey::from_bytes(value)),
                              IsOk());
                          ++found;
                          return Scan::kContinue;
                        }),
        IsOk());
    return found;
  }

  TempDir dir;
  ManualClock clock;
};

TEST_F(RocksLogGuardTest, OpensWhatAKilledProcessLeft) {
  EXPECT_EQ(roots(**open(killed_after(20, 5))), 25);
}

TEST_F(RocksLogGuardTest, OpensWithATornEndThatNobodyWasPromised) {
  const auto data = killed_after(20, 1);
  fs::resize_file(log_of(data), fs::file_size(log_of(data)) - 100);
  auto store = open(data);
  ASSERT_THAT(store, IsOk());
  EXPECT_EQ(roots(**store), 20);
  ASSERT_THAT((*store)->kv().commit(a_commit(20)), IsOk());
  store->reset();
  EXPECT_EQ(roots(**open(data)), 21);
}

TEST_F(RocksLogGuardTest, OpensWithAHoleInWhatNobodyWasPromised) {
  // Blocks of what was not synced may reach the disk in any order.
  const auto data = killed_after(20, 100);
  const auto size = fs::file_size(log_of(data));
  overwrite(log_of(data), size - 40'000, Bytes(4096, '\0'));
  auto store = open(data);
  ASSERT_THAT(store, IsOk());
  EXPECT_GE(roots(**store), 20);
}

struct LogHarm {
  std::string name;
  std::function<void(const fs::path& log)> harm;
};

TEST_F(RocksLogGuardTest, RefusesWhateverTakesAcknowledgedCommitsAway) {
  const auto data = killed_after(120);
  const std::uint64_t size = fs::file_size(log_of(data));
  const LogHarm harms[] = {
      {"a flipped bit a third in", [&](const auto& log) { overwrite(log, size / 3, {"\xA5", 1}); }},
      {"a flipped bit in the last record",
       [&](const auto& log) { overwrite(log, size - 9, {"\xA5", 1}); }},
      {"a page of zeros", [&](const auto& log) { overwrite(log, size / 2, Bytes(4096, '\0')); }},
      {"zeros at the end",
       [&](const auto& log) { overwrite(log, size - 4096, Bytes(4096, '\0')); }},
      {"cut in the middle", [&](const auto& log) { fs::resize_file(log, size / 2); }},
      {"cut to nothing", [&](const auto& log) { fs::resize_file(log, 0); }},
      {"deleted", [&](const auto& log) { fs::remove(log); }},
  };
  for (const auto& [name, harm] : harms) {
    SCOPED_TRACE(name);
    const fs::path copy = dir / "harmed";
    fs::remove_all(copy);
    fs::copy(data, copy, fs::copy_options::recursive);
    harm(log_of(copy));
    const auto before = files_in(copy);
    auto refused = open(copy);
    ASSERT_THAT(refused, FailsWith(Code::kStoreDamaged));
    EXPECT_THAT(refused.error().message, HasSubstr("cairn fsck --repair"));
    EXPECT_EQ(files_in(copy), before) << "every file is as it was";
    ASSERT_THAT(open(copy), FailsWith(Code::kStoreDamaged)) << "again";

    auto repaired = repair_log(copy / "store", clock);
    ASSERT_THAT(repaired, IsOk());
    ASSERT_TRUE(repaired->has_value());
    for (const auto& [file, bytes] : before) {
      if (log_number(file) && bytes.size() > 0 && fs::exists((*repaired)->saved / file)) {
        EXPECT_EQ(content((*repaired)->saved / file), bytes) << file;
      }
    }
    auto store = open(copy);
    ASSERT_THAT(store, IsOk());
    const int left = roots(**store);
    EXPECT_LT(left, 120);
    // What is lost and can be read is named: all behind what is damaged.
    std::set<Bytes> lost;
    for (const auto& change : (*repaired)->lost) {
      if (change.key.starts_with("root/")) lost.insert(change.key);
    }
    for (int i = left; i < 120 && !lost.empty(); ++i) {
      const Bytes key = fmt::format("root/{:06}", i);
      EXPECT_TRUE(key < *lost.begin() || lost.contains(key)) << key;
    }
    EXPECT_TRUE(!lost.empty() || (*repaired)->unreadable > 0);
    store->reset();
    EXPECT_THAT(open(copy), IsOk());
    EXPECT_EQ(repair_log(copy / "store", clock)->has_value(), false) << "nothing to repair";
  }
}

TEST_F(RocksLogGuardTest, SaysWhereTheDamageIsAndHowMuchLiesBehindIt) {
  const auto data = killed_after(100);
  const auto log = log_of(data);
  overwrite(log, fs::file_size(log) / 2, {"\xA5", 1});
  auto refused = open(data);
  ASSERT_THAT(refused, FailsWith(Code::kStoreDamaged));
  EXPECT_THAT(refused.error().message, HasSubstr(log.filename().string()));
  EXPECT_THAT(refused.error().message, ::testing::ContainsRegex("about (49|50|51|52) commits"));
}

TEST_F(RocksLogGuardTest, NoticesALogThatIsMissingBetweenOthers) {
  // Every opening begins a new log.
  for (int i = 0; i < 6; ++i) {
    auto store = open(dir / "living").value();
    ASSERT_THAT(store->kv().commit(a_commit(i)), IsOk());
  }
  const auto data = killed_after(0);
  std::vector<fs::path> logs;
  for (const auto& entry : fs::directory_iterator(data / "store")) {
    if (log_number(entry.path()) && entry.file_size() > 0) logs.push_back(entry.path());
  }
  std::ranges::sort(logs);
  ASSERT_GE(logs.size(), 3U) << "opening has written the logs out";
  fs::remove(logs[1]);
  ASSERT_THAT(open(data), FailsWith(Code::kStoreDamaged));
  ASSERT_THAT(repair_log(data / "store", clock), IsOk());
  EXPECT_THAT(open(data), IsOk());
}

TEST_F(RocksLogGuardTest, NeverLosesWhatItDoesNotReport) {
  const auto data = killed_after(60);
  const std::uint64_t size = fs::file_size(log_of(data));
  const int rounds = std::getenv("CAIRN_LONG") != nullptr ? 500 : 60;
  int refused = 0;
  for (int seed = 0; seed < rounds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937 random(static_cast<unsigned>(seed));
    const fs::path copy = dir / "harmed";
    fs::remove_all(copy);
    fs::copy(data, copy, fs::copy_options::recursive);
    const auto log = log_of(copy);
    const std::uint64_t at = random() % size;
    switch (random() % 3) {
      case 0:
        overwrite(log, at, Bytes(1, static_cast<char>(content(log)[at] ^ (1 << random() % 8))));
        break;
      case 1:
        overwrite(log, at / 4096 * 4096,
                  Bytes(std::min<std::uint64_t>(4096, size - at / 4096 * 4096), '\0'));
        break;
      default:
        fs::resize_file(log, at);
    }
    auto store = open(copy);
    if (store) {
      EXPECT_EQ(roots(**store), 60);
    } else {
      ++refused;
      EXPECT_EQ(store.error().code, Code::kStoreDamaged);
    }
  }
  fmt::print("{} damaged logs: {} refused, 0 opened with less\n", rounds, refused);
  EXPECT_GT(refused, rounds * 9 / 10);
}

TEST_F(RocksLogGuardTest, ANoteIsAnInverseOfItsBytes) {
  const Synced synced{.sequence = 1234567, .log = 12, .log_bytes = 99};
  EXPECT_EQ(Synced::decode(synced.encode()), synced);
  Bytes wrong = synced.encode();
  wrong[3] ^= 1;
  EXPECT_EQ(Synced::decode(wrong), std::nullopt);
}

}  // namespace
}  // namespace cairn
