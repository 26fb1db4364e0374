#include "data/text/shell_glob.h"

#include <chrono>
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
      {"a.ts", {"a.ts", "a.ts/", "a.ts//"}, {"x/a.ts", "/a.ts", "A.ts", ""}},
      {"*.ts", {"a.ts", ".ts"}, {"x/a.ts", "a.tsx", "a.ts/b"}},
      {"*", {"a", ".hidden", "a/"}, {"", "a/b", ".", ".."}},
      {"?", {"a", "é"}, {"😀", "", "ab", "."}},
      {"??", {"ab", "😀", "éé"}, {"a", ".."}},
      {"a*c", {"ac", "abc"}, {"a/c", "abcd"}},
      {"a\n?", {"a\nb"}, {"a\n"}},
      {"*a*a*b", {"aab", "xaxaxb", "aabb"}, {"ab"}},
      {".*", {".git"}, {".", "..", "a"}},
      {"*.", {"a.", ".", ".."}, {"a"}},
  };
  check(cases);
}

TEST(ShellGlob, TwoStarsStandForAnyNumberOfNames) {
  const MatchCase cases[] = {
      {"**", {"a", "a/b/c", ".git/x", ""}, {"a/../b"}},
      {"**/a", {"a", "x/a", "x/y/a"}, {"a/b", "x/./a"}},
      {"a/**", {"a/", "a/b", "a/b/c"}, {"a", "ab"}},
      {"a/**/b", {"a/b", "a/x/b", "a/x/y/b"}, {"a/b/x", "ab"}},
      {"**/*.ts", {"a.ts", "x/y/a.ts"}, {"a.js"}},
      {"**/a/**/b/**", {"a/b/c", "x/a/y/b/z"}, {"a/b", "b/a/c"}},
      {"**/a/b/c/**/d/**", {"a/b/c/x/y/d/e"}, {"a/b/c/d/e"}},
      {"**a", {"xa", "a"}, {"x/a"}},
      {"a**/b", {"axx/b", "a/b"}, {"a/x/b"}},
      {"a/**/..", {"a/..", "a/b/.."}, {}},
      {"**/*", {"a", "a/b", "a/b/"}, {""}},
  };
  check(cases);
}

TEST(ShellGlob, SeveralSlashesAreOne) {
  const MatchCase cases[] = {
      {"a//b", {"a/b", "a//b"}, {"ab"}}, {"a/b", {"a//b", "a/b/", "a/b//"}, {}},
      {"a/", {"a/", "a//"}, {"a"}},      {"/a", {"/a", "//a"}, {"a"}},
      {"/", {"/", "//"}, {"", "a"}},     {"", {""}, {"a", "/"}},
      {"a/*", {"a/b", "a/b/"}, {"a/"}},  {"*/", {"a/"}, {"a"}},
  };
  check(cases);
}

TEST(ShellGlob, DotsAreMatchedByThemselvesOnly) {
  const MatchCase cases[] = {
      {".", {"."}, {"a"}},           {"./a", {"./a"}, {"a"}},
      {"a/./b", {"a/./b"}, {"a/b"}}, {"a/../b", {"b"}, {"a/../b"}},
      {"*/../b", {"b"}, {"a/b"}},    {"../a", {"../a"}, {"a"}},
      {"**/..", {"..", "a/.."}, {}}, {"[.]", {"."}, {}},
      {"@(.|..)", {".", ".."}, {}},  {"@(?|..)", {"..", "a"}, {"."}},
      {".?", {".a"}, {".."}},
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
      {"{,}", {}, {""}},
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
      {"[a-c]", {"a", "c"}, {"d", "", "ab"}},
      {"[!a-c]", {"d"}, {"a", "."}},
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
      {"[[:alpha:]]?", {"a😀"}, {"😀a"}},
      {"[😀]", {}, {"😀"}},
      {"a[b]c", {"abc"}, {}},
      {"[*]", {"*"}, {"a"}},
      {"[/]", {"[/]"}, {}},
      {"a[/]b", {"a[/]b"}, {"a/b"}},
  };
  check(cases);
}

TEST(ShellGlob, GroupsRepeatAndNegate) {
  const MatchCase cases[] = {
      {"?(a|b)c", {"c", "ac", "bc"}, {"abc"}},
      {"*(a|b)", {"a", "abba", ""}, {"c"}},
      {"+(a|b)c", {"ac", "abac"}, {"c"}},
      {"@(a|b)c", {"ac", "bc"}, {"c", "abc"}},
      {"a!(b|c)", {"a", "ad", "abc"}, {"ab", "ac"}},
      {"x!(a).ts", {"x.ts", "xb.ts", "xaa.ts"}, {"xa.ts"}},
      {"@(!(a))", {"b", ""}, {"a"}},
      {"a!(b)c", {"ac", "axc", "abbc"}, {"abc"}},
      {"a!()b", {"axb"}, {"ab"}},
      {"a!(b|)", {"ab", "ac"}, {"a"}},
      {"+(a|+(b|c))", {"abcab"}, {"d"}},
      {"?(+(a))", {"aaa", ""}, {}},
      {"@(a*|b)x", {"ax", "aax", "bx"}, {"x"}},
      {"+(a|b", {"+(a|b"}, {"a"}},
      {"+()", {"+()"}, {""}},
      {"@(|)", {"@(|)"}, {""}},
      {"a@()b", {"ab"}, {}},
      {"a@(b|)c", {"abc", "ac"}, {}},
      {"@(a|b)/@(c|d)", {"a/c", "b/d"}, {"a/b"}},
      {"a@(b/c)", {"a@(b/c)"}, {"ab/c"}},
      {"\\@(a)", {"@(a)"}, {"a"}},
      {"@(a\\)b)", {"a)b"}, {}},
      {"*(.)a", {"a", "..a"}, {}},
      {"@(@(@(@(@(a)))))", {"a"}, {}},
      {"+(!(+(!(+(a)))))", {}, {"a", "b"}},
      {"a+([bc])", {"abcb"}, {"a"}},
      {"x!(!(a))b", {"xabb"}, {"xab", "xb"}},
  };
  check(cases);
}

TEST(ShellGlob, APatternIsNegatedOrAComment) {
  const MatchCase cases[] = {
      {"!a", {"b", "a/b", ""}, {"a"}},
      {"!!a", {"a"}, {"b"}},
      {"!!!a", {"b"}, {"a"}},
      {"!*.ts", {"a.js", "x/a.ts"}, {"a.ts"}},
      {"!(a|b)", {"a"}, {"(a|b)"}},
      {"!{a,b}", {"c"}, {"a", "b"}},
      {"!", {"a"}, {""}},
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
      {"?(x|+())", {"x", "+()"}, {"+"}},
  };
  check(cases);
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

// ---- Walks -------------------------------------------------------------------------------------

TEST(ShellGlob, SaysWhichDirectoriesNeedNotBeEntered) {
  struct Case {
    std::string_view pattern;
    std::vector<std::string_view> entered;
    std::vector<std::string_view> skipped;
  };
  const Case cases[] = {
      {"*.ts", {""}, {"a", "a.ts", "a/b"}},
      {"src/*.ts", {"", "src"}, {"lib", "src/a", "src/a.ts"}},
      {"**/*.ts", {"", "a", "a/b/c"}, {}},
      {"src/**/a", {"", "src", "src/x/y"}, {"lib", "lib/src"}},
      {"{a,b/c}/d", {"", "a", "b", "b/c"}, {"c", "a/d", "b/d", "b/c/d"}},
      {"+(a|b)/x", {"", "ab"}, {"c", "ab/x"}},
      {"!a", {"", "a", "b/c"}, {}},
      {"#a", {}, {"", "a"}},
      {"/a", {""}, {"a"}},
  };
  for (const auto& c : cases) {
    auto compiled = glob(c.pattern);
    for (auto dir : c.entered)
      EXPECT_TRUE(compiled.may_match_below(dir)) << c.pattern << " in " << dir;
    for (auto dir : c.skipped)
      EXPECT_FALSE(compiled.may_match_below(dir)) << c.pattern << " in " << dir;
  }
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
      {"a" + repeat("!(b)", 1000), "more than 65536 characters"},
      {"a!(" + repeat("b|", 1000) + ")" + std::string(1000, 'c'), "more than 65536 characters"},
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
  EXPECT_TRUE(glob("a" + repeat("!(b)", 8) + "c").matches("ac"));
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
      {"x" + repeat("!(*a*)", 6) + "b", "x" + as, false},
      {"*(" + repeat("*a", 100) + ")b", as, false},
      {repeat("**/", 500) + "x", repeat("a/", 500) + "a", false},
      {repeat("**/a/", 150) + "**/x", repeat("a/", 500) + "a", false},
      {repeat("**/a/", 150) + "**", repeat("a/", 149) + "./" + repeat("a/", 500), false},
      {repeat("**/*a*a*b/", 100) + "**", repeat("aaaaaaaa/", 400), false},
      {"{" + repeat("*a*a*a*b,", 400) + "}", as, false},
      {"{a}" + repeat("}", 2000) + ",z}", "z", true},
      {"{1..100}{" + repeat("[[:alpha:][:graph:]]", 30) + ",x}", "100x", true},
  };
  for (const auto& c : cases) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(glob(c.pattern).matches(c.path), c.matches) << c.pattern;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << c.pattern;
  }
}

TEST(ShellGlob, KeepsThePatternAndSharesItsProgram) {
  const auto one = glob("!src/{a,b}");
  const auto copy = one;
  EXPECT_EQ(copy.pattern(), "!src/{a,b}");
  EXPECT_EQ(&copy.pattern(), &one.pattern());
  EXPECT_EQ(copy, one);
  EXPECT_NE(copy, glob("src/{a,b}"));
}

}  // namespace
}  // namespace cairn
