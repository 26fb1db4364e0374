#include "data/text/shell_glob.h"

#include <ctime>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"

namespace cairn {
namespace {

using testing::HasSubstr;

ShellGlob glob(std::string_view pattern) {
  auto parsed = ShellGlob::parse(pattern);
  if (!parsed) throw std::invalid_argument(parsed.error().render());
  return *parsed;
}

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// ---- What matches: each answer is minimatch's --------------------------------------------------

struct MatchCase {
  std::string_view pattern;
  std::vector<std::string_view> matching;
  std::vector<std::string_view> others;
};

void check(std::span<const MatchCase> cases) {
  for (const auto& c : cases) {
    auto compiled = glob(c.pattern);
    for (auto path : c.matching) EXPECT_TRUE(compiled.matches(path)) << c.pattern << " on " << path;
    for (auto path : c.others) EXPECT_FALSE(compiled.matches(path)) << c.pattern << " on " << path;
  }
}

TEST(ShellGlob, TheWholePathHasToMatch) {
  const MatchCase cases[] = {
      {"a.ts", {"a.ts"}, {"x/a.ts", "A.ts", "a.ts/b"}},
      {"*.ts", {"a.ts", ".ts"}, {"x/a.ts", "a.tsx", "a.ts/b"}},
      {"*", {"a", ".hidden"}, {"a/b"}},
      {"?", {"a", "é"}, {"ab", "😀"}},
      {"??", {"ab", "éé", "😀"}, {"a"}},
      {"*😀?", {"😀a", "a😀é"}, {"😀", "😀😀"}},
      {"a*c", {"ac", "abc"}, {"a/c", "abcd"}},
      {"a\n?", {"a\nb"}, {"a\n"}},
      {"*a*a*b", {"aab", "xaxaxb", "aabb"}, {"ab"}},
      {".*", {".git"}, {"a"}},
      {"*.", {"a."}, {"a"}},
  };
  check(cases);
}

TEST(ShellGlob, TwoStarsStandForAnyNumberOfNames) {
  const MatchCase cases[] = {
      {"**", {"a", "a/b/c", ".git/x", "a\nb/c"}, {}},
      {"**/a", {"a", "x/a", "x/y/a"}, {"a/b", "xa"}},
      {"a/**", {"a/b", "a/b/c"}, {"a", "ab"}},
      {"a/**/b", {"a/b", "a/x/b", "a/x/y/b"}, {"a/b/x", "ab", "a/xb"}},
      {"**/*.ts", {"a.ts", "x/y/a.ts"}, {"a.js"}},
      {"**/a/**/b/**", {"a/b/c", "x/a/y/b/z"}, {"a/b", "b/a/c"}},
      {"**a", {"xa", "a"}, {"x/a"}},
      {"a**/b", {"axx/b", "a/b"}, {"a/x/b"}},
      {"**/*", {"a", "a/b"}, {}},
      {"**/**/a", {"a", "x/a"}, {}},
  };
  check(cases);
}

TEST(ShellGlob, SlashesAndDotsOfThePatternAreNoNames) {
  const MatchCase cases[] = {
      {"a//b", {"a/b"}, {"ab"}},
      {"a/../b", {"b"}, {"a/b"}},
      {"*/../b", {"b"}, {"a/b"}},
      // No path has these.
      {"a/", {}, {"a"}},
      {"/a", {}, {"a"}},
      {"", {}, {"a"}},
      {"./a", {}, {"a"}},
      {"../a", {}, {"a"}},
      {"**/..", {}, {"a"}},
      {"!./a", {"a"}, {}},
  };
  check(cases);
}

TEST(ShellGlob, BracesAreWrittenOut) {
  const MatchCase cases[] = {
      {"{a,b}", {"a", "b"}, {"{a,b}", "c"}},
      {"a{b,c/d}e", {"abe", "ac/de"}, {"ace"}},
      {"{a,b{c,d}}", {"a", "bc", "bd"}, {"b"}},
      {"{1..3}", {"1", "2", "3"}, {"4", "0"}},
      {"{3..1}", {"1", "3"}, {"4"}},
      {"{1..10..4}", {"1", "5", "9"}, {"10", "2"}},
      {"{01..3}", {"01", "03"}, {"1"}},
      {"{-1..1}", {"-1", "0", "1"}, {"-0"}},
      {"{a..e..2}", {"a", "c", "e"}, {"b"}},
      {"{a..1}", {"{a..1}"}, {"a"}},
      {"{a}", {"{a}"}, {"a"}},
      {"a{}", {"a{}"}, {"a"}},
      {"{}a,b}", {"{}a,b}"}, {"a"}},
      {"{a},b}", {"a}", "b"}, {"{a},b}"}},
      {"{{a,b}}", {"{a}", "{b}"}, {"a"}},
      {"a{,b}", {"a", "ab"}, {}},
      {"{,}", {}, {"a"}},
      {"{a,b", {"{a,b"}, {"a"}},
      {"a,b}", {"a,b}"}, {"a"}},
      {"\\{a,b}", {"{a,b}"}, {"a"}},
      {"{a\\,b,c}", {"a,b", "c"}, {"a"}},
      {"${a,b}", {"${a,b}"}, {"$a"}},
      {"{*,a}.ts", {"x.ts", "a.ts"}, {}},
      {"{a/**,b}", {"a/x/y", "b"}, {"a"}},
      {"{Z..a}", {"Z", "a", "_"}, {"\\"}},
      {"{{a,b},{c,d}}{1,2}", {"a1", "d2"}, {"a", "e1"}},
      {"{a,b}{a,b}{a,b}", {"aba", "bbb"}, {"ab"}},
  };
  check(cases);
}

TEST(ShellGlob, SetsHaveRangesAndClasses) {
  const MatchCase cases[] = {
      {"[a-c]", {"a", "c"}, {"d", "ab"}},
      {"[!a-c]", {"d"}, {"a"}},
      {"[^a]", {"b", "^"}, {"a"}},
      {"[]a]", {"]", "a"}, {"b"}},
      {"[!]a]", {"b"}, {"]"}},
      {"[a-]", {"a", "-"}, {"b"}},
      {"[-a]", {"-", "a"}, {}},
      {"[c-a]", {}, {"b", "[c-a]"}},
      {"[c-ax]", {"x"}, {"b"}},
      {"[a", {"[a"}, {"a"}},
      {"[]", {"[]"}, {}},
      {"[!]", {"[!]"}, {}},
      {"[\\]]", {"]"}, {}},
      {"[a\\-c]", {"-", "a"}, {"b"}},
      {"[[:alpha:]]", {"a", "é"}, {"1"}},
      {"[[:digit:]_]x", {"1x", "_x"}, {"ax"}},
      {"[^[:alnum:]]", {"-"}, {"a"}},
      {"[[:xdigit:]]", {"f"}, {"g"}},
      {"[[:upper:]]", {"A", "Ä"}, {"a"}},
      {"[[:space:]]a", {" a", "\ta"}, {"aa"}},
      {"[[:punct:]]a", {"-a", "!a"}, {"$a"}},
      {"[[:word:]]", {"_", "a"}, {"-"}},
      {"[[:none:]]", {":]", "n]"}, {"n"}},
      {"[a-[:digit:]]", {}, {"a", "1"}},
      {"[[:alpha:]]?", {"a😀", "𝒜a"}, {"😀a"}},
      {"[😀]", {}, {"😀"}},
      {"[a-😀]", {"z", "é"}, {"😀"}},
      {"a[b]c", {"abc"}, {}},
      {"[*]", {"*"}, {"a"}},
      {"[/]", {"[/]"}, {}},
      {"a[/]b", {"a[/]b"}, {"a/b"}},
      // Whatever a set has, a '/' is not of it.
      {"a[+-9]b", {"a+b", "a.b", "a0b"}, {"a/b"}},
      {"a[!x]b", {"ayb"}, {"a/b"}},
      {"a[[:punct:]]b", {"a-b"}, {"a/b"}},
      {"a[[:graph:]]b", {"a-b", "a$b"}, {"a/b", "a b"}},
      {"a[[:ascii:]]b", {"a.b", "a0b"}, {"a/b"}},
      {"a[![:alpha:]]b", {"a-b"}, {"a/b"}},
  };
  check(cases);
}

TEST(ShellGlob, GroupsRepeatAndNegate) {
  const MatchCase cases[] = {
      {"?(a|b)c", {"c", "ac", "bc"}, {"abc"}},
      {"*(a|b)", {"a", "abba"}, {"c"}},
      {"+(a|b)c", {"ac", "abac"}, {"c"}},
      {"@(a|b)c", {"ac", "bc"}, {"c", "abc"}},
      {"a!(b|c)", {"a", "ad", "abc"}, {"ab", "ac"}},
      {"x!(a).ts", {"x.ts", "xb.ts", "xaa.ts"}, {"xa.ts"}},
      {"*.!(js)", {"a.ts", "a.b.js", "."}, {"a.js", "a"}},
      {"x/!(a)", {"x/b", "x/aa"}, {"x/a", "x/b/c"}},
      {"x/!(a)/y/*", {"x/b/y/z"}, {"x/a/y/z", "x/b/z"}},
      {"**/!(*.ts|*.md)", {"a.c", "x/y/a.c", "a.ts/b"}, {"a.ts", "x/a.md"}},
      {"{a,b}!(c)", {"ad", "b"}, {"ac", "bc"}},
      {"a!(b)c", {"ac", "axc", "abbc"}, {"abc"}},
      {"a!()b", {"axb"}, {"ab"}},
      {"a!(b|)", {"ab", "ac"}, {"a"}},
      {"+(a|+(b|c))", {"abcab"}, {"d"}},
      {"?(+(a))", {"aaa"}, {"b"}},
      {"@(a*|b)x", {"ax", "aax", "bx"}, {"x"}},
      {"+(a|b", {"+(a|b"}, {"a"}},
      {"a@()b", {"ab"}, {}},
      {"a@(b|)c", {"abc", "ac"}, {}},
      {"@(a|b)/@(c|d)", {"a/c", "b/d"}, {"a/b"}},
      {"a@(b/c)", {"a@(b/c)"}, {"ab/c"}},
      {"\\@(a)", {"@(a)"}, {"a"}},
      {"@(a\\)b)", {"a)b"}, {}},
      {"*(.)a", {"a", "..a"}, {}},
      {"@(@(@(@(@(a)))))", {"a"}, {}},
      {"a+([bc])", {"abcb"}, {"a"}},
  };
  check(cases);
}

TEST(ShellGlob, APatternIsNegatedOrAComment) {
  const MatchCase cases[] = {
      {"!a", {"b", "a/b"}, {"a"}},
      {"!!a", {"a"}, {"b"}},
      {"!!!a", {"b"}, {"a"}},
      {"!*.ts", {"a.js", "x/a.ts"}, {"a.ts"}},
      {"!(a|b)", {"a"}, {"(a|b)"}},
      {"!{a,b}", {"c"}, {"a", "b"}},
      {"!", {"a"}, {}},
      {"#a", {}, {"#a", "a"}},
      {"\\#a", {"#a"}, {}},
      {"\\!a", {"!a"}, {"a"}},
      {"!#a", {"b"}, {"#a"}},
  };
  check(cases);
}

TEST(ShellGlob, EscapedCharactersStandForThemselves) {
  const MatchCase cases[] = {
      {"\\*", {"*"}, {"a"}},
      {"a\\?", {"a?"}, {"ab"}},
      {"a\\b", {"ab"}, {"a\\b"}},
      {"a\\", {"a\\"}, {"a"}},
      {"\\\\", {"\\"}, {}},
      {"a\\\\*", {"a\\", "a\\x"}, {}},
      {"a\\/b", {"a\\/b"}, {"a/b"}},
      {"*\\.ts", {"a\\.ts"}, {"a.ts"}},
      {"{\\*,a}b", {"*b", "ab"}, {"xb"}},
      {"\\[a]", {"[a]"}, {"a"}},
      {"é*", {"é", "éa"}, {"e"}},
  };
  check(cases);
}

// ---- What is not minimatch's -------------------------------------------------------------------

TEST(ShellGlob, WhatMinimatchTakesForAnOperatorStandsForItself) {
  const MatchCase cases[] = {
      {"a\\|b*", {"a|b", "a|bc"}, {"a", "ab", "b"}},
      {"@(a\\|b)", {"a|b"}, {"a", "b"}},
      {"[\\^a]", {"^", "a"}, {"b"}},
      // These it fails on.
      {"[[:alpha:]]-[[:digit:]]", {"a-1", "é-2"}, {"a1", "1-a"}},
      {"[[:alpha:]] #,", {"a #,"}, {"a"}},
  };
  check(cases);
}

TEST(ShellGlob, FindsWhatMinimatchMisses) {
  const MatchCase cases[] = {
      // It looks for a part that is longer than another not far enough.
      {"**/a/b/c/**/d/**", {"a/b/c/x/y/d/e", "a/b/c/d/e"}, {"a/b/c/e"}},
      // It takes groups three deep for text.
      {"+(a@(b*(c?(d))))", {"abcd", "abab"}, {"acd"}},
      // It takes a group of nothing for text where it is all of a segment.
      {"x/+()", {}, {"x/+()"}},
      // It takes one of the two for enough.
      {"[![:graph:]a]b", {" b"}, {"ab", "xb"}},
  };
  check(cases);
}

TEST(ShellGlob, RefusesMoreThanOneNegationInAnAlternative) {
  for (const auto* pattern :
       {"x!(a)!(b)", "x/!(a)/!(b)", "@(!(a))", "x!(!(a))b", "x!(a|+(!(b)|c)d)", "{x,!(a)}/!(b)"}) {
    const auto refused = ShellGlob::parse(pattern);
    ASSERT_FALSE(refused) << pattern;
    EXPECT_EQ(refused.error().code, Code::kInvalidPattern);
    EXPECT_THAT(refused.error().message, HasSubstr("one is the most")) << pattern;
  }
  EXPECT_TRUE(ShellGlob::parse("{x!(a),y!(b)}"));
  EXPECT_TRUE(ShellGlob::parse("x!(a)@(!(b)"));  // is not closed
}

TEST(ShellGlob, AByteThatIsNotUtf8IsOneCharacterOfNoSet) {
  EXPECT_TRUE(
      glob("a?b").matches("a\xFF"
                          "b"));
  EXPECT_TRUE(glob("a*").matches("a\xC3"));
  EXPECT_TRUE(glob("a[!b]").matches("a\xFF"));
  EXPECT_FALSE(glob("a[b[:alpha:][:print:]]").matches("a\xFF"));
  EXPECT_FALSE(
      glob("a?b").matches("a\xC3\xA9\xFF"
                          "b"));
}

// ---- Limits ------------------------------------------------------------------------------------

TEST(ShellGlob, RefusesWhatIsBeyondALimitAndSaysWhich) {
  struct Case {
    std::string pattern;
    std::string_view reason;
  };
  const Case cases[] = {
      {std::string(4097, 'a'), "4097 bytes; 4096 is the most"},
      {"a\xFF", "not valid UTF-8"},
      {"{1..1001}", "more than 1000 alternatives"},
      {"{1..999999999999999}", "more than 1000 alternatives"},
      {"{1..99999999999999999999}", "more than 15 digits"},
      {repeat("{a,b}", 10), "more than 1000 alternatives"},
      {repeat("{a,b}", 819), "more than 1000 alternatives"},
      {repeat("{a,b}", 6) + std::string(2000, 'x'), "65536 bytes"},
      {"{" + std::string(4000, '0') + "1..40}", "65536 bytes"},
      {"{" + repeat(",", 1001) + "}x", "more than 1000 alternatives"},
      {repeat("{a,", 33) + repeat("}", 33), "more than 32 deep"},
      {repeat("{", 2000) + "a,b" + repeat("}", 2000), "more than 32 deep"},
      {"{a}" + repeat("}", 4000) + ",z}", "too entangled"},
      {repeat("*(", 1000) + repeat(")", 1000), "more than 32 deep"},
      {repeat("@(!(", 1000), "more than 32 deep"},
      {"{1..33}!(b)", "more than 32 alternatives with a !(…)"},
      {"{1..100}{" + repeat("[[:alpha:][:graph:]]", 30) + ",x}", "6000 classes"},
      {"{1..16}" + repeat("?", 4000), "too large"},
  };
  for (const auto& c : cases) {
    auto parsed = ShellGlob::parse(c.pattern);
    ASSERT_FALSE(parsed) << c.pattern;
    EXPECT_EQ(parsed.error().code, Code::kInvalidPattern);
    EXPECT_THAT(parsed.error().message, HasSubstr(c.reason));
    EXPECT_TRUE(valid_utf8(parsed.error().message));
  }
}

TEST(ShellGlob, TakesWhatIsJustWithinTheLimits) {
  EXPECT_TRUE(glob(std::string(4096, 'a')).matches(std::string(4096, 'a')));
  EXPECT_TRUE(glob("{1..1000}").matches("1000"));
  EXPECT_TRUE(glob(repeat("{a,b}", 9)).matches("ababababa"));
  EXPECT_TRUE(glob(repeat("{a,", 32) + "b" + repeat("}", 32)).matches("b"));
  EXPECT_TRUE(glob(repeat("*(", 32) + "a" + repeat(")", 32)).matches("aaa"));
  EXPECT_TRUE(glob("{1..32}!(b)").matches("32c"));
  EXPECT_TRUE(glob(repeat("?", 4096)).matches(repeat("é", 4096)));
}

// A matcher that backtracks would not come back.
TEST(ShellGlob, HostilePatternsAreMatchedInTime) {
  struct Case {
    std::string pattern;
    std::string path;
    bool matches;
  };
  const auto as = std::string(200, 'a');
  const Case cases[] = {
      {repeat("*a", 100) + "b", as, false},
      {"*(a|" + repeat("a|", 500) + "aa)b", as, false},
      {"+(+(+(a)b|a)|+(a|aa))c", as, false},
      {"@(+(a+(a+(a))))b", as, false},
      {repeat("+(a|*)", 200) + "b", as, false},
      {repeat("?(a)", 200) + std::string(200, 'a'), as, true},
      {"*x*!(*a*" + repeat("*a", 100) + ")*b", repeat("x", 2000) + as, false},
      {"*(" + repeat("*a", 100) + ")b", as, false},
      {repeat("**/", 500) + "x", repeat("a/", 500) + "a", false},
      {repeat("**/a/", 150) + "**/x", repeat("a/", 500) + "a", false},
      {repeat("**/a/", 150) + "**", repeat("a/", 149) + repeat("b/", 500) + "b", false},
      {repeat("**/*a*a*b/", 100) + "**", repeat("aaaaaaaa/", 400) + "a", false},
      {"{" + repeat("*a*a*a*b,", 400) + "}", as, false},
      {"{1..16}" + repeat("[", 4000) + "\\]", as, false},
      {"{a}" + repeat("}", 2000) + ",z}", "z", true},
  };
  for (const auto& c : cases) {
    const auto begin = std::clock();
    EXPECT_EQ(glob(c.pattern).matches(c.path), c.matches) << c.pattern;
    EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC) << c.pattern;
  }
}

}  // namespace
}  // namespace cairn
