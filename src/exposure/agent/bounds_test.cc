// Every answer to an agent has about 60 KB at most, and what it leaves out can be had as it says:
// files and directories.

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/agent/bounds_testing.h"

namespace cairn::agent_testing {
namespace {

using testing::HasSubstr;

// Reads a file as the hints say, and counts the calls.
std::string read_on(BoundsTest& test, const json::Object& first, int& calls) {
  static const std::regex kRest("startLine (\\d+)(?: and startByte (\\d+))?");
  auto arguments = first;
  std::string out;
  for (calls = 1; calls < 1000; ++calls) {
    const auto part = test.get("fs_read", arguments);
    out += text_of(part, "content");
    if (!part.contains("truncated")) return out;
    const auto hint = text_of(part, "hint");
    std::smatch match;
    EXPECT_TRUE(std::regex_search(hint, match, kRest)) << hint;
    arguments["startLine"] = std::stoll(match[1]);
    arguments.erase("startByte");
    if (match[2].matched) arguments["startByte"] = std::stoll(match[2]);
  }
  ADD_FAILURE() << "there is no end to it";
  return out;
}

TEST_F(BoundsTest, ALongFileIsReadInParts) {
  std::string text;
  while (text.size() < 1'000'000) text += "line \"" + std::to_string(text.size()) + "\"\t\\é\n";
  world.commit(depot, {{"long.txt", text}});
  int calls = 0;
  EXPECT_EQ(read_on(*this, {{"nodeKey", depot}, {"path", "long.txt"}}, calls), text);
  EXPECT_GT(calls, 16);
  EXPECT_LT(calls, 40);
}

TEST_F(BoundsTest, ALongLineIsReadInParts) {
  std::string text = "first\n";
  while (text.size() < 400'000) text += "{\"a\":\"\x01é\",";
  text += "\nlast\n";
  world.commit(depot, {{"min.js", text}});
  int calls = 0;
  EXPECT_EQ(read_on(*this, {{"nodeKey", depot}, {"path", "min.js"}}, calls), text);
  EXPECT_LT(calls, 30);
}

TEST_F(BoundsTest, ManyFilesAreReadInParts) {
  std::map<std::string, std::string> files;
  json::Array paths;
  for (int i = 0; i < 60; ++i) {
    const auto path = "f/" + std::to_string(i);
    files[path] = std::string(5'000, static_cast<char>('a' + i % 26)) + "\n";
    paths.emplace_back(path);
    paths.emplace_back("none/" + std::string(200, 'n') + std::to_string(i) + "/x");
  }
  paths.erase(paths.begin() + 100, paths.end());
  world.commit(depot, files);
  std::map<std::string, std::string> got;
  std::size_t failed = 0;
  for (int calls = 0; !paths.empty() && calls < 100; ++calls) {
    const auto answer = get("fs_read_many", {{"nodeKey", depot}, {"paths", paths}});
    const auto& entries = answer.at("files").get_array();
    ASSERT_FALSE(entries.empty());
    for (const auto& entry : entries) {
      const auto& file = entry.get_object();
      if (file.contains("error")) {
        ++failed;
      } else if (file.contains("truncated")) {
        int more = 0;
        got[text_of(file, "path")] =
            read_on(*this, {{"nodeKey", depot}, {"path", file.at("path")}}, more);
      } else {
        got[text_of(file, "path")] = text_of(file, "content");
      }
    }
    const auto left = paths.size() - entries.size();
    EXPECT_EQ(answer.contains("hint"), left > 0);
    if (left > 0) {
      EXPECT_TRUE(answer.at("truncated").get_bool());
      EXPECT_THAT(text_of(answer, "hint"), HasSubstr("the last " + std::to_string(left) + " of"));
    }
    paths.erase(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(entries.size()));
  }
  EXPECT_EQ(failed, 50U);
  EXPECT_EQ(got.size(), 50U);
  for (const auto& [path, content] : got) EXPECT_EQ(content, files[path]) << path;
}

TEST_F(BoundsTest, ALargeDirectoryIsListedInPages) {
  const auto root = many(10'000, "d", std::string(60, '"'));
  const auto names =
      pages("fs_ls", {{"nodeKey", root}, {"path", "d"}, {"limit", 1000}}, "children", "name");
  EXPECT_EQ(names.size(), 10'000U);
  EXPECT_EQ(as_set(names).size(), 10'000U);
  EXPECT_GT(largest, 40'000U);

  std::set<std::string> children;
  json::Object arguments{{"nodeKey", root}, {"navigation", "~0"}};
  for (int i = 0; i < 1000; ++i) {
    const auto page = get("node_metadata", arguments);
    EXPECT_EQ(page.at("childCount").to_number<int>(), 10'000);
    for (const auto& child : page.at("children").get_object()) children.insert(child.key());
    if (!page.at("nextCursor").is_string()) break;
    arguments["cursor"] = page.at("nextCursor");
  }
  EXPECT_EQ(children.size(), 10'000U);
}

TEST_F(BoundsTest, ATreeCollapsesWhatDoesNotFitAndShowsItByPath) {
  auto at = depot;
  for (int d = 0; d < 12; ++d) {
    json::Object entries;
    for (int k = 0; k < 90; ++k) {
      entries[name("t/d" + std::to_string(d), k, std::string(150, 'x'))] = {{"from", "seed"}};
    }
    at = text_of(world.must("fs_rewrite", {{"nodeKey", at}, {"entries", entries}}), "newRoot");
  }
  const auto tree =
      get("fs_tree", {{"nodeKey", at}, {"path", "t"}, {"depth", -1}, {"maxEntries", 100'000}});
  EXPECT_TRUE(tree.at("truncated").get_bool());
  EXPECT_GT(largest, 20'000U);
  std::size_t shown = 0;
  std::size_t collapsed = 0;
  for (const auto& child : tree.at("children").get_object()) {
    const auto& directory = child.value().get_object();
    if (directory.contains("children")) {
      shown += directory.at("children").get_object().size();
      continue;
    }
    EXPECT_TRUE(directory.at("collapsed").get_bool());
    ++collapsed;
    const auto path = "t/" + std::string(child.key());
    const auto below = get("fs_tree", {{"nodeKey", at}, {"path", path}});
    shown += below.at("children").get_object().size();
  }
  EXPECT_GT(collapsed, 0U);
  EXPECT_EQ(shown, 12U * 90U);
}

TEST_F(BoundsTest, ManyFindsAreNarrowedByPattern) {
  const auto root = many(2'000, "d", std::string(100, 'n'));
  const auto all = get("fs_find", {{"nodeKey", root}, {"pattern", "*n"}, {"maxResults", 10'000}});
  EXPECT_TRUE(all.at("truncated").get_bool());
  EXPECT_THAT(text_of(all, "hint"), HasSubstr("narrow the pattern"));
  EXPECT_GT(largest, 50'000U);
  std::size_t found = 0;
  for (int i = 0; i < 20; ++i) {
    const auto part = get(
        "fs_find",
        {{"nodeKey", root}, {"pattern", std::to_string(1000 + i) + "*"}, {"maxResults", 10'000}});
    EXPECT_FALSE(part.at("truncated").get_bool());
    found += part.at("matches").get_array().size();
  }
  EXPECT_EQ(found, 2'000U);
}

TEST_F(BoundsTest, ManyMatchesAreNarrowedByInclude) {
  const auto root = many(2'000, "d", std::string(100, 'n'));
  json::Object arguments{{"nodeKey", root}, {"pattern", "x"}, {"maxResults", 10'000}};
  const auto all = get("fs_grep", arguments);
  EXPECT_TRUE(all.at("truncated").get_bool());
  EXPECT_THAT(text_of(all, "hint"), HasSubstr("include"));
  EXPECT_GT(largest, 45'000U);
  std::size_t found = 0;
  for (int i = 0; i < 20; ++i) {
    arguments["include"] = json::Array{std::to_string(1000 + i) + "*"};
    const auto part = get("fs_grep", arguments);
    EXPECT_FALSE(part.at("truncated").get_bool());
    found += part.at("files").get_array().size();
  }
  EXPECT_EQ(found, 2'000U);
}

TEST_F(BoundsTest, AFileWithMoreMatchesThanItsShareShowsThemByItsPath) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "needle\n";
  world.commit(depot, {{"a", text}, {"b", "needle\n"}});
  json::Object arguments{{"nodeKey", depot}, {"pattern", "needle"}, {"maxResults", 1000}};
  const auto all = get("fs_grep", arguments);
  EXPECT_TRUE(all.at("truncated").get_bool());
  EXPECT_THAT(text_of(all, "hint"), HasSubstr("give one as path"));
  EXPECT_EQ(all.at("matches").to_number<int>(), 101);
  arguments["path"] = "a";
  const auto one = get("fs_grep", arguments);
  EXPECT_FALSE(one.at("truncated").get_bool());
  EXPECT_EQ(one.at("matches").to_number<int>(), 300);
}

TEST_F(BoundsTest, LongLinesAroundMatchesFitToo) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += std::string(480, '"') + (i % 10 == 0 ? "needle\n" : "\n");
  world.commit(depot, {{"lines", text}});
  const auto found = get("fs_grep", {{"nodeKey", depot}, {"pattern", "needle"}, {"context", 20}});
  EXPECT_TRUE(found.at("truncated").get_bool());
}

TEST_F(BoundsTest, AComparisonGoesOnByItsCursor) {
  const auto root = many(1'500, "d", std::string(100, 'n'));
  for (const bool unified : {false, true}) {
    const auto paths = pages(
        "fs_diff", {{"from", depot}, {"to", root}, {"unified", unified}, {"maxResults", 10'000}},
        "changes", "path");
    EXPECT_EQ(paths.size(), 1'500U);
    EXPECT_EQ(as_set(paths).size(), 1'500U);
    EXPECT_TRUE(std::ranges::is_sorted(paths));
  }
  EXPECT_EQ(
      pages("fs_diff", {{"from", depot}, {"to", root}, {"maxResults", 100}}, "changes", "path")
          .size(),
      1'500U);
}

TEST_F(BoundsTest, ALongDiffIsCutAndDoesNotHideTheOthers) {
  std::string text;
  while (text.size() < 200'000) text += "\"line\" " + std::to_string(text.size()) + "\n";
  const auto root = world.commit(depot, {{"a", text}, {"b", "b\n"}, {"c", text}});
  const auto first = text_of(world.must("depot_history", {{"depotId", depot}})
                                 .at("entries")
                                 .get_array()
                                 .back()
                                 .get_object(),
                             "root");
  json::Object arguments{{"from", first}, {"to", root}, {"unified", true}};
  std::map<std::string, bool> cut;
  for (int i = 0; i < 10; ++i) {
    const auto page = get("fs_diff", arguments);
    for (const auto& change : page.at("changes").get_array()) {
      cut[text_of(change.get_object(), "path")] = change.get_object().contains("cut");
      EXPECT_TRUE(change.get_object().contains("diff"));
    }
    if (!page.at("nextCursor").is_string()) break;
    arguments["cursor"] = page.at("nextCursor");
  }
  const std::map<std::string, bool> wanted{{"a", true}, {"b", false}, {"c", true}, {"seed", false}};
  EXPECT_EQ(cut, wanted);
}

}  // namespace
}  // namespace cairn::agent_testing
