#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

json::Object change(std::string_view from, std::string_view to) {
  return {{"oldText", from}, {"newText", to}};
}

class FsEditTest : public tools_testing::ToolTest {
 protected:
  json::Object arguments(const json::Array& edits, std::string_view path = "a.txt") {
    return {{"nodeKey", depot_}, {"path", path}, {"edits", edits}};
  }
};

TEST_F(FsEditTest, ItShowsWhatItDidAndLeavesTheDepotAlone) {
  put("a.txt", "one\ntwo\nthree\n");
  const auto done = call("fs_edit", arguments({change("two", "2")}));
  EXPECT_THAT(text(done, "diff"), HasSubstr("-two\n+2\n"));
  EXPECT_EQ(content_at(text(done, "newRoot"), "a.txt"), "one\n2\nthree\n");
  EXPECT_EQ(content("a.txt"), "one\ntwo\nthree\n");
}

TEST_F(FsEditTest, AllEditsAreMadeOrNone) {
  put("a.txt", "one\ntwo\n");
  const auto before = node_count();
  const auto error = refused("fs_edit", arguments({change("one", "1"), change("tow", "2")}));
  EXPECT_THAT(error, Says(Code::kEditNoMatch, "edit 2 of 2"));
  EXPECT_EQ(std::get<std::int64_t>(error.details.at("edit")), 2);
  EXPECT_EQ(node_count(), before);
  // Each works on what those before it made.
  const auto done = call("fs_edit", arguments({change("one", "1"), change("1\ntwo", "both")}));
  EXPECT_EQ(content_at(text(done, "newRoot"), "a.txt"), "both\n");
}

TEST_F(FsEditTest, TextThatOccursTwiceIsNotGuessedAt) {
  put("a.txt", "x\ny\nx\n");
  const auto error = refused("fs_edit", arguments({change("x", "z")}));
  EXPECT_THAT(error, Says(Code::kEditAmbiguous, "2 times, on lines 1, 3"));
  EXPECT_THAT(error, Says(Code::kEditAmbiguous, "replaceAll"));
  auto all = change("x", "z");
  all["replaceAll"] = true;
  const auto done = call("fs_edit", arguments({all}));
  EXPECT_EQ(json::write(done.at("replacements")), "[2]");
  EXPECT_EQ(content_at(text(done, "newRoot"), "a.txt"), "z\ny\nz\n");
}

TEST_F(FsEditTest, TextThatIsNotThereIsHeldAgainstTheNearest) {
  put("a.txt", "first\n    indented line\nlast\n");
  const auto error = refused("fs_edit", arguments({change("first\n  indented line", "x")}));
  EXPECT_THAT(error, Says(Code::kEditNoMatch, "only the indentation differs"));
  EXPECT_THAT(error, Says(Code::kEditNoMatch, "+     indented line"));
}

TEST_F(FsEditTest, AnEditThatSaysNothingIsRefused) {
  put("a.txt", "x\n");
  EXPECT_THAT(refused("fs_edit", arguments({change("", "y")})),
              Says(Code::kInvalidArgument, "old text is empty"));
  EXPECT_THAT(refused("fs_edit", arguments({change("x", "x")})),
              Says(Code::kInvalidArgument, "the same"));
}

TEST_F(FsEditTest, ADryRunShowsTheDiffAndStoresNothing) {
  put("a.txt", "one\n");
  const auto before = node_count();
  auto dry = arguments({change("one", "1")});
  dry["dryRun"] = true;
  const auto shown = call("fs_edit", dry);
  EXPECT_THAT(text(shown, "diff"), HasSubstr("+1"));
  EXPECT_TRUE(is_true(shown, "dryRun"));
  EXPECT_FALSE(shown.contains("newRoot"));
  EXPECT_EQ(node_count(), before);
}

TEST_F(FsEditTest, ALongDiffIsCutAtALineAndTheEditIsWhole) {
  std::string before;
  for (int i = 0; i < 4000; ++i) before += fmt::format("a line with x in it, number {}\n", i);
  put("a.txt", before);
  auto all = change("x in", "\"y\" in");
  all["replaceAll"] = true;
  const auto done = call("fs_edit", arguments({all}));
  EXPECT_TRUE(is_true(done, "truncated"));
  EXPECT_THAT(text(done, "hint"), HasSubstr("fs_read"));
  EXPECT_TRUE(text(done, "diff").ends_with('\n'));
  EXPECT_EQ(json::write(done.at("replacements")), "[4000]");
  const auto last =
      call("fs_read", {{"nodeKey", text(done, "newRoot")}, {"path", "a.txt"}, {"startLine", 4000}});
  EXPECT_EQ(text(last, "content"), "a line with \"y\" in it, number 3999\n");
}

TEST_F(FsEditTest, LineEndsStayAsTheyAre) {
  put("a.txt", "one\r\ntwo\r\n");
  const auto done = call("fs_edit", arguments({change("one\ntwo", "1\n2")}));
  EXPECT_EQ(content_at(text(done, "newRoot"), "a.txt"), "1\r\n2\r\n");
}

TEST_F(FsEditTest, WhatIsNoTextFileIsNotEdited) {
  put_all({{"a.bin", std::string("\0\1\2x", 4)}, {"d/a.txt", "x"}});
  EXPECT_THAT(refused("fs_edit", arguments({change("x", "y")}, "a.bin")),
              Says(Code::kNotText, "'a.bin'"));
  EXPECT_THAT(refused("fs_edit", arguments({change("x", "y")}, "d")), Says(Code::kNotAFile, "'d'"));
  EXPECT_THAT(refused("fs_edit", arguments({change("x", "y")}, "d/b.txt")),
              Says(Code::kPathNotFound, "a.txt"));
}

TEST_F(FsEditTest, MoreThanAHundredEditsAreRefusedAsAWhole) {
  put("a.txt", "x");
  const json::Array many(101, json::Value(change("x", "y")));
  EXPECT_THAT(refused("fs_edit", arguments(many)), Says(Code::kInvalidArgument, "100"));
}

TEST_F(FsEditTest, RefusesToDoNothing) {
  put("a.txt", "1");
  EXPECT_THAT(
      refused("fs_edit", {{"nodeKey", depot_}, {"path", "a.txt"}, {"edits", json::Array()}}),
      Says(Code::kInvalidArgument, "'edits' is empty"));
}

}  // namespace
}  // namespace cairn
