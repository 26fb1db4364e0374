#include "tools/workspace/loose_edit.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "data/text/lines.h"
#include "tools/workspace/line_diff.h"

namespace cairn::work {
namespace {

Result<LooseResult> all_edits(ByteView text, const std::vector<LooseEdit>& edits) {
  const SystemClock clock;
  Budget budget(clock, {});
  return loose_edits(text, edits, budget);
}

std::string edited(ByteView text, std::string old_text, std::string new_text) {
  const auto done = all_edits(text, {{std::move(old_text), std::move(new_text)}});
  return done ? done->text : done.error().render();
}

TEST(LooseEdit, ReplacesTheFirstMatchAndCountsAll) {
  const auto done = all_edits("a b a\nb a\n", {{"a", "x"}, {"b", "y"}});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->text, "x y a\nb a\n");
  EXPECT_EQ(done->matches[0].count, 3U);
  EXPECT_EQ(done->matches[0].line, 1U);
  EXPECT_EQ(done->matches[1].count, 2U);
}

TEST(LooseEdit, ReplacesEveryMatchWhenAskedTo) {
  const auto done = all_edits("aa b aaa\n", {{"aa", "a", true}, {"b", "", true}});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->text, "a  aa\n");
  EXPECT_EQ(done->matches[0].count, 2U);
  const auto loose = all_edits("  x\n y\n\tx\ny\n", {{"x \n y", "z", true}});
  ASSERT_TRUE(loose);
  EXPECT_EQ(loose->text, "  z\n\tz\n");
  EXPECT_EQ(loose->matches[0].count, 2U);
}

TEST(LooseEdit, DoesNotGrowBeyondWhatCanBeEdited) {
  const auto done = all_edits(Bytes(1000, 'a'), {{"a", Bytes(1 << 20, 'b'), true}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::kFileTooLarge);
}

TEST(LooseEdit, EachEditSeesWhatTheOneBeforeMade) {
  const auto done = all_edits("one\n", {{"one", "two"}, {"two", "three"}});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->text, "three\n");
}

TEST(LooseEdit, TakesNewTextAsItStands) { EXPECT_EQ(edited("a", "a", "$& \\1 $$"), "$& \\1 $$"); }

TEST(LooseEdit, LooksPastWhiteSpaceAroundLines) {
  EXPECT_EQ(edited("if (a) {\n    b();\n}\n", "b();  ", "c();\nd();"),
            "if (a) {\n    c();\nd();\n}\n");
  EXPECT_EQ(edited("  {\n    x;\n  }\n", "{\n  x;\n}", "{\n  x;\n    y;\n}"),
            "  {\n  x;\n    y;\n}\n");
  const auto done = all_edits("  a\n\tb\n", {{"a\nb", "c"}});
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->matches[0].loose);
  EXPECT_EQ(done->text, "  c\n");
}

TEST(LooseEdit, ShowsWhatComesNearest) {
  const auto done = all_edits("alpha beta gamma\ndelta\n", {{"alpha beta gamna", "x"}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::kEditNoMatch);
  EXPECT_TRUE(
      done.error().message.starts_with("Could not find exact match for edit:\nalpha beta gamna\n"));
  EXPECT_TRUE(done.error().message.contains("alpha beta gamma")) << done.error().message;
}

TEST(LooseEdit, RefusesAnEmptyOldText) {
  EXPECT_TRUE(edited("a", "", "b").starts_with("INVALID_ARGUMENT"));
}

TEST(LooseEdit, KeepsLineEndsOfLinesThatStay) {
  const Bytes before = "a\r\nb\nc\r\nd\r\n";
  EXPECT_EQ(with_old_ends(before, "a\nb\nx\nd\n"), "a\r\nb\nx\r\nd\r\n");
  EXPECT_EQ(with_old_ends(before, "a\nb\nc\nd\ne"), "a\r\nb\nc\r\nd\r\ne");
  EXPECT_EQ(with_old_ends("a\nb\r\nc\n", "a\nz\nb\nc\n"), "a\nz\nb\r\nc\n");
  EXPECT_EQ(with_old_ends("a\n", "b\n"), "b\n");
}

std::vector<ByteView> lines(ByteView text) { return split_lines(text); }

std::string patched(ByteView before, ByteView after) {
  const auto a = lines(before);
  const auto b = lines(after);
  auto out = patch_of("f", a, b, line_steps(a, b));
  return out.substr(out.find("modified\n") + 9);
}

TEST(LineDiff, ShowsFourLinesAroundAChange) {
  EXPECT_EQ(patched("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n", "1\n2\n3\n4\n5\nx\n7\n8\n9\n10\n11\n"),
            "@@ -2,9 +2,9 @@\n 2\n 3\n 4\n 5\n-6\n+x\n 7\n 8\n 9\n 10\n");
  EXPECT_EQ(patched("a\n", "a\n"), "");
  EXPECT_EQ(patched("", "a\n"), "@@ -0,0 +1,1 @@\n+a\n");
  EXPECT_EQ(
      patched("a", "b"),
      "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n");
}

// Whatever the texts, the steps lead from one to the other, and no shorter way exists.
TEST(LineDiff, LeadsFromOneTextToTheOther) {
  std::mt19937 random(7);  // NOLINT: repeatable on purpose
  for (int round = 0; round < 3000; ++round) {
    std::string before;
    std::string after;
    for (auto* text : {&before, &after}) {
      const auto count = random() % 12;
      for (unsigned i = 0; i < count; ++i) *text += std::string(1, "abc"[random() % 3]) + "\n";
    }
    const auto a = lines(before);
    const auto b = lines(after);
    std::string again;
    std::string old_text;
    std::size_t changes = 0;
    for (const auto& step : line_steps(a, b)) {
      const bool added = step.kind == LineStep::Kind::kAdded;
      if (step.kind != LineStep::Kind::kSame) ++changes;
      if (!added) old_text += a[step.line];
      if (step.kind != LineStep::Kind::kRemoved) again += added ? b[step.line] : a[step.line];
    }
    EXPECT_EQ(again, after);
    EXPECT_EQ(old_text, before);
    // The longest common subsequence, by the book.
    std::vector<std::vector<std::size_t>> best(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i) {
      for (std::size_t j = 1; j <= b.size(); ++j) {
        best[i][j] = a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1
                                          : std::max(best[i - 1][j], best[i][j - 1]);
      }
    }
    EXPECT_EQ(changes, a.size() + b.size() - 2 * best[a.size()][b.size()]);
  }
}

TEST(LineDiff, TakesVeryDifferentTextsAsOneChange) {
  std::string before = "first\n";
  std::string after = "first\n";
  for (int i = 0; i < 5000; ++i) {
    before += fmt::format("a{}\n", i);
    after += fmt::format("b{}\n", i);
  }
  const auto a = lines(before);
  const auto b = lines(after);
  const auto steps = line_steps(a, b);
  EXPECT_EQ(steps.size(), 10'001U);
  EXPECT_EQ(steps.front().kind, LineStep::Kind::kSame);
}

}  // namespace
}  // namespace cairn::work
