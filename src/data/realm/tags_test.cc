#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/realm/gc.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

TEST(Tags, NameAVersionMoveAndGo) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed().with("a", "2").committed();
  must(world.realm.set_tag(depot.id, "v1", 1));
  must(world.realm.set_tag(depot.id, "begin", 0));
  EXPECT_THAT(must(world.realm.tags(depot.id)),
              ElementsAre(Field(&Tag::name, "begin"), Field(&Tag::name, "v1")));
  must(world.realm.set_tag(depot.id, "v1", 2));
  EXPECT_EQ(must(world.realm.tags(depot.id))[1].sequence, 2U);
  must(world.realm.remove_tag(depot.id, "v1"));
  EXPECT_THAT(must(world.realm.tags(depot.id)), ElementsAre(Field(&Tag::name, "begin")));
  EXPECT_THAT(world.realm.remove_tag(depot.id, "v1"), FailsWith(Code::kHistoryNotFound));
  EXPECT_THAT(world.realm.set_tag(depot.id, "v3", 3), FailsWith(Code::kHistoryNotFound));
}

TEST(Tags, AreRestoredWithTheirDepotAndGoWithIt) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  must(world.realm.set_tag(depot.id, "v1", 1));
  must(world.realm.delete_depot(depot.id));
  must(world.realm.restore_depot(depot.id));
  EXPECT_THAT(must(world.realm.tags(depot.id)), ElementsAre(Field(&Tag::name, "v1")));
  must(world.realm.delete_depot(depot.id));
  world.clock.advance(std::chrono::hours(24 * 365));
  must(collect_garbage(world.realm));
  EXPECT_THAT(must(world.realm.tags(depot.id)), IsEmpty());
}

TEST(Tags, HaveNamesThatNothingElseCouldMean) {
  World world;
  auto depot = world.a_depot();
  for (const char* name : {"", "1", "2h", "~1", "#1", "today", "yesterday", "now", "nod_x", "dpt_x",
                           "a b", "a/b", "a@b", "a:b", "-a", "\xc3\xa4"}) {
    EXPECT_THAT(world.realm.set_tag(depot.id, name, 0), FailsWith(Code::kInvalidArgument)) << name;
  }
  EXPECT_THAT(world.realm.set_tag(depot.id, std::string(65, 'a'), 0),
              FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(world.realm.set_tag(depot.id, std::string(64, 'a'), 0), IsOk());
}

TEST(Tags, AreBounded) {
  World world;
  auto depot = world.a_depot();
  for (std::size_t i = 0; i < Realm::kMaxTags; ++i) {
    must(world.realm.set_tag(depot.id, fmt::format("t{}", i), 0));
  }
  EXPECT_THAT(world.realm.set_tag(depot.id, "more", 0), FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(world.realm.set_tag(depot.id, "t7", 0), IsOk());
}

TEST(Tags, KeepTheirVersionForAsLongAsTheyAreThere) {
  World world;
  auto depot = world.a_depot();
  for (int i = 1; i <= 5; ++i) depot.with("a", fmt::format("{}", i)).committed();
  const auto second = depot.history()[3].root;
  must(world.realm.set_tag(depot.id, "v2", 2));
  must(world.realm.set_keep(depot.id, must(Keep::parse("last=1"))));
  world.clock.advance(std::chrono::hours(48));
  must(collect_garbage(world.realm));
  EXPECT_EQ(depot.history().size(), 2U);
  EXPECT_EQ(depot.files(second), (Files{{"a", "2"}}));
  must(world.realm.remove_tag(depot.id, "v2"));
  must(collect_garbage(world.realm));
  EXPECT_EQ(depot.history().size(), 1U);
  EXPECT_FALSE(world.has(second));
}

}  // namespace
}  // namespace cairn::realm_testing
