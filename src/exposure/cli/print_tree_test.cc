#include "exposure/cli/print_tree.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cairn::cli {
namespace {

using RowTexts = std::vector<std::string_view>;

// What is printed of the rows of fs_tree, and whether directories were left closed.
std::pair<std::string, bool> printed(const RowTexts& rows) {
  testing::internal::CaptureStdout();
  Output out;
  TreePrinter printer(out);
  for (const auto row : rows) printer.add(json::parse(row)->as_object());
  EXPECT_TRUE(out.flush());
  return {testing::internal::GetCapturedStdout(), printer.collapsed()};
}

const RowTexts kTree = {R"({"path": "p", "kind": "dir", "count": 3})",
                        R"({"path": "p/docs", "kind": "dir", "count": 1})",
                        R"({"path": "p/docs/a.md", "kind": "file", "size": 12})",
                        R"({"path": "p/empty", "kind": "dir", "count": 0})",
                        R"({"path": "p/src", "kind": "dir", "count": 2})",
                        R"({"path": "p/src/deep", "kind": "dir", "count": 1})",
                        R"({"path": "p/src/deep/b.ts", "kind": "file", "size": 1500})",
                        R"({"path": "p/src/c.ts", "kind": "file", "size": 0})"};

TEST(PrintTree, DrawsLinesFromEachDirectoryToWhatIsInIt) {
  const auto [text, collapsed] = printed(kTree);
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
  const auto [text, collapsed] =
      printed({R"({"path": "", "kind": "dir", "count": 2})",
               R"({"path": "many", "kind": "dir", "count": 7, "collapsed": true})",
               R"({"path": "one", "kind": "dir", "count": 1, "collapsed": true})"});
  EXPECT_EQ(text,
            "├── many/  … 7 entries\n"
            "└── one/  … 1 entry\n");
  EXPECT_TRUE(collapsed);
}

TEST(PrintTree, NothingIsLeftClosedOfAnEmptyDirectory) {
  const auto [text, collapsed] =
      printed({R"({"path": "", "kind": "dir", "count": 1})",
               R"({"path": "d", "kind": "dir", "count": 0, "collapsed": true})"});
  EXPECT_EQ(text, "└── d/\n");
  EXPECT_FALSE(collapsed);
}

TEST(PrintTree, HasNothingToDrawOfNothing) {
  EXPECT_EQ(printed({R"({"path": "", "kind": "dir", "count": 0})"}).first, "");
}

TEST(TreeDocument, HasEachDirectoryWithItsChildren) {
  TreeDocument document;
  for (const auto row : kTree) document.add(json::parse(row)->as_object());
  EXPECT_EQ(json::Value(document.take(false)), *json::parse(R"({
      "kind": "dir", "count": 3, "truncated": false, "children": {
      "docs": {"kind": "dir", "count": 1, "children": {"a.md": {"kind": "file", "size": 12}}},
      "empty": {"kind": "dir", "count": 0, "children": {}},
      "src": {"kind": "dir", "count": 2, "children": {
          "deep": {"kind": "dir", "count": 1, "children": {"b.ts": {"kind": "file", "size": 1500}}},
          "c.ts": {"kind": "file", "size": 0}}}}})"));
}

}  // namespace
}  // namespace cairn::cli
