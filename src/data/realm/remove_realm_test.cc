// Removing a realm: all of it goes, and nothing of another.
#include "data/realm/remove_realm.h"

#include <gtest/gtest.h>

#include "data/realm/fsck.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

TEST(RemoveRealm, TakesAllOfItAndNothingOfAnother) {
  World world;
  Realm other(*world.store, realm_number(8), world.clock, world.random);
  const auto kept = must(other.create_depot("kept"));
  const auto kept_root = must(save_write(other, kept.root, Place(kept.id), "a", "the same"));
  const auto before = world.everything();

  auto depot = world.a_depot().with("a", "the same").committed();
  depot.edit("b", "a draft");
  auto deleted = world.a_depot().with("c", "3").committed();
  must(world.realm.delete_depot(deleted.id));
  must(world.realm.set_quota(1'000'000));

  const auto counted = must(content_of(world.realm));
  EXPECT_EQ(counted.depots, 2U);
  EXPECT_EQ(counted.nodes, must(world.realm.usage()).node_count);
  const auto removed = must(remove_realm(world.realm));
  EXPECT_EQ(removed.nodes, counted.nodes);
  EXPECT_EQ(removed.depots, 2U);

  EXPECT_EQ(must(world.realm.usage()), Usage());
  EXPECT_EQ(world.realm.get_depot(depot.id).error().code, Code::kDepotNotFound);
  auto after = world.everything();
  // The account of the realm stays, at zero.
  after.rows.erase({static_cast<int>(Table::kPointers), usage_key(world.realm.id())});
  EXPECT_EQ(after, before);
  EXPECT_TRUE(must(fsck(other)).clean());
  EXPECT_TRUE(must(other.nodes().has(kept_root)));
  // Again, there is nothing left to do.
  EXPECT_EQ(must(remove_realm(world.realm)).nodes, 0U);
}

}  // namespace
}  // namespace cairn::realm_testing
