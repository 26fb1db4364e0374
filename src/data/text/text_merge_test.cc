#include "data/text/text_merge.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "data/text/text_testing.h"

namespace cairn {
namespace {

struct MergeCase {
  std::string_view name;
  std::string_view base;
  std::string_view ours;
  std::string_view theirs;
  std::optional<std::string_view> merged;
};

TEST(MergeText, MergesByLine) {
  const MergeCase cases[] = {
      {"far apart", "1\n2\n3\n4\n5\n", "one\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n",
       "one\n2\n3\n4\nfive\n"},
      {"insert and delete", "1\n2\n3\n4\n5\n", "0\n1\n2\n3\n4\n5\n", "1\n2\n3\n4\n",
       "0\n1\n2\n3\n4\n"},
      {"same line", "1\n2\n3\n", "1\nx\n3\n", "1\ny\n3\n", std::nullopt},
      {"change and delete", "1\n2\n3\n", "1\nx\n3\n", "1\n3\n", std::nullopt},
      {"same insertion", "1\n2\n", "1\nnew\n2\n", "1\nnew\n2\n", "1\nnew\n2\n"},
      {"same insertion, and more", "1\n2\n3\n4\n", "1\nnew\n2\n3\n4\n", "1\nnew\n2\n3\nfour\n",
       "1\nnew\n2\n3\nfour\n"},
      {"different insertions in one place", "1\n2\n", "1\na\n2\n", "1\nb\n2\n", std::nullopt},
      {"crlf", "1\r\n2\r\n3\r\n4\r\n", "one\r\n2\r\n3\r\n4\r\n", "1\r\n2\r\n3\r\nfour\r\n",
       "one\r\n2\r\n3\r\nfour\r\n"},
      {"line ends are changes", "1\r\n2\r\n3\r\n", "1\n2\r\n3\r\n", "1\r\n2\r\n3\n", "1\n2\r\n3\n"},
      {"no newline at the end", "1\n2\n3", "one\n2\n3", "1\n2\nthree", "one\n2\nthree"},
      {"newline taken away", "1\n2\n3\n", "one\n2\n3\n", "1\n2\n3", "one\n2\n3"},
      {"both from nothing", "", "a\n", "b\n", std::nullopt},
      {"all removed, and nothing else", "a\n", "", "", ""},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(merge_text(c.base, c.ours, c.theirs), c.merged) << c.name;
    EXPECT_EQ(merge_text(c.base, c.theirs, c.ours), c.merged) << c.name << ", swapped";
  }
}

TEST(MergeText, RefusesToCompareMoreLinesThanItCanInTime) {
  const std::string many(400'000, '\n');
  EXPECT_EQ(merge_text("a\n", many, "a\nb\n"), std::nullopt);
  EXPECT_EQ(merge_text("a\n", "a\nb\n", many), std::nullopt);
  EXPECT_EQ(merge_text("a\n", many, "a\n"), many);
  EXPECT_EQ(merge_text(many + "a\n", "x\n" + many + "a\n", many + "b\n"), "x\n" + many + "b\n");
}

using Lines = std::vector<std::string>;

std::string joined(const Lines& lines) {
  std::string text;
  for (const auto& line : lines) text += line;
  return text;
}

class RandomTexts final {
 public:
  explicit RandomTexts(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    std::string out;
    for (auto lines = below(12); lines > 0; --lines) out += line();
    if (below(4) == 0) out += "tail";
    return out;
  }

  std::string changed(std::string text) {
    for (auto edits = below(3); edits > 0; --edits) {
      const auto at = text.find('\n', below(text.size() + 1));
      const auto place = at == std::string::npos ? 0 : at + 1;
      if (below(2) == 0) {
        text.insert(place, line());
      } else {
        text.erase(place, text.find('\n', place) - place + 1);
      }
    }
    return text;
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  std::string line() {
    return std::string(1, static_cast<char>('a' + below(4))) + (below(5) == 0 ? "\r\n" : "\n");
  }

  std::mt19937 random_;
};

TEST(MergeText, ObeysItsLawsForRandomTexts) {
  const auto seed = a_seed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  RandomTexts texts(seed);
  int clean = 0;
  for (int round = 0; round < 10000; ++round) {
    const auto base = texts.text();
    const auto x = texts.changed(base);
    const auto y = texts.changed(base);
    ASSERT_EQ(merge_text(base, x, base), x);
    ASSERT_EQ(merge_text(base, base, x), x);
    ASSERT_EQ(merge_text(base, x, x), x);
    const auto merged = merge_text(base, x, y);
    ASSERT_EQ(merged, merge_text(base, y, x)) << base << "---\n" << x << "---\n" << y;
    clean += merged && x != y && x != base && y != base;
  }
  EXPECT_GT(clean, 0);
}

TEST(MergeText, TakesTheChangesOfBothSidesWhenTheyAreApart) {
  const auto seed = a_seed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    Lines base(30);
    for (std::size_t i = 0; i < base.size(); ++i) base[i] = "line " + std::to_string(i) + "\n";
    auto ours = base;
    auto theirs = base;
    auto both = base;
    for (std::size_t i = 0; i < base.size(); i += 3) {
      const auto choice = random() % 3;
      if (choice == 0) both[i] = ours[i] = "ours\n";
      if (choice == 1) both[i] = theirs[i] = "";
    }
    ASSERT_EQ(merge_text(joined(base), joined(ours), joined(theirs)), joined(both));
  }
}

}  // namespace
}  // namespace cairn
