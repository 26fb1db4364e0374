#include "data/json/document/scan.h"

#include <random>

#include <gtest/gtest.h>

#include "data/json/document/brackets.h"
#include "data/json/json_testing.h"

namespace cairn::document {
namespace {

using json::Pointer;

std::string at(std::string_view text, std::string_view pointer) {
  const auto found = find_value(text, *Pointer::parse(pointer));
  if (!found) return "nothing";
  const Span span{found->begin, skip_value(text, found->begin)};
  return std::string(span.of(text));
}

TEST(FindValue, GivesTheSpelling) {
  constexpr std::string_view kText =
      R"( {"a" : 1.50 ,"b":[ 1 ,{"c":"]}\"\\"} , [] ],"\u0064\/":  true,"":"e","a\\":-1E+5} )";
  struct Case {
    std::string_view pointer;
    std::string_view spelling;
  };
  const Case cases[] = {{"", kText.substr(1, kText.size() - 2)},
                        {"/a", "1.50"},
                        {"/b/0", "1"},
                        {"/b/1", R"({"c":"]}\"\\"})"},
                        {"/b/1/c", R"("]}\"\\")"},
                        {"/b/2", "[]"},
                        {"/d~1", "true"},
                        {"/", R"("e")"},
                        {"/a\\", "-1E+5"},
                        {"/b/3", "nothing"},
                        {"/b/-", "nothing"},
                        {"/b/01", "nothing"},
                        {"/c", "nothing"},
                        {"/a/0", "nothing"}};
  for (const auto& c : cases) EXPECT_EQ(at(kText, c.pointer), c.spelling) << c.pointer;
}

TEST(FindValue, NamesTheContainersAround) {
  const auto found = find_value(R"({"a": [0, {"b": 1}]})", *Pointer::parse("/a/1/b"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->around, (std::vector<std::size_t>{0, 6, 10}));
  EXPECT_EQ(found->begin, 16U);
}

TEST(Spells, ReadsEscapes) {
  EXPECT_TRUE(spells(R"("a")", "a"));
  EXPECT_TRUE(spells(R"("\u0061\n")", "a\n"));
  EXPECT_TRUE(spells(R"("")", ""));
  EXPECT_FALSE(spells(R"("\u0061")", R"(\u0061)"));
  EXPECT_FALSE(spells(R"("ab")", "a"));
  EXPECT_FALSE(spells(R"("\ud800")", ""));
  EXPECT_FALSE(spells("\"", ""));
  EXPECT_FALSE(spells("", ""));
}

TEST(Children, EndsWhereTheContainerDoes) {
  constexpr std::string_view kText = R"([ [1,2] , {} ] , 3])";
  Children child(kText, 0);
  ASSERT_TRUE(child.next());
  EXPECT_EQ(child.value().of(kText), "[1,2]");
  ASSERT_TRUE(child.next());
  EXPECT_EQ(child.value().of(kText), "{}");
  ASSERT_FALSE(child.next());
  EXPECT_EQ(child.close(), 13U);
  EXPECT_EQ(child.count(), 2U);
}

// Whatever the bytes: places stay inside of the text, and every walk ends.
TEST(Scan, SurvivesWhatIsNoJson) {
  const auto seed = json::a_seed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  constexpr std::string_view kBytes = "[]{}\",:\\ \n1ae";
  for (int i = 0; i < 100'000; ++i) {
    std::string text;
    for (auto size = random() % 24; size > 0; --size) text += kBytes[random() % kBytes.size()];
    const auto begin = random() % (text.size() + 2);
    ASSERT_LE(skip_value(text, begin), text.size()) << text;
    std::size_t count = 0;
    for (Children child(text, begin); child.next(); ++count) {
      ASSERT_LE(child.value().end, text.size()) << text;
      ASSERT_LE(child.value().begin, child.value().end) << text;
      ASSERT_LE(count, text.size()) << text;
    }
    find_value(text, *Pointer::parse("/a/1/"));
  }
}

TEST(Block, FindsTheSameOnEveryProcessor) {
  const auto seed = json::a_seed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes;
    for (auto size = random() % 65; size > 0; --size) {
      bytes += random() % 3 == 0 ? static_cast<char>(random()) : "[]{}\"\\"[random() % 6];
    }
    const Block block(bytes);
    for (const char c : {'"', '\\', '{', '}'}) {
      for (const char also : {'\0', ' '}) {
        Bits slow = 0;
        for (std::size_t j = 0; j < bytes.size(); ++j) {
          if ((bytes[j] | also) == c) slow |= Bits{1} << j;
        }
        ASSERT_EQ(block.equal(c, also), slow);
        ASSERT_EQ(block.equal_portably(c, also), slow);
      }
    }
  }
}

// Byte by byte, what skip_value() does 64 bytes at a time.
std::size_t skip_slowly(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
      continue;
    }
    in_string = c == '"';
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && --depth == 0) return i + 1;
  }
  return text.size();
}

TEST(Scan, FindsTheEndWhereverBlocksBegin) {
  const auto seed = json::a_seed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  constexpr std::string_view kParts[] = {
      "[",        "{",        "]", "}",          R"("")",
      R"("\\")",  R"("\"]")", ",", "1234567890", R"("abcdefghijklmnopq[")",
      R"("\\\"")"};
  for (int i = 0; i < 50'000; ++i) {
    std::string text(1 + random() % 3, '[');
    for (auto size = random() % 80; size > 0; --size) text += kParts[random() % std::size(kParts)];
    ASSERT_EQ(skip_value(text, 0), skip_slowly(text)) << text;
  }
}

TEST(Scan, ReadsLongRunsOfBackslashesOnce) {
  std::string text = "[\"";
  for (int i = 0; i < 200'000; ++i) text += R"(\\\")";
  text += "\",7]";
  EXPECT_EQ(at(text, "/1"), "7");
  text = "\"" + std::string(4'000'000, '\\') + "\"";
  EXPECT_EQ(skip_value(text, 0), text.size());
}

}  // namespace
}  // namespace cairn::document
