// Deleted depots: out of sight, and back with all they had, until their time is over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/realm/fsck.h"
#include "data/realm/gc.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using std::chrono::hours;
using testing::ElementsAre;
using testing::IsEmpty;

class DeletedTest : public testing::Test {
 protected:
  Realm& realm() { return world_.realm; }
  std::vector<DepotId> listed() {
    std::vector<DepotId> out;
    for (const auto& depot : must(realm().list_depots(1000, std::nullopt)).depots) {
      out.push_back(depot.id);
    }
    return out;
  }
  GcReport collect(const GcOptions& options = {}) {
    return must(collect_garbage(realm(), {}, options));
  }
  World world_;
};

TEST_F(DeletedTest, ADeletedDepotIsNowhereToBeSeen) {
  auto depot = world_.a_depot("a").with("f", "1").committed();
  auto other = world_.a_depot("b");
  const auto mine = depot.edit("f", "2");
  must(realm().delete_depot(depot.id));
  EXPECT_THAT(listed(), ElementsAre(other.id));
  EXPECT_EQ(realm().get_depot(depot.id).error().code, Code::kDepotNotFound);
  EXPECT_EQ(realm().root_at(depot.id).error().code, Code::kDepotNotFound);
  EXPECT_EQ(realm().history(depot.id, 10, std::nullopt).error().code, Code::kDepotNotFound);
  EXPECT_EQ(depot.commit(mine).error().code, Code::kDepotNotFound);
  EXPECT_EQ(realm().rename_depot(depot.id, "c").error().code, Code::kDepotNotFound);
  EXPECT_EQ(realm().delete_depot(depot.id).error().code, Code::kDepotNotFound);
  EXPECT_TRUE(must(fsck(realm())).clean());
}

TEST_F(DeletedTest, ItComesBackAsItWas) {
  auto depot = world_.a_depot("a").with("f", "1").committed("one").with("f", "2").committed("two");
  const auto before = depot.record();
  const auto mine = depot.edit("g", "mine");
  must(realm().delete_depot(depot.id));
  world_.clock.advance(hours(24 * 6));
  EXPECT_EQ(must(realm().restore_depot(depot.id)), before);
  EXPECT_EQ(depot.record(), before);
  EXPECT_THAT(depot.messages(), ElementsAre("two", "one", "created"));
  EXPECT_EQ(must(realm().depots_titled("a")).size(), 1U);
  EXPECT_THAT(must(realm().deleted_depots()), IsEmpty());
  must(depot.commit(mine));
  EXPECT_EQ(depot.files(), (Files{{"f", "2"}, {"g", "mine"}}));
  EXPECT_EQ(realm().restore_depot(depot.id).error().code, Code::kDepotNotFound);
}

TEST_F(DeletedTest, WhenTheTitleIsTakenItNeedsAnother) {
  auto first = world_.a_depot("a");
  must(realm().delete_depot(first.id));
  auto second = world_.a_depot("a");
  auto refused = realm().restore_depot(first.id);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kTargetExists);
  EXPECT_EQ(detail_text(refused.error(), "depotId"), second.id.render());
  EXPECT_EQ(realm().restore_depot(first.id, "x:y").error().code, Code::kInvalidArgument);
  EXPECT_EQ(must(realm().restore_depot(first.id, "old a")).title, "old a");
  EXPECT_THAT(listed(), ElementsAre(first.id, second.id));
}

TEST_F(DeletedTest, GarbageCollectionSparesItUntilItsTimeIsOver) {
  auto depot = world_.a_depot("a").with("f", "1").committed().with("f", "2").committed();
  const auto old = depot.history()[1].root;
  must(realm().delete_depot(depot.id));
  world_.clock.advance(hours(24 * 7 - 1));
  const auto early = collect();
  EXPECT_EQ(early.restorable, 1U);
  EXPECT_EQ(early.restorable_until, world_.clock.now() + 3'600'000);
  EXPECT_EQ(early.depots, 0U);
  EXPECT_TRUE(world_.has(old));
  world_.clock.advance(hours(2));
  const auto counted = collect({.dry_run = true});
  EXPECT_EQ(counted.depots, 1U);
  EXPECT_TRUE(world_.has(old));
  const auto late = collect();
  EXPECT_EQ(late.depots, 1U);
  EXPECT_EQ(late.removed, counted.removed);
  EXPECT_EQ(late.freed_bytes, counted.freed_bytes);
  EXPECT_FALSE(world_.has(old));
  EXPECT_EQ(realm().restore_depot(depot.id).error().code, Code::kDepotNotFound);
  EXPECT_TRUE(must(fsck(realm())).clean());
  for (const auto& [row, value] : world_.everything().rows) {
    EXPECT_FALSE(row.second.starts_with('h')) << "its history went with it";
  }
}

TEST_F(DeletedTest, WithoutAnyGraceItGoesAtOnce) {
  auto depot = world_.a_depot("a").with("f", "1").committed();
  const auto root = depot.root();
  must(realm().delete_depot(depot.id));
  world_.clock.advance(hours(2));
  EXPECT_EQ(collect({.grace = hours(1)}).depots, 0U) << "longer was promised";
  EXPECT_EQ(collect({.grace = hours(0)}).depots, 1U);
  EXPECT_FALSE(world_.has(root));
}

}  // namespace
}  // namespace cairn::realm_testing
