// The seeds' workflows, call by call, with the fields their documents show.

#include <gtest/gtest.h>

#include "world.h"

namespace cairn::rest_testing {
namespace {

std::vector<std::string> names(const json::Object& object) {
  std::vector<std::string> out;
  for (const auto& member : object) out.emplace_back(member.key());
  return out;
}

using Names = std::vector<std::string>;

struct Project {
  World world;
  std::string depot = world.depot("my-project", {{"src/main.ts", "import { App } from './app';\n"},
                                                 {"src/core.ts", "core\n"},
                                                 {"src/utils/helper.ts", "helper\n"},
                                                 {"README.md", "# Hello\n"}});
  json::Object call(std::string_view tool, const json::Object& arguments) {
    return world.must(tool, world.owner, arguments);
  }
};

TEST(Workflow, BrowsesAProject) {
  Project project;
  auto listed = project.call("list_depots", {});
  EXPECT_EQ(names(listed), (Names{"depots", "nextCursor", "hasMore"}));
  EXPECT_EQ(names(listed.at("depots").get_array()[0].get_object()),
            (Names{"depotId", "title", "root", "createdAt", "updatedAt"}));
  auto root = project.call("fs_ls", {{"nodeKey", project.depot}});
  EXPECT_EQ(names(root), (Names{"path", "key", "children", "total", "nextCursor"}));
  const auto& children = root.at("children").get_array();
  EXPECT_EQ(names(children[0].get_object()),
            (Names{"name", "index", "type", "key", "size", "contentType"}));
  EXPECT_EQ(names(children[1].get_object()), (Names{"name", "index", "type", "key", "childCount"}));
  auto file = project.call("fs_read", {{"nodeKey", project.depot}, {"path", "src/main.ts"}});
  EXPECT_EQ(names(file), (Names{"path", "key", "size", "contentType", "content"}));
  EXPECT_EQ(text(file, "content"), "import { App } from './app';\n");
}

TEST(Workflow, ShowsTheTreeOfAProject) {
  Project project;
  auto tree = project.call("fs_tree", {{"nodeKey", project.depot}, {"depth", 1}});
  EXPECT_EQ(names(tree), (Names{"hash", "kind", "count", "truncated", "children"}));
  const auto& children = tree.at("children").get_object();
  EXPECT_EQ(names(children.at("README.md").get_object()), (Names{"hash", "kind", "type", "size"}));
  EXPECT_EQ(names(children.at("src").get_object()), (Names{"hash", "kind", "count", "collapsed"}));
  EXPECT_FALSE(tree.at("truncated").get_bool());
}

TEST(Workflow, ChangesOneFileAndCommits) {
  Project project;
  auto written = project.call(
      "fs_write",
      {{"nodeKey", project.depot}, {"path", "src/config.ts"}, {"content", "export {};\n"}});
  EXPECT_EQ(names(written), (Names{"newRoot", "file", "created"}));
  EXPECT_EQ(names(written.at("file").get_object()), (Names{"path", "key", "size", "contentType"}));
  EXPECT_TRUE(written.at("created").get_bool());
  auto done = project.call("depot_commit",
                           {{"depotId", project.depot}, {"root", text(written, "newRoot")}});
  EXPECT_EQ(text(done, "root"), text(written, "newRoot"));
  EXPECT_EQ(done.at("history").get_array().size(), 2U);
}

TEST(Workflow, ChainsEditsAndCommitsOnce) {
  Project project;
  auto root = project.depot;
  for (std::string path : {"src/a.ts", "src/b.ts", "src/c.ts"}) {
    root = text(project.call("fs_write", {{"nodeKey", root}, {"path", path}, {"content", path}}),
                "newRoot");
  }
  project.call("depot_commit", {{"depotId", project.depot}, {"root", root}});
  auto found = project.call("fs_find", {{"nodeKey", project.depot}, {"pattern", "src/?.ts"}});
  EXPECT_EQ(found.at("matches").get_array().size(), 3U);
}

TEST(Workflow, Restructures) {
  Project project;
  auto done =
      project.call("fs_rewrite",
                   {{"nodeKey", project.depot},
                    {"entries", json::Object{{"lib/core.ts", json::Object{{"from", "src/core.ts"}}},
                                             {"lib/utils", json::Object{{"from", "src/utils"}}}}},
                    {"deletes", json::Array{"src/core.ts", "src/utils"}}});
  EXPECT_EQ(names(done), (Names{"newRoot", "entriesApplied", "deleted"}));
  auto root = text(done, "newRoot");
  EXPECT_EQ(text(project.call("fs_read", {{"nodeKey", root}, {"path", "lib/utils/helper.ts"}}),
                 "content"),
            "helper\n");
  EXPECT_EQ(project.world
                .call("fs_stat", project.world.owner, {{"nodeKey", root}, {"path", "src/core.ts"}})
                .code,
            "PATH_NOT_FOUND");
}

TEST(Workflow, HandsALimitedPartToAnotherAgent) {
  Project project;
  auto made = project.call("create_delegate", {{"name", "code-review-bot"}, {"expiresIn", 7200}});
  EXPECT_EQ(names(made),
            (Names{"delegate", "accessToken", "accessTokenExpiresAt", "refreshToken"}));
  auto token = text(made, "accessToken");
  EXPECT_EQ(project.world.call("fs_ls", token, {{"nodeKey", project.depot}}).code, "ok");
  auto denied = project.world.call("fs_write", token,
                                   {{"nodeKey", project.depot}, {"path", "x"}, {"content", "x"}});
  EXPECT_EQ(denied.status, 403);
  EXPECT_EQ(denied.code, "UPLOAD_NOT_ALLOWED");
}

TEST(Workflow, SearchesAndEdits) {
  Project project;
  auto found = project.call(
      "fs_grep", {{"nodeKey", project.depot}, {"pattern", "hel+o"}, {"ignoreCase", true}});
  EXPECT_EQ(text(found.at("files").get_array()[0].get_object(), "path"), "README.md");
  auto edited = project.call(
      "fs_edit",
      {{"nodeKey", project.depot},
       {"path", "README.md"},
       {"edits", json::Array{json::Object{{"oldText", "Hello"}, {"newText", "World"}}}}});
  auto diff = project.call(
      "fs_diff", {{"from", project.depot}, {"to", text(edited, "newRoot")}, {"unified", true}});
  const auto& change = diff.at("changes").get_array()[0].get_object();
  EXPECT_EQ(text(change, "change"), "modified");
  EXPECT_NE(text(change, "diff").find("+# World"), std::string::npos);
}

TEST(Workflow, ReadsManyFilesEachWithItsOwnOutcome) {
  Project project;
  auto read = project.call("fs_read_many", {{"nodeKey", project.depot},
                                            {"paths", json::Array{"README.md", "none", "src"}}});
  const auto& files = read.at("files").get_array();
  EXPECT_EQ(text(files[0].get_object(), "content"), "# Hello\n");
  EXPECT_EQ(text(files[1].get_object(), "error"), "PATH_NOT_FOUND");
  EXPECT_EQ(text(files[2].get_object(), "error"), "NOT_A_FILE");
}

TEST(Workflow, GoesBack) {
  Project project;
  auto started = project.world.root(project.depot);
  auto root = text(project.call("fs_rm", {{"nodeKey", project.depot}, {"path", "src"}}), "newRoot");
  project.call("depot_commit", {{"depotId", project.depot}, {"root", root}, {"message", "oops"}});
  auto history = project.call("depot_history", {{"depotId", project.depot}});
  EXPECT_EQ(text(history.at("entries").get_array()[0].get_object(), "message"), "oops");
  project.call("depot_revert", {{"depotId", project.depot}, {"root", started}});
  EXPECT_EQ(project.world.root(project.depot), started);
}

TEST(Workflow, ReadsLongFilesWhole) {
  World world;
  std::string long_text;
  for (int i = 1; i <= 20'000; ++i) long_text += fmt::format("line {}\n", i);
  const auto depot = world.depot("long", {{"f.txt", long_text}});
  const auto read = world.must("fs_read", world.owner, {{"nodeKey", depot}, {"path", "f.txt"}});
  EXPECT_TRUE(text(read, "content") == long_text);
  EXPECT_FALSE(read.contains("truncated"));
}

}  // namespace
}  // namespace cairn::rest_testing
