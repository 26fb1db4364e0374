// What a caller has read is what its write is held against.

#include "tools/files/known.h"

#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

const std::string kLines = "1\n2\n3\n4\n5\n6\n7\n";

class KnownTest : public tools_testing::ToolTest {
 protected:
  KnownTest() : ann_(delegate({{"name", "ann"}, {"canUpload", true}})) { put("a.txt", kLines); }

  json::Object read(const Caller& who, std::string_view path, std::string_view node = {}) {
    return call(who, "fs_read", {{"nodeKey", node.empty() ? depot_ : node}, {"path", path}});
  }
  static json::Object writes(std::string_view node, std::string_view path,
                             std::string_view content) {
    return {{"nodeKey", node}, {"path", path}, {"content", content}};
  }
  json::Object write_as(const Caller& who, std::string_view path, std::string_view content,
                        std::string_view node = {}) {
    return call(who, "fs_write", writes(node.empty() ? depot_ : node, path, content));
  }
  void commit_as(const Caller& who, const json::Object& made) {
    call(who, "depot_commit", {{"depotId", depot_}, {"root", made.at("newRoot")}});
  }

  Caller ann_;
};

TEST_F(KnownTest, TheLineOfAnotherIsNotOverwritten) {
  read(ann_, "a.txt");
  put("a.txt", "1\n2\nthree\n4\n5\n6\n7\n");
  const auto made = write_as(ann_, "a.txt", "1\n2\n3\n4\n5\n6\nseven\n");
  EXPECT_TRUE(is_true(made, "merged"));
  EXPECT_THAT(text(made, "note"), HasSubstr("merged in"));
  commit_as(ann_, made);
  EXPECT_EQ(content("a.txt"), "1\n2\nthree\n4\n5\n6\nseven\n");
}

TEST_F(KnownTest, WhatWasMergedIsStillNotKnown) {
  read(ann_, "a.txt");
  put("a.txt", "1\n2\nthree\n4\n5\n6\n7\n");
  commit_as(ann_, write_as(ann_, "a.txt", "1\n2\n3\n4\n5\n6\nseven\n"));
  // Goes on from its own text, without having read what became of it.
  commit_as(ann_, write_as(ann_, "a.txt", "one\n2\n3\n4\n5\n6\nseven\n"));
  EXPECT_EQ(content("a.txt"), "one\n2\nthree\n4\n5\n6\nseven\n");
}

TEST_F(KnownTest, WhatDoesNotFitIsRefusedWithTheLinesAndReadingAgainHelps) {
  read(ann_, "a.txt");
  put("a.txt", "1\n2\ntheirs\n4\n5\n6\n7\n");
  const auto mine = writes(depot_, "a.txt", "1\n2\nmine\n4\n5\n6\n7\n");
  const auto error = refused(ann_, "fs_write", mine);
  EXPECT_THAT(error, Says(Code::kConflict, "others have changed 'a.txt' since you read it"));
  EXPECT_THAT(error.message, HasSubstr("theirs, line 3\ntheirs\n||||||| base, line 3\n3\n"));
  EXPECT_THAT(error.message, Not(HasSubstr("force")));
  EXPECT_THAT(std::get<std::vector<std::string>>(error.details.at("paths")), ElementsAre("a.txt"));
  EXPECT_EQ(std::get<std::string>(error.details.at("currentKey")),
            text(read(ann_, "a.txt"), "key"));
  commit_as(ann_, call(ann_, "fs_write", mine));
  EXPECT_EQ(content("a.txt"), "1\n2\nmine\n4\n5\n6\n7\n");
}

// The chain that the tools ask for: every write on the newRoot before.
TEST_F(KnownTest, ItHoldsForARootThatWasMadeFromTheDepotSinceToo) {
  put("b.txt", kLines);
  read(ann_, "b.txt");
  put("b.txt", "1\n2\nthree\n4\n5\n6\n7\n");
  const auto first = text(write_as(ann_, "new.txt", "x"), "newRoot");
  const auto made = write_as(ann_, "b.txt", "1\n2\n3\n4\n5\n6\nseven\n", first);
  EXPECT_TRUE(is_true(made, "merged"));
  commit_as(ann_, made);
  EXPECT_EQ(content("b.txt"), "1\n2\nthree\n4\n5\n6\nseven\n");
}

TEST_F(KnownTest, ACallerKnowsWhatItWrote) {
  read(ann_, "a.txt");
  const auto one = write_as(ann_, "a.txt", "1\n");
  const auto two = write_as(ann_, "a.txt", "2\n", text(one, "newRoot"));
  EXPECT_FALSE(two.contains("note"));
  EXPECT_FALSE(two.contains("merged"));
  // It began again: what it wrote before was never committed.
  const auto again = write_as(ann_, "a.txt", "3\n");
  EXPECT_FALSE(again.contains("note"));
  commit_as(ann_, again);
  EXPECT_FALSE(write_as(ann_, "a.txt", "4\n").contains("note"));
}

TEST_F(KnownTest, WhatItCommittedIsWhatItIsHeldAgainst) {
  commit_as(ann_, write_as(ann_, "b.txt", "1\n", text(write_as(ann_, "c", ""), "newRoot")));
  put("b.txt", "others\n");
  EXPECT_EQ(refused(ann_, "fs_write", writes(depot_, "b.txt", "2\n")).code, Code::kConflict);
  commit_as(ann_, write_as(ann_, "d", ""));
  EXPECT_EQ(content("b.txt"), "others\n");
}

TEST_F(KnownTest, ARevertByAnotherIsAChangeToo) {
  const auto before = root();
  read(ann_, "a.txt");
  commit_as(ann_, write_as(ann_, "a.txt", "ann's\n"));
  call("depot_revert", {{"depotId", depot_}, {"root", before}});
  EXPECT_EQ(refused(ann_, "fs_write", writes(depot_, "a.txt", "ann's, more\n")).code,
            Code::kConflict);
}

TEST_F(KnownTest, AFileThatWasNotReadIsOverwrittenAndNamed) {
  const auto key = text(read(owner_, "a.txt"), "key");
  const auto made = write_as(ann_, "a.txt", "x\n");
  EXPECT_THAT(text(made, "note"), HasSubstr("which you had not read"));
  EXPECT_THAT(text(made, "note"), HasSubstr(key.substr(0, 20)));
  EXPECT_FALSE(write_as(ann_, "new.txt", "x\n").contains("note"));
}

TEST_F(KnownTest, WhatWasMissingWhenItWasAskedForIsNotOverwritten) {
  refused(ann_, "fs_read", {{"nodeKey", depot_}, {"path", "new.txt"}});
  put("new.txt", "theirs\n");
  EXPECT_THAT(refused(ann_, "fs_write", writes(depot_, "new.txt", "mine\n")),
              Says(Code::kConflict, "others have made 'new.txt'"));
  EXPECT_FALSE(is_true(write_as(ann_, "new.txt", "theirs\n"), "created"));
}

TEST_F(KnownTest, WhatOthersRemovedIsNotMadeAgainUnasked) {
  read(ann_, "a.txt");
  commit(text(call("fs_rm", {{"nodeKey", depot_}, {"path", "a.txt"}}), "newRoot"));
  EXPECT_THAT(refused(ann_, "fs_write", writes(depot_, "a.txt", "x\n")),
              Says(Code::kConflict, "others have removed 'a.txt'"));
}

TEST_F(KnownTest, APartOfAFileIsNotAllOfIt) {
  read(ann_, "a.txt");
  put("a.txt", "1\n2\nthree\n4\n5\n6\n7\n");
  call(ann_, "fs_read", {{"nodeKey", depot_}, {"path", "a.txt"}, {"startLine", 6}});
  EXPECT_TRUE(is_true(write_as(ann_, "a.txt", "1\n2\n3\n4\n5\n6\nseven\n"), "merged"));
  // Read on from the first line to the last, it is.
  call(ann_, "fs_read", {{"nodeKey", depot_}, {"path", "a.txt"}, {"startLine", 1}, {"endLine", 5}});
  call(ann_, "fs_read", {{"nodeKey", depot_}, {"path", "a.txt"}, {"startLine", 6}});
  EXPECT_FALSE(write_as(ann_, "a.txt", "all new\n").contains("merged"));
}

TEST_F(KnownTest, AnEditIsMadeOnWhatIsThere) {
  read(ann_, "a.txt");
  put("a.txt", "1\n2\nthree\n4\n5\n6\n7\n");
  const json::Array edits{json::Object{{"oldText", "7"}, {"newText", "seven"}}};
  const auto made =
      call(ann_, "fs_edit", {{"nodeKey", depot_}, {"path", "a.txt"}, {"edits", edits}});
  // It has seen an older one, so this is held against that.
  const auto over = write_as(ann_, "a.txt", "one\n2\n3\n4\n5\n6\nseven\n", text(made, "newRoot"));
  EXPECT_TRUE(is_true(over, "merged"));
  commit_as(ann_, over);
  EXPECT_EQ(content("a.txt"), "one\n2\nthree\n4\n5\n6\nseven\n");
}

TEST_F(KnownTest, NothingThatOthersChangedIsRemovedUnseen) {
  put_all({{"d/a", "1"}, {"d/b", "1"}});
  read(ann_, "d/a");
  put("d/a", "2");
  for (const auto* path : {"d/a", "d"}) {
    EXPECT_THAT(refused(ann_, "fs_rm", {{"nodeKey", depot_}, {"path", path}}),
                Says(Code::kConflict, "'d/a'"));
    EXPECT_THAT(refused(ann_, "fs_rewrite", {{"nodeKey", depot_}, {"deletes", json::Array{path}}}),
                Says(Code::kConflict, "'d/a'"));
  }
  read(ann_, "d/a");
  call(ann_, "fs_rm", {{"nodeKey", depot_}, {"path", "d"}});
}

TEST_F(KnownTest, AMovedFileTakesWhatOthersDidWithIt) {
  read(ann_, "a.txt");
  const auto moved = call(ann_, "fs_mv", {{"nodeKey", depot_}, {"from", "a.txt"}, {"to", "b.txt"}});
  EXPECT_FALSE(write_as(ann_, "b.txt", "x\n", text(moved, "newRoot")).contains("note"));
  put("a.txt", "theirs\n");
  EXPECT_EQ(
      refused(ann_, "depot_commit", {{"depotId", depot_}, {"root", moved.at("newRoot")}}).code,
      Code::kConflict);
}

TEST_F(KnownTest, MovingAFileIsNotReadingIt) {
  read(ann_, "a.txt");
  put("a.txt", "1\n2\nthree\n4\n5\n6\n7\n");
  const auto moved = call(ann_, "fs_mv", {{"nodeKey", depot_}, {"from", "a.txt"}, {"to", "b.txt"}});
  const auto mine = "1\n2\n3\n4\n5\n6\nseven\n";
  const auto both = "1\n2\nthree\n4\n5\n6\nseven\n";
  const auto there = text(write_as(ann_, "b.txt", mine, text(moved, "newRoot")), "newRoot");
  EXPECT_EQ(content_at(there, "b.txt"), both);
  EXPECT_EQ(content_at(text(write_as(ann_, "a.txt", mine), "newRoot"), "a.txt"), both);
  // Who moves what it never read is told so.
  const json::Object entries{{"c.txt", json::Object{{"from", "a.txt"}}}};
  const auto bob = delegate({{"name", "bob"}, {"canUpload", true}});
  const auto copied = call(bob, "fs_rewrite", {{"nodeKey", depot_}, {"entries", entries}});
  EXPECT_THAT(text(write_as(bob, "c.txt", "x\n", text(copied, "newRoot")), "note"),
              HasSubstr("not read"));
}

TEST_F(KnownTest, ADraftOfOnesOwnIsWhatTheDepotHadAndOnesOwn) {
  read(ann_, "a.txt");
  const auto draft = text(write_as(ann_, "a.txt", "one\n2\n3\n4\n5\n6\n7\n"), "newRoot");
  read(ann_, "a.txt", draft);
  EXPECT_FALSE(write_as(ann_, "a.txt", "one\n2\n3\n4\n5\n6\nseven\n").contains("merged"));
  put("a.txt", "1\n2\n3\nfour\n5\n6\n7\n");
  read(ann_, "a.txt", draft);
  const auto made = write_as(ann_, "a.txt", "one\n2\n3\n4\n5\n6\nseven\n");
  EXPECT_EQ(content_at(text(made, "newRoot"), "a.txt"), "one\n2\n3\nfour\n5\n6\nseven\n");
}

TEST_F(KnownTest, ADirectoryThatWasListedIsRemovedAsItWasThen) {
  put_all({{"d/a", "1"}, {"d/s/b", "1"}});
  const json::Object remove{{"nodeKey", depot_}, {"path", "d"}};
  call(ann_, "fs_ls", {{"nodeKey", depot_}, {"path", "d"}});
  put("d/s/new", "theirs");
  EXPECT_THAT(refused(ann_, "fs_rm", remove), Says(Code::kConflict, "'d/s/new'"));
  read(ann_, "d/s/new");
  const auto gone = call(ann_, "fs_rm", remove);
  EXPECT_EQ(gone.at("removed").at("files"), 3);
  put("d/a", "2");
  EXPECT_THAT(refused(ann_, "fs_rm", remove), Says(Code::kConflict, "'d/a'"));
  call(ann_, "fs_tree", {{"nodeKey", depot_}});
  call(ann_, "fs_rm", remove);
}

TEST_F(KnownTest, WhatOneCommittedOneselfSinceALookIsNoSurprise) {
  put("d/a", "1");
  call(ann_, "fs_ls", {{"nodeKey", depot_}, {"path", "d"}});
  commit_as(ann_, call(ann_, "fs_mv", {{"nodeKey", depot_}, {"from", "a.txt"}, {"to", "d/b"}}));
  call(ann_, "fs_rm", {{"nodeKey", depot_}, {"path", "d"}});
}

TEST_F(KnownTest, APartReadFirstIsNotAllOfIt) {
  call(ann_, "fs_read", {{"nodeKey", depot_}, {"path", "a.txt"}, {"startLine", 1}, {"endLine", 2}});
  EXPECT_THAT(text(write_as(ann_, "a.txt", "x\n"), "note"), HasSubstr("not read to the end"));
}

TEST_F(KnownTest, EachDeskIsHeldAgainstWhatItReadItself) {
  const auto one = ann_.at({.depot = {}, .name = "one"});
  const auto two = ann_.at({.depot = {}, .name = "two"});
  read(one, "a.txt");
  put("a.txt", "1\n2\nthree\n4\n5\n6\n7\n");
  read(two, "a.txt");
  EXPECT_TRUE(is_true(write_as(one, "a.txt", "1\n2\n3\n4\n5\n6\nseven\n"), "merged"));
  EXPECT_FALSE(write_as(two, "a.txt", "x\n").contains("merged"));
  // One that comes anew knows what the delegate knew.
  put("a.txt", "1\n2\nthree\n4\n5\n6\n7\n8\n");
  const auto three = ann_.at({.depot = {}, .name = "three"});
  EXPECT_EQ(refused(three, "fs_write", writes(depot_, "a.txt", "other\n")).code, Code::kConflict);
}

TEST_F(KnownTest, AnOlderVersionThatWasLookedAtDoesNotCountAsThePresent) {
  const auto old = root();
  put("a.txt", "1\n2\nthree\n4\n5\n6\n7\n");
  read(ann_, "a.txt");
  read(ann_, "a.txt", old);
  EXPECT_FALSE(write_as(ann_, "a.txt", "1\n2\nTHREE\n4\n5\n6\n7\n").contains("merged"));
  put("a.txt", "1\n2\nthree\n4\n5\n6\nseven\n");
  EXPECT_TRUE(is_true(write_as(ann_, "a.txt", "1\n2\nTHREE\n4\n5\n6\n7\n"), "merged"));
}

// Their roots are the same on the way, and what is known of one says nothing of the other.
TEST_F(KnownTest, TwoDepotsOfTheSameContentAreNotConfused) {
  for (const auto* title : {"one", "two"}) {
    const auto depot = text(call(owner_, "create_depot", {{"title", title}}), "depotId");
    const auto first = text(write_as(ann_, "b.txt", "b\n", depot), "newRoot");
    const auto made = write_as(ann_, "c.txt", "c\n", first);
    EXPECT_FALSE(made.contains("merged")) << title;
    call(ann_, "depot_commit", {{"depotId", depot}, {"root", made.at("newRoot")}});
  }
}

TEST_F(KnownTest, ProgramsAreNotRemembered) {
  const auto program = ann_.entering(Entrance::kRest);
  read(program, "a.txt");
  put("a.txt", "theirs\n");
  EXPECT_FALSE(write_as(program, "a.txt", "mine\n").contains("note"));
}

// ---- ifKey --------------------------------------------------------------------------------------

TEST_F(KnownTest, AKeyIsACondition) {
  const auto key = text(read(owner_, "a.txt"), "key");
  auto wanted = writes(depot_, "a.txt", "x\n");
  wanted["ifKey"] = key;
  call("fs_write", wanted);
  wanted["ifKey"] = key.substr(0, 20);
  call("fs_write", wanted);
  put("a.txt", "theirs\n");
  const auto error = refused("fs_write", wanted);
  EXPECT_THAT(error, Says(Code::kPreconditionFailed, "nothing was written"));
  EXPECT_EQ(std::get<std::string>(error.details.at("currentKey")),
            text(read(owner_, "a.txt"), "key"));
  for (const json::Object& more :
       {json::Object{{"path", "a.txt"}}, json::Object{{"from", "a.txt"}, {"to", "b"}}}) {
    auto arguments = more;
    arguments["nodeKey"] = depot_;
    arguments["ifKey"] = key;
    const auto* tool = more.contains("from") ? "fs_mv" : "fs_rm";
    EXPECT_EQ(refused(tool, arguments).code, Code::kPreconditionFailed);
    arguments["ifKey"] = "any";
    call(tool, arguments);
  }
}

TEST_F(KnownTest, NoneAndAnyAreConditionsToo) {
  auto wanted = writes(depot_, "new.txt", "x\n");
  wanted["ifKey"] = "any";
  EXPECT_THAT(refused("fs_write", wanted), Says(Code::kPreconditionFailed, "is not there"));
  wanted["ifKey"] = "none";
  commit(text(call("fs_write", wanted), "newRoot"));
  EXPECT_EQ(refused("fs_write", wanted).code, Code::kPreconditionFailed);
  wanted["ifKey"] = "nonsense";
  EXPECT_EQ(refused("fs_write", wanted).code, Code::kInvalidKey);
}

TEST_F(KnownTest, AKeyThatFitsNeedsNoReading) {
  read(ann_, "a.txt");
  put("a.txt", "theirs\n");
  auto wanted = writes(depot_, "a.txt", "mine\n");
  wanted["ifKey"] = text(read(owner_, "a.txt"), "key");
  EXPECT_FALSE(call(ann_, "fs_write", wanted).contains("merged"));
}

TEST_F(KnownTest, WhatOneRestructuredItselfIsNotAChangeOfOthers) {
  put("b.txt", "b\n");
  read(ann_, "a.txt");
  read(ann_, "b.txt");
  commit_as(ann_, call(ann_, "fs_rewrite",
                       {{"nodeKey", depot_},
                        {"entries", json::Object{{"a.txt", json::Object{{"from", "b.txt"}}}}},
                        {"deletes", json::Array{"b.txt"}}}));
  for (const char* path : {"a.txt", "b.txt"}) {
    const auto made = write_as(ann_, path, "new\n");
    EXPECT_FALSE(is_true(made, "merged")) << path;
    commit_as(ann_, made);
    EXPECT_EQ(content(path), "new\n");
  }
}

TEST_F(KnownTest, WhatComesBackUnreadIsNotDeleted) {
  // Ann has read what she made of it, and not what was there before.
  call(ann_, "fs_edit",
       {{"nodeKey", depot_},
        {"path", "a.txt"},
        {"edits", json::Array{json::Object{{"oldText", "3\n"}, {"newText", ""}}}}});
  commit_as(ann_, call(ann_, "fs_write", writes(depot_, "a.txt", "1\n")));
  read(ann_, "a.txt");
  call(ann_, "depot_undo", {{"depotId", depot_}});
  const json::Object remove{{"nodeKey", depot_}, {"path", "a.txt"}};
  EXPECT_THAT(refused(ann_, "fs_rm", remove),
              Says(Code::kConflict, "what you took back has changed 'a.txt'"));
  read(ann_, "a.txt");
  call(ann_, "fs_rm", remove);
}

TEST_F(KnownTest, WhoSawAPartBeforeItsEditHasSeenAPartAfterItsCommit) {
  call(ann_, "fs_read", {{"nodeKey", depot_}, {"path", "a.txt"}, {"startLine", 1}, {"endLine", 1}});
  commit_as(ann_,
            call(ann_, "fs_edit",
                 {{"nodeKey", depot_},
                  {"path", "a.txt"},
                  {"edits", json::Array{json::Object{{"oldText", "1\n"}, {"newText", "one\n"}}}}}));
  EXPECT_THAT(text(write_as(ann_, "a.txt", "one\n"), "note"), HasSubstr("not read"));
}

TEST_F(KnownTest, WhatOneTookBackItselfIsNotAChangeOfOthers) {
  for (const char* tool : {"depot_undo", "depot_revert"}) {
    SCOPED_TRACE(tool);
    put("a.txt", kLines);
    read(ann_, "a.txt");
    commit_as(ann_, write_as(ann_, "a.txt", "mine\n"));
    json::Object back{{"depotId", depot_}};
    if (std::string_view(tool) == "depot_revert") back["root"] = "~1";
    call(ann_, tool, back);
    EXPECT_EQ(content("a.txt"), kLines);
    const auto made = write_as(ann_, "a.txt", "again\n");
    EXPECT_FALSE(is_true(made, "merged"));
    commit_as(ann_, made);
    EXPECT_EQ(content("a.txt"), "again\n");
  }
}

}  // namespace
}  // namespace cairn
