// Every answer to an agent has about 60 KB at most, and what it leaves out can be had as it says:
// depots, delegates and commits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/agent/bounds_testing.h"

namespace cairn::agent_testing {
namespace {

using testing::HasSubstr;

TEST_F(BoundsTest, ManyDepotsAreListedInPages) {
  for (int i = 0; i < 400; ++i) {
    world.must("create_depot", {{"title", std::to_string(i) + std::string(150, '"')}});
  }
  const auto ids = pages("list_depots", {{"limit", 1000}}, "depots", "depotId");
  EXPECT_EQ(as_set(ids).size(), 401U);
  EXPECT_EQ(ids.size(), 401U);
  EXPECT_GT(largest, 50'000U);
}

TEST_F(BoundsTest, ADelegateOfFewDepotsPagesThroughThemToo) {
  json::Array depots;
  for (int i = 0; i < 100; ++i) {
    const auto title = std::to_string(i) + std::string(197, '\\');
    const auto made = world.must("create_depot", {{"title", title}});
    depots.emplace_back(made.at("depotId"));
  }
  world.owner = world.as(world.delegate({{"delegatedDepots", depots}}), {.toolsets = "all"});
  EXPECT_EQ(pages("list_depots", {{"limit", 7}}, "depots", "depotId").size(), 100U);
  EXPECT_EQ(pages("list_depots", {{"limit", 1000}}, "depots", "depotId").size(), 100U);
}

TEST_F(BoundsTest, ALongHistoryIsShownInPages) {
  for (int i = 0; i < 45; ++i) {
    const auto written =
        world.must("fs_write", {{"nodeKey", depot}, {"path", "a"}, {"content", std::to_string(i)}});
    world.must("depot_commit", {{"depotId", depot},
                                {"root", written.at("newRoot")},
                                {"message", std::string(4'000, i % 2 == 0 ? 'm' : '"')}});
  }
  const auto roots =
      pages("depot_history", {{"depotId", depot}, {"limit", 1000}}, "entries", "root");
  EXPECT_EQ(roots.size(), 47U);
  EXPECT_EQ(as_set(roots).size(), 47U);
  get("get_depot", {{"depotId", depot}});
}

TEST_F(BoundsTest, ManyDelegatesAreListedInPages) {
  for (int i = 0; i < 300; ++i) {
    world.must("create_delegate", {{"name", std::to_string(i) + std::string(150, '"')}});
  }
  const auto ids = pages("list_delegates", {{"limit", 1000}}, "delegates", "delegateId");
  EXPECT_EQ(as_set(ids).size(), 300U);
  EXPECT_EQ(ids.size(), 300U);
}

TEST_F(BoundsTest, AMergeNamesAsManyOfTheOthersPathsAsFit) {
  world.commit(depot, {{"theirs/first", "f"}});
  const auto mine =
      world.must("fs_write", {{"nodeKey", depot}, {"path", "theirs/mine"}, {"content", "m"}});
  const auto theirs = many(900, "theirs", std::string(150, 'n'));
  world.must("depot_commit", {{"depotId", depot}, {"root", theirs}});
  const auto merged = get("depot_commit", {{"depotId", depot}, {"root", mine.at("newRoot")}});
  EXPECT_TRUE(merged.at("merged").get_bool());
  const auto named = merged.at("fromOthers").get_array().size();
  EXPECT_THAT(text_of(merged, "hint"), HasSubstr(std::to_string(900 - named) + " more paths"));
  EXPECT_EQ(
      pages("fs_diff", {{"from", mine.at("newRoot")}, {"to", merged.at("root")}}, "changes", "path")
          .size(),
      900U);
}

TEST_F(BoundsTest, AConflictNamesAsManyPathsAsAreWorthReading) {
  const auto ours = many(600, "d", std::string(150, 'n'));
  world.commit(depot, {{"seed", "y"}});
  const auto theirs = many(600, "d", std::string(150, 'n'));
  world.must("depot_commit", {{"depotId", depot}, {"root", theirs}});
  const auto outcome =
      world.call(world.owner, "depot_commit", {{"depotId", depot}, {"root", ours}});
  ASSERT_TRUE(outcome.is_error);
  const auto text = text_of(outcome);
  EXPECT_THAT(text, testing::StartsWith("Error: CONFLICT — "));
  EXPECT_LE(text.size(), kMost);
  EXPECT_THAT(text, HasSubstr("pathsLeftOut"));
}

TEST_F(BoundsTest, AnEditOfManyLinesShowsTheBeginningOfItsDiff) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "\"old\"\n";
  world.commit(depot, {{"f", text}});
  json::Array edits;
  edits.emplace_back(json::Object{{"oldText", "old"}, {"newText", "new"}, {"replaceAll", true}});
  for (const bool dry : {true, false}) {
    const auto edited =
        get("fs_edit", {{"nodeKey", depot}, {"path", "f"}, {"edits", edits}, {"dryRun", dry}});
    EXPECT_TRUE(edited.at("truncated").get_bool());
    EXPECT_THAT(text_of(edited, "hint"), HasSubstr("fs_read"));
    EXPECT_TRUE(text_of(edited, "diff").ends_with("\n"));
    EXPECT_GT(text_of(edited, "diff").size(), 40'000U);
  }
}

}  // namespace
}  // namespace cairn::agent_testing
