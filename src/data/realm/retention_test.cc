#include "data/realm/retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/realm/fsck.h"
#include "data/realm/gc.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::ElementsAre;

constexpr Millis kHour = 3'600'000;
constexpr Millis kDay = 24 * kHour;
constexpr Millis kStart = 20'000 * kDay;  // midnight

class RetentionTest : public testing::Test {
 protected:
  // Some commits a day, at this hour and those after it.
  void commits(int day, int hour, int count) {
    for (int i = 0; i < count; ++i) {
      go_to(kStart + day * kDay + (hour + i) * kHour);
      depot_.with("a", fmt::format("{}", ++written_))
          .committed(fmt::format("d{} h{}", day, hour + i));
    }
  }
  void go_to(Millis time) { world_.clock.advance(milliseconds(time - world_.clock.now())); }
  std::vector<std::string> left(std::string_view keep) {
    must(world_.realm.set_keep(depot_.id, must(Keep::parse(keep))));
    must(thin_history(world_.realm, depot_.id));
    EXPECT_EQ(must(world_.realm.history_length(depot_.record())), depot_.history().size());
    return depot_.messages();
  }

  // The day before the first.
  static DepotStory made(World& world) {
    world.clock.advance(milliseconds(kStart - kHour - world.clock.now()));
    return world.a_depot();
  }

  World world_;
  DepotStory depot_ = made(world_);
  int written_ = 0;
};

TEST_F(RetentionTest, ByDefaultAMonthIsKeptWholeAndAYearByTheDay) {
  commits(0, 8, 3);
  commits(100, 8, 2);
  commits(380, 8, 2);
  go_to(kStart + 403 * kDay);
  for (int i = 0; i < 120; ++i) depot_.with("b", fmt::format("{}", i)).committed("today");
  must(thin_history(world_.realm, depot_.id));
  auto all = depot_.messages();
  EXPECT_EQ(std::erase(all, "today"), 120U);
  EXPECT_THAT(all, ElementsAre("d380 h9", "d380 h8", "d100 h9"));
}

TEST_F(RetentionTest, ByDefaultTheNewestHundredStayHoweverOldTheyAre) {
  for (int i = 0; i < 150; ++i) depot_.with("b", fmt::format("{}", i)).committed();
  go_to(kStart + 5000 * kDay);
  must(thin_history(world_.realm, depot_.id));
  EXPECT_EQ(depot_.history().size(), 100U);
}

TEST_F(RetentionTest, TheTableOfWhatStays) {
  commits(0, 8, 3);
  commits(1, 8, 2);
  commits(2, 8, 1);
  commits(9, 8, 2);
  commits(10, 8, 3);
  go_to(kStart + 10 * kDay + 12 * kHour);
  EXPECT_THAT(left("all"), testing::SizeIs(12));
  EXPECT_THAT(left("10d"), testing::SizeIs(11)) << "the day before the first is over";
  EXPECT_THAT(left("1d,daily=30d"), ElementsAre("d10 h10", "d10 h9", "d10 h8", "d9 h9", "d9 h8",
                                                "d2 h8", "d1 h9", "d0 h10"));
  EXPECT_THAT(left("1d,daily=8d"),
              ElementsAre("d10 h10", "d10 h9", "d10 h8", "d9 h9", "d9 h8", "d2 h8"));
  EXPECT_THAT(left("daily=30d,last=2"), ElementsAre("d10 h10", "d10 h9", "d9 h9", "d2 h8"));
  EXPECT_THAT(left("last=3"), ElementsAre("d10 h10", "d10 h9", "d9 h9"));
  EXPECT_THAT(left("last=1"), ElementsAre("d10 h10"));
  EXPECT_TRUE(must(fsck(world_.realm)).clean());
}

TEST_F(RetentionTest, TheCurrentVersionStaysHoweverOldItIs) {
  commits(0, 8, 2);
  go_to(kStart + 5000 * kDay);
  EXPECT_THAT(left("1d,daily=2d"), ElementsAre("d0 h9"));
  EXPECT_EQ(depot_.files().at("a"), "2");
}

TEST_F(RetentionTest, ThinningAgainRemovesNothingMore) {
  for (int day = 0; day < 20; ++day) commits(day, 3, 5);
  const auto once = left("3d,daily=10d");
  EXPECT_EQ(left("3d,daily=10d"), once);
  EXPECT_EQ(must(thin_history(world_.realm, depot_.id)), 0U);
}

TEST_F(RetentionTest, NothingGoesWhileTheClockIsBehindTheLastCommit) {
  commits(50, 8, 3);
  go_to(kStart);
  EXPECT_THAT(left("last=1"), testing::SizeIs(4));
  go_to(kStart + 50 * kDay + 23 * kHour);
  EXPECT_THAT(left("last=1"), testing::SizeIs(1));
}

TEST_F(RetentionTest, ManyGoInSeveralStepsAndAreCounted) {
  for (int i = 0; i < 2500; ++i) depot_.with("a", fmt::format("{}", i)).committed();
  must(world_.realm.set_keep(depot_.id, must(Keep::parse("last=10"))));
  EXPECT_EQ(must(thin_history(world_.realm, depot_.id)), 2491U);
  EXPECT_EQ(depot_.history().size(), 10U);
  EXPECT_EQ(must(world_.realm.history_length(depot_.record())), 10U);
}

TEST_F(RetentionTest, ACollectionThinsAndTakesWhatNothingHoldsAnyMore) {
  commits(0, 8, 3);
  const auto early = depot_.history()[1].root;
  go_to(kStart + 100 * kDay);
  must(world_.realm.set_keep(depot_.id, must(Keep::parse("30d,daily=365d"))));
  auto report = must(collect_garbage(world_.realm));
  EXPECT_EQ(report.thinned, 2U) << "of the two days, the last of each stays";
  EXPECT_THAT(depot_.messages(), ElementsAre("d0 h10", "created"));
  EXPECT_FALSE(world_.has(early));
  EXPECT_TRUE(must(fsck(world_.realm)).clean());
}

TEST_F(RetentionTest, ADepotOfAnOlderProgramIsCountedWhenItIsNextWritten) {
  commits(0, 8, 3);
  auto record = depot_.record();
  record.dropped = std::nullopt;
  world_.plant(Table::kPointers, records::depot_key(world_.realm.id(), depot_.id),
               records::encode(record));
  EXPECT_EQ(must(world_.realm.history_length(record)), 4U);
  commits(1, 8, 1);
  EXPECT_EQ(depot_.record().dropped, 0U);
  EXPECT_EQ(must(world_.realm.history_length(depot_.record())), 5U);
}

}  // namespace
}  // namespace cairn::realm_testing
