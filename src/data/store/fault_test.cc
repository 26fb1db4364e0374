// Every call to the file system fails once, and the power fails at every sync, while a store is
// committed to, imported into, swept and backed up. What was acknowledged is there afterwards,
// nothing is there by half, and the store goes on.
#include <cstdlib>

#include "data/store/faulty_files_testing.h"
#include "data/store/log_guard.h"
#include "data/store/store_test_support.h"

namespace cairn {
namespace {

namespace fs = std::filesystem;

// All points with CAIRN_LONG; else as many of each kind, spread over them.
constexpr int kPointsOfAKind = 25;

struct Told {
  std::set<Bytes> there;  // acknowledged, and not deleted
  std::set<Bytes> gone;   // acknowledged as deleted
  int errors = 0;
};

class RocksFaultTest : public ::testing::Test {
 protected:
  static const RealmId& realm() {
    static const RealmId id = realm_number(1);
    return id;
  }
  static NodePtr content(const Bytes& key) { return file(key + Bytes(700, 'x')); }

  // A failure has a sentence, and is not taken for anything else.
  static bool told(const Result<void>& done, Told& out) {
    if (done) return true;
    ++out.errors;
    EXPECT_THAT(done, ::testing::AnyOf(FailsWith(Code::kIoError), FailsWith(Code::kStorageFull)));
    EXPECT_FALSE(done.error().message.empty());
    return false;
  }

  static void commit(Store& store, const Bytes& key, Told& out) {
    Batch batch;
    batch.realm = realm();
    batch.nodes = {content(key)};
    batch.puts = {{key, Bytes(batch.nodes[0]->key().bytes())}};
    if (told(store.kv().commit(std::move(batch)), out)) out.there.insert(key);
  }

  // Many nodes that nothing waits for, and one commit that names them.
  static void import(Store& store, Told& out) {
    Batch last;
    last.realm = realm();
    std::vector<Bytes> keys;
    for (int i = 0; i < 20; ++i) keys.push_back(fmt::format("root/import{:02}", i));
    for (const auto& key : keys) {
      const auto node = content(key);
      Batch batch;
      batch.realm = realm();
      batch.nodes = {node};
      batch.durability = Durability::kBuffered;
      if (!told(store.kv().commit(std::move(batch)), out)) return;
      last.puts.push_back({key, Bytes(node->key().bytes())});
      last.required.push_back(node->key());
    }
    if (told(store.kv().commit(std::move(last)), out)) out.there.insert(keys.begin(), keys.end());
  }

  static void collect(Store& store, const Bytes& key, Told& out) {
    if (!out.there.contains(key)) return;
    Batch batch;
    batch.deletes = {key};
    out.there.erase(key);
    if (!told(store.kv().commit(std::move(batch)), out)) return;
    out.gone.insert(key);
    auto sweep = store.nodes(realm()).begin_sweep();
    if (!sweep) {
      told(Failure(sweep.error()), out);
      return;
    }
    const auto node = content(key)->key();
    auto done = (*sweep)->run([&](auto) { return std::vector{node}; });
    if (!done) {
      told(Failure(done.error()), out);
      return;
    }
    told((*sweep)->reclaim(), out);
  }

  void backup(Store& store, Told& out) {
    fs::remove_all(dir / "backup");
    if (!told(store.backup(dir / "backup"), out)) {
      EXPECT_FALSE(fs::exists(dir / "backup")) << "half a backup";
    }
  }

  void work(Store& store, Told& out) {
    for (int i = 0; i < 6; ++i) commit(store, fmt::format("root/a{}", i), out);
    import(store, out);
    collect(store, "root/a1", out);
    for (int i = 0; i < 3; ++i) commit(store, fmt::format("root/b{}", i), out);
    backup(store, out);
    collect(store, "root/a2", out);
    for (int i = 0; i < 3; ++i) commit(store, fmt::format("root/c{}", i), out);
  }

  Result<std::unique_ptr<Store>> open(rocksdb::Env* env) {
    auto backend = TRY(RocksBackend::open(dir / "data/store", {.env = env}));
    return TRY(EmbeddedStore::open(std::move(backend), clock, {}));
  }

  // Nothing is missing, nothing is half, and the account is exact.
  static void check(Store& store, const Told& told) {
    std::set<Bytes> found;
    EXPECT_THAT(
        store.kv().scan(
            KeyRange::prefix("root/"), Direction::kForward,
            [&](ByteView key, ByteView value) {
              found.emplace(key);
              EXPECT_THAT(store.nodes(realm()).get_uncached(NodeKey::from_bytes(value)), IsOk())
                  << key;
              return Scan::kContinue;
            }),
        IsOk());
    for (const auto& key : told.there) EXPECT_TRUE(found.contains(key)) << key << " is lost";
    for (const auto& key : told.gone) EXPECT_FALSE(found.contains(key)) << key << " is back";
    Usage sum;
    EXPECT_THAT(store.nodes(realm()).for_each([&](const NodeInfo& info) {
      sum.physical_bytes += info.physical_bytes;
      sum.logical_bytes += info.logical_bytes;
      sum.node_count += 1;
      return true;
    }),
                IsOk());
    EXPECT_EQ(*store.nodes(realm()).usage(), sum);
  }

  // One run. Returns whether the fault came.
  bool run(const FaultyFiles::Fault& fault, Loss loss) {
    fs::remove_all(dir / "data");
    const bool power = fault.kind == FaultyFiles::Fault::Kind::kPower;
    auto files = std::make_shared<FaultyFiles>(fault);
    auto env = rocksdb::NewCompositeEnv(files);
    Told told;
    if (auto store = open(env.get())) {
      work(**store, told);
      if (!power) {
        // It goes on, without anybody's help.
        const int before = told.errors;
        commit(**store, "root/after", told);
        if (told.errors > before) commit(**store, "root/after", told);
        EXPECT_TRUE(told.there.contains("root/after"));
        check(**store, told);
      }
    } else {
      EXPECT_FALSE(store.error().message.empty());
    }
    acknowledged += static_cast<int>(told.there.size() + told.gone.size());
    if (power) files->lose(loss, static_cast<unsigned>(fault.at));
    const auto sound = rocksdb::NewCompositeEnv(std::make_shared<FaultyFiles>());
    auto store = open(sound.get());
    EXPECT_THAT(store, IsOk()) << "afterwards";
    if (store) {
      check(**store, told);
      Told more;
      commit(**store, "root/later", more);
      EXPECT_EQ(more.errors, 0);
    }
    return files->happened();
  }

  // How often each call is made when nothing fails.
  std::map<FileCall, int> points() {
    fs::remove_all(dir / "data");
    auto files = std::make_shared<FaultyFiles>();
    auto env = rocksdb::NewCompositeEnv(files);
    {
      Told told;
      auto store = open(env.get()).value();
      work(*store, told);
      EXPECT_EQ(told.errors, 0);
    }
    std::map<FileCall, int> out;
    for (const auto call : kFileCalls) out[call] = files->calls(call);
    return out;
  }

  static std::vector<int> chosen(int points) {
    const bool all = std::getenv("CAIRN_LONG") != nullptr || points <= kPointsOfAKind;
    const int step = all ? 1 : (points + kPointsOfAKind - 1) / kPointsOfAKind;
    std::vector<int> out;
    for (int at = 1; at <= points; at += step) out.push_back(at);
    return out;
  }

  TempDir dir;
  ManualClock clock;
  int acknowledged = 0;
};

TEST_F(RocksFaultTest, LosesNothingWhateverCallFails) {
  using Kind = FaultyFiles::Fault::Kind;
  int runs = 0;
  for (const auto& [call, count] : points()) {
    int came = 0;
    for (const int at : chosen(count)) {
      const Kind kind = at % 3 == 0 ? Kind::kFull : at % 3 == 1 ? Kind::kError : Kind::kTooMany;
      SCOPED_TRACE(fmt::format("{} {} of {}", name(call), at, count));
      came += run({.call = call, .at = at, .kind = kind}, Loss::kDropped) ? 1 : 0;
      ++runs;
      if (HasFailure()) return;
    }
    fmt::print("{}: {} points, {} tried\n", name(call), count, came);
  }
  fmt::print("{} runs, {} acknowledged, 0 lost\n", runs, acknowledged);
}

TEST_F(RocksFaultTest, LosesNothingThatWasSyncedWhenThePowerFails) {
  int runs = 0;
  const auto all = points();
  for (const auto call : {FileCall::kSync, FileCall::kSyncNames}) {
    const int count = all.at(call);
    for (const int at : chosen(count)) {
      for (const Loss loss : {Loss::kDropped, Loss::kTorn, Loss::kHoles, Loss::kNames}) {
        SCOPED_TRACE(
            fmt::format("{} {} of {}, loss {}", name(call), at, count, static_cast<int>(loss)));
        run({.call = call, .at = at, .kind = FaultyFiles::Fault::Kind::kPower}, loss);
        ++runs;
        if (HasFailure()) return;
      }
    }
    fmt::print("{}: {} points\n", name(call), count);
  }
  fmt::print("{} losses of power, {} acknowledged, 0 lost\n", runs, acknowledged);
}

}  // namespace
}  // namespace cairn
