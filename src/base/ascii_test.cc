#include "base/ascii.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

TEST(Ascii, WhatIsBeyondItIsNeitherLetterNorDigit) {
  for (const char c : std::string_view("09azAZ")) EXPECT_TRUE(is_alphanumeric(c)) << c;
  for (const char c : std::string_view("/:@[`{ \x80\xFF")) EXPECT_FALSE(is_alphanumeric(c)) << c;
  EXPECT_FALSE(is_letter(U'é'));
  EXPECT_FALSE(is_digit(U'٣'));
  EXPECT_EQ(lowered("Grüße ÄZ-@["), "grüße Äz-@[");
}

TEST(Ascii, HexadecimalDigitsHaveTheirValue) {
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(hex_value("0123456789abcdef"[i]), i);
    EXPECT_EQ(hex_value("0123456789ABCDEF"[i]), i);
  }
  for (const char c : std::string_view("/:@G`g\xFF")) EXPECT_EQ(hex_value(c), -1) << c;
}

TEST(Ascii, BlanksAndTabsAreTrimmed) {
  EXPECT_EQ(trimmed(" \t a b\t"), "a b");
  EXPECT_EQ(trimmed("a\n "), "a\n");
  EXPECT_EQ(trimmed(" \t"), "");
  EXPECT_EQ(trimmed(""), "");
}

}  // namespace
}  // namespace cairn
