#include "base/quote.h"

#include <string>

#include <gtest/gtest.h>

#include "base/show.h"

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

TEST(Shown, ReplacesWhatChangesTheDirectionOfText) {
  for (const auto* mark : {"\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069",
                           "\u2028", "\u2029", "\ufff9"}) {
    EXPECT_EQ(shown(std::string("a") + mark + "b"), "a\uFFFDb") << mark;
  }
  EXPECT_EQ(shown("\u200d\u05d0\u202f"), "\u200d\u05d0\u202f");
}

TEST(ShownLines, KeepsLinesTabsAndMarksOfColours) {
  EXPECT_EQ(shown_lines("a\tb\n\x1b[2J\u202ec\r\n"), "a\tb\n\uFFFD[2J\uFFFDc\uFFFD\n");
  EXPECT_EQ(shown_lines("\xff"
                        "bx\xff"),
            "\xff"
            "bx\xff");
  EXPECT_EQ(shown_lines(std::string(1000, 'x')).size(), 1000U);
}

TEST(ShownJson, SaysTheSameWithEscapes) {
  EXPECT_EQ(shown_json(R"({"é": "a"})"), R"({"é": "a"})");
  EXPECT_EQ(shown_json("\"\u202e\u009b\x7f\u2066\""), R"("\u202e\u009b\u007f\u2066")");
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
