#include "data/tree/path.h"

#include "base/utf8.h"
#include "data/tree/tree_testing.h"

namespace cairn {
namespace {

using namespace tree_testing;
using testing::ElementsAre;

std::string repeat(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Path, ParsesSegmentsAndRendersThemBack) {
  struct Case {
    std::string text;
    std::vector<std::string> segments;
  };
  const Case cases[] = {
      {"", {}},
      {"a", {"a"}},
      {"src/main.ts", {"src", "main.ts"}},
      {"...", {"..."}},
      {".git/..a/a..", {".git", "..a", "a.."}},
      {" /\t", {" ", "\t"}},
      {"a\\b", {"a\\b"}},
      {"日本/é", {"日本", "é"}},
      {"~3", {"~3"}},
      {"~", {"~"}},
      {"~x", {"~x"}},
      {"~99999999999999999999", {"~99999999999999999999"}},
      {repeat("x", 255), {repeat("x", 255)}},
      {repeat("é", 127), {repeat("é", 127)}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    auto parsed = must(Path::parse(c.text));
    EXPECT_EQ(parsed.segments(), c.segments);
    EXPECT_EQ(parsed.render(), c.text);
    EXPECT_EQ(parsed.is_root(), c.text.empty());
  }
}

TEST(Path, RefusesWithTheReason) {
  struct Case {
    std::string text;
    std::string reason;
  };
  const Case cases[] = {
      {"/", "starts with '/'"},
      {"/a", "starts with '/'"},
      {"//", "starts with '/'"},
      {"a/", "ends with '/'"},
      {"a/b/", "ends with '/'"},
      {"a//b", "empty segment"},
      {".", "'.' is not a name"},
      {"..", "'..' is not a name"},
      {"a/./b", "'.' is not a name"},
      {"a/..", "'..' is not a name"},
      {"../a", "'..' is not a name"},
      {std::string("a\0b", 3), "NUL"},
      {std::string("a/\0", 3), "NUL"},
      {"\xff", "UTF-8"},
      {"a/\xc3", "UTF-8"},
      {"a/\xc0\xaf", "UTF-8"},
      {"\xed\xa0\x80", "UTF-8"},
      {repeat("x", 256), "256 bytes"},
      {"a/" + repeat("é", 128), "256 bytes"},
      {repeat("abcdefg/", 512) + "b", "4097 bytes"},
      {repeat("a/", 512) + "b", "513 segments"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    auto parsed = Path::parse(c.text);
    ASSERT_THAT(parsed, FailsSaying(Code::kInvalidPath, c.reason));
    EXPECT_TRUE(valid_utf8(parsed.error().message));
    EXPECT_LT(parsed.error().message.size(), 500U);
  }
}

TEST(Path, MayHave4096BytesAnd512Segments) {
  auto longest = repeat("abcdefg/", 511) + "abcdefgh";
  ASSERT_EQ(longest.size(), Path::kMaxBytes);
  EXPECT_EQ(path(longest).render(), longest);
}

TEST(Path, KnowsParentsChildrenAndNames) {
  auto file = path("a/b/c");
  EXPECT_EQ(file.name(), "c");
  EXPECT_EQ(file.parent(), path("a/b"));
  EXPECT_EQ(file.parent().child("c"), file);
  EXPECT_TRUE(path("a").parent().is_root());
  EXPECT_EQ(Path().child("a"), path("a"));
}

TEST(Path, IsWithinItselfAndWhatIsAboveIt) {
  struct Case {
    std::string inner;
    std::string outer;
    bool within;
  };
  const Case cases[] = {
      {"", "", true},         {"a", "", true},     {"a", "a", true},      {"a/b", "a", true},
      {"a/b/c", "a/b", true}, {"a", "a/b", false}, {"ab", "a", false},    {"ab/c", "a", false},
      {"b/a", "a", false},    {"", "a", false},    {"a/c", "a/b", false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(path(c.inner).is_within(path(c.outer)), c.within) << c.inner << " in " << c.outer;
  }
}

TEST(Path, SortsBySegmentsSoThatADirectoryComesJustBeforeWhatIsInIt) {
  std::set<Path> sorted = {path("a.b"), path("a/b"), path("a"), path("a-b"), Path()};
  std::vector<std::string> order;
  for (const auto& each : sorted) order.push_back(each.render());
  EXPECT_THAT(order, ElementsAre("", "a", "a/b", "a-b", "a.b"));
}

TEST(ChildIndex, IsATildeAndDigits) {
  struct Case {
    std::string segment;
    std::optional<std::uint64_t> index;
  };
  const Case cases[] = {
      {"~0", 0},
      {"~3", 3},
      {"~007", 7},
      {"~1000000", 1'000'000},
      {"~18446744073709551615", UINT64_MAX},
      // Still an index, of nothing: never a name to create.
      {"~99999999999999999999", UINT64_MAX},
      {"~" + repeat("9", 254), UINT64_MAX},
      {"~", std::nullopt},
      {"", std::nullopt},
      {"3", std::nullopt},
      {"~x", std::nullopt},
      {"~3x", std::nullopt},
      {"~-1", std::nullopt},
      {"~+1", std::nullopt},
      {"~ 1", std::nullopt},
      {"~~1", std::nullopt},
      {"a~1", std::nullopt},
      {"~0x1", std::nullopt},
      {"~1~", std::nullopt},
  };
  for (const auto& c : cases) EXPECT_EQ(child_index(c.segment), c.index) << c.segment;
}

TEST(Cursor, RoundTrips) {
  for (std::string name : {"a", "ab", "abc", "abcd", "abcde", "日本", " ", "~3", ""}) {
    EXPECT_EQ(must(parse_cursor(render_cursor(name))), name);
  }
  EXPECT_EQ(must(parse_cursor(render_cursor(repeat("x", 255)))), repeat("x", 255));
}

TEST(Cursor, RefusesWhatWasNotRendered) {
  auto longest = render_cursor(repeat("x", Path::kMaxBytes));
  EXPECT_TRUE(parse_cursor(longest));
  for (std::string text : {std::string(""), std::string("a"), std::string("x") + "C5H6",
                           std::string("c!"), std::string("c0"), std::string("cCCC"),
                           std::string("cU0"), std::string("c\xff\xff"), longest + "00000000"}) {
    auto parsed = parse_cursor(text);
    ASSERT_THAT(parsed, FailsWith(Code::kInvalidCursor)) << text;
    EXPECT_TRUE(valid_utf8(parsed.error().message)) << text;
  }
}

}  // namespace
}  // namespace cairn
