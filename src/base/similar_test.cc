#include "base/similar.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

TEST(Similar, CountsInsertionsDeletionsAndReplacementsWithoutCase) {
  struct Case {
    std::string a;
    std::string b;
    std::size_t distance;
  };
  const Case cases[] = {
      {"", "", 0},       {"a", "", 1},     {"abc", "abc", 0},  {"abc", "ABC", 0},
      {"abc", "abd", 1}, {"abc", "ab", 1}, {"abc", "xabc", 1}, {"kitten", "sitting", 3},
      {"ab", "ba", 2}};
  for (const auto& c : cases) {
    EXPECT_EQ(edit_distance(c.a, c.b, 10), c.distance) << c.a << " " << c.b;
    EXPECT_EQ(edit_distance(c.b, c.a, 10), c.distance) << c.a << " " << c.b;
  }
  EXPECT_EQ(edit_distance("kitten", "sitting", 2), 3U);
  EXPECT_EQ(edit_distance("a", "aaaaaaaaaa", 3), 4U);
}

TEST(Similar, FindsTheNearestNameOrNone) {
  const std::string names[] = {"nodeKey", "path", "limit", "paths"};
  EXPECT_EQ(most_similar("pth", names), "path");
  EXPECT_EQ(most_similar("nodekey", names), "nodeKey");
  EXPECT_EQ(most_similar("pathz", names), "path");
  EXPECT_EQ(most_similar("paths", names), "paths");
  EXPECT_EQ(most_similar("content", names), "");
  EXPECT_EQ(most_similar("", names), "");
  EXPECT_EQ(most_similar("path", {}), "");
  EXPECT_EQ(most_similar(std::string(1000, 'p'), names), "");
}

TEST(Similar, HintsAtTheNearestNameOrSaysWhatItIsTold) {
  const std::string names[] = {"path", "a\nb"};
  EXPECT_EQ(hint_for("pth", names), "; did you mean 'path'?");
  EXPECT_EQ(hint_for("a\nc", names), "; did you mean 'a\uFFFDb'?");
  EXPECT_EQ(hint_for("content", names), "");
  EXPECT_EQ(hint_for("content", names, "; see the list"), "; see the list");
}

}  // namespace
}  // namespace cairn
