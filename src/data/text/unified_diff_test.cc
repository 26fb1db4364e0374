#include "data/text/unified_diff.h"

#include <charconv>
#include <random>

#include <gtest/gtest.h>

#include "data/text/lines.h"
#include "data/text/text_testing.h"

namespace cairn {
namespace {

using std::string_view_literals::operator""sv;

const DiffOptions kNames{.old_name = "a.txt", .new_name = "b.txt"};

std::string diff(ByteView before, ByteView after) { return unified_diff(before, after, kNames); }

TEST(UnifiedDiff, IsEmptyForEqualTexts) {
  EXPECT_EQ(diff("", ""), "");
  EXPECT_EQ(diff("a\nb", "a\nb"), "");
}

struct DiffCase {
  std::string_view before;
  std::string_view after;
  std::string_view expected;
};

TEST(UnifiedDiff, LooksAsPatchExpectsIt) {
  const DiffCase cases[] = {
      {"a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
      {"", "a\n", "@@ -0,0 +1 @@\n+a\n"},
      {"a\n", "", "@@ -1 +0,0 @@\n-a\n"},
      {"a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
      {"a\nb", "x\nb", "@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n"},
      {"a\r\n", "a\n", "@@ -1 +1 @@\n-a\r\n+a\n"},
      {"a\0\n"sv, "b\n", "@@ -1 +1 @@\n-a\0\n+b\n"sv},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(diff(c.before, c.after), "--- a.txt\n+++ b.txt\n" + std::string(c.expected));
  }
}

TEST(UnifiedDiff, ShowsAsMuchContextAsAskedFor) {
  const std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  const std::string after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
  auto with_context = [&](unsigned context) {
    return unified_diff(before, after, {.old_name = "f", .new_name = "f", .context = context});
  };
  EXPECT_EQ(with_context(0), "--- f\n+++ f\n@@ -5 +5 @@\n-5\n+five\n");
  EXPECT_EQ(with_context(1), "--- f\n+++ f\n@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n");
}

TEST(UnifiedDiff, WritesDifficultNamesSoThatTheyCanBeRead) {
  const auto out = unified_diff("a\n", "b\n", {.old_name = "a b", .new_name = "x\n\"y"});
  EXPECT_TRUE(out.starts_with("--- a b\t\n+++ \"x\\012\\\"y\"\n")) << out;
}

TEST(UnifiedDiff, CountsLines) {
  EXPECT_EQ(line_stats("a\nb\nc\n", "a\nx\ny\nc\n"), (LineStats{.added = 2, .removed = 1}));
  EXPECT_EQ(line_stats("a\n", "a\n"), LineStats{});
}

// ---- applying a diff, as an oracle ----

std::size_t take_number(ByteView& text) {
  std::size_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

struct Range {
  std::size_t start = 0;
  std::size_t count = 1;
};

Range take_range(ByteView& text) {
  text.remove_prefix(1);  // the sign
  Range range{.start = take_number(text)};
  if (!text.starts_with(',')) return range;
  text.remove_prefix(1);
  range.count = take_number(text);
  return range;
}

// Applies a unified diff, checking context, removed lines and the ranges of the hunks.
class Applier final {
 public:
  Applier(ByteView before, ByteView diff)
      : before_(split_lines(before)), diff_(split_lines(diff)) {}

  std::string run() {
    for (at_ = 2; at_ < diff_.size();) hunk();
    while (next_ < before_.size()) copy();
    return joined();
  }

 private:
  void copy() { after_.emplace_back(before_[next_++]); }

  std::string joined() const {
    std::string out;
    for (const auto& line : after_) out += line;
    return out;
  }

  // The line of the diff at `at_`, without its sign and with the newline only if the text has it.
  std::string body() const {
    auto line = diff_[at_].substr(1);
    const bool cut = at_ + 1 < diff_.size() && diff_[at_ + 1].starts_with('\\');
    if (cut) line.remove_suffix(1);
    return std::string(line);
  }

  void hunk() {
    ByteView header = diff_[at_++];
    ASSERT_TRUE(header.starts_with("@@ ")) << header;
    header.remove_prefix(3);
    const auto old_range = take_range(header);
    header.remove_prefix(1);
    const auto new_range = take_range(header);
    ASSERT_EQ(header, " @@\n");
    const auto old_begin = old_range.start - (old_range.count > 0 ? 1 : 0);
    while (next_ < old_begin) copy();
    ASSERT_EQ(after_.size(), new_range.start - (new_range.count > 0 ? 1 : 0));
    const auto new_begin = after_.size();
    for (; at_ < diff_.size() && !diff_[at_].starts_with('@'); ++at_) line();
    EXPECT_EQ(next_, old_begin + old_range.count);
    EXPECT_EQ(after_.size(), new_begin + new_range.count);
  }

  void line() {
    const char sign = diff_[at_].front();
    if (sign == '\\') return;
    if (sign == '+') return after_.push_back(body());
    ASSERT_LT(next_, before_.size());
    EXPECT_EQ(before_[next_], body());
    sign == '-' ? static_cast<void>(++next_) : copy();
  }

  std::vector<ByteView> before_;
  std::vector<ByteView> diff_;
  std::vector<std::string> after_;
  std::size_t at_ = 0;
  std::size_t next_ = 0;
};

TEST(UnifiedDiff, AppliedGivesTheOtherTextForRandomTexts) {
  const auto seed = a_seed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  auto random_text = [&] {
    std::string text(random() % 40, ' ');
    for (auto& c : text) c = "ab\n\n\r"[random() % 5];
    return text;
  };
  for (int round = 0; round < 5000; ++round) {
    const auto before = random_text();
    const auto after = random_text();
    const DiffOptions options{
        .old_name = "x", .new_name = "y", .context = static_cast<unsigned>(random() % 4)};
    const auto out = unified_diff(before, after, options);
    if (before == after) continue;
    ASSERT_EQ(Applier(before, out).run(), after) << out;
  }
}

std::string random_digits(std::mt19937& random, std::size_t lines) {
  std::string text;
  for (; lines > 0; --lines) text += std::to_string(random() % 100) + "\n";
  return text;
}

TEST(UnifiedDiff, LargeDifferentTextsAreComparedOnlyUpToALimit) {
  std::mt19937 random(1);
  const auto before = "same\nsame\n" + random_digits(random, 400'000) + "last";
  const auto after = "same\nsame\n" + random_digits(random, 400'000) + "last";
  const auto out = unified_diff(before, after, {.old_name = "x", .new_name = "y", .context = 1});
  EXPECT_TRUE(out.starts_with("--- x\n+++ y\n@@ -2,"));
  EXPECT_TRUE(out.ends_with("\n last\n\\ No newline at end of file\n"));
  EXPECT_EQ(Applier(before, out).run(), after);
  const auto stats = line_stats(before, after);
  EXPECT_EQ(stats.added, stats.removed);
  EXPECT_GT(stats.added, kMaxComparedLines / 2);
}

TEST(UnifiedDiff, OneChangeInALargeTextIsShownAlone) {
  std::mt19937 random(1);
  const auto digits = random_digits(random, 400'000);
  EXPECT_TRUE(diff("a\n" + digits, "b\n" + digits)
                  .starts_with("--- a.txt\n+++ b.txt\n@@ -1,4 +1,4 @@\n-a\n+b\n"));
  EXPECT_EQ(line_stats(digits + "a\n" + digits, digits + digits), (LineStats{0, 1}));
}

}  // namespace
}  // namespace cairn
