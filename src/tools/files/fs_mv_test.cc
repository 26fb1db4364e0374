// fs_mv and fs_cp: where things land, and that nothing is ever overwritten.
#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::Says;
using tools_testing::text;

class FsMvTest : public tools_testing::ToolTest {
 protected:
  json::Object arguments(std::string_view from, std::string_view to) {
    return {{"nodeKey", depot_}, {"from", from}, {"to", to}};
  }
};

TEST_F(FsMvTest, AMoveTakesAwayAndACopyDoesNot) {
  put("a.txt", "1");
  const auto moved = call("fs_mv", arguments("a.txt", "new/b.txt"));
  EXPECT_EQ(content_at(text(moved, "newRoot"), "new/b.txt"), "1");
  EXPECT_FALSE(exists(text(moved, "newRoot"), "a.txt"));
  const auto copied = call("fs_cp", arguments("a.txt", "new/b.txt"));
  EXPECT_EQ(content_at(text(copied, "newRoot"), "new/b.txt"), "1");
  EXPECT_EQ(content_at(text(copied, "newRoot"), "a.txt"), "1");
}

TEST_F(FsMvTest, OntoAFileIsRefusedAndBothStay) {
  put_all({{"a.txt", "1"}, {"b.txt", "2"}, {"d/x", ""}});
  for (const auto* how : {"fs_mv", "fs_cp"}) {
    for (const auto* from : {"a.txt", "d", "b.txt"}) {
      EXPECT_THAT(refused(how, arguments(from, "b.txt")),
                  Says(Code::kTargetExists, "'b.txt' already exists"))
          << how << from;
    }
  }
}

TEST_F(FsMvTest, OntoADirectoryItGoesIntoItUnlessItsNameIsTakenThere) {
  put_all({{"a.txt", "1"}, {"d/x", ""}, {"e/a.txt", "other"}});
  for (const auto* how : {"fs_mv", "fs_cp"}) {
    const auto done = call(how, arguments("a.txt", "d"));
    EXPECT_EQ(text(done, "to"), "d/a.txt") << how;
    EXPECT_EQ(content_at(text(done, "newRoot"), "d/a.txt"), "1");
    EXPECT_THAT(refused(how, arguments("a.txt", "e")), Says(Code::kTargetExists, "'e/a.txt'"));
  }
}

TEST_F(FsMvTest, ADirectoryIsCopiedIntoItselfButNeverMovedThere) {
  put("d/x", "1");
  EXPECT_THAT(refused("fs_mv", arguments("d", "d/e")), Says(Code::kMoveIntoSelf, "'d'"));
  EXPECT_EQ(refused("fs_mv", arguments("d", "d")).code, Code::kMoveIntoSelf);
  const auto copied = call("fs_cp", arguments("d", "d/e"));
  EXPECT_EQ(content_at(text(copied, "newRoot"), "d/e/x"), "1");
  EXPECT_FALSE(exists(text(copied, "newRoot"), "d/e/e"));
}

TEST_F(FsMvTest, TheRootIsNeitherMovedNorCopied) {
  put("d/x", "1");
  EXPECT_THAT(refused("fs_mv", arguments("", "d")), Says(Code::kInvalidPath, "cannot be moved"));
  EXPECT_THAT(refused("fs_cp", arguments("", "d")), Says(Code::kInvalidPath, "cannot be copied"));
}

TEST_F(FsMvTest, AFileInTheWayOfTheTargetIsNamed) {
  put_all({{"a.txt", "1"}, {"f", "2"}});
  for (const auto* how : {"fs_mv", "fs_cp"}) {
    EXPECT_THAT(refused(how, arguments("a.txt", "f/b")), Says(Code::kNotADirectory, "f")) << how;
  }
  EXPECT_EQ(refused("fs_mv", arguments("a.txt", "a.txt/b")).code, Code::kNotADirectory);
  EXPECT_THAT(refused("fs_mv", arguments("b.txt", "c")), Says(Code::kPathNotFound, "a.txt"));
}

TEST_F(FsMvTest, ACopyStoresNoContentTwice) {
  put("d/large.bin", std::string(100'000, 'x'));
  const auto bytes = [&] { return call("get_usage", {}).at("logicalBytes").to_number<int>(); };
  const auto before = bytes();
  call("fs_cp", arguments("d", "e"));
  EXPECT_LT(bytes() - before, 2000);
}

class FsCpToAnotherDepotTest : public FsMvTest {
 protected:
  FsCpToAnotherDepotTest() {
    other_ = text(call("create_depot", {{"title", "other"}}), "depotId");
    put_all({{"src/a.ts", "a"}, {"src/b.ts", "b"}, {"secret", "s"}});
  }
  json::Object across(std::string_view from, std::string_view to) {
    auto out = arguments(from, to);
    out["toNodeKey"] = other_;
    return out;
  }
  void commit_to(std::string_view depot, std::string_view root) {
    call("depot_commit", {{"depotId", depot}, {"root", root}});
  }
  std::string other_;
};

TEST_F(FsCpToAnotherDepotTest, ACopyIsARootOfTheTargetAndCostsNothing) {
  const auto bytes = [&] { return call("get_usage", {}).at("logicalBytes").to_number<int>(); };
  const auto before = bytes();
  const auto copied = call("fs_cp", across("src", "new/code"));
  EXPECT_EQ(text(copied, "from"), "src");
  EXPECT_EQ(text(copied, "to"), "new/code");
  EXPECT_LT(bytes() - before, 1000);
  EXPECT_FALSE(exists(other_, "new")) << "until it is committed";
  commit_to(other_, text(copied, "newRoot"));
  EXPECT_EQ(content_at(other_, "new/code/a.ts"), "a");
  EXPECT_FALSE(exists(other_, "secret"));
  EXPECT_EQ(content("src/a.ts"), "a");
}

TEST_F(FsCpToAnotherDepotTest, AMoveHasTwoRootsAndTheTargetsIsCommittedFirst) {
  const auto moved = call("fs_mv", across("src/a.ts", "a.ts"));
  commit_to(other_, text(moved, "newRoot"));
  EXPECT_EQ(content_at(other_, "a.ts"), "a");
  EXPECT_EQ(content("src/a.ts"), "a") << "in both until the second commit";
  commit_to(depot_, text(moved, "sourceRoot"));
  EXPECT_FALSE(exists(depot_, "src/a.ts"));
  EXPECT_EQ(content("src/b.ts"), "b");
}

TEST_F(FsCpToAnotherDepotTest, WhatOthersCommitToTheTargetMeanwhileIsMerged) {
  const auto copied = call("fs_cp", across("src/a.ts", "a.ts"));
  const auto theirs = call("fs_write", {{"nodeKey", other_}, {"path", "b"}, {"content", "t"}});
  commit_to(other_, text(theirs, "newRoot"));
  commit_to(other_, text(copied, "newRoot"));
  EXPECT_EQ(content_at(other_, "a.ts"), "a");
  EXPECT_EQ(content_at(other_, "b"), "t");
}

TEST_F(FsCpToAnotherDepotTest, TheSameRulesHoldAsWithinADepot) {
  commit_to(other_, text(call("fs_cp", across("src/a.ts", "d/a.ts")), "newRoot"));
  for (const auto* how : {"fs_mv", "fs_cp"}) {
    EXPECT_THAT(refused(how, across("src/a.ts", "d/a.ts")), Says(Code::kTargetExists, "'d/a.ts'"));
    EXPECT_THAT(refused(how, across("src/a.ts", "d")), Says(Code::kTargetExists, "'d/a.ts'"));
    EXPECT_EQ(text(call(how, across("src/b.ts", "d")), "to"), "d/b.ts");
    EXPECT_EQ(refused(how, across("none", "x")).code, Code::kPathNotFound);
    EXPECT_EQ(refused(how, across("src/b.ts", "d/a.ts/x")).code, Code::kNotADirectory);
  }
  EXPECT_EQ(refused("fs_mv", across("", "x")).code, Code::kInvalidPath);
}

TEST_F(FsCpToAnotherDepotTest, TheWholeOfATreeOrAFileByItsKeyIsCopied) {
  const auto all = call("fs_cp", across("", "backup"));
  EXPECT_EQ(content_at(text(all, "newRoot"), "backup/src/b.ts"), "b");
  EXPECT_EQ(refused("fs_cp", across("", "")).code, Code::kInvalidPath);
  const auto stat = call(owner_.entering(Entrance::kRest), "fs_stat",
                         {{"nodeKey", depot_}, {"path", "src/a.ts"}});
  auto by_key = across("", "file.ts");
  by_key["nodeKey"] = text(stat, "key");
  EXPECT_EQ(content_at(text(call("fs_cp", by_key), "newRoot"), "file.ts"), "a");
  // Into a file nothing goes.
  auto into = across("src/a.ts", "x");
  into["toNodeKey"] = text(stat, "key");
  EXPECT_EQ(refused("fs_cp", into).code, Code::kNotADirectory);
}

TEST_F(FsCpToAnotherDepotTest, TheSameDepotAsTargetIsNoOtherDepot) {
  auto same = arguments("src", "src/x");
  same["toNodeKey"] = depot_;
  EXPECT_EQ(refused("fs_mv", same).code, Code::kMoveIntoSelf);
  same["to"] = "moved";
  const auto moved = call("fs_mv", same);
  EXPECT_FALSE(moved.contains("sourceRoot"));
  EXPECT_FALSE(exists(text(moved, "newRoot"), "src"));
}

TEST_F(FsCpToAnotherDepotTest, ADelegateCopiesOnlyWhatItSeesToWhereItMayWrite) {
  // Sees `src` of one depot and all of the other.
  const auto both =
      delegate({{"canUpload", true}, {"scope", json::Array{depot_ + "/src", other_}}});
  const auto copied = call(both, "fs_cp", across("a.ts", "a.ts"));
  call(both, "depot_commit", {{"depotId", other_}, {"root", text(copied, "newRoot")}});
  EXPECT_EQ(content_at(other_, "a.ts"), "a");
  EXPECT_EQ(refused(both, "fs_cp", across("secret", "x")).code, Code::kPathNotFound);
  EXPECT_EQ(refused(both, "fs_cp", across("../secret", "x")).code, Code::kInvalidPath);
  // Sees one of them only.
  const auto source = writer_in("src");
  for (const auto* how : {"fs_mv", "fs_cp"}) {
    EXPECT_THAT(refused(source, how, across("a.ts", "x")), Says(Code::kDepotNotFound, other_));
  }
  const auto target = delegate({{"canUpload", true}, {"scope", json::Array{other_}}});
  EXPECT_THAT(refused(target, "fs_cp", across("src/a.ts", "x")),
              Says(Code::kDepotNotFound, depot_));
  auto by_key = across("src/a.ts", "x");
  by_key["nodeKey"] = root();
  EXPECT_EQ(refused(target, "fs_cp", by_key).code, Code::kNodeNotAuthorized);
  EXPECT_EQ(refused(delegate({}), "fs_cp", across("src/a.ts", "x")).code, Code::kUploadNotAllowed);
}

}  // namespace
}  // namespace cairn
