#include "base/base32.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace cairn {
namespace {

using std::string_view_literals::operator""sv;

TEST(Base32, WritesKnownVectorsAndReadsThemBack) {
  struct Case {
    std::string_view bytes;
    std::string_view text;
  };
  const Case cases[] = {
      {"", ""},
      {"f", "CR"},
      {"fo", "CSQG"},
      {"foo", "CSQPY"},
      {"foob", "CSQPYRG"},
      {"fooba", "CSQPYRK1"},
      {"foobar", "CSQPYRK1E8"},
      {"\0"sv, "00"},
      {"\0\0\0\0\0"sv, "00000000"},
      {"\xFF", "ZW"},
      {"\xFF\xFF\xFF\xFF\xFF", "ZZZZZZZZ"},
      {"\x00\x44\x32\x14\xC7\x42\x54\xB6\x35\xCF\x84\x65\x3A\x56\xD7\xC6\x75\xBE\x77\xDF"sv,
       "0123456789ABCDEFGHJKMNPQRSTVWXYZ"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(base32_encode(c.bytes), c.text);
    EXPECT_EQ(base32_decode(c.text, c.bytes.size()), c.bytes) << c.text;
  }
}

TEST(Base32, ReadsBackBytesOfEveryLength) {
  SeededRandom random(1);
  for (std::size_t size = 0; size < 70; ++size) {
    auto bytes = random.bytes(size);
    EXPECT_EQ(base32_decode(base32_encode(bytes), size), bytes) << size;
  }
}

TEST(Base32, RefusesTextThatEncodeWouldNotWrite) {
  struct Case {
    std::string_view text;
    std::size_t size;
    std::string_view why;
  };
  const Case cases[] = {
      {"CR", 0, "too long"},        {"", 1, "too short"},          {"C", 1, "too short"},
      {"CR0", 1, "too long"},       {"CSQPYRK", 5, "too short"},   {"CT", 1, "padding bit set"},
      {"CS", 1, "padding bit set"}, {"ZZ", 1, "padding bits set"}, {"CU", 1, "U is no digit"},
      {"C!", 1, "not a digit"},     {"C-", 1, "not a digit"},      {"C\0"sv, 1, "not a digit"},
      {"C\xE9", 1, "not ASCII"},    {"C=", 1, "no padding signs"},
  };
  for (const auto& c : cases)
    EXPECT_FALSE(base32_decode(c.text, c.size)) << c.text << ": " << c.why;
}

TEST(Base32, ReadsOtherSpellingsOfADigit) {
  struct Case {
    char c;
    std::optional<unsigned> value;
  };
  const Case cases[] = {
      {'0', 0},
      {'o', 0},
      {'O', 0},
      {'1', 1},
      {'i', 1},
      {'I', 1},
      {'l', 1},
      {'L', 1},
      {'9', 9},
      {'a', 10},
      {'A', 10},
      {'h', 17},
      {'j', 18},
      {'z', 31},
      {'Z', 31},
      {'u', std::nullopt},
      {'U', std::nullopt},
      {'@', std::nullopt},
      {'[', std::nullopt},
      {'`', std::nullopt},
      {'{', std::nullopt},
      {'/', std::nullopt},
      {':', std::nullopt},
      {'\0', std::nullopt},
      {'\xFF', std::nullopt},
  };
  for (const auto& c : cases) EXPECT_EQ(base32_digit(c.c), c.value) << c.c;
}

TEST(Base32, NormalisesToTheSpellingThatEncodeWrites) {
  EXPECT_EQ(base32_normalise("oOiIlLabz09"), "001111ABZ09");
  EXPECT_EQ(base32_normalise(""), "");
  EXPECT_EQ(base32_normalise("abu"), std::nullopt);
  EXPECT_EQ(base32_normalise("a b"), std::nullopt);
}

}  // namespace
}  // namespace cairn
