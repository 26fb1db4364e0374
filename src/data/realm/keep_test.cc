#include "data/realm/keep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using testing::HasSubstr;

TEST(Keep, IsSaidInAShortText) {
  const struct {
    const char* text;
    const char* shown;
    Keep keep;
  } cases[] = {
      {"all", "all", Keep::all()},
      {"30d", "30d", {.days = 30, .daily = 0, .last = 0}},
      {"4w", "28d", {.days = 28, .daily = 0, .last = 0}},
      {"30d,daily=365d", "30d,daily=365d", {.days = 30, .daily = 365, .last = 0}},
      {"daily=1y,7d", "7d,daily=365d", {.days = 7, .daily = 365, .last = 0}},
      {"last=5", "last=5", {.days = 0, .daily = 0, .last = 5}},
      {"30d,daily=365d,last=100", "30d,daily=365d,last=100", {}},
  };
  for (const auto& [text, shown, keep] : cases) {
    SCOPED_TRACE(text);
    EXPECT_EQ(must(Keep::parse(text)), keep);
    EXPECT_EQ(keep.render(), shown);
    EXPECT_EQ(must(Keep::parse(shown)), keep);
  }
}

TEST(Keep, RefusesWhatItDoesNotUnderstandAndSaysWhatItDoes) {
  for (const char* text : {"", "30", "d", "-1d", "30d,", ",30d", "30d,7d", "daily=5", "last=5d",
                           "last=", "0d", "last=0", "36501d", "last=1000001",
                           "99999999999999999999d", "ALL", "all,30d", "30 d", "weekly=3d"}) {
    auto refused = Keep::parse(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, Code::kInvalidArgument) << text;
    EXPECT_THAT(refused.error().message, HasSubstr("30d,daily=365d")) << text;
  }
}

}  // namespace
}  // namespace cairn::realm_testing
