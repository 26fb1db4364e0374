#include "tools/workspace/workspace_testing.h"

namespace cairn::work {
namespace {

using testing::HasSubstr;

class EditToolTest : public DirectoryTest {
 protected:
  static json::Object change(std::string_view from, std::string_view to) {
    return {{"oldText", from}, {"newText", to}};
  }
  static json::Object arguments(const json::Array& edits) {
    return {{"path", "a.txt"}, {"edits", edits}};
  }
};

TEST_F(EditToolTest, TheAnswerIsADiffOfWhatWasDone) {
  put("a.txt", "one\ntwo\nthree\n");
  const auto diff = told("edit_file", arguments({change("two", "2")}));
  EXPECT_THAT(diff, HasSubstr("```diff\n"));
  EXPECT_THAT(diff, HasSubstr("-two\n+2\n"));
  EXPECT_EQ(on_disk("a.txt"), "one\n2\nthree\n");
}

TEST_F(EditToolTest, AllEditsAreMadeOrNone) {
  put("a.txt", "one\ntwo\n");
  const auto done = run("edit_file", arguments({change("one", "1"), change("nothing", "2")}));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::kEditNoMatch);
  EXPECT_EQ(on_disk("a.txt"), "one\ntwo\n");
}

TEST_F(EditToolTest, ADryRunShowsTheSameDiffAndWritesNothing) {
  put("a.txt", "one\n");
  auto dry = arguments({change("one", "1")});
  dry["dryRun"] = true;
  const auto shown = told("edit_file", dry);
  EXPECT_EQ(on_disk("a.txt"), "one\n");
  EXPECT_EQ(told("edit_file", arguments({change("one", "1")})), shown);
  EXPECT_EQ(on_disk("a.txt"), "1\n");
}

TEST_F(EditToolTest, LinesThatDifferInIndentationOnlyAreFoundAndKeepTheirs) {
  put("a.txt", "if x:\n    one\n    two\n");
  EXPECT_TRUE(run("edit_file", arguments({change("  one\n  two", "  1\n  2")})));
  EXPECT_EQ(on_disk("a.txt"), "if x:\n    1\n    2\n");
}

TEST_F(EditToolTest, OfSeveralPlacesTheFirstIsChangedAndTheOthersAreCounted) {
  put("a.txt", "x\ny\nx\nx\n");
  const auto done = run("edit_file", arguments({change("x", "z")}));
  ASSERT_TRUE(done);
  EXPECT_THAT(notes(*done), HasSubstr("matched 3 times; the first, on line 1"));
  EXPECT_EQ(on_disk("a.txt"), "z\ny\nx\nx\n");
}

TEST_F(EditToolTest, ReplaceAllChangesEveryPlace) {
  put("a.txt", "x\ny x\nx\n");
  auto all = change("x", "zz");
  all["replaceAll"] = true;
  const auto done = run("edit_file", arguments({all}));
  ASSERT_TRUE(done);
  EXPECT_EQ(notes(*done), "");
  EXPECT_EQ(on_disk("a.txt"), "zz\ny zz\nzz\n");
}

TEST_F(EditToolTest, WhatAnEditDoesNotKnowIsRefusedAndNothingIsWritten) {
  put("a.txt", "x\nx\n");
  for (const auto* name : {"replace_all", "expected"}) {
    auto edit = change("x", "z");
    edit[name] = true;
    const auto done = run("edit_file", arguments({edit}));
    ASSERT_FALSE(done) << name;
    EXPECT_EQ(done.error().code, Code::kInvalidArgument);
    EXPECT_THAT(done.error().message, HasSubstr(name));
  }
  EXPECT_EQ(on_disk("a.txt"), "x\nx\n");
}

TEST_F(EditToolTest, ADiffWithFencesInItIsStillOneBlock) {
  put("a.txt", "```\ncode\n```\n");
  const auto diff = told("edit_file", arguments({change("code", "other")}));
  EXPECT_TRUE(diff.starts_with("````diff\n")) << diff;
}

TEST_F(EditToolTest, WhatIsNotTextIsNotEdited) {
  put("a.txt", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR x", 18));
  const auto before = on_disk("a.txt");
  const auto done = run("edit_file", arguments({change("x", "y")}));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::kNotText);
  EXPECT_EQ(on_disk("a.txt"), before);
}

TEST_F(EditToolTest, AFileThatIsNotThereIsNotMade) {
  const auto done = run("edit_file", arguments({change("x", "y")}));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::kPathNotFound);
  EXPECT_FALSE(std::filesystem::exists(root_ / "a.txt"));
}

}  // namespace
}  // namespace cairn::work
