#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

class DepotCommitTest : public tools_testing::ToolTest {
 protected:
  json::Object arguments(std::string_view root, json::Object more = {}) {
    more["depotId"] = depot_;
    more["root"] = root;
    return more;
  }
};

TEST_F(DepotCommitTest, TheDepotIsAtTheRootAndTheHistoryHasTheOneBefore) {
  put("a", "1");
  const auto before = root();
  const auto mine = write("a", "2");
  const auto done = call("depot_commit", arguments(mine, {{"message", "why"}}));
  EXPECT_EQ(text(done, "root"), mine);
  EXPECT_EQ(root(), mine);
  EXPECT_TRUE(is_true(done, "changed"));
  EXPECT_FALSE(is_true(done, "merged"));
  EXPECT_EQ(json::text(done.at("history").at(0)), before);
}

TEST_F(DepotCommitTest, ADryRunSaysWhatWouldHappenAndTheDepotStays) {
  put_all({{"a", "1"}, {"b", "1"}});
  const auto mine = write("a", "mine");
  const auto clash = write("b", "mine");
  put("b", "theirs");
  const auto before = root();
  const auto would = call("depot_commit", arguments(mine, {{"dryRun", true}}));
  EXPECT_TRUE(is_true(would, "dryRun"));
  EXPECT_TRUE(is_true(would, "changed"));
  EXPECT_TRUE(is_true(would, "merged"));
  EXPECT_EQ(text(would, "root"), before);
  EXPECT_EQ(root(), before);
  EXPECT_EQ(refused("depot_commit", arguments(clash, {{"dryRun", true}})).code, Code::kConflict);
  EXPECT_EQ(refused("depot_commit", arguments(depot_)).message,
            fmt::format("'{}' is a depot id; a node key (nod_…) is wanted", depot_));
}

TEST_F(DepotCommitTest, TheSameRootAgainChangesNothing) {
  put("a", "1");
  EXPECT_FALSE(is_true(call("depot_commit", arguments(root())), "changed"));
}

TEST_F(DepotCommitTest, WhatOthersCommittedMeanwhileIsMergedInAndNamed) {
  put_all({{"a", "1"}, {"b", "1"}});
  const auto mine = write("a", "mine");
  put("b", "theirs");
  const auto done = call("depot_commit", arguments(mine));
  EXPECT_TRUE(is_true(done, "merged"));
  EXPECT_EQ(json::write(done.at("fromOthers")), R"(["b"])");
  EXPECT_EQ(content("a"), "mine");
  EXPECT_EQ(content("b"), "theirs");
}

TEST_F(DepotCommitTest, ManyPathsFromOthersAreCutAndCounted) {
  put("a", "1");
  const auto mine = write("a", "mine");
  std::vector<std::pair<std::string, std::string>> theirs;
  for (int i = 0; i < 600; ++i) {
    theirs.emplace_back(fmt::format("{:04}{}", i, std::string(200, 'n')), "");
  }
  put_all(theirs);
  const auto done = call("depot_commit", arguments(mine));
  const auto shown = done.at("fromOthers").get_array().size();
  EXPECT_LT(shown, 600U);
  EXPECT_THAT(text(done, "hint"), HasSubstr(fmt::format("{} more paths", 600 - shown)));
}

TEST_F(DepotCommitTest, ChangesThatDoNotFitAreAConflictThatNamesThePathsAndTheWayOut) {
  put_all({{"a", "1"}, {"b", "1"}});
  const auto mine = write("a", "mine", write("b", "mine"));
  put("a", "theirs");
  const auto error = refused("depot_commit", arguments(mine));
  EXPECT_THAT(error, Says(Code::kConflict, "'a'"));
  EXPECT_THAT(error, Says(Code::kConflict, "edit them there"));
  EXPECT_THAT(error.message, testing::Not(HasSubstr("force")));
  EXPECT_THAT(std::get<std::vector<std::string>>(error.details.at("paths")), ElementsAre("a"));
  EXPECT_EQ(std::get<std::string>(error.details.at("currentRoot")), root());
  EXPECT_EQ(content("a"), "theirs");
}

TEST_F(DepotCommitTest, AConflictIsPutRightInOneTurn) {
  put_all({{"a", "1\n2\n3\n4\n5\n"}, {"b", "1\n"}});
  const auto mine = write("a", "1\n2\nmine\n4\nfive\n", write("b", "mine\n"));
  put_all({{"a", "one\n2\ntheirs\n4\n5\n"}, {"c", "theirs\n"}});
  const auto error = refused("depot_commit", arguments(mine));
  EXPECT_THAT(error.message, HasSubstr("<<<<<<< theirs, line 3 of mergedRoot\ntheirs\n"
                                       "||||||| base, line 3\n3\n======= yours, line 3\nmine\n"));
  const auto& row = std::get<std::vector<DetailRow>>(error.details.at("conflicts")).front();
  EXPECT_EQ(std::get<std::string>(row.fields.at("path")), "a");
  EXPECT_EQ(std::get<std::vector<DetailRow>>(row.fields.at("hunks")).size(), 1U);
  const auto merged = std::get<std::string>(error.details.at("mergedRoot"));
  const json::Array edits{json::Object{{"oldText", "theirs\n"}, {"newText", "theirs, mine\n"}}};
  const auto edited = call("fs_edit", {{"nodeKey", merged}, {"path", "a"}, {"edits", edits}});
  const auto done = call("depot_commit", arguments(text(edited, "newRoot")));
  EXPECT_FALSE(is_true(done, "merged"));
  EXPECT_FALSE(done.contains("uncommitted"));
  EXPECT_EQ(content("a"), "one\n2\ntheirs, mine\n4\nfive\n");
  EXPECT_EQ(content("b"), "mine\n");
  EXPECT_EQ(content("c"), "theirs\n");
}

TEST_F(DepotCommitTest, ADelegateOfAPlaceIsGivenAMergedRootOfThatPlace) {
  put_all({{"docs/a", "1\n"}, {"docs/b", "1\n"}, {"secret", "1\n"}});
  const auto writer = writer_in("docs");
  const auto one =
      text(call(writer, "fs_write", {{"nodeKey", depot_}, {"path", "a"}, {"content", "mine\n"}}),
           "newRoot");
  const auto two =
      text(call(writer, "fs_write", {{"nodeKey", one}, {"path", "b"}, {"content", "mine\n"}}),
           "newRoot");
  put_all({{"docs/a", "theirs\n"}, {"secret", "2\n"}});
  const auto error = refused(writer, "depot_commit", arguments(two));
  EXPECT_THAT(error.message, testing::Not(HasSubstr("secret")));
  const auto merged = std::get<std::string>(error.details.at("mergedRoot"));
  const auto listed = call(writer, "fs_ls", {{"nodeKey", merged}});
  EXPECT_THAT(tools_testing::column(listed, "children", "name"), ElementsAre("a", "b"));
  call(writer, "depot_commit", arguments(merged));
  EXPECT_EQ(content("docs/b"), "mine\n");
  EXPECT_EQ(content("secret"), "2\n");
}

TEST_F(DepotCommitTest, ASecondRootFromTheSameDepotIsNamed) {
  put_all({{"a", "1"}, {"b", "1"}});
  const auto one = write("a", "2");
  const auto two = write("b", "2");
  const auto done = call("depot_commit", arguments(two));
  const auto& left = done.at("uncommitted").at(0).as_object();
  EXPECT_EQ(text(left, "root"), one);
  EXPECT_EQ(json::write(left.at("paths")), R"(["a"])");
  EXPECT_THAT(text(done, "hint"), HasSubstr("depot_commit each"));
  const auto both = call("depot_commit", arguments(one));
  EXPECT_TRUE(is_true(both, "merged"));
  EXPECT_FALSE(both.contains("uncommitted"));
  EXPECT_EQ(content("a") + content("b"), "22");
}

TEST_F(DepotCommitTest, NobodyIsToldOfAnothersRoots) {
  put_all({{"a", "1"}, {"b", "1"}});
  const auto ann = delegate({{"canUpload", true}});
  call(ann, "fs_write", {{"nodeKey", depot_}, {"path", "a"}, {"content", "ann's"}});
  EXPECT_FALSE(call("depot_commit", arguments(write("b", "2"))).contains("uncommitted"));
}

TEST_F(DepotCommitTest, ARootFromNowhereSaysWhatItTookThePlaceOf) {
  put("a", "1");
  const auto other = text(call("create_depot", {{"title", "other"}}), "depotId");
  const auto made =
      call("fs_write", {{"nodeKey", other}, {"path", "z"}, {"content", "1"}}).at("newRoot");
  const auto would = call("depot_commit", arguments(json::text(made), {{"dryRun", true}}));
  EXPECT_THAT(text(would, "hint"), HasSubstr("would take the place of all"));
  const auto done = call("depot_commit", arguments(json::text(made)));
  EXPECT_THAT(text(done, "hint"), HasSubstr("nobody knows what this root grew from"));
}

TEST_F(DepotCommitTest, ForceOverwritesAndTheHistoryStillHasWhatOthersDid) {
  put("a", "1");
  const auto mine = write("a", "mine");
  put("a", "theirs");
  const auto theirs = root();
  const auto done = call("depot_commit", arguments(mine, {{"force", true}}));
  EXPECT_EQ(content("a"), "mine");
  EXPECT_EQ(json::text(done.at("history").at(0)), theirs);
  EXPECT_EQ(content_at(theirs, "a"), "theirs");
}

TEST_F(DepotCommitTest, TheRootOneStartedFromCanBeSaid) {
  put("a", "1");
  const auto start = root();
  put("b", "theirs");
  const auto mine = write("a", "mine", start);
  const auto done = call("depot_commit", arguments(mine, {{"expectedRoot", start}}));
  EXPECT_TRUE(is_true(done, "merged"));
  EXPECT_EQ(content("b"), "theirs");
}

TEST_F(DepotCommitTest, AnExactCommitIsNeverMerged) {
  put_all({{"a", "1"}, {"b", "1"}});
  const auto start = root();
  const auto mine = write("a", "mine");
  put("b", "theirs");
  const json::Object exact{{"exact", true}, {"expectedRoot", start}};
  const auto error = refused("depot_commit", arguments(mine, exact));
  EXPECT_THAT(error, Says(Code::kPreconditionFailed, "nothing was committed"));
  EXPECT_EQ(std::get<std::string>(error.details.at("currentRoot")), root());
  const auto again = write("a", "mine");
  call("depot_commit", arguments(again, {{"exact", true}, {"expectedRoot", root()}}));
  EXPECT_EQ(root(), again);
}

TEST_F(DepotCommitTest, AnExactCommitNeedsARootAndTakesNoForce) {
  const auto mine = write("a", "1");
  EXPECT_THAT(refused("depot_commit", arguments(mine, {{"exact", true}})),
              Says(Code::kInvalidArgument, "needs the root"));
  EXPECT_THAT(
      refused("depot_commit",
              arguments(mine, {{"exact", true}, {"force", true}, {"expectedRoot", root()}})),
      Says(Code::kInvalidArgument, "choose one"));
}

TEST_F(DepotCommitTest, ARootThatIsNotStoredIsNotWhereTheDepotIs) {
  const auto mine = write("a", "1");
  const auto nowhere = NodeKey::of("nothing").render();
  EXPECT_THAT(
      refused("depot_commit", arguments(mine, {{"exact", true}, {"expectedRoot", nowhere}})),
      Says(Code::kPreconditionFailed, nowhere));
  EXPECT_EQ(refused("depot_commit", arguments(mine, {{"expectedRoot", nowhere}})).code,
            Code::kNodeNotFound);
  EXPECT_EQ(refused("depot_commit", arguments(nowhere)).code, Code::kNodeNotFound);
}

TEST_F(DepotCommitTest, AFileIsNoRoot) {
  put("a", "1");
  const auto file =
      call(owner_.entering(Entrance::kRest), "fs_stat", {{"nodeKey", depot_}, {"path", "a"}});
  EXPECT_THAT(refused("depot_commit", arguments(text(file, "key"))),
              Says(Code::kNotADirectory, text(file, "key")));
}

TEST_F(DepotCommitTest, ADelegateCommitsItsPlaceAndIsNotToldOfTheRest) {
  put_all({{"docs/a", "1"}, {"src/b", "1"}});
  const auto writer = writer_in("docs");
  const auto made =
      call(writer, "fs_write", {{"nodeKey", depot_}, {"path", "a"}, {"content", "mine"}});
  put("src/b", "theirs");
  const auto done = call(writer, "depot_commit", arguments(text(made, "newRoot")));
  EXPECT_FALSE(is_true(done, "merged"));
  EXPECT_EQ(text(done, "root"), text(made, "newRoot"));
  EXPECT_NE(text(done, "root"), root());
  EXPECT_EQ(content("docs/a"), "mine");
  EXPECT_EQ(content("src/b"), "theirs");
}

TEST_F(DepotCommitTest, ADelegateCommitsNoRootItMayNotName) {
  put_all({{"docs/a", "1"}, {"src/b", "1"}});
  EXPECT_THAT(refused(writer_in("docs"), "depot_commit", arguments(root())),
              Says(Code::kNodeNotAuthorized, root()));
  EXPECT_EQ(refused(delegate({}), "depot_commit", arguments(root())).code, Code::kUploadNotAllowed);
}

TEST_F(DepotCommitTest, WhatIsMadeOnTheDepotBeganThereWhoeverElseMadeThatRoot) {
  put_all({{"a.txt", "1"}, {"b.txt", "2"}});
  const auto ann = delegate({{"canUpload", true}});
  const auto bob = delegate({{"canUpload", true}});
  const json::Object without{{"nodeKey", depot_}, {"path", "a.txt"}};
  const auto same = text(call(ann, "fs_rm", without), "newRoot");
  ASSERT_EQ(text(call(bob, "fs_rm", without), "newRoot"), same);
  const auto done = call(bob, "depot_commit", {{"depotId", depot_}, {"root", same}});
  const auto mine = text(
      call(ann, "fs_write", {{"nodeKey", depot_}, {"path", "c.txt"}, {"content", "3"}}), "newRoot");
  call("depot_undo", {{"depotId", depot_}, {"change", done.at("change")}});
  call(ann, "depot_commit", {{"depotId", depot_}, {"root", mine}});
  EXPECT_TRUE(exists(depot_, "a.txt")) << "that it was brought back came later";
  EXPECT_TRUE(exists(depot_, "c.txt"));
}

TEST_F(DepotCommitTest, AnOldRootIsNotTheChangeOfWhoHasMadeItAgain) {
  put("a", "1");
  const auto old = root();
  put("b", "2");
  const auto now = root();
  const auto other = delegate({{"canUpload", true}});
  const auto again = text(call(other, "fs_rm", {{"nodeKey", depot_}, {"path", "b"}}), "newRoot");
  ASSERT_EQ(again, old);
  const json::Object wanted{{"depotId", depot_}, {"root", old}, {"expectedRoot", now}};
  // Found in the history by somebody who has no idea of what the other is about to do.
  EXPECT_THAT(refused("depot_commit", wanted), Says(Code::kConflict, "depot_revert"));
  EXPECT_EQ(content("b"), "2");
  call(other, "depot_commit", wanted);
  EXPECT_FALSE(exists(depot_, "b"));
}

}  // namespace
}  // namespace cairn
