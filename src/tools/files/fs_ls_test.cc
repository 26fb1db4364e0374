#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using tools_testing::all_pages;
using tools_testing::column;
using tools_testing::Says;
using tools_testing::text;

class FsLsTest : public tools_testing::ToolTest {
 protected:
  // Names of files in one directory, in order.
  std::vector<std::string> fill(std::size_t count, const std::string& name) {
    std::vector<std::pair<std::string, std::string>> files;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
      names.push_back(fmt::format("{:04}{}", i, name));
      files.emplace_back("d/" + names.back(), "");
    }
    put_all(files);
    return names;
  }
  std::vector<json::Object> pages(std::int64_t limit) {
    return all_pages({{"nodeKey", depot_}, {"path", "d"}, {"limit", limit}},
                     [&](const json::Object& arguments) { return call("fs_ls", arguments); });
  }
};

TEST_F(FsLsTest, PagesTogetherAreTheDirectoryEachChildOnce) {
  const auto names = fill(250, ".txt");
  const auto found = pages(100);
  ASSERT_EQ(found.size(), 3U);
  std::vector<std::string> shown;
  for (const auto& page : found) {
    EXPECT_EQ(page.at("total"), 250);
    for (const auto& child : page.at("children").get_array()) {
      EXPECT_EQ(child.at("index"), shown.size());
      shown.emplace_back(json::text(child.at("name")));
    }
  }
  EXPECT_EQ(shown, names);
}

TEST_F(FsLsTest, AHundredChildrenAreAPageUnlessMoreAreAskedFor) {
  fill(150, "");
  const auto page = call("fs_ls", {{"nodeKey", depot_}, {"path", "d"}});
  EXPECT_EQ(page.at("children").get_array().size(), 100U);
  EXPECT_TRUE(page.at("nextCursor").is_string());
  EXPECT_EQ(pages(150).size(), 1U);
  for (const std::int64_t limit : {0, 1001}) {
    EXPECT_THAT(refused("fs_ls", {{"nodeKey", depot_}, {"limit", limit}}),
                Says(Code::kInvalidArgument, "limit"));
  }
}

TEST_F(FsLsTest, APageIsShorterThanAskedForWhenTheAnswerIsFull) {
  const auto names = fill(600, std::string(200, 'n'));
  const auto found = pages(1000);
  EXPECT_GT(found.size(), 1U);
  std::vector<std::string> shown;
  for (const auto& page : found) {
    for (auto& name : column(page, "children", "name")) shown.push_back(std::move(name));
  }
  EXPECT_EQ(shown, names);
}

TEST_F(FsLsTest, AProgramGetsAThousandAndAnAgentAsMuchAsFits) {
  fill(1200, "x");
  const json::Object arguments{{"nodeKey", depot_}, {"path", "d"}, {"limit", 1000}};
  const auto program = call(owner_.entering(Entrance::kRest), "fs_ls", arguments);
  EXPECT_EQ(program.at("children").get_array().size(), 1000U);
  const auto agent = json::write(json::Value(call("fs_ls", arguments)));
  EXPECT_GT(agent.size(), 59'000U);
  EXPECT_LT(agent.size(), 61'000U);
}

TEST_F(FsLsTest, ACursorIsGoodForTheNextPageOfWhatIsThereThen) {
  fill(4, "");
  const auto first = call("fs_ls", {{"nodeKey", depot_}, {"path", "d"}, {"limit", 2}});
  put("d/0001x", "");
  commit(text(call("fs_rm", {{"nodeKey", depot_}, {"path", "d/0001"}}), "newRoot"));
  const auto second =
      call("fs_ls",
           {{"nodeKey", depot_}, {"path", "d"}, {"limit", 2}, {"cursor", first.at("nextCursor")}});
  EXPECT_THAT(column(second, "children", "name"), testing::ElementsAre("0001x", "0002"));
  EXPECT_THAT(refused("fs_ls", {{"nodeKey", depot_}, {"cursor", "made up"}}),
              Says(Code::kInvalidCursor, "'made up'"));
}

TEST_F(FsLsTest, ARowSaysWhatAFileOrDirectoryIs) {
  put_all({{"a.txt", "12345"}, {"d/x", ""}, {"d/y", ""}});
  const auto rows = call("fs_ls", {{"nodeKey", depot_}}).at("children").as_array();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("type"), "file");
  EXPECT_EQ(rows[0].at("size"), 5);
  EXPECT_EQ(rows[0].at("contentType"), "text/plain");
  EXPECT_EQ(rows[1].at("type"), "dir");
  EXPECT_EQ(rows[1].at("childCount"), 2);
}

TEST_F(FsLsTest, KeysAreShortForAgentsAndWholeForPrograms) {
  put("a.txt", "1");
  const auto key = [&](Entrance entrance) {
    const auto page = call(owner_.entering(entrance), "fs_ls", {{"nodeKey", depot_}});
    return column(page, "children", "key").front();
  };
  EXPECT_EQ(key(Entrance::kRest).size(), 4 + NodeKey::kDigits);
  EXPECT_LT(key(Entrance::kMcp).size(), key(Entrance::kRest).size());
  EXPECT_TRUE(key(Entrance::kRest).starts_with(key(Entrance::kMcp)));
}

TEST_F(FsLsTest, AFileHasNoChildren) {
  put("a.txt", "1");
  EXPECT_THAT(refused("fs_ls", {{"nodeKey", depot_}, {"path", "a.txt"}}),
              Says(Code::kNotADirectory, "'a.txt' is a file"));
}

}  // namespace
}  // namespace cairn
