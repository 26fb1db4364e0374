#include "base/utf8.h"

#include <string>

#include <gtest/gtest.h>

namespace cairn {
namespace {

using std::string_view_literals::operator""sv;

struct Case {
  std::string_view bytes;
  bool valid;
  std::string_view why;
};

constexpr Case kCases[] = {
    {"", true, "empty"},
    {"a", true, "ASCII"},
    {"\0"sv, true, "NUL is a character"},
    {"\x7F", true, "last of one byte"},
    {"\xC2\x80", true, "first of two bytes"},
    {"\xDF\xBF", true, "last of two bytes"},
    {"\xE0\xA0\x80", true, "first of three bytes"},
    {"\xED\x9F\xBF", true, "last before the surrogates"},
    {"\xEE\x80\x80", true, "first after the surrogates"},
    {"\xEF\xBF\xBF", true, "last of three bytes"},
    {"\xF0\x90\x80\x80", true, "first of four bytes"},
    {"\xF4\x8F\xBF\xBF", true, "U+10FFFF"},
    {"\x80", false, "continuation alone"},
    {"\xBF", false, "continuation alone"},
    {"\xC0\x80", false, "overlong NUL"},
    {"\xC1\xBF", false, "overlong U+7F"},
    {"\xE0\x80\x80", false, "overlong NUL"},
    {"\xE0\x9F\xBF", false, "overlong U+7FF"},
    {"\xF0\x80\x80\x80", false, "overlong NUL"},
    {"\xF0\x8F\xBF\xBF", false, "overlong U+FFFF"},
    {"\xED\xA0\x80", false, "first surrogate"},
    {"\xED\xBF\xBF", false, "last surrogate"},
    {"\xF4\x90\x80\x80", false, "U+110000"},
    {"\xF5\x80\x80\x80", false, "no such lead"},
    {"\xFE", false, "no such lead"},
    {"\xFF", false, "no such lead"},
    {"\xF8\x88\x80\x80\x80", false, "five bytes"},
    {"\xC2", false, "cut"},
    {"\xE0\xA0", false, "cut"},
    {"\xF0\x90\x80", false, "cut"},
    {"\xC2"
     "a",
     false, "second byte wrong"},
    {"\xC2\xC2\x80", false, "second byte a lead"},
    {"\xE2\x82"
     "a",
     false, "third byte wrong"},
    {"\xF0\x9D\x84"
     "a",
     false, "fourth byte wrong"},
};

TEST(Utf8, IsValidOrNot) {
  for (const auto& c : kCases) EXPECT_EQ(valid_utf8(c.bytes), c.valid) << c.why;
}

TEST(Utf8, IsJudgedTheSameWhereverItStands) {
  // The check takes eight ASCII bytes at a time; no alignment may change its answer.
  for (const auto& c : kCases) {
    for (std::size_t before = 0; before < 18; ++before) {
      for (std::size_t after : {0U, 1U, 7U, 8U, 17U}) {
        auto text = std::string(before, 'x') + std::string(c.bytes) + std::string(after, 'y');
        EXPECT_EQ(valid_utf8(text), c.valid) << c.why << " after " << before;
      }
    }
  }
}

TEST(LooksLikeText, TakesValidUtf8WithoutNul) {
  EXPECT_TRUE(looks_like_text(""));
  EXPECT_TRUE(looks_like_text("plain"));
  EXPECT_TRUE(looks_like_text("\x1B[1mbold\x1B[0m\r\n"));
  EXPECT_TRUE(looks_like_text("déjà vu 𝄞"));
  EXPECT_FALSE(looks_like_text("a\0b"sv));
  EXPECT_FALSE(looks_like_text("latin-1: \xE9"));
  EXPECT_FALSE(looks_like_text("cut: \xE2\x82"));
}

constexpr std::size_t kSample = 8192;

TEST(LooksLikeText, LooksAtTheSampleOnly) {
  const std::string sample(kSample, 'a');
  EXPECT_TRUE(looks_like_text(sample + '\0'));
  EXPECT_TRUE(looks_like_text(sample + "\xFF"));
  EXPECT_FALSE(looks_like_text(sample.substr(1) + '\0' + "a"));
}

TEST(LooksLikeText, ForgivesASequenceCutByTheEndOfTheSample) {
  for (std::string_view character : {"\xC3\xA9", "\xE2\x82\xAC", "\xE0\xA0\x80", "\xED\x9F\xBF",
                                     "\xF0\x9D\x84\x9E", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    for (std::size_t inside = 1; inside <= character.size(); ++inside) {
      auto text = std::string(kSample - inside, 'a') + std::string(character);
      EXPECT_TRUE(looks_like_text(text + "more")) << inside << " bytes of " << character;
    }
  }
}

TEST(LooksLikeText, DoesNotForgiveASequenceCutByTheEndOfTheFile) {
  EXPECT_FALSE(looks_like_text(std::string(kSample - 1, 'a') + "\xC3"));
}

TEST(LooksLikeText, DoesNotForgiveWhatNoBytesAfterTheSampleCouldComplete) {
  for (std::string_view tail :
       {"\xFF", "\x80", "\xC0", "\xF5", "\xFFz", "\xFFzz", "\xC3z", "\xE0\x80", "\xED\xA0",
        "\xF0\x80", "\xF4\x90", "\xE2\x82z", "\xF0\x9Dz", "\xF0\x80\x80"}) {
    auto text = std::string(kSample - tail.size(), 'a') + std::string(tail);
    EXPECT_FALSE(looks_like_text(text + "more")) << tail.size();
  }
}

}  // namespace
}  // namespace cairn
