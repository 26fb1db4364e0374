#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

class FsWriteTest : public tools_testing::ToolTest {
 protected:
  json::Object arguments(std::string_view path, std::string_view content = "x") {
    return {{"nodeKey", depot_}, {"path", path}, {"content", content}};
  }
};

TEST_F(FsWriteTest, TheDepotIsAsItWasUntilTheNewRootIsCommitted) {
  put("a.txt", "old");
  const auto written = write("a.txt", "new");
  EXPECT_EQ(content("a.txt"), "old");
  EXPECT_EQ(content_at(written, "a.txt"), "new");
  commit(written);
  EXPECT_EQ(content("a.txt"), "new");
}

TEST_F(FsWriteTest, ItSaysWhetherSomethingWasOverwritten) {
  EXPECT_TRUE(is_true(call("fs_write", arguments("a.txt")), "created"));
  put("a.txt", "old");
  const auto before = root();
  EXPECT_FALSE(is_true(call("fs_write", arguments("a.txt")), "created"));
  EXPECT_EQ(content_at(before, "a.txt"), "old");
}

TEST_F(FsWriteTest, TheSameContentGivesTheSameRoot) {
  put("d/a.txt", "1");
  EXPECT_EQ(write("d/a.txt", "1"), root());
  EXPECT_EQ(write("d/b.txt", "2"), write("d/b.txt", "2"));
}

TEST_F(FsWriteTest, ADirectoryIsNeverReplacedByAFile) {
  put("d/a.txt", "1");
  EXPECT_THAT(refused("fs_write", arguments("d")), Says(Code::kNotAFile, "'d' is a directory"));
}

TEST_F(FsWriteTest, AFileIsNeverReplacedByADirectory) {
  put("a", "1");
  const auto error = refused("fs_write", arguments("a/b"));
  EXPECT_THAT(error, Says(Code::kNotADirectory, "a"));
  EXPECT_EQ(content("a"), "1");
}

TEST_F(FsWriteTest, WhatIsNoPathIsNamedWithWhatIsWrong) {
  const struct {
    std::string_view path;
    std::string_view said;
  } cases[] = {
      {"", "empty"},  {"/a", "starts with '/'"},    {"a/", "ends with '/'"}, {"a//b", "'a//b'"},
      {"..", "'..'"}, {"a/../../b", "'a/../../b'"}, {"a/./b", "'a/./b'"},    {"~7", "'~7'"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(refused("fs_write", arguments(c.path)), Says(Code::kInvalidPath, c.said)) << c.path;
  }
  const std::string long_name(256, 'n');
  EXPECT_THAT(refused("fs_write", arguments(long_name)), Says(Code::kInvalidPath, "255"));
}

TEST_F(FsWriteTest, ContentOverTheLimitIsRefusedWithItsSizeAndAnotherWay) {
  const std::string most(kMaxNodeBytes, 'x');
  EXPECT_EQ(call("fs_write", arguments("a.txt", most)).at("file").at("size"), kMaxNodeBytes);
  const auto error = refused("fs_write", arguments("a.txt", most + "x"));
  EXPECT_THAT(error, Says(Code::kFileTooLarge, "4194305 bytes"));
  EXPECT_THAT(error, Says(Code::kFileTooLarge, "REST"));
}

TEST_F(FsWriteTest, AContentTypeIsTakenAsItIsGivenOrRefused) {
  auto typed = arguments("a.txt");
  typed["contentType"] = "text/x-cairn";
  const auto file = call("fs_write", typed).at("file").as_object();
  EXPECT_EQ(text(file, "contentType"), "text/x-cairn");
  typed["contentType"] = "no type";
  EXPECT_THAT(refused("fs_write", typed), Says(Code::kInvalidArgument, "no type"));
}

TEST_F(FsWriteTest, WhoOnlyReadsWritesNothing) {
  const auto reader = delegate({{"name", "reader"}});
  EXPECT_THAT(refused(reader, "fs_write", arguments("a.txt")),
              Says(Code::kUploadNotAllowed, "canUpload"));
}

TEST_F(FsWriteTest, WhoSeesOneDirectoryWritesInItAndNowhereElse) {
  put("docs/a.txt", "1");
  put("src/b.txt", "2");
  const auto writer = writer_in("docs");
  const auto made = call(writer, "fs_write", arguments("a.txt", "mine"));
  call(writer, "depot_commit", {{"depotId", depot_}, {"root", made.at("newRoot")}});
  EXPECT_EQ(content("docs/a.txt"), "mine");
  EXPECT_EQ(content("src/b.txt"), "2");
  EXPECT_FALSE(exists(depot_, "a.txt"));
  // A root of the whole depot is not one it may build on.
  auto outside = arguments("a.txt");
  outside["nodeKey"] = root();
  EXPECT_THAT(refused(writer, "fs_write", outside), Says(Code::kNodeNotAuthorized, root()));
}

TEST_F(FsWriteTest, AMisspeltArgumentIsAnErrorThatNamesTheRightOne) {
  auto wrong = arguments("a.txt");
  wrong["contenttype"] = "text/plain";
  EXPECT_THAT(refused("fs_write", wrong), Says(Code::kInvalidArgument, "contentType"));
  EXPECT_THAT(refused("fs_write", {{"nodeKey", depot_}, {"path", "a"}}),
              Says(Code::kInvalidArgument, "content"));
}

}  // namespace
}  // namespace cairn
