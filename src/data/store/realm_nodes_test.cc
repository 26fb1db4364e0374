#include "data/store/realm_nodes.h"

#include <algorithm>

#include "data/store/node_codec.h"
#include "data/store/realm_ledger.h"
#include "data/store/store_test_support.h"

namespace cairn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class NodesTest : public StoreTest {
 protected:
  Millis stored_at(const NodeKey& key) {
    Millis found = -1;
    EXPECT_THAT(nodes().for_each([&](const NodeInfo& info) {
      if (info.key == key) found = info.stored_at;
      return true;
    }),
                IsOk());
    return found;
  }
  void damage(const NodePtr& node, Bytes value) {
    Changes changes;
    changes[Table::kNodeData].emplace(NodeRow(realm, node->key()).bytes(), std::move(value));
    ASSERT_THAT(backend->write(changes, Durability::kBuffered), IsOk());
  }
  // The usage that the account should say, added up from the records.
  Usage recount() {
    Usage sum;
    EXPECT_THAT(nodes().for_each([&](const NodeInfo& info) {
      sum.physical_bytes += info.physical_bytes;
      sum.logical_bytes += info.logical_bytes;
      sum.node_count += 1;
      return true;
    }),
                IsOk());
    return sum;
  }
  // Removes these; waits for its turn.
  Result<Sweep::Removed> sweep(std::vector<NodeKey> keys) {
    while (true) {
      auto begun = nodes().begin_sweep();
      if (!begun && begun.error().code == Code::kConflict) continue;
      return TRY(std::move(begun))->run([&](auto) { return std::move(keys); });
    }
  }

  const NodePtr small = file("small");
  const NodePtr large = file(Bytes(20'000, 'x'));
  const NodePtr folder = dict_of("name", large);
};
INSTANTIATE_TEST_SUITE_P(Each, NodesTest, both_backends(), backend_name);

TEST_P(NodesTest, GetsWhatWasPutAndHasWhatItGets) {
  for (const auto& node : {small, large, folder}) {
    EXPECT_THAT(nodes().get(node->key()), FailsWith(Code::kNodeNotFound));
    EXPECT_FALSE(*nodes().has(node->key()));
  }
  ASSERT_THAT(nodes().put(std::vector{small, large, folder}), IsOk());
  for (const auto& node : {small, large, folder}) {
    EXPECT_TRUE(*nodes().has(node->key()));
    EXPECT_EQ((*nodes().get(node->key()))->bytes(), node->bytes());
    EXPECT_EQ((*nodes().get_uncached(node->key()))->bytes(), node->bytes());
  }
}

TEST_P(NodesTest, KeepsWhatWasReadInTheCache) {
  ASSERT_THAT(kv().commit(node_batch({large, folder})), IsOk());
  EXPECT_EQ(*nodes().get(folder->key()), folder) << "directories from when they are committed";
  EXPECT_EQ(*nodes().get(large->key()), *nodes().get(large->key()));
  EXPECT_NE(*nodes().get_uncached(large->key()), *nodes().get(large->key()));
}

// An import may have more of them than there is memory, and reads few again.
TEST_P(NodesTest, KeepsNothingInTheCacheOfWhatIsBroughtInBulk) {
  ASSERT_THAT(nodes().put(std::vector{small, folder}), IsOk());
  const auto read = *nodes().get(folder->key());
  EXPECT_NE(read, folder);
  EXPECT_EQ(*nodes().get(folder->key()), read);
}

TEST_P(NodesTest, SharesNothingBetweenRealms) {
  ASSERT_THAT(nodes().put(std::vector{small, folder}), IsOk());
  auto& others = store->nodes(realm_number(8));
  EXPECT_FALSE(*others.has(small->key()));
  EXPECT_THAT(others.get(folder->key()), FailsWith(Code::kNodeNotFound));
  EXPECT_THAT(*others.find(NodeKey(), NodeKey::from_bytes(Bytes(32, '\xff')), 10), IsEmpty());
  EXPECT_EQ(*others.usage(), Usage{});
  Batch batch = node_batch({});
  batch.realm = realm_number(8);
  batch.required = {small->key()};
  EXPECT_THAT(kv().commit(batch), FailsWith(Code::kNodeNotFound));

  ASSERT_THAT(others.put(std::vector{small}), IsOk());
  EXPECT_EQ(others.usage()->node_count, 1U);
  EXPECT_THAT(*store->realms(), ElementsAre(realm, realm_number(8)));
  EXPECT_EQ(&store->nodes(realm), &nodes());
}

TEST_P(NodesTest, AccountsForEachNodeOnce) {
  ASSERT_THAT(nodes().put(std::vector{small, large, small}), IsOk());
  const Usage once = *nodes().usage();
  EXPECT_EQ(once.node_count, 2U);
  EXPECT_EQ(once.logical_bytes, small->bytes().size() + large->bytes().size());
  EXPECT_EQ(once.physical_bytes,
            pack_node(small->bytes()).size() + pack_node(large->bytes()).size());
  EXPECT_LT(once.physical_bytes, 1000U) << "compressed";
  backend->writes = 0;
  ASSERT_THAT(nodes().put(std::vector{large, small}), IsOk());
  EXPECT_EQ(*nodes().usage(), once);
  EXPECT_EQ(backend->writes, 0) << "nothing new, nothing written";
  EXPECT_EQ(recount(), once);
}

TEST_P(NodesTest, AccountsExactlyWhateverManyThreadsStoreAndSweep) {
  {
    std::vector<std::jthread> threads;
    for (unsigned seed = 0; seed < 4; ++seed) {
      threads.emplace_back([&, seed] {
        std::mt19937 random(seed);
        for (int i = 0; i < 60; ++i) {
          auto node = file(Bytes(random() % 30 * 10, 'x'));
          ASSERT_THAT(nodes().put(std::vector{node, file(std::to_string(random() % 20))}), IsOk());
          if (i % 3 == 0) {
            ASSERT_THAT(sweep({node->key()}), IsOk());
          }
        }
      });
    }
  }
  EXPECT_EQ(*nodes().usage(), recount());
}

TEST_P(NodesTest, RefusesWhatIsOverTheQuotaAndChangesNothing) {
  ASSERT_THAT(nodes().put(std::vector{small}), IsOk());
  const Usage before = *nodes().usage();
  ASSERT_THAT(nodes().set_quota(before.physical_bytes + 20), IsOk());
  Batch batch = node_batch({file("just fits"), large});
  batch.puts = {{"root", "large"}};
  auto refused = kv().commit(batch);
  ASSERT_THAT(refused, FailsWith(Code::kQuotaExceeded));
  const auto& details = refused.error().details;
  EXPECT_EQ(std::get<std::int64_t>(details.at("usage")), std::int64_t(before.physical_bytes));
  EXPECT_EQ(std::get<std::int64_t>(details.at("quota")), std::int64_t(before.physical_bytes + 20));
  EXPECT_GT(std::get<std::int64_t>(details.at("needed")), 20);
  EXPECT_FALSE(*nodes().has(large->key()));
  EXPECT_FALSE(*nodes().has(batch.nodes[0]->key()));
  EXPECT_EQ(value("root"), std::nullopt);
  EXPECT_EQ(nodes().usage()->physical_bytes, before.physical_bytes);

  EXPECT_THAT(nodes().put(std::vector{small}), IsOk()) << "nothing new";
  ASSERT_THAT(nodes().set_quota(1), IsOk());
  EXPECT_THAT(nodes().put(std::vector{small}), IsOk()) << "over, but takes nothing more";
  ASSERT_THAT(nodes().set_quota(0), IsOk());
  EXPECT_THAT(kv().commit(batch), IsOk()) << "no quota";
}

TEST_P(NodesTest, StampsAStoredNodeAnewOnlyWhenItsStampIsOld) {
  ASSERT_THAT(nodes().put(std::vector{small}), IsOk());
  const Millis first = stored_at(small->key());
  EXPECT_LE(first, clock.now());
  EXPECT_GT(first, clock.now() - 60'000);

  clock.advance(kRestampAfter - std::chrono::minutes(1));
  ASSERT_THAT(nodes().put(std::vector{small}), IsOk());
  EXPECT_EQ(stored_at(small->key()), first);

  clock.advance(std::chrono::minutes(1));
  ASSERT_THAT(nodes().put(std::vector{small}), IsOk());
  EXPECT_EQ(stored_at(small->key()), first + Millis{60 * 60'000});
}

TEST_P(NodesTest, StampsRequiredNodesTheSameWay) {
  ASSERT_THAT(nodes().put(std::vector{small}), IsOk());
  clock.advance(std::chrono::hours(48));
  Batch batch = node_batch({});
  batch.required = {small->key()};
  ASSERT_THAT(kv().commit(batch), IsOk());
  EXPECT_GT(stored_at(small->key()), clock.now() - 60'000);
  EXPECT_EQ(nodes().usage()->node_count, 1U);
}

TEST_P(NodesTest, NeverKeepsAStampFromTheFuture) {
  ASSERT_THAT(nodes().put(std::vector{small}), IsOk());
  clock.advance(-std::chrono::hours(3));
  ASSERT_THAT(nodes().put(std::vector{small}), IsOk());
  EXPECT_LE(stored_at(small->key()), clock.now());
}

TEST_P(NodesTest, RefusesACommitThatRequiresAnAbsentNode) {
  Batch batch = node_batch({small});
  batch.puts = {{"root", "x"}};
  batch.required = {large->key()};
  auto refused = kv().commit(batch);
  ASSERT_THAT(refused, FailsWith(Code::kNodeNotFound));
  EXPECT_THAT(refused.error().message, HasSubstr(large->key().render()));
  EXPECT_EQ(value("root"), std::nullopt);
  EXPECT_FALSE(*nodes().has(small->key()));
}

TEST_P(NodesTest, SweepsWhatIsChosenFromTablesAccountAndCache) {
  ASSERT_THAT(nodes().put(std::vector{small, folder, large}), IsOk());
  ASSERT_THAT(nodes().get(small->key()), IsOk());  // in both pools of the cache
  EXPECT_EQ(sweep({})->nodes, 0U);
  EXPECT_EQ(nodes().usage()->node_count, 3U);

  auto removed = sweep({small->key(), folder->key(), file("absent")->key()});
  ASSERT_THAT(removed, IsOk());
  EXPECT_EQ(removed->nodes, 2U);
  EXPECT_THAT(nodes().get(small->key()), FailsWith(Code::kNodeNotFound));
  EXPECT_THAT(nodes().get(folder->key()), FailsWith(Code::kNodeNotFound));
  EXPECT_THAT(nodes().get(large->key()), IsOk());
  EXPECT_EQ(*nodes().usage(), recount());
  EXPECT_EQ(nodes().usage()->node_count, 1U);

  ASSERT_THAT(nodes().put(std::vector{small}), IsOk());
  EXPECT_THAT(nodes().get(small->key()), IsOk()) << "swept, and stored again";
}

TEST_P(NodesTest, NotesWhatIsStoredOrRequiredWhileASweepRuns) {
  ASSERT_THAT(nodes().put(std::vector{small, folder}), IsOk());
  auto sweep = nodes().begin_sweep();
  ASSERT_THAT(sweep, IsOk());
  ASSERT_THAT(nodes().put(std::vector{small}), IsOk());
  Batch batch = node_batch({large});
  batch.required = {folder->key()};
  ASSERT_THAT(kv().commit(batch), IsOk());
  std::vector<NodeKey> noted;
  ASSERT_THAT((*sweep)->run([&](std::span<const NodeKey> keys) {
    noted.assign(keys.begin(), keys.end());
    return std::vector<NodeKey>();
  }),
              IsOk());
  EXPECT_THAT(noted, testing::UnorderedElementsAre(small->key(), large->key(), folder->key()));
  ASSERT_THAT(nodes().put(std::vector{large}), IsOk());
  ASSERT_THAT((*sweep)->run([&](std::span<const NodeKey> keys) {
    noted.assign(keys.begin(), keys.end());
    return std::vector<NodeKey>();
  }),
              IsOk());
  EXPECT_THAT(noted, testing::ElementsAre(large->key())) << "each is told of once";
}

TEST_P(NodesTest, RunsOneSweepAtATime) {
  auto first = nodes().begin_sweep();
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(nodes().begin_sweep(), FailsWith(Code::kConflict));
  first->reset();
  EXPECT_THAT(nodes().begin_sweep(), IsOk());
}

TEST_P(NodesTest, LetsTheChoiceOfASweepReadTheStoreButNotChangeIt) {
  ASSERT_THAT(nodes().put(std::vector{small}), IsOk());
  auto sweep = nodes().begin_sweep();
  ASSERT_THAT(sweep, IsOk());
  EXPECT_THAT((*sweep)->run([&](auto) -> Result<std::vector<NodeKey>> {
    EXPECT_TRUE(TRY(nodes().has(small->key())));
    return std::vector<NodeKey>();
  }),
              IsOk());
  EXPECT_THAT((*sweep)->run([&](auto) -> Result<std::vector<NodeKey>> {
    TRY(kv().commit(put_batch("a", "1")));
    return std::vector{small->key()};
  }),
              FailsWith(Code::kInternal));
  EXPECT_TRUE(*nodes().has(small->key()));
}

TEST_P(NodesTest, ShowsTheChoiceOfASweepEveryCommitBeforeIt) {
  // Threads store nodes with a root that names them; one sweeps whatever has no root.
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 30; ++n) {
        auto node = file(fmt::format("{}/{}", i, n));
        Batch batch = node_batch({node});
        batch.puts = {{Bytes("root/") + Bytes(node->key().bytes()), ""}};
        batch.durability = Durability::kBuffered;
        ASSERT_THAT(kv().commit(batch), IsOk());
      }
    });
  }
  for (int n = 0; n < 30; ++n) {
    auto sweep = nodes().begin_sweep();
    ASSERT_THAT(sweep, IsOk());
    ASSERT_THAT((*sweep)->run([&](auto) -> Result<std::vector<NodeKey>> {
      std::vector<NodeKey> all;
      TRY(nodes().for_each([&](const NodeInfo& info) {
        all.push_back(info.key);
        return true;
      }));
      std::vector<NodeKey> garbage;
      for (const auto& key : all) {
        if (!TRY(kv().get(Bytes("root/") + Bytes(key.bytes())))) garbage.push_back(key);
      }
      return garbage;
    }),
                IsOk());
  }
  threads.clear();
  for (const auto& root : keys(KeyRange::prefix("root/"))) {
    EXPECT_TRUE(*nodes().has(NodeKey::from_bytes(ByteView(root).substr(5))));
  }
  EXPECT_EQ(nodes().usage()->node_count, 120U);
}

TEST_P(NodesTest, CallsDamagedBytesCorruptAndNeverData) {
  ASSERT_THAT(nodes().put(std::vector{large}), IsOk());
  const Bytes good = pack_node(large->bytes());
  const Bytes other = pack_node(file("other")->bytes());
  for (const Bytes& bad : {Bytes(), Bytes("garbage"), good.substr(0, good.size() - 3), other}) {
    damage(large, bad);
    auto read = nodes().get(large->key());
    ASSERT_THAT(read, FailsWith(Code::kCorruptNode));
    EXPECT_THAT(read.error().message, HasSubstr(large->key().render()));
    EXPECT_THAT(read.error().message, HasSubstr("cairn fsck"));
  }
  damage(large, good);
  EXPECT_THAT(nodes().get(large->key()), IsOk());
  damage(large, "garbage");
  EXPECT_THAT(nodes().get(large->key()), IsOk()) << "from the cache";
  EXPECT_THAT(nodes().get_uncached(large->key()), FailsWith(Code::kCorruptNode));
}

TEST_P(NodesTest, WhatIsDamagedIsWholeAgainWhenItIsStoredAgain) {
  ASSERT_THAT(nodes().put(std::vector{small, large}), IsOk());
  const auto before = nodes().usage().value();
  for (const Bytes& bad : {Bytes(), Bytes("garbage"), pack_node(small->bytes())}) {
    damage(large, bad);
    EXPECT_THAT(nodes().get_uncached(large->key()), FailsWith(Code::kCorruptNode));
    ASSERT_THAT(nodes().put(std::vector{large}), IsOk());
    EXPECT_THAT(nodes().get_uncached(large->key()), IsOk());
    EXPECT_EQ(nodes().usage().value(), before);
    EXPECT_EQ(recount(), before);
  }
}

TEST_P(NodesTest, CallsBytesThatAreNoNodeCorruptEvenWithTheRightHash) {
  const Bytes bytes = "not a node, but with its own hash";
  const NodeKey key = NodeKey::of(bytes);
  Changes changes;
  changes[Table::kNodeData].emplace(NodeRow(realm, key).bytes(), pack_node(bytes));
  ASSERT_THAT(backend->write(changes, Durability::kBuffered), IsOk());
  EXPECT_THAT(nodes().get(key), FailsWith(Code::kCorruptNode));
}

TEST_P(NodesTest, ListsInfosInKeyOrderUntilToldToStop) {
  ASSERT_THAT(nodes().put(std::vector{small, large, folder}), IsOk());
  std::vector<NodeKey> found;
  ASSERT_THAT(nodes().for_each([&](const NodeInfo& info) {
    found.push_back(info.key);
    return true;
  }),
              IsOk());
  EXPECT_THAT(found, UnorderedElementsAre(small->key(), large->key(), folder->key()));
  EXPECT_TRUE(std::ranges::is_sorted(found));
  int calls = 0;
  ASSERT_THAT(nodes().for_each([&](const NodeInfo&) { return ++calls < 2; }), IsOk());
  EXPECT_EQ(calls, 2);
}

TEST_P(NodesTest, FindsKeysWithinBothBounds) {
  ASSERT_THAT(nodes().put(std::vector{small, large, folder}), IsOk());
  std::vector sorted{small->key(), large->key(), folder->key()};
  std::ranges::sort(sorted);
  EXPECT_THAT(*nodes().find(sorted[0], sorted[2], 10),
              ElementsAre(sorted[0], sorted[1], sorted[2]));
  EXPECT_THAT(*nodes().find(sorted[1], sorted[1], 10), ElementsAre(sorted[1]));
  EXPECT_THAT(*nodes().find(sorted[0], sorted[2], 2), ElementsAre(sorted[0], sorted[1]));
  EXPECT_THAT(*nodes().find(sorted[0], sorted[2], 0), IsEmpty());
}

TEST_P(NodesTest, ResolvesAnUnambiguousPrefix) {
  ASSERT_THAT(nodes().put(std::vector{small, large}), IsOk());
  const std::string whole = small->key().render();
  EXPECT_EQ(resolve(nodes(), *KeyPrefix::parse(whole.substr(0, 16))), small->key());
  EXPECT_EQ(resolve(nodes(), *KeyPrefix::parse(whole)), small->key());
  auto none = resolve(nodes(), *KeyPrefix::parse(folder->key().render().substr(0, 20)));
  ASSERT_THAT(none, FailsWith(Code::kNodeNotFound));
  EXPECT_THAT(none.error().message, HasSubstr(folder->key().render().substr(0, 20)));
}

TEST_P(NodesTest, NamesTheCandidatesOfAnAmbiguousPrefix) {
  // Hashes with twelve equal digits are not to be had: records do.
  Changes changes;
  std::vector<std::string> candidates;
  for (char last : {'a', 'b'}) {
    const NodeKey key = NodeKey::from_bytes(Bytes(31, 'k') + last);
    candidates.push_back(key.render());
    changes[Table::kNodeInfo].emplace(NodeRow(realm, key).bytes(), StoredInfo{}.encode());
  }
  ASSERT_THAT(backend->write(changes, Durability::kBuffered), IsOk());
  auto found = resolve(nodes(), *KeyPrefix::parse(candidates[0].substr(0, 24)));
  ASSERT_THAT(found, FailsWith(Code::kAmbiguousKey));
  EXPECT_EQ(std::get<std::vector<std::string>>(found.error().details.at("candidates")), candidates);
}

}  // namespace
}  // namespace cairn
