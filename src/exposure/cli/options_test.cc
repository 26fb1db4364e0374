#include "exposure/cli/options.h"

#include <cstdlib>

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

TEST(NamedServer, RefusesTwoStoresAtOnce) {
  Options options;
  options.server = "http://localhost:1";
  options.data = "here";
  const auto named = named_server(options);
  ASSERT_FALSE(named);
  EXPECT_EQ(named.error().code, Code::kInvalidArgument);
}

TEST(MemoryBudgetOption, IsWhatWasGivenOrWhatIsUsual) {
  constexpr std::size_t kAvailable = std::size_t{8} << 30;
  ::unsetenv("CAIRN_MEMORY");
  EXPECT_EQ(memory_budget("256MiB", MemoryFor::kServer, kAvailable)->total, 256U << 20);
  EXPECT_EQ(memory_budget("", MemoryFor::kServer, kAvailable)->total, kAvailable / 4);
  EXPECT_EQ(memory_budget("", MemoryFor::kCommand, kAvailable)->total, 512U << 20);
  ::setenv("CAIRN_MEMORY", "100MB", 1);
  EXPECT_EQ(memory_budget("", MemoryFor::kServer, kAvailable)->total, 100'000'000U);
  EXPECT_EQ(memory_budget("1GB", MemoryFor::kServer, kAvailable)->total, 1'000'000'000U);
  ::unsetenv("CAIRN_MEMORY");
}

TEST(MemoryBudgetOption, RefusesNonsenseByName) {
  constexpr std::size_t kAvailable = std::size_t{8} << 30;
  struct Case {
    std::string_view given;
    std::string_view message;
  };
  for (const auto& c :
       {Case{"1K",
             "--memory: 1000 bytes of memory are not enough; give at least 64MB, or leave "
             "it out"},
        Case{"0",
             "--memory: 0 bytes of memory are not enough; give at least 64MB, or leave it out"},
        Case{"much", "--memory: 'much' is not a size; write bytes, or 500MB, 2GiB"},
        Case{"-1", "--memory: '-1' is not a size; write bytes, or 500MB, 2GiB"},
        Case{"9GiB",
             "--memory: 9GiB is more than the 8589934592 bytes that this process may have"}}) {
    const auto refused = memory_budget(c.given, MemoryFor::kServer, kAvailable);
    ASSERT_FALSE(refused) << c.given;
    EXPECT_EQ(refused.error().code, Code::kInvalidArgument);
    EXPECT_EQ(refused.error().message, c.message);
  }
}

}  // namespace
}  // namespace cairn::cli
