#include "exposure/cli/print_tree.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace cairn::cli {
namespace {

// What is printed of an answer of fs_tree, and whether directories were left closed.
std::pair<std::string, bool> printed(std::string_view tree) {
  testing::internal::CaptureStdout();
  Output out;
  const bool collapsed = print_tree(out, json::parse(tree)->as_object());
  EXPECT_TRUE(out.flush());
  return {testing::internal::GetCapturedStdout(), collapsed};
}

TEST(PrintTree, DrawsLinesFromEachDirectoryToWhatIsInIt) {
  const auto [text, collapsed] = printed(R"({"kind": "dir", "children": {
      "docs": {"kind": "dir", "count": 1, "children": {"a.md": {"kind": "file", "size": 12}}},
      "empty": {"kind": "dir", "count": 0, "children": {}},
      "src": {"kind": "dir", "count": 2, "children": {
          "deep": {"kind": "dir", "count": 1, "children": {"b.ts": {"kind": "file", "size": 1500}}},
          "c.ts": {"kind": "file", "size": 0}}}}})");
  EXPECT_EQ(text,
            "├── docs/\n"
            "│   └── a.md  12 B\n"
            "├── empty/\n"
            "└── src/\n"
            "    ├── deep/\n"
            "    │   └── b.ts  1.5 kB\n"
            "    └── c.ts  0 B\n");
  EXPECT_FALSE(collapsed);
}

TEST(PrintTree, SaysHowMuchIsInWhatWasLeftClosed) {
  const auto [text, collapsed] = printed(R"({"kind": "dir", "children": {
      "many": {"kind": "dir", "count": 7, "collapsed": true},
      "one": {"kind": "dir", "count": 1, "collapsed": true}}})");
  EXPECT_EQ(text,
            "├── many/  … 7 entries\n"
            "└── one/  … 1 entry\n");
  EXPECT_TRUE(collapsed);
}

TEST(PrintTree, NothingIsLeftClosedOfAnEmptyDirectory) {
  const auto [text, collapsed] = printed(
      R"({"kind": "dir", "children": {"d": {"kind": "dir", "count": 0, "collapsed": true}}})");
  EXPECT_EQ(text, "└── d/\n");
  EXPECT_FALSE(collapsed);
}

TEST(PrintTree, HasNothingToDrawOfNothing) {
  EXPECT_EQ(printed(R"({"kind": "dir", "count": 0, "children": {}})").first, "");
}

}  // namespace
}  // namespace cairn::cli
