#include "data/store/writer.h"

#include "data/store/store_test_support.h"

namespace cairn {
namespace {

class WriterTest : public ::testing::Test {
 protected:
  // Lines up the commits, in this order, while another one is being written, so that they form one
  // group. Returns their results.
  std::vector<Result<void>> commit_as_one_group(const std::vector<Batch>& batches) {
    std::vector<Result<void>> results(batches.size());
    std::atomic<bool> leading = false;
    std::atomic<bool> lined_up = false;
    backend.before_write = [&] {
      leading = true;
      while (!lined_up) std::this_thread::yield();
    };
    std::vector<std::jthread> threads;
    threads.emplace_back([&] { EXPECT_THAT(writer.commit(put_batch("first", "")), IsOk()); });
    while (!leading) std::this_thread::yield();
    for (std::size_t i = 0; i < batches.size(); ++i) {
      threads.emplace_back([&, i] { results[i] = writer.commit(batches[i]); });
      while (writer.waiting() <= i) std::this_thread::yield();
    }
    broken_from_here();
    lined_up = true;
    threads.clear();
    EXPECT_EQ(backend.writes, 2) << "the first, and one for the group";
    return results;
  }

  static Batch put_batch(Bytes key, Bytes value) {
    Batch batch;
    batch.puts.push_back({std::move(key), std::move(value)});
    return batch;
  }
  Batch node_batch(std::vector<NodePtr> added) const {
    Batch batch;
    batch.realm = realm;
    batch.nodes = std::move(added);
    return batch;
  }

  const RealmId realm = realm_number(7);
  const ManualClock clock;
  TestBackend backend{std::make_unique<MemoryBackend>()};
  NodeCache cache{{1 << 20, 1 << 20}};
  Watchers watchers;
  Writer writer{backend, cache, watchers, clock};
  RealmNodes nodes{realm, backend, cache, writer};
  std::function<void()> broken_from_here = [] {};
};

TEST_F(WriterTest, LetsEachCommitSeeThoseBeforeItInTheGroup) {
  Batch one = put_batch("a", "1");
  one.conditions = {{"a", std::nullopt}};
  Batch two = put_batch("a", "2");
  two.conditions = {{"a", "1"}};
  auto results = commit_as_one_group({one, one, two, one});
  EXPECT_THAT(results[0], IsOk());
  EXPECT_THAT(results[1], FailsWith(Code::kConflict));
  EXPECT_THAT(results[2], IsOk());
  EXPECT_THAT(results[3], FailsWith(Code::kConflict));
  EXPECT_EQ(*backend.get(Table::kPointers, "a"), "2");
}

TEST_F(WriterTest, CountsANodeOnceHoweverManyOfTheGroupStoreIt) {
  auto node = file("the same");
  auto results = commit_as_one_group({node_batch({node}), node_batch({node, node})});
  EXPECT_THAT(results[1], IsOk());
  EXPECT_EQ(nodes.usage()->node_count, 1U);
}

TEST_F(WriterTest, LetsANodeOfTheGroupBeRequiredByALaterCommit) {
  auto node = file("needed");
  Batch needs = put_batch("root", "needed");
  needs.realm = realm;
  needs.required = {node->key()};
  auto results = commit_as_one_group({needs, node_batch({node}), needs});
  EXPECT_THAT(results[0], FailsWith(Code::kNodeNotFound));
  EXPECT_THAT(results[2], IsOk());
}

TEST_F(WriterTest, TellsWatchersOfAGroupOnceInCommitOrder) {
  std::vector<std::vector<Bytes>> calls;
  auto subscription =
      watchers.add(KeyRange::prefix("k"), [&](const auto& keys) { calls.push_back(keys); });
  commit_as_one_group({put_batch("k2", ""), put_batch("k1", ""), put_batch("k3", "")});
  EXPECT_THAT(calls, ::testing::ElementsAre(std::vector<Bytes>{"k2", "k1", "k3"}));
}

TEST_F(WriterTest, FailsTheWholeGroupWhenItsWriteFails) {
  Batch conflicting = put_batch("a", "2");
  conflicting.conditions = {{"a", std::nullopt}};
  // The first write has passed its check already and succeeds.
  broken_from_here = [&] { backend.broken = true; };
  auto results =
      commit_as_one_group({put_batch("a", "1"), conflicting, node_batch({file("lost")})});
  for (const auto& result : results) EXPECT_THAT(result, FailsWith(Code::kIoError));
  EXPECT_EQ(*backend.get(Table::kPointers, "a"), std::nullopt);
  EXPECT_EQ(*nodes.usage(), Usage{});
}

}  // namespace
}  // namespace cairn
