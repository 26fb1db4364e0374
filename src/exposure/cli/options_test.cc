#include "exposure/cli/options.h"

#include <gtest/gtest.h>

namespace cairn::cli {
namespace {

TEST(ParseDuration, TakesSecondsAndUnits) {
  struct Case {
    std::string_view text;
    std::int64_t seconds;
  };
  for (const auto& c : {Case{"90", 90}, Case{"90s", 90}, Case{"15m", 900}, Case{"1h", 3600},
                        Case{"1.5h", 5400}, Case{"7d", 604'800}, Case{"2w", 1'209'600}}) {
    auto parsed = parse_duration(c.text);
    ASSERT_TRUE(parsed) << c.text;
    EXPECT_EQ(parsed->count(), c.seconds) << c.text;
  }
}

TEST(ParseDuration, RefusesWhatIsNone) {
  for (std::string_view text : {"", "h", "soon", "-1h", "1 h", "1y", "nan", "1e300d"}) {
    auto parsed = parse_duration(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Code::kInvalidArgument);
  }
}

TEST(ParseSize, TakesBytesAndUnits) {
  struct Case {
    std::string_view text;
    std::int64_t bytes;
  };
  for (const auto& c :
       {Case{"0", 0}, Case{"1000", 1000}, Case{"500MB", 500'000'000}, Case{"1.5G", 1'500'000'000},
        Case{"64KiB", 65'536}, Case{"2GiB", 2LL << 30}}) {
    auto parsed = parse_size(c.text);
    ASSERT_TRUE(parsed) << c.text;
    EXPECT_EQ(*parsed, c.bytes) << c.text;
  }
  for (std::string_view text : {"", "MB", "-1", "1XB", "1 MB", "9999999TiB"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(ServerChoice, RefusesTwoStoresAtOnce) {
  Options options;
  options.server = "http://localhost:1";
  options.data = "here";
  auto choice = server_choice(options);
  ASSERT_FALSE(choice);
  EXPECT_EQ(choice.error().code, Code::kInvalidArgument);
}

TEST(ServerChoice, TakesATokenWithIt) {
  Options options;
  options.server = "http://localhost:1";
  options.token = "t";
  auto choice = server_choice(options);
  ASSERT_TRUE(choice && *choice);
  EXPECT_EQ((*choice)->token, "t");
}

}  // namespace
}  // namespace cairn::cli
