#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using tools_testing::is_true;
using tools_testing::text;

class FsTreeTest : public tools_testing::ToolTest {
 protected:
  // So many directories with so many files each.
  void fill(int directories, int files, const std::string& name) {
    std::vector<std::pair<std::string, std::string>> all;
    for (int i = 0; i < directories; ++i) {
      for (int k = 0; k < files; ++k)
        all.emplace_back(fmt::format("d{:02}/{:04}{}", i, k, name), "");
    }
    put_all(all);
  }
};

TEST_F(FsTreeTest, NothingIsLeftOutThatFitsIntoTheAnswer) {
  // 500 entries, which are 54 KB.
  fill(5, 99, std::string(22, 'n'));
  const auto tree = call("fs_tree", {{"nodeKey", depot_}});
  EXPECT_FALSE(is_true(tree, "truncated"));
  EXPECT_GT(json::write(json::Value(tree)).size(), 50'000U);
}

TEST_F(FsTreeTest, AnAgentGetsAsMuchAsFitsAndAProgramWhatItAskedFor) {
  fill(20, 100, "name");
  const json::Object arguments{{"nodeKey", depot_}, {"maxEntries", 5000}};
  const auto agent = call("fs_tree", arguments);
  EXPECT_TRUE(is_true(agent, "truncated"));
  // A directory is shown whole or not at all.
  EXPECT_GT(json::write(json::Value(agent)).size(), 60'000U - 100 * 90);
  const auto program = call(owner_.entering(Entrance::kRest), "fs_tree", arguments);
  EXPECT_FALSE(is_true(program, "truncated"));
  EXPECT_EQ(program.at("children").at("d19").at("children").as_object().size(), 100U);
}

TEST_F(FsTreeTest, RowsAreTheWholeDepthFirst) {
  put_all({{"a/b/c.txt", "1"}, {"a/d.txt", "12"}, {"e.txt", ""}});
  const auto program = owner_.entering(Entrance::kRest);
  const auto paths = [&](const json::Object& arguments) {
    std::vector<std::string> out;
    for (const auto& row : rows(program, "fs_tree", arguments)) {
      if (row.contains("summary")) continue;
      out.push_back(text(row, "path") + (text(row, "kind") == "dir" ? "/" : "") +
                    (is_true(row, "collapsed") ? "+" : ""));
    }
    return out;
  };
  EXPECT_THAT(paths({{"nodeKey", depot_}, {"depth", -1}}),
              ElementsAre("/", "a/", "a/b/", "a/b/c.txt", "a/d.txt", "e.txt"));
  EXPECT_THAT(paths({{"nodeKey", depot_}, {"depth", 2}}),
              ElementsAre("/", "a/", "a/b/+", "a/d.txt", "e.txt"));
  EXPECT_THAT(paths({{"nodeKey", depot_}, {"depth", 0}}), ElementsAre("/+"));
  EXPECT_THAT(paths({{"nodeKey", depot_}, {"path", "a"}, {"depth", 1}}),
              ElementsAre("a/", "a/b/+", "a/d.txt"));
  EXPECT_THAT(paths({{"nodeKey", depot_}, {"depth", -1}, {"maxEntries", 2}}),
              ElementsAre("/", "a/", "a/b/"));
}

TEST_F(FsTreeTest, RowsHaveNoEndButTheTrees) {
  fill(4, 700, "");
  const auto all = rows(owner_.entering(Entrance::kRest), "fs_tree", {{"nodeKey", depot_}});
  EXPECT_EQ(all.size(), 1U + 4 + 2800 + 1);
  EXPECT_EQ(all.back().at("summary").at("entries"), 2804);
  EXPECT_EQ(all.back().at("summary").at("truncated"), false);
}

}  // namespace
}  // namespace cairn
