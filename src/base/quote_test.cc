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

}  // namespace
}  // namespace cairn
