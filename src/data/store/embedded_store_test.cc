#include "data/store/embedded_store.h"

#include <stdexcept>

#include "data/store/store_test_support.h"

namespace cairn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class KeyValueTest : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(Each, KeyValueTest, both_backends(), backend_name);

TEST_P(KeyValueTest, CommitsPutsAndDeletes) {
  ASSERT_THAT(kv().commit(put_batch("a", "1")), IsOk());
  EXPECT_EQ(value("a"), "1");
  Batch batch = put_batch("b", "2");
  batch.deletes = {"a", "never there"};
  ASSERT_THAT(kv().commit(batch), IsOk());
  EXPECT_EQ(value("a"), std::nullopt);
  EXPECT_EQ(value("b"), "2");
}

TEST_P(KeyValueTest, CommitsOnlyWhenAllConditionsHold) {
  ASSERT_THAT(kv().commit(put_batch("a", "1")), IsOk());
  struct Case {
    std::vector<Batch::Condition> conditions;
    bool holds;
  };
  const std::vector<Case> cases{
      {{{"a", "1"}}, true},          {{{"a", "2"}}, false}, {{{"a", std::nullopt}}, false},
      {{{"b", std::nullopt}}, true}, {{{"b", ""}}, false},  {{{"a", "1"}, {"b", "x"}}, false},
  };
  for (const auto& [conditions, holds] : cases) {
    Batch batch = put_batch("result", "set");
    batch.conditions = conditions;
    batch.nodes = {file("only with the rest")};
    auto committed = kv().commit(batch);
    EXPECT_EQ(committed.has_value(), holds);
    EXPECT_EQ(value("result").has_value(), holds);
    EXPECT_EQ(*store->nodes(batch.realm).has(batch.nodes[0]->key()), holds);
    if (!holds) {
      EXPECT_THAT(committed, FailsWith(Code::kConflict));
    }
    Batch cleanup;
    cleanup.deletes = {"result"};
    ASSERT_THAT(kv().commit(cleanup), IsOk());
    auto sweep = store->nodes(batch.realm).begin_sweep();
    ASSERT_THAT(sweep, IsOk());
    ASSERT_THAT((*sweep)->run([&](auto) { return std::vector{batch.nodes[0]->key()}; }), IsOk());
  }
}

TEST_P(KeyValueTest, NamesTheRecordInAConflict) {
  Batch batch;
  batch.conditions = {{"dpt\x02", "x"}};
  auto refused = kv().commit(batch);
  ASSERT_THAT(refused, FailsWith(Code::kConflict));
  EXPECT_EQ(std::get<std::string>(refused.error().details.at("key")), "dpt\\x02");
}

TEST_P(KeyValueTest, ScansInBothDirections) {
  for (const char* key : {"a", "b/1", "b/2", "c"}) {
    ASSERT_THAT(kv().commit(put_batch(key, "")), IsOk());
  }
  EXPECT_THAT(keys(KeyRange::prefix("b/")), ElementsAre("b/1", "b/2"));
  EXPECT_THAT(keys(KeyRange::prefix("b/"), Direction::kBackward), ElementsAre("b/2", "b/1"));
  EXPECT_THAT(keys({}), ElementsAre("a", "b/1", "b/2", "c"));
}

TEST_P(KeyValueTest, KeepsItsOwnRecordsToItself) {
  ASSERT_THAT(nodes().put(std::vector{file("a")}), IsOk());
  EXPECT_THAT(keys({}), ElementsAre());
  EXPECT_EQ(value(kFormatKey), std::nullopt);
  const Bytes key = usage_key(realm);
  Batch condition;
  condition.conditions = {{key, std::nullopt}};
  Batch removal;
  removal.deletes = {key};
  for (const Batch& batch : {condition, removal, put_batch(key, "")}) {
    EXPECT_THAT(kv().commit(batch), FailsWith(Code::kInvalidArgument));
  }
}

TEST_P(KeyValueTest, LosesNoUpdateOfManyThreadsIncrementingOneCounter) {
  constexpr int kThreads = 8;
  constexpr int kTimes = 50;
  ASSERT_THAT(kv().commit(put_batch("counter", "0")), IsOk());
  const auto increment = [&] {
    while (true) {
      const Bytes before = *value("counter");
      Batch batch = put_batch("counter", std::to_string(std::stoi(before) + 1));
      batch.conditions = {{"counter", before}};
      auto committed = kv().commit(batch);
      if (committed) return;
      ASSERT_THAT(committed, FailsWith(Code::kConflict));
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < kTimes; ++n) increment();
      });
    }
  }
  EXPECT_EQ(value("counter"), std::to_string(kThreads * kTimes));
}

TEST_P(KeyValueTest, NeedsFarFewerSyncsThanCommits) {
  constexpr int kThreads = 16;
  constexpr int kTimes = 40;
  // A disk on which a sync takes its time: until nobody else is about to join.
  std::atomic<int> finished = 0;
  backend->before_write = [&] {
    for (int i = 0; i < 200 && finished < kThreads; ++i) std::this_thread::yield();
  };
  backend->syncs = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        for (int n = 0; n < kTimes; ++n) {
          ASSERT_THAT(kv().commit(put_batch(fmt::format("{}/{}", i, n), "x")), IsOk());
        }
        ++finished;
      });
    }
  }
  EXPECT_EQ(keys({}).size(), std::size_t{kThreads * kTimes});
  EXPECT_LT(backend->syncs, kThreads * kTimes / 3);
}

TEST_P(KeyValueTest, SyncsOnlyWhenAsked) {
  backend->syncs = 0;
  Batch batch = put_batch("a", "1");
  batch.durability = Durability::kBuffered;
  ASSERT_THAT(kv().commit(batch), IsOk());
  EXPECT_EQ(backend->syncs, 0);
  Batch nothing;
  ASSERT_THAT(kv().commit(nothing), IsOk());
  EXPECT_EQ(backend->syncs, 1) << "a synced commit makes the buffered ones durable";
}

TEST_P(KeyValueTest, ChangesNothingWhenTheWriteFails) {
  ASSERT_THAT(nodes().put(std::vector{file("before")}), IsOk());
  const Usage before = *nodes().usage();
  backend->broken = true;
  Batch batch = put_batch("a", "1");
  batch.realm = realm;
  batch.nodes = {file("lost"), dict_of("lost", file("lost"))};
  auto lost = kv().commit(batch);
  ASSERT_THAT(lost, FailsWith(Code::kIoError));
  EXPECT_THAT(lost.error().message, HasSubstr("the disk is full"));
  EXPECT_EQ(value("a"), std::nullopt);
  EXPECT_THAT(nodes().get(batch.nodes[1]->key()), FailsWith(Code::kNodeNotFound));
  EXPECT_EQ(*nodes().usage(), before);

  backend->broken = false;
  ASSERT_THAT(kv().commit(batch), IsOk());
  EXPECT_EQ(nodes().usage()->node_count, 3U);
}

TEST_P(KeyValueTest, TellsWatchersTheirKeysInCommitOrder) {
  std::vector<Bytes> seen;
  auto subscription = kv().watch(KeyRange::prefix("b/"), [&](const std::vector<Bytes>& changed) {
    seen.insert(seen.end(), changed.begin(), changed.end());
  });
  Batch batch = put_batch("b/2", "");
  batch.puts.push_back({"a", ""});
  batch.puts.push_back({"b/1", ""});
  ASSERT_THAT(kv().commit(batch), IsOk());
  Batch removal;
  removal.deletes = {"b/2", "c"};
  ASSERT_THAT(kv().commit(removal), IsOk());
  EXPECT_THAT(seen, ElementsAre("b/2", "b/1", "b/2"));

  Batch refused = put_batch("b/3", "");
  refused.conditions = {{"b/1", "something else"}};
  EXPECT_THAT(kv().commit(refused), FailsWith(Code::kConflict));
  EXPECT_EQ(seen.size(), 3U) << "refused, so nothing happened";

  subscription.reset();
  ASSERT_THAT(kv().commit(put_batch("b/4", "")), IsOk());
  EXPECT_EQ(seen.size(), 3U);
}

TEST_P(KeyValueTest, ShowsWatchersTheChangeTheyHearOf) {
  std::optional<Bytes> seen;
  auto subscription = kv().watch({}, [&](const auto&) { seen = value("a"); });
  ASSERT_THAT(kv().commit(put_batch("a", "1")), IsOk());
  EXPECT_EQ(seen, "1");
}

TEST_P(KeyValueTest, LetsAWatcherEndItsOwnSubscription) {
  int calls = 0;
  std::unique_ptr<Subscription> subscription;
  subscription = kv().watch({}, [&](const auto&) {
    ++calls;
    subscription.reset();
  });
  ASSERT_THAT(kv().commit(put_batch("a", "1")), IsOk());
  ASSERT_THAT(kv().commit(put_batch("a", "2")), IsOk());
  EXPECT_EQ(calls, 1);
}

TEST_P(KeyValueTest, TellsThoseAfterAWatcherThatThrows) {
  int calls = 0;
  int heard = 0;
  auto throwing = kv().watch({}, [&](const auto&) {
    ++calls;
    throw std::runtime_error("a defect of one who listens");
  });
  auto listening = kv().watch({}, [&](const auto&) { ++heard; });
  ASSERT_THAT(kv().commit(put_batch("a", "1")), IsOk());
  ASSERT_THAT(kv().commit(put_batch("a", "2")), IsOk());
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(heard, 2);
}

TEST_P(KeyValueTest, NeverCallsAWatcherWhoseSubscriptionIsGone) {
  std::jthread committer([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      Batch batch = put_batch("a", "1");
      batch.durability = Durability::kBuffered;
      ASSERT_THAT(kv().commit(batch), IsOk());
    }
  });
  for (int i = 0; i < 200; ++i) {
    std::atomic<bool> alive = true;
    auto subscription = kv().watch({}, [&](const auto&) { EXPECT_TRUE(alive); });
    std::this_thread::yield();
    subscription.reset();
    alive = false;
  }
}

TEST_P(KeyValueTest, LetsASubscriptionOutliveTheStore) {
  auto subscription = kv().watch({}, [](const auto&) {});
  store.reset();
  subscription.reset();
}

TEST_P(KeyValueTest, RefusesACommitFromWithinAWatcher) {
  Result<void> inner;
  auto subscription = kv().watch({}, [&](const auto&) { inner = kv().commit({}); });
  ASSERT_THAT(kv().commit(put_batch("a", "1")), IsOk());
  EXPECT_THAT(inner, FailsWith(Code::kInternal));
}

TEST_P(KeyValueTest, RefusesAFormatFromTheFuture) {
  auto newer = make_backend(GetParam(), dir / "newer");
  Changes changes;
  changes[Table::kPointers].emplace(kFormatKey, encode_format(kStoreFormat + 1));
  ASSERT_THAT(newer->write(changes, Durability::kSynced), IsOk());
  EXPECT_THAT(EmbeddedStore::open(std::move(newer), clock, {}),
              FailsWith(Code::kStoreIncompatible));
}

TEST_P(KeyValueTest, RefusesAFormatThatNeverWas) {
  auto none = make_backend(GetParam(), dir / "none");
  Changes changes;
  changes[Table::kPointers].emplace(kFormatKey, encode_format(0));
  ASSERT_THAT(none->write(changes, Durability::kSynced), IsOk());
  EXPECT_THAT(EmbeddedStore::open(std::move(none), clock, {}), FailsWith(Code::kStoreIncompatible));
}

TEST_P(KeyValueTest, RefusesTablesThatAreNotAStore) {
  auto foreign = make_backend(GetParam(), dir / "foreign");
  Changes changes;
  changes[Table::kPointers].emplace("some", "data");
  ASSERT_THAT(foreign->write(changes, Durability::kSynced), IsOk());
  EXPECT_THAT(EmbeddedStore::open(std::move(foreign), clock, {}),
              FailsWith(Code::kStoreIncompatible));
}

TEST(MemoryStore, CannotBeBackedUp) {
  const ManualClock clock;
  const TempDir dir;
  EXPECT_THAT(make_memory_store(clock)->backup(dir / "backup"), FailsWith(Code::kInvalidArgument));
  EXPECT_FALSE(std::filesystem::exists(dir / "backup"));
}

}  // namespace
}  // namespace cairn
