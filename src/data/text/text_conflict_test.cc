#include "data/text/text_conflict.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "data/text/text_merge.h"
#include "data/text/text_testing.h"

namespace cairn {
namespace {

TEST(TextConflict, NamesTheLinesOfEachSideAndMergesTheRest) {
  const std::string base = "1\n2\n3\n4\n5\n6\n7\n8\n";
  const std::string ours = "one\n2\n3\n4\n5\nmine\nmore\n7\n8\n";
  const std::string theirs = "1\n2\nnew\n3\n4\n5\ntheirs\n7\neight\n";
  const auto found = text_conflict(base, ours, theirs);
  EXPECT_EQ(found.merged, "one\n2\nnew\n3\n4\n5\ntheirs\n7\neight\n");
  ASSERT_EQ(found.hunks.size(), 1U);
  const auto& hunk = found.hunks.front();
  EXPECT_EQ(hunk.base, (LineSpan{6, 1}));
  EXPECT_EQ(hunk.ours, (LineSpan{6, 2}));
  EXPECT_EQ(hunk.theirs, (LineSpan{7, 1}));
  EXPECT_EQ(hunk.merged, (LineSpan{7, 1}));
  EXPECT_EQ(lines_of(ours, hunk.ours), "mine\nmore\n");
  EXPECT_EQ(lines_of(theirs, hunk.theirs), "theirs\n");
}

TEST(TextConflict, KnowsInsertionsRemovalsAndEnds) {
  const struct {
    const char* what;
    std::string base, ours, theirs, merged;
    std::vector<TextHunk> hunks;
  } cases[] = {
      {"insertions in one place",
       "1\n2\n",
       "1\na\n2\n",
       "1\nb\n2\n",
       "1\nb\n2\n",
       {{{2, 0}, {2, 1}, {2, 1}, {2, 1}}}},
      {"changed and removed",
       "1\n2\n3\n",
       "1\nx\n3\n",
       "1\n3\n",
       "1\n3\n",
       {{{2, 1}, {2, 1}, {2, 0}, {2, 0}}}},
      {"from nothing", "", "a\n", "b\n", "b\n", {{{1, 0}, {1, 1}, {1, 1}, {1, 1}}}},
      {"no newline at the end", "1\n2", "1\nx", "1\ny", "1\ny", {{{2, 1}, {2, 1}, {2, 1}, {2, 1}}}},
      {"the same on both sides", "1\n2\n", "1\nx\n", "1\nx\n", "1\nx\n", {}},
      {"adjacent lines",
       "1\n2\n",
       "x\n2\n",
       "1\ny\n",
       "1\ny\n",
       {{{1, 2}, {1, 2}, {1, 2}, {1, 2}}}},
      {"only ours", "1\n2\n", "x\n2\n", "1\n2\n", "x\n2\n", {}},
  };
  for (const auto& c : cases) {
    const auto found = text_conflict(c.base, c.ours, c.theirs);
    EXPECT_EQ(found.merged, c.merged) << c.what;
    EXPECT_EQ(found.hunks, c.hunks) << c.what;
  }
}

// Where libgit2 merges, nothing is in conflict and the text is the same. Where it does not, putting
// our lines in the places of the hunks makes a text in which each change of ours is.
TEST(TextConflict, AgreesWithTheMergeOnRandomTexts) {
  std::mt19937 dice(7);
  const auto lines = [&](std::size_t most) {
    std::string out;
    for (auto count = dice() % (most + 1); count > 0; --count) {
      out += std::string(1, static_cast<char>('a' + dice() % 6)) + "\n";
    }
    return out;
  };
  const auto changed = [&](const std::string& base) {
    std::string out;
    for (std::size_t i = 0; i < base.size(); i += 2) {
      const auto what = dice() % 10;
      if (what == 0) continue;
      out += what == 1 ? lines(2) : base.substr(i, 2);
    }
    return out;
  };
  for (int round = 0; round < 3000; ++round) {
    const auto base = lines(12);
    const auto ours = changed(base);
    const auto theirs = changed(base);
    const auto found = text_conflict(base, ours, theirs);
    if (found.hunks.empty()) {
      // With nothing in conflict the order of the sides does not matter.
      EXPECT_EQ(text_conflict(base, theirs, ours).merged, found.merged);
    }
    EXPECT_EQ(text_conflict(base, ours, base).merged, ours);
    EXPECT_EQ(text_conflict(base, base, theirs).merged, theirs);
    for (const auto& hunk : found.hunks) {
      EXPECT_EQ(lines_of(found.merged, hunk.merged), lines_of(theirs, hunk.theirs));
      EXPECT_NE(lines_of(ours, hunk.ours), lines_of(theirs, hunk.theirs));
    }
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "base:\n" << base << "ours:\n" << ours << "theirs:\n" << theirs;
      return;
    }
  }
}

}  // namespace
}  // namespace cairn
