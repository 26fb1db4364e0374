#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::Says;
using tools_testing::text;

class FsRmTest : public tools_testing::ToolTest {
 protected:
  json::Object arguments(std::string_view path) { return {{"nodeKey", depot_}, {"path", path}}; }
};

TEST_F(FsRmTest, WhatWasRemovedIsStillInTheHistory) {
  put_all({{"d/a.txt", "1"}, {"d/e/b.txt", "2"}, {"c.txt", "3"}});
  const auto before = root();
  const auto gone = call("fs_rm", arguments("d"));
  EXPECT_EQ(gone.at("removed").at("type"), "dir");
  EXPECT_TRUE(exists(depot_, "d/a.txt"));  // not committed yet
  commit(text(gone, "newRoot"));
  EXPECT_FALSE(exists(depot_, "d"));
  EXPECT_EQ(content("c.txt"), "3");
  EXPECT_EQ(content_at(before, "d/e/b.txt"), "2");
}

TEST_F(FsRmTest, TheKeyOfWhatWasRemovedBringsItBack) {
  put("a.txt", "1");
  const auto gone = call("fs_rm", arguments("a.txt"));
  const auto key = text(gone.at("removed").as_object(), "key");
  const auto back =
      call("fs_rewrite", {{"nodeKey", gone.at("newRoot")},
                          {"entries", json::Object{{"a.txt", json::Object{{"link", key}}}}}});
  EXPECT_EQ(text(back, "newRoot"), root());
}

TEST_F(FsRmTest, TheRootIsNotRemoved) {
  put("a.txt", "1");
  EXPECT_THAT(refused("fs_rm", arguments("")), Says(Code::kInvalidPath, "root itself"));
}

TEST_F(FsRmTest, WhatIsNotThereIsAnErrorWithTheNearestName) {
  put("notes.txt", "1");
  EXPECT_THAT(refused("fs_rm", arguments("note.txt")), Says(Code::kPathNotFound, "notes.txt"));
}

TEST_F(FsRmTest, ADelegateRemovesNothingOutsideOfWhatItSees) {
  put_all({{"docs/a", ""}, {"src/b", ""}});
  const auto writer = writer_in("docs");
  EXPECT_EQ(refused(writer, "fs_rm", arguments("src/b")).code, Code::kPathNotFound);
  EXPECT_EQ(refused(writer, "fs_rm", arguments("docs")).code, Code::kPathNotFound);
  EXPECT_EQ(refused(delegate({}), "fs_rm", arguments("src/b")).code, Code::kUploadNotAllowed);
}

}  // namespace
}  // namespace cairn
