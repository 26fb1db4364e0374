#include "base/quote.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

TEST(Shown, LeavesOrdinaryTextAlone) { EXPECT_EQ(shown("src/été.ts"), "src/été.ts"); }

TEST(Shown, ReplacesWhatCannotBeShown) {
  EXPECT_EQ(shown(std::string_view("a\0b\n\xff", 5)), "a\uFFFDb\uFFFD\uFFFD");
}

TEST(Shown, ReplacesWhatTerminalsTakeForCommands) {
  EXPECT_EQ(shown("\x1b[31m"), "\uFFFD[31m");
  EXPECT_EQ(shown("a\u009b31m"), "a\uFFFD31m");
  EXPECT_EQ(shown("\u00a0\u00e9"), "\u00a0\u00e9");
}

TEST(Shown, CutsAtACharacterBorder) {
  EXPECT_EQ(shown("ééé", 5), "éé…");
  EXPECT_EQ(shown("ééé", 6), "ééé");
}

TEST(JsonBytes, CountsWhatEachEscapeTakes) {
  EXPECT_EQ(json_bytes("plain é"), 8U);
  EXPECT_EQ(json_bytes("\b\t\n\f\r\"\\"), 14U);
  EXPECT_EQ(json_bytes("\v\x1f\x01"), 18U);
}

TEST(JsonPrefix, StopsBeforeWhatDoesNotFit) {
  EXPECT_EQ(json_prefix("abc", 3), "abc");
  EXPECT_EQ(json_prefix("abc", 2), "ab");
  EXPECT_EQ(json_prefix("a\nb", 2), "a");
  EXPECT_EQ(json_prefix("éé", 3), "é");
  EXPECT_EQ(json_prefix("é", 1), "");
}

}  // namespace
}  // namespace cairn
