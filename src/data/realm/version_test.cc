#include "data/realm/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr Millis kHour = 3'600'000;
constexpr Millis kDay = 24 * kHour;
// 2026-11-18, 01:00 in UTC.
constexpr std::int64_t kToday = 20'775;
constexpr Millis kNow = kToday * kDay + kHour;

TEST(Version, HasATextForEachForm) {
  const struct {
    const char* text;
    const char* shown;
    Version version;
  } cases[] = {
      {"~0", "~0", {Version::Back{0}}},
      {"~", "~1", {Version::Back{1}}},
      {"~12", "~12", {Version::Back{12}}},
      {"#14", "#14", {Version::Change{14}}},
      {"14", "#14", {Version::Change{14}}},
      {"2h", "2h", {Version::Ago{2 * kHour}}},
      {"90m", "90m", {Version::Ago{90 * 60'000}}},
      {"48h", "2d", {Version::Ago{2 * kDay}}},
      {"1y", "1y", {Version::Ago{365 * kDay}}},
      {"2026-11-18", "2026-11-18", {Version::At{.day = kToday}}},
      {"2026-11-18T14:30", "2026-11-18T14:30", {Version::At{.day = kToday, .time = 52'200'000}}},
      {"2026-11-18 14:30:05",
       "2026-11-18T14:30:05",
       {Version::At{.day = kToday, .time = 52'205'000}}},
      {"2026-11-18T00:30+01:00",
       "2026-11-17T23:30Z",
       {Version::At{.day = kToday - 1, .time = 84'600'000, .zoned = true}}},
      {"yesterday", "yesterday", {Version::At{.day = 1, .ago = true}}},
      {"yesterday 14:30",
       "yesterdayT14:30",
       {Version::At{.day = 1, .ago = true, .time = 52'200'000}}},
      {"today", "today", {Version::At{.day = 0, .ago = true}}},
      {"v1.0-rc_2", "v1.0-rc_2", {Version::Tag{"v1.0-rc_2"}}},
  };
  for (const auto& [text, shown, version] : cases) {
    SCOPED_TRACE(text);
    EXPECT_EQ(must(Version::parse(text)), version);
    EXPECT_EQ(version.render(), shown);
    EXPECT_EQ(must(Version::parse(shown)), version);
  }
}

TEST(Version, RefusesWhatIsNoneAndSaysWhatOneIs) {
  for (const char* text : {"",
                           "~x",
                           "~-1",
                           "#",
                           "#x",
                           "-1",
                           "2q",
                           "@",
                           "2026-13-01",
                           "2026-02-30",
                           "2026-11-1",
                           "2026-11-18T",
                           "2026-11-18T25:00",
                           "2026-11-18T14",
                           "yesterday Z",
                           "yesterday 14:30Z",
                           "a b",
                           "a/b",
                           "a:b",
                           "99999999999999999999",
                           "~99999999999999999999",
                           "4000000000y",
                           "_x",
                           "now"}) {
    auto refused = Version::parse(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, Code::kInvalidArgument) << text;
    EXPECT_THAT(refused.error().message, HasSubstr("~1")) << text;
  }
}

TEST(Version, OfATimeIsAMomentInUtcOrInTheZoneThatIsGiven) {
  const auto moment = [](const char* text, Millis zone = 0) {
    return must(Version::parse(text)).moment(kNow, zone);
  };
  EXPECT_EQ(moment("2h"), kNow - 2 * kHour);
  EXPECT_EQ(moment("2026-11-17"), kToday * kDay - 1) << "the end of the day";
  EXPECT_EQ(moment("yesterday"), kToday * kDay - 1);
  EXPECT_EQ(moment("yesterday 14:30"), (kToday - 1) * kDay + 14 * kHour + kHour / 2);
  EXPECT_EQ(moment("2026-11-17T14:30", kHour), (kToday - 1) * kDay + 13 * kHour + kHour / 2);
  EXPECT_EQ(moment("2026-11-17T14:30Z", kHour), (kToday - 1) * kDay + 14 * kHour + kHour / 2);
  EXPECT_EQ(moment("yesterday", -2 * kHour), (kToday - 1) * kDay + 2 * kHour - 1)
      << "there it is still the day before";
  EXPECT_EQ(moment("~1"), std::nullopt);
  EXPECT_EQ(moment("#1"), std::nullopt);
  EXPECT_EQ(moment("v1"), std::nullopt);
}

TEST(VersionAt, FindsTheVersionThatIsMeant) {
  World world;
  world.clock.advance(milliseconds(kNow - world.clock.now()));
  auto depot = world.a_depot();  // #0, 01:01
  for (int i = 1; i <= 5; ++i) {
    world.clock.advance(hours(24));
    depot.with("a", fmt::format("{}", i)).committed();  // #i, i days later at 01:01
  }
  must(world.realm.set_tag(depot.id, "v2", 2));
  const struct {
    const char* text;
    std::uint64_t change;
  } cases[] = {{"~0", 5},
               {"~1", 4},
               {"~5", 0},
               {"#3", 3},
               {"3", 3},
               {"0s", 5},
               {"1h", 4},
               {"24h", 4},
               {"25h", 3},
               {"5d", 0},
               {"yesterday", 4},
               {"today", 5},
               {"v2", 2},
               {"2026-11-19", 1},
               {"2026-11-19T01:00", 0},
               {"2026-11-19T01:01", 1}};
  for (const auto& [text, change] : cases) {
    SCOPED_TRACE(text);
    const auto found = must(world.realm.version_at(depot.id, must(Version::parse(text))));
    EXPECT_EQ(found.sequence, change);
    if (change > 0) {
      EXPECT_EQ(depot.files(found.root).at("a"), fmt::format("{}", change));
    }
  }
  for (const char* text : {"~6", "#6", "6d", "2026-11-01", "v1"}) {
    EXPECT_THAT(world.realm.version_at(depot.id, must(Version::parse(text))),
                FailsWith(Code::kHistoryNotFound))
        << text;
  }
}

TEST(VersionAt, APlaceIsOfThatPlaceAlone) {
  World world;
  auto depot = world.a_depot().with("src/a", "1").committed();
  depot.with("docs/a", "1")
      .committed()
      .with("src/a", "2")
      .committed()
      .with("docs/a", "2")
      .committed();
  auto docs = depot.at("docs");
  const auto at = [&](const char* text) {
    return world.realm.version_at(docs.place, must(Version::parse(text)));
  };
  EXPECT_EQ(must(at("~0")).sequence, 4U);
  EXPECT_EQ(must(at("~1")).sequence, 2U) << "#3 was elsewhere";
  EXPECT_EQ(docs.files(must(at("~1")).root), (Files{{"a", "1"}}));
  EXPECT_EQ(docs.files(must(at("#3")).root), (Files{{"a", "1"}}));
  EXPECT_THAT(at("#1"), FailsWith(Code::kHistoryNotFound)) << "it was not there";
}

// Whoever sees a part only learns neither how far the rest has come, nor its tags.
TEST(VersionAt, APlaceSaysNothingOfTheRest) {
  World world;
  auto depot = world.a_depot().with("docs/a", "1").committed();
  for (int i = 0; i < 9; ++i) depot.with("src/a", fmt::format("{}", i)).committed();
  must(world.realm.set_tag(depot.id, "secret", 1));
  keep_only(world.realm, depot.id, 3);
  const auto docs = depot.at("docs").place;
  for (const char* text : {"#77", "#5", "secret", "9y"}) {
    const auto refused = world.realm.version_at(docs, must(Version::parse(text)));
    ASSERT_THAT(refused, FailsWith(Code::kHistoryNotFound)) << text;
    for (const char* told : {"#10", "#8", "#1 ", "newest"}) {
      EXPECT_THAT(refused.error().message, testing::Not(HasSubstr(told))) << text;
    }
  }
  for (const ChangeRange& changes : {ChangeRange{77, 77}, ChangeRange{6, 77}, ChangeRange{8, 9}}) {
    const auto refused = world.realm.replaced_by(docs, changes);
    ASSERT_THAT(refused, FailsWith(Code::kHistoryNotFound));
    EXPECT_THAT(refused.error().message, testing::Not(HasSubstr("#10")));
  }
}

TEST(VersionAt, WhatWasThinnedAwaySaysWhatIsNearest) {
  World world;
  auto depot = world.a_depot();
  for (int i = 1; i <= 9; ++i) depot.with("a", fmt::format("{}", i)).committed();
  must(world.realm.set_tag(depot.id, "v3", 3));
  keep_only(world.realm, depot.id, 2);
  const auto refused = world.realm.version_at(depot.id, must(Version::parse("#5")));
  ASSERT_THAT(refused, FailsWith(Code::kHistoryNotFound));
  EXPECT_THAT(refused.error().message, HasSubstr("#3 and #8"));
  EXPECT_EQ(must(world.realm.version_at(depot.id, must(Version::parse("v3")))).sequence, 3U);
}

}  // namespace
}  // namespace cairn::realm_testing
