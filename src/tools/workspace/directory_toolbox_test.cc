#include "tools/workspace/directory_toolbox.h"

#include "tools/workspace/workspace_testing.h"

namespace cairn::work {
namespace {

using testing::HasSubstr;

class DirectoryToolboxTest : public DirectoryTest {};

TEST_F(DirectoryToolboxTest, NothingOutsideOfTheDirectoriesIsReachedByPathOrLink) {
  put("in/a.txt", "1");
  put("out/secret.txt", "2");
  std::filesystem::create_symlink(root_ / "out/secret.txt", root_ / "in/link");
  const auto open = box({.directories = {(root_ / "in").string()}});
  for (const auto& path : {std::string("../out/secret.txt"), (root_ / "out/secret.txt").string(),
                           std::string("link"), std::string("x/../../out/secret.txt")}) {
    const auto read = run(open, "read_text_file", {{"path", path}});
    ASSERT_FALSE(read) << path;
    EXPECT_NE(read.error().message, "2");
    const auto written = run(open, "write_file", {{"path", path}, {"content", "x"}});
    EXPECT_FALSE(written) << path;
  }
  EXPECT_EQ(on_disk("out/secret.txt"), "2");
}

TEST_F(DirectoryToolboxTest, DirectoriesThatAreNamedHaveToBeThere) {
  const auto open =
      DirectoryToolbox::open({.directories = {(root_ / "nothing").string()}}, {}, clock_, random_);
  ASSERT_FALSE(open);
  EXPECT_THAT(open.error().message, HasSubstr("nothing"));
}

TEST_F(DirectoryToolboxTest, UntilTheClientsRootsAreKnownNothingIsDone) {
  put("a/x.txt", "1");
  const auto open = box({.fallback = (root_ / "fallback").string()});
  const auto asked = open->wants_roots();
  ASSERT_TRUE(asked);
  EXPECT_EQ(run(open, "list_directory", {{"path", "."}}).error().code, Code::kUnavailable);
  EXPECT_FALSE(std::filesystem::exists(root_ / "fallback"));
  ASSERT_TRUE(open->use_roots({(root_ / "a").string()}, *asked));
  EXPECT_FALSE(open->wants_roots());
  EXPECT_EQ(json::text(run(open, "read_text_file", {{"path", "x.txt"}}).value().at("content")),
            "1");
}

TEST_F(DirectoryToolboxTest, RootsThatChangedWhileTheyWereAskedForAreNotUsed) {
  put("a/x.txt", "1");
  put("b/y.txt", "2");
  const auto open = box({.fallback = (root_ / "fallback").string()});
  const auto asked = open->wants_roots().value();
  open->roots_changed();
  const auto late = open->use_roots({(root_ / "a").string()}, asked);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kUnavailable);
  ASSERT_TRUE(open->use_roots({(root_ / "b").string()}, open->wants_roots().value()));
  EXPECT_TRUE(run(open, "read_text_file", {{"path", "y.txt"}}));
  EXPECT_FALSE(run(open, "read_text_file", {{"path", "x.txt"}}));
}

TEST_F(DirectoryToolboxTest, AClientWithoutRootsGetsTheFallbackWhichIsMade) {
  for (const auto& roots : {std::vector<std::string>(), {(root_ / "nothing").string()}}) {
    const auto open = box({.fallback = (root_ / "fall/back").string()});
    ASSERT_TRUE(open->use_roots(roots, open->wants_roots().value()));
    EXPECT_TRUE(run(open, "write_file", {{"path", "a.txt"}, {"content", "1"}}));
    EXPECT_EQ(on_disk("fall/back/a.txt"), "1");
  }
}

TEST_F(DirectoryToolboxTest, DirectoriesThatWereNamedAreNotReplacedByTheClients) {
  put("a/x.txt", "1");
  const auto open = box({.directories = {(root_ / "a").string()}});
  EXPECT_FALSE(open->wants_roots());
  open->roots_changed();
  EXPECT_FALSE(open->wants_roots());
  EXPECT_THAT(open->introduction(), HasSubstr((root_ / "a").string()));
}

TEST_F(DirectoryToolboxTest, WhatIsReadOnlyIsNotWrittenTo) {
  put("a.txt", "1");
  const auto open = box({.directories = {root_.string()}, .read_only = true});
  for (const auto& [tool, arguments] :
       std::initializer_list<std::pair<std::string_view, json::Object>>{
           {"write_file", {{"path", "a.txt"}, {"content", "2"}}},
           {"delete_file", {{"path", "a.txt"}}},
           {"move_file", {{"source", "a.txt"}, {"destination", "b.txt"}}}}) {
    EXPECT_FALSE(run(open, tool, arguments)) << tool;
  }
  EXPECT_EQ(on_disk("a.txt"), "1");
}

TEST_F(DirectoryToolboxTest, ADirectoryHasNoHistoryToOffer) {
  const auto open = box();
  for (const auto* tool : open->offered()) {
    EXPECT_NE(tool->name, "undo");
    EXPECT_NE(tool->name, "history");
  }
  EXPECT_EQ(open->find("undo").error().code, Code::kToolNotFound);
}

TEST_F(DirectoryToolboxTest, NothingIsMovedOrCopiedOverSomething) {
  put("a.txt", "1");
  put("b.txt", "2");
  for (const auto* tool : {"move_file", "copy_file"}) {
    const auto done = run(tool, {{"source", "a.txt"}, {"destination", "b.txt"}});
    ASSERT_FALSE(done) << tool;
    EXPECT_EQ(done.error().code, Code::kTargetExists) << tool;
  }
  EXPECT_EQ(on_disk("a.txt"), "1");
  EXPECT_EQ(on_disk("b.txt"), "2");
}

TEST_F(DirectoryToolboxTest, ADirectoryWithSomethingInItIsDeletedOnlyWhenAllOfItIsMeant) {
  put("d/a.txt", "1");
  const auto refused = run("delete_file", {{"path", "d"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("recursive"));
  EXPECT_EQ(on_disk("d/a.txt"), "1");
  EXPECT_TRUE(run("delete_file", {{"path", "d"}, {"recursive", true}}));
  EXPECT_FALSE(std::filesystem::exists(root_ / "d"));
}

}  // namespace
}  // namespace cairn::work
