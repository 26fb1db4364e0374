#include "exposure/client/human.h"

#include <gtest/gtest.h>

namespace cairn::client {
namespace {

TEST(HumanSize, HasOneDigitBehindThePoint) {
  struct Case {
    std::int64_t bytes;
    std::string_view text;
  };
  for (const auto& c :
       {Case{0, "0 B"}, Case{999, "999 B"}, Case{1000, "1.0 kB"}, Case{1'234'567, "1.2 MB"},
        Case{999'949, "999.9 kB"}, Case{999'950, "1.0 MB"}, Case{INT64_MAX, "9223.4 PB"}}) {
    EXPECT_EQ(human_size(c.bytes), c.text);
  }
}

TEST(Counted, KnowsOneFromMany) {
  EXPECT_EQ(counted(1, "file"), "1 file");
  EXPECT_EQ(counted(0, "file"), "0 files");
  EXPECT_EQ(counted(2, "entry", "entries"), "2 entries");
}

TEST(HumanTime, IsADateAndAMinute) {
  EXPECT_EQ(human_time(1'700'000'000'000).size(), std::string_view("2023-11-14 22:13").size());
}

}  // namespace
}  // namespace cairn::client
