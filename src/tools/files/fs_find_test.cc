#include <algorithm>
#include <iterator>

#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tools_testing::all_pages;
using tools_testing::column;
using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

class FsFindTest : public tools_testing::ToolTest {
 protected:
  json::Object find(json::Object arguments) {
    arguments["nodeKey"] = depot_;
    return call("fs_find", arguments);
  }
  std::vector<std::string> paths(const json::Object& arguments) {
    return column(find(arguments), "matches", "path");
  }
};

TEST_F(FsFindTest, ANameIsFoundAtAnyDepthAndAPathFromWhereTheSearchBegins) {
  put_all({{"a.ts", ""}, {"src/b.ts", ""}, {"src/deep/c.ts", ""}, {"src/deep/c.md", ""}});
  EXPECT_THAT(paths({{"pattern", "*.ts"}}), ElementsAre("a.ts", "src/b.ts", "src/deep/c.ts"));
  EXPECT_THAT(paths({{"pattern", "src/*.ts"}}), ElementsAre("src/b.ts"));
  EXPECT_THAT(paths({{"pattern", "deep/*"}, {"path", "src"}}),
              ElementsAre("src/deep/c.md", "src/deep/c.ts"));
}

TEST_F(FsFindTest, KindAndSizeNarrowWhatIsFound) {
  put_all({{"d/one", "1"}, {"d/three", "333"}, {"e/x", ""}});
  EXPECT_THAT(paths({{"pattern", "*"}, {"type", "dir"}}), ElementsAre("d", "e"));
  EXPECT_THAT(paths({{"pattern", "*"}, {"type", "file"}, {"minSize", 1}, {"maxSize", 2}}),
              ElementsAre("d/one"));
  EXPECT_THAT(refused("fs_find", {{"nodeKey", depot_}, {"pattern", "*"}, {"type", "link"}}),
              Says(Code::kInvalidArgument, "type"));
}

TEST_F(FsFindTest, WhatIsMoreThanAskedForIsSaidAndWhatIsExactlyThatIsNot) {
  std::vector<std::pair<std::string, std::string>> files;
  for (int i = 0; i < 10; ++i) files.emplace_back(fmt::format("f{}", i), "");
  put_all(files);
  const auto some = find({{"pattern", "f*"}, {"maxResults", 9}});
  EXPECT_TRUE(is_true(some, "truncated"));
  EXPECT_EQ(text(some, "stoppedBy"), "results");
  EXPECT_THAT(text(some, "hint"), HasSubstr("maxResults"));
  const auto all = find({{"pattern", "f*"}, {"maxResults", 10}});
  EXPECT_FALSE(is_true(all, "truncated"));
  EXPECT_FALSE(all.contains("hint"));
}

TEST_F(FsFindTest, AFullAnswerStopsTheSearchAndSaysSo) {
  std::vector<std::pair<std::string, std::string>> files;
  for (int i = 0; i < 600; ++i)
    files.emplace_back(fmt::format("{:04}{}", i, std::string(200, 'n')), "");
  put_all(files);
  const auto found = find({{"pattern", "*"}, {"maxResults", 10'000}});
  EXPECT_TRUE(is_true(found, "truncated"));
  EXPECT_EQ(text(found, "stoppedBy"), "bytes");
  EXPECT_GT(found.at("matches").get_array().size(), 100U);
}

TEST_F(FsFindTest, CursorsLeadAnAgentThroughAllOfItAndAProgramGetsItAtOnce) {
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::string> expected;
  for (int i = 0; i < 5001; ++i) files.emplace_back(fmt::format("d{}/{:04}.txt", i % 3, i), "");
  put_all(files);
  std::ranges::sort(files);
  for (const auto& [path, content] : files) expected.push_back(path);

  json::Object search{{"nodeKey", depot_}, {"pattern", "*.txt"}, {"maxResults", 10'000}};
  std::vector<std::string> found;
  const auto pages =
      all_pages(search, [&](const json::Object& arguments) { return call("fs_find", arguments); });
  for (const auto& page : pages)
    std::ranges::move(column(page, "matches", "path"), std::back_inserter(found));
  EXPECT_EQ(found, expected);
  EXPECT_THAT(text(pages.front(), "hint"), HasSubstr("60 KB"));
  EXPECT_GT(json::write(json::Value(pages.front())).size(), 59'000U);

  const auto program = owner_.entering(Entrance::kRest);
  EXPECT_EQ(column(call(program, "fs_find", search), "matches", "path"), expected);
  search.erase("maxResults");
  const auto answer = rows(program, "fs_find", search);
  found.clear();
  for (std::size_t i = 0; i + 1 < answer.size(); ++i) found.push_back(text(answer[i], "path"));
  EXPECT_EQ(found, expected);
  EXPECT_EQ(answer.back().at("summary").at("matches"), 5001);
  search["maxResults"] = 10;
  EXPECT_EQ(rows(program, "fs_find", search).back().at("summary").at("stoppedBy"), "results");
}

TEST_F(FsFindTest, NothingFoundIsAnAnswerAndNothingThereIsAnError) {
  put("a.txt", "");
  EXPECT_THAT(paths({{"pattern", "*.md"}}), testing::IsEmpty());
  EXPECT_THAT(refused("fs_find", {{"nodeKey", depot_}, {"pattern", "*"}, {"path", "no"}}),
              Says(Code::kPathNotFound, "'no'"));
}

TEST_F(FsFindTest, APatternThatIsNoneIsRefusedWithWhatIsWrong) {
  for (const auto* pattern : {"", "[a", "{a,b"}) {
    const auto error = refused("fs_find", {{"nodeKey", depot_}, {"pattern", pattern}});
    EXPECT_EQ(error.code, Code::kInvalidPattern) << pattern;
    EXPECT_THAT(error.message, HasSubstr("pattern")) << pattern;
  }
}

TEST_F(FsFindTest, ADelegateFindsWhatItSeesUnderItsOwnPaths) {
  put_all({{"docs/a.md", ""}, {"src/b.md", ""}});
  const auto found = call(writer_in("docs"), "fs_find", {{"nodeKey", depot_}, {"pattern", "*.md"}});
  EXPECT_THAT(column(found, "matches", "path"), ElementsAre("a.md"));
}

}  // namespace
}  // namespace cairn
