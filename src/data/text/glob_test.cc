#include "data/text/glob.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "data/text/text_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;

Glob glob(std::string_view pattern) {
  auto parsed = Glob::parse(pattern);
  if (!parsed) throw std::invalid_argument(parsed.error().render());
  return *parsed;
}

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// ---- What matches -----------------------------------------------------------------------------

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

TEST(Glob, WithoutASlashMatchesTheNameAtAnyDepth) {
  const MatchCase cases[] = {
      {"a.txt", {"a.txt", "x/a.txt", "x/y/a.txt"}, {"", "a.txt/x", "ba.txt", "a.txtb", "A.txt"}},
      {"*.ts", {"a.ts", ".ts", "src/a.ts", "src/a.b.ts"}, {"a.tsx", "a.ts/b", "ts"}},
      {"*", {"a", "a/b", ".hidden", "é"}, {""}},
      {"**", {"a", "a/b/c"}, {""}},
      {"a**b", {"ab", "axyb", "x/ab"}, {"a/b", "a"}},
      {"*a*", {"a", "bab", "x/ca"}, {"a/b", "b"}},
      {"a*b*c", {"abc", "aXbYc", "abbcc"}, {"acb", "ab/c", "abcd"}},
      {"?", {"a", "x/b", "é", "𝄞"}, {"", "ab", "éa"}},
      {"a?c", {"abc", "aéc"}, {"ac", "a/c", "abbc"}},
      {",", {","}, {"a"}},
      {"]", {"]"}, {"a"}},
      {"a-b!c^", {"a-b!c^"}, {"ab"}},
  };
  check(cases);
}

TEST(Glob, WithASlashMatchesTheWholePath) {
  const MatchCase cases[] = {
      {"src/*.ts", {"src/a.ts"}, {"a.ts", "src/x/a.ts", "x/src/a.ts", "src"}},
      {"*/*", {"a/b"}, {"a", "a/b/c"}},
      {"a?b/c", {"axb/c"}, {"a/b/c", "ab/c"}},
      {"/a.txt", {"a.txt"}, {"x/a.txt"}},
      {"/src/*", {"src/a"}, {"src", "src/a/b", "x/src/a"}},
      {"a\\/b", {"a/b"}, {"b", "x/a/b"}},
  };
  check(cases);
}

TEST(Glob, TwoStarsAsASegmentMatchAnyNumberOfSegments) {
  const MatchCase cases[] = {
      {"**/a", {"a", "x/a", "x/y/a"}, {"a/x", "ba"}},
      {"a/**", {"a", "a/b", "a/b/c"}, {"b", "b/a", "ab"}},
      {"a/**/b", {"a/b", "a/x/b", "a/x/y/b", "a/b/b"}, {"b", "a", "a/b/c", "x/a/b"}},
      {"/**", {"a", "a/b"}, {""}},
      {"/**/a", {"a", "x/a"}, {"b"}},
      {"**/*.test.*", {"a.test.ts", "x/y/a.test.ts"}, {"a.ts"}},
      {"a/**/b/**/c", {"a/b/c", "a/b/b/c", "a/x/b/y/z/c", "a/c/b/c"}, {"a/c", "a/c/b"}},
      {"**/a/b/**", {"a/b", "a/a/b", "x/a/b/y"}, {"a/x/b", "a"}},
      {"**/**/a", {"a", "x/a", "x/y/z/a"}, {"b"}},
      {"a**/b", {"a/b", "ax/b"}, {"a/x/b"}},
      {"***/b", {"a/b"}, {"b", "a/x/b"}},
      {"\\**/b", {"*/b", "*x/b"}, {"b", "a/b"}},
  };
  check(cases);
}

TEST(Glob, ASetMatchesOneCodePointButNeverASlash) {
  const MatchCase cases[] = {
      {"[abc]", {"a", "b", "c", "x/a"}, {"d", "ab", ""}},
      {"[a-cx]", {"a", "b", "x"}, {"d", "-"}},
      {"[!a]", {"b", "é"}, {"a", "bc"}},
      {"[^a-c]", {"d", "^"}, {"b"}},
      {"[a^!]", {"a", "^", "!"}, {"b"}},
      {"[]a]", {"]", "a"}, {"b"}},
      {"[!]a]", {"b"}, {"]", "a"}},
      {"[a-]", {"a", "-"}, {"b"}},
      {"[-a]", {"a", "-"}, {"b"}},
      {"[\\]\\-x]", {"]", "-", "x"}, {"\\"}},
      {"[а-я]", {"ж"}, {"z", "Ж"}},
      {"[é]", {"é"}, {"e", "\xC3", "\xC3\xA9\xA9"}},
      {"[{,}]", {"{", ",", "}"}, {"a"}},
      {"[*?]", {"*", "?"}, {"a"}},
      {"a[/]b", {}, {"a/b", "ab"}},
      {"a[!x]b", {"ayb"}, {"a/b", "axb"}},
      {"a[+-9]b", {"a0b", "a.b"}, {"a/b"}},
      {"[[]", {"["}, {"]"}},
  };
  check(cases);
}

TEST(Glob, BracesMatchEitherAlternative) {
  const MatchCase cases[] = {
      {"*.{ts,tsx}", {"a.ts", "x/a.tsx"}, {"a.t", "a.js"}},
      {"{a,b{c,d}}", {"a", "bc", "bd"}, {"b", "acd"}},
      {"a{,b}", {"a", "ab"}, {"b"}},
      {"a{}", {"a"}, {"a{}"}},
      {"{a}", {"a"}, {"{a}"}},
      {"{a,b}{c,d}", {"ac", "ad", "bc", "bd"}, {"a", "cd"}},
      {"{src,lib/**}/*.ts", {"src/a.ts", "lib/a.ts", "lib/x/a.ts"}, {"src/x/a.ts"}},
      {"{*,x}*/b", {"b", "a/b", "a/a/b", "xy/b"}, {"a"}},
      {"{[,],b}", {",", "b"}, {"[", "]"}},
      {"{a\\,b,c}", {"a,b", "c"}, {"a", "b"}},
      {"é{è,ê}", {"éè", "éê"}, {"é"}},
  };
  check(cases);
}

TEST(Glob, EachAlternativeDecidesForItselfHowItIsAnchored) {
  const MatchCase cases[] = {
      {"{a,b/c}", {"a", "x/a", "b/c"}, {"x/b/c", "c"}},
      {"{/a,b}", {"a", "b", "x/b"}, {"x/a"}},
      {"{,x/}a", {"a", "y/a", "x/a"}, {"x/b"}},
  };
  check(cases);
}

TEST(Glob, ABackslashMakesAnyCharacterLiteral) {
  const MatchCase cases[] = {
      {"\\*", {"*"}, {"a"}},
      {"\\?\\[\\{\\}\\]", {"?[{}]"}, {"a[{}]"}},
      {"\\\\", {"\\"}, {"a"}},
      {"\\a\\é", {"aé"}, {"\\a"}},
  };
  check(cases);
}

TEST(Glob, AByteThatIsNotUtf8CountsAsOneCharacter) {
  const MatchCase cases[] = {
      {"?", {"\xFF", "\xC3"}, {"\xFF\xFF", "\xE2\x82"}},
      {"a*b", {"a\xFF\xFE b"}, {}},
      {"[!a]", {"\xFF"}, {}},
      {"[a-\U0010FFFF]", {"\U0010FFFF"}, {"\xFF"}},
  };
  check(cases);
}

// ---- What is refused --------------------------------------------------------------------------

TEST(Glob, RefusesABadPatternWithPositionAndReason) {
  struct Case {
    std::string pattern;
    std::int64_t position;
    std::string_view reason;
  };
  const Case cases[] = {
      {"a[bc", 2, "'[' has no closing ']'"},
      {"[]", 1, "'[' has no closing ']'"},
      {"[!]", 1, "'[' has no closing ']'"},
      {"[a-", 1, "'[' has no closing ']'"},
      {"é[z-a]", 3, "backwards"},
      {"[[:alpha:]]", 2, "[:alpha:]"},
      {"a{b,c", 2, "'{' has no closing '}'"},
      {"{a{b}", 1, "'{' has no closing '}'"},
      {"a}", 2, "'}' has no '{'"},
      {"a\\", 2, "'\\' has nothing after it"},
      {"[a\\", 3, "'\\' has nothing after it"},
      {"a/", 2, "ends with '/'"},
      {"/", 1, "ends with '/'"},
      {"a{b,c/}", 6, "ends with '/'"},
      {"a\\/", 3, "ends with '/'"},
      {"a//b", 3, "nothing between two '/'"},
      {"//a", 2, "nothing between two '/'"},
      {"{a,}", 1, "alternatives is empty"},
      {"./a", 1, "'.' and '..' are not names"},
      {"a/../b", 3, "'.' and '..' are not names"},
      {repeat("{a,b}", 10), 46, "more than 1000 alternatives"},
      {"{" + repeat("a,", 1000) + "a}", 1, "more than 1000 alternatives"},
      {"{" + repeat("a,", 99) + "a}" + repeat("x", 1000), 856, "or 65536 characters"},
      {repeat("{", 33) + repeat("}", 33), 33, "nest at most 32 deep"},
  };
  for (const auto& c : cases) {
    auto parsed = Glob::parse(c.pattern);
    ASSERT_FALSE(parsed) << c.pattern;
    EXPECT_EQ(parsed.error().code, Code::kInvalidPattern) << c.pattern;
    EXPECT_THAT(parsed.error().message, HasSubstr(c.reason)) << c.pattern;
    EXPECT_EQ(std::get<std::int64_t>(parsed.error().details.at("position")), c.position)
        << parsed.error().message;
  }
}

TEST(Glob, RefusesTextThatIsNoPatternAtAll) {
  const std::string cases[] = {"", "\xFF", "a\xC3", std::string(4097, 'a')};
  for (const auto& pattern : cases) {
    auto parsed = Glob::parse(pattern);
    ASSERT_FALSE(parsed) << pattern;
    EXPECT_EQ(parsed.error().code, Code::kInvalidPattern);
    EXPECT_THAT(parsed.error().message, testing::Not(HasSubstr("\xFF")));
  }
}

TEST(Glob, AcceptsPatternsAtTheLimits) {
  EXPECT_TRUE(glob(std::string(4096, 'a')).matches(std::string(4096, 'a')));
  EXPECT_TRUE(glob("{" + repeat("a,", 999) + "b}").matches("b"));
  EXPECT_TRUE(glob(repeat("{", 32) + "a" + repeat("}", 32)).matches("a"));
}

TEST(Glob, QuotesALongPatternUpToAWholeCharacter) {
  auto parsed = Glob::parse("a" + repeat("é", 100) + "[");
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().message, HasSubstr("'a" + repeat("é", 39) + "'"));
}

TEST(Glob, IsAValueThatRemembersItsPattern) {
  auto one = glob("*.ts");
  auto copy = one;
  EXPECT_EQ(copy.pattern(), "*.ts");
  EXPECT_EQ(copy, one);
  EXPECT_NE(copy, glob("*.js"));
}

// ---- Pruning ----------------------------------------------------------------------------------

TEST(Glob, SaysWhereNothingCanMatchBelow) {
  struct Case {
    std::string_view pattern;
    std::vector<std::string_view> open;
    std::vector<std::string_view> closed;
  };
  const Case cases[] = {
      {"*.ts", {"", "a", "a/b/c"}, {}},
      {"/a.txt", {""}, {"a.txt", "x"}},
      {"src/*.ts", {"", "src"}, {"lib", "src/x", "src/a.ts", "sr"}},
      {"src/**/*.ts", {"", "src", "src/x", "src/x/y"}, {"lib", "lib/src"}},
      {"src/**", {"", "src", "src/x/y"}, {"lib"}},
      {"**/a", {"", "a", "x/y"}, {}},
      {"*/b/c", {"", "a", "a/b"}, {"a/x", "a/b/c"}},
      {"{a/b,c/d/e}", {"", "a", "c", "c/d"}, {"a/b", "b", "c/e", "c/d/e"}},
      {"{a/b,c}", {"", "a", "x", "a/b/c"}, {}},
  };
  for (const auto& c : cases) {
    auto compiled = glob(c.pattern);
    for (auto dir : c.open) EXPECT_TRUE(compiled.may_match_below(dir)) << c.pattern << ": " << dir;
    for (auto dir : c.closed) {
      EXPECT_FALSE(compiled.may_match_below(dir)) << c.pattern << ": " << dir;
    }
  }
}

// ---- Cost -------------------------------------------------------------------------------------

TEST(Glob, TakesNoExponentialTimeOnHostilePatterns) {
  struct Case {
    std::string pattern;
    std::string path;
  };
  const Case cases[] = {
      {"*a*a*a*a*a*b", repeat("a", 250)},
      {repeat("*a", 1000) + "*b", repeat("a", 250)},
      {repeat("*?", 100) + "b", repeat("a", 250)},
      {repeat("*[ab]", 100) + "c", repeat("a", 250)},
      {"**/**/**/**/x", repeat("a/", 1000) + "a"},
      {repeat("**/a/", 200) + "x", repeat("a/", 1000) + "a"},
      {repeat("**/*a*a*b/", 50) + "x", repeat(repeat("a", 100) + "/", 30) + "a"},
  };
  const auto start = WorkClock().monotonic();
  for (const auto& c : cases) EXPECT_FALSE(glob(c.pattern).matches(c.path)) << c.pattern;
  // Together a few million steps; an exponential matcher would not end today.
  EXPECT_LT(WorkClock().monotonic() - start, std::chrono::seconds(10));
}

// ---- Oracle -----------------------------------------------------------------------------------

// The slow, obvious matcher: it knows a pattern as its list of alternatives, each a list of units,
// and tries everything.
namespace oracle {

// One unit of a pattern, and the characters that it accepts.
struct Unit {
  std::string_view text;
  std::string_view accepts;
};

constexpr Unit kUnits[] = {
    {"a", "a"},      {"b", "b"},      {"é", "é"},       {"\\*", "*"},   {"\\b", "b"},
    {"*", ""},       {"*", ""},       {"*", ""},        {"?", "ab*é"},  {"[ab]", "ab"},
    {"[!a]", "b*é"}, {"[a-b]", "ab"}, {"[^b-ê]", "a*"}, {"[é*]", "é*"}, {"[!/]", "ab*é"},
    {"[*-a]", "*a"}, {"/", ""},       {"/", ""},        {"/", ""},
};

using Units = std::vector<Unit>;

struct Pattern {
  std::string text;
  std::vector<Units> alternatives{{}};
};

std::vector<Units> split(const Units& units) {
  std::vector<Units> segments(1);
  for (const auto& unit : units) {
    if (unit.text == "/") {
      segments.emplace_back();
    } else {
      segments.back().push_back(unit);
    }
  }
  return segments;
}

bool valid(const Units& units) {
  auto segments = split(units);
  bool anchored = segments.size() > 1 && segments[0].empty();
  if (anchored) segments.erase(segments.begin());
  return std::ranges::none_of(segments, &Units::empty);
}

std::string_view front(std::string_view text) { return text.substr(0, text[0] < 0 ? 2 : 1); }

bool name(std::span<const Unit> units, std::string_view text) {
  if (units.empty()) return text.empty();
  auto rest = text.empty() ? text : text.substr(front(text).size());
  if (units[0].text == "*") {
    return name(units.subspan(1), text) || (!text.empty() && name(units, rest));
  }
  return !text.empty() && units[0].accepts.find(front(text)) != std::string_view::npos &&
         name(units.subspan(1), rest);
}

bool is_any_depth(const Units& units) {
  return units.size() == 2 && units[0].text == "*" && units[1].text == "*";
}

bool path(std::span<const Units> segments, std::span<const std::string> names) {
  if (segments.empty()) return names.empty();
  if (is_any_depth(segments[0])) {
    return path(segments.subspan(1), names) || (!names.empty() && path(segments, names.subspan(1)));
  }
  return !names.empty() && name(segments[0], names[0]) &&
         path(segments.subspan(1), names.subspan(1));
}

bool matches(const Units& units, std::span<const std::string> names) {
  auto segments = split(units);
  if (segments.size() == 1) return name(segments[0], names.back());
  if (segments[0].empty()) segments.erase(segments.begin());
  return path(segments, names);
}

}  // namespace oracle

class Generator final {
 public:
  explicit Generator(std::uint64_t seed) : engine_(seed) {}

  int below(int bound) { return std::uniform_int_distribution(0, bound - 1)(engine_); }

  oracle::Pattern pattern(int length, int depth = 2) {
    oracle::Pattern result;
    for (int i = below(length + 1); i > 0; --i) {
      append(result, depth > 0 && below(8) == 0 ? group(length / 2, depth - 1) : one());
    }
    return result;
  }

  std::vector<std::string> names() {
    std::vector<std::string> names(static_cast<std::size_t>(1 + below(4)));
    for (auto& name : names) {
      for (int i = 1 + below(3); i > 0; --i) name += kLetters[below(4)];
    }
    return names;
  }

 private:
  static constexpr std::string_view kLetters[] = {"a", "b", "é", "*"};

  oracle::Pattern one() {
    const auto& unit = oracle::kUnits[below(std::size(oracle::kUnits))];
    return {std::string(unit.text), {{unit}}};
  }

  oracle::Pattern group(int length, int depth) {
    oracle::Pattern result{"{", {}};
    for (int i = below(3); i >= 0; --i) {
      auto part = pattern(length, depth);
      result.text += part.text + (i > 0 ? "," : "}");
      std::ranges::copy(part.alternatives, std::back_inserter(result.alternatives));
    }
    return result;
  }

  static void append(oracle::Pattern& head, const oracle::Pattern& tail) {
    head.text += tail.text;
    std::vector<oracle::Units> joined;
    for (const auto& first : head.alternatives) {
      for (const auto& second : tail.alternatives) {
        joined.push_back(first);
        joined.back().insert(joined.back().end(), second.begin(), second.end());
      }
    }
    head.alternatives = std::move(joined);
  }

  std::mt19937_64 engine_;
};

std::string join(std::span<const std::string> names) {
  std::string path;
  for (const auto& name : names) path += (path.empty() ? "" : "/") + name;
  return path;
}

// Below every directory on the way to something that matches, something may match.
void check_pruning(const Glob& glob, std::span<const std::string> names) {
  for (std::size_t depth = 0; depth < names.size(); ++depth) {
    auto dir = join(names.first(depth));
    EXPECT_TRUE(glob.may_match_below(dir)) << glob.pattern() << " below '" << dir << "'";
  }
}

void check(const oracle::Pattern& pattern, Generator& random) {
  auto parsed = Glob::parse(pattern.text);
  // The limit on what braces may stand for is tested by itself.
  if (pattern.alternatives.size() > Glob::kMaxAlternatives) return;
  ASSERT_EQ(parsed.has_value(), std::ranges::all_of(pattern.alternatives, oracle::valid))
      << pattern.text;
  for (int i = 0; parsed && i < 20; ++i) {
    auto names = random.names();
    bool expected = std::ranges::any_of(
        pattern.alternatives, [&](const auto& units) { return oracle::matches(units, names); });
    ASSERT_EQ(parsed->matches(join(names)), expected) << pattern.text << " on " << join(names);
    if (expected) check_pruning(*parsed, names);
  }
}

TEST(Glob, AgreesWithTheObviousMatcherOnRandomPatterns) {
  const std::uint64_t seed = a_seed();
  SCOPED_TRACE(seed);
  RecordProperty("seed", std::to_string(seed));
  Generator random(seed);
  for (int i = 0; i < 10000 && !HasFatalFailure(); ++i) check(random.pattern(8), random);
}

}  // namespace
}  // namespace cairn
