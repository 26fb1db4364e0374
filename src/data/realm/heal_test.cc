// What is damaged is whole again when its content is found anywhere.

#include "data/realm/heal.h"

#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class HealTest : public ::testing::Test {
 protected:
  FsckReport check() { return must(fsck(world.realm)); }
  NodeKey key(std::string_view path) { return key_at(world, depot.root(), path); }
  // The row of its data, and that it was ever there.
  void forget(const NodeKey& key) {
    world.lose(key);
    world.plant(Table::kNodeInfo, NodeRow(world.realm.id(), key).bytes(), std::nullopt);
  }
  std::vector<NodeKey> heal_from(Store& store) {
    std::vector<std::unique_ptr<NodeSource>> sources;
    sources.push_back(nodes_of(store));
    return must(heal(*world.store, world.realm.id(), check(), sources));
  }

  World world{uncached()};
  DepotStory depot = world.a_depot("project")
                         .with("README.md", "hello")
                         .with("src/a.ts", "a")
                         .with("src/deep/b.ts", "b")
                         .committed();
  World other{uncached()};
};

TEST_F(HealTest, TakesFromAnotherStoreWhatItHasAndLeavesTheRest) {
  other.a_depot("elsewhere").with("copy.ts", "a").committed();
  const auto a = key("src/a.ts");
  const auto readme = key("README.md");
  world.corrupt(a);
  world.corrupt(readme);
  EXPECT_THAT(heal_from(*other.store), ElementsAre(a));
  EXPECT_THAT(world.realm.nodes().get_uncached(a), IsOk());
  const auto left = check();
  ASSERT_EQ(left.problems.size(), 1U);
  EXPECT_EQ(left.problems.front().key, readme);
}

TEST_F(HealTest, FindsWhatIsMissingBelowWhatWasMissing) {
  other.a_depot("elsewhere").with("src/a.ts", "a").with("src/deep/b.ts", "b").committed();
  const auto usage = must(world.realm.usage());
  const std::vector<NodeKey> lost{key("src"), key("src/deep"), key("src/deep/b.ts")};
  for (const auto& node : lost) forget(node);
  EXPECT_THAT(heal_from(*other.store), UnorderedElementsAre(lost[0], lost[1], lost[2]));
  EXPECT_EQ(files_below(world.realm.nodes(), depot.root()).size(), 3U);
  // The counts were of nodes whose records were taken away by hand.
  EXPECT_EQ(must(world.realm.usage()).node_count, usage.node_count + 3);
}

TEST_F(HealTest, TakesNothingThatIsDamagedThereToo) {
  auto there = other.a_depot("elsewhere").with("copy.ts", "a").committed();
  const auto a = key("src/a.ts");
  world.corrupt(a);
  other.corrupt(a);
  EXPECT_THAT(heal_from(*other.store), IsEmpty());
  EXPECT_FALSE(check().clean());
}

TEST_F(HealTest, RemembersWhatACheckFoundUntilItIsWhole) {
  const auto a = key("src/a.ts");
  const auto readme = key("README.md");
  EXPECT_THAT(must(remembered_damage(*world.store)), IsEmpty());
  world.corrupt(a);
  forget(readme);
  must(remember_damage(*world.store, world.realm.id(), check()));
  EXPECT_THAT(must(remembered_damage(*world.store)),
              UnorderedElementsAre(DamagedNode{world.realm.id(), a},
                                   DamagedNode{world.realm.id(), readme}));
  depot.with("again.ts", "a").committed();
  EXPECT_THAT(must(remembered_damage(*world.store)),
              ElementsAre(DamagedNode{world.realm.id(), readme}));
  depot.with("README.md", "hello").with("again.md", "hello").committed();
  EXPECT_THAT(must(remembered_damage(*world.store)), IsEmpty());
}

}  // namespace
}  // namespace cairn::realm_testing
