#include "tools/workspace/workspace_testing.h"

namespace cairn::work {
namespace {

using testing::HasSubstr;

class ListToolsTest : public DirectoryTest {};

TEST_F(ListToolsTest, FilesAndDirectoriesAreMarked) {
  put("a.txt", "1");
  put("d/x", "");
  const auto list = told("list_directory", {{"path", "."}});
  EXPECT_THAT(list, HasSubstr("[FILE] a.txt"));
  EXPECT_THAT(list, HasSubstr("[DIR] d"));
  EXPECT_THAT(list, testing::Not(HasSubstr("x\n")));
}

TEST_F(ListToolsTest, AListLongerThanAnAnswerIsCutAndSaysWhatIsLeftOut) {
  for (int i = 0; i < 100; ++i) put(fmt::format("file-number-{:03}", i), "12345");
  const auto small = box({.directories = {root_.string()}, .answer_bytes = 1000});
  for (const auto* tool : {"list_directory", "list_directory_with_sizes"}) {
    const auto cut = run(small, tool, {{"path", "."}});
    ASSERT_TRUE(cut) << tool;
    EXPECT_THAT(notes(*cut), HasSubstr("of 100 entries are shown; search_files")) << tool;
    EXPECT_LT(json::text(cut->at("content")).size(), 2500U) << tool;
    const auto whole = run(tool, {{"path", "."}});
    ASSERT_TRUE(whole) << tool;
    EXPECT_EQ(notes(*whole), "") << tool;
  }
}

TEST_F(ListToolsTest, SumsAreOfAllThoughNotAllAreShown) {
  for (int i = 0; i < 100; ++i) put(fmt::format("file-number-{:03}", i), std::string(1024, 'x'));
  put("d/x", "");
  const auto small = box({.directories = {root_.string()}, .answer_bytes = 1000});
  const auto cut = run(small, "list_directory_with_sizes", {{"path", "."}});
  ASSERT_TRUE(cut);
  EXPECT_THAT(json::text(cut->at("content")),
              HasSubstr("Total: 100 files, 1 directories\nCombined size: 100.00 KB"));
}

TEST_F(ListToolsTest, TheLargestComeFirstWhenAsked) {
  put("a", "1");
  put("b", "333");
  put("c", "22");
  const auto list = told("list_directory_with_sizes", {{"path", "."}, {"sortBy", "size"}});
  EXPECT_LT(list.find("[FILE] b"), list.find("[FILE] c"));
  EXPECT_LT(list.find("[FILE] c"), list.find("[FILE] a"));
  EXPECT_THAT(told("list_directory_with_sizes", {{"path", "."}, {"sortBy", "age"}}),
              HasSubstr("sortBy"));
}

TEST_F(ListToolsTest, WhatIsNoDirectoryIsNotListed) {
  put("a.txt", "1");
  EXPECT_EQ(run("list_directory", {{"path", "a.txt"}}).error().code, Code::kNotADirectory);
  EXPECT_EQ(run("list_directory", {{"path", "nothing"}}).error().code, Code::kPathNotFound);
}

TEST_F(ListToolsTest, ALinkThatLeadsOutTellsNothingOfWhereItLeads) {
  put("in/a", "1");
  put("out/large", std::string(5000, 'x'));
  std::filesystem::create_symlink(root_ / "out/large", root_ / "in/link");
  const auto inside = box({.directories = {(root_ / "in").string()}});
  const auto list = run(inside, "list_directory_with_sizes", {{"path", "."}});
  ASSERT_TRUE(list);
  EXPECT_THAT(json::text(list->at("content")), HasSubstr("link"));
  EXPECT_THAT(json::text(list->at("content")), testing::Not(HasSubstr("4.88 KB")));
  EXPECT_FALSE(run(inside, "get_file_info", {{"path", "link"}}));
}

TEST_F(ListToolsTest, TheDirectoriesThatAreAllowedAreNamed) {
  EXPECT_EQ(told("list_allowed_directories", {}),
            "Allowed directories:\n" + std::filesystem::canonical(root_).string());
}

}  // namespace
}  // namespace cairn::work
