#include "tools/workspace/depot_toolbox.h"

#include "tools/tools_testing.h"

namespace cairn::work {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using tools_testing::Says;

class DepotToolboxTest : public tools_testing::ToolTest {
 protected:
  using Box = std::shared_ptr<const DepotToolbox>;

  Box box(const Caller& caller, std::string_view desk = "desk", std::string_view where = {}) {
    return engine_->workspaces().open(caller, where.empty() ? depot_ : where, desk, {}).value();
  }
  Error no_box(const Caller& caller, std::string_view where) {
    auto open = engine_->workspaces().open(caller, where, "desk", {});
    EXPECT_FALSE(open) << where;
    return open ? Error(Code::kInternal, "") : std::move(open).error();
  }
  static Result<Reply> run(const Box& box, std::string_view tool, json::Object arguments) {
    return box->run(*TRY(box->find(tool)), std::move(arguments), {});
  }
  // The content and the notes of an answer, or the error.
  static std::string told(const Box& box, std::string_view tool, const json::Object& arguments) {
    const auto reply = run(box, tool, arguments);
    if (!reply) return reply.error().render();
    std::string out(json::text(reply->value.at("content")));
    if (const auto* notes = json::find(reply->value.get_object(), "notes")) {
      for (const auto& note : notes->get_array()) out += "\n" + std::string(json::text(note));
    }
    return out;
  }
  static json::Object edit(std::string_view path, std::string_view from, std::string_view to) {
    return {{"path", path},
            {"edits", json::Array{json::Object{{"oldText", from}, {"newText", to}}}}};
  }
};

TEST_F(DepotToolboxTest, ADepotIsFoundByIdByPathOrByATitleThatIsItsOwn) {
  put("docs/a.txt", "1");
  EXPECT_EQ(told(box(owner_), "read_text_file", {{"path", "docs/a.txt"}}), "1");
  EXPECT_EQ(told(box(owner_, "x", depot_ + "/docs"), "read_text_file", {{"path", "a.txt"}}), "1");
  call("create_depot", {{"title", "notes"}});
  EXPECT_TRUE(box(owner_, "x", "notes"));
  EXPECT_THAT(no_box(owner_, "nots"), Says(Code::kDepotNotFound, "notes"));
  // Titles are unique, but somebody may see several places of one depot.
  put("src/b.txt", "2");
  const auto two = delegate({{"scope", json::Array{depot_ + "/docs", depot_ + "/src"}}});
  const auto several = no_box(two, "d");
  EXPECT_THAT(several, Says(Code::kInvalidArgument, "several have the title 'd'"));
  EXPECT_THAT(several.message, HasSubstr(depot_ + "/src"));
}

TEST_F(DepotToolboxTest, WhatTheCallerMayNotSeeIsNotFound) {
  put_all({{"docs/a", "1"}, {"src/b", "2"}});
  const auto docs = writer_in("docs");
  EXPECT_EQ(no_box(another_user("carol"), depot_).code, Code::kDepotNotFound);
  EXPECT_EQ(no_box(another_user("dave"), "d").code, Code::kDepotNotFound);
  EXPECT_EQ(no_box(docs, depot_ + "/src").code, Code::kPathNotFound);
  const auto open = box(docs);
  EXPECT_THAT(told(open, "list_directory", {{"path", "."}}), "[FILE] a");
  EXPECT_EQ(run(open, "read_text_file", {{"path", "../src/b"}}).error().code, Code::kPathOutside);
}

TEST_F(DepotToolboxTest, ADirectoryOfADepotIsAllThatIsSeen) {
  put_all({{"docs/a", "1"}, {"src/b", "2"}});
  const auto open = box(owner_, "x", depot_ + "/docs");
  EXPECT_EQ(run(open, "read_text_file", {{"path", "/src/b"}}).error().code, Code::kPathNotFound);
  EXPECT_EQ(run(open, "write_file", {{"path", "../src/b"}, {"content", "x"}}).error().code,
            Code::kPathOutside);
  told(open, "write_file", {{"path", "new"}, {"content", "3"}});
  EXPECT_EQ(content("docs/new"), "3");
}

TEST_F(DepotToolboxTest, EveryChangeIsACommitThatIsInTheLog) {
  told(box(owner_), "write_file", {{"path", "a.txt"}, {"content", "1"}});
  EXPECT_EQ(content("a.txt"), "1");
  const auto history = call("depot_history", {{"depotId", depot_}});
  EXPECT_EQ(json::text(history.at("entries").at(0).at("message")), "write_file a.txt");
  const auto log = json::write(call("get_audit", {{"tool", "write_file"}}));
  EXPECT_THAT(log, HasSubstr("a.txt"));
}

TEST_F(DepotToolboxTest, OverwritingWhatWasNotReadIsSaid) {
  put("a.txt", "theirs");
  EXPECT_THAT(told(box(owner_), "write_file", {{"path", "a.txt"}, {"content", "mine"}}),
              HasSubstr("not read before; undo brings that back"));
  EXPECT_THAT(told(box(owner_), "write_file", {{"path", "a.txt"}, {"content", "again"}}),
              Not(HasSubstr("not read before")));
}

TEST_F(DepotToolboxTest, AFileThatOthersChangedSinceItWasReadIsNotOverwritten) {
  put("a.txt", "one\n");
  const auto open = box(owner_);
  told(open, "read_text_file", {{"path", "a.txt"}});
  put("a.txt", "theirs\n");
  const auto refused = run(open, "write_file", {{"path", "a.txt"}, {"content", "mine\n"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error(), Says(Code::kConflict, "'a.txt'"));
  EXPECT_THAT(refused.error(), Says(Code::kConflict, "read it again"));
  EXPECT_EQ(content("a.txt"), "theirs\n");
  told(open, "read_text_file", {{"path", "a.txt"}});
  told(open, "write_file", {{"path", "a.txt"}, {"content", "mine\n"}});
  EXPECT_EQ(content("a.txt"), "mine\n");
}

TEST_F(DepotToolboxTest, ChangesOfOtherLinesAreMerged) {
  put("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n");
  const auto open = box(owner_);
  told(open, "read_text_file", {{"path", "a.txt"}});
  put("a.txt", "1\n2\n3\n4\n5\n6\n7\ntheirs\n");
  EXPECT_THAT(
      told(open, "write_file", {{"path", "a.txt"}, {"content", "mine\n2\n3\n4\n5\n6\n7\n8\n"}}),
      HasSubstr("merged in"));
  EXPECT_EQ(content("a.txt"), "mine\n2\n3\n4\n5\n6\n7\ntheirs\n");
}

TEST_F(DepotToolboxTest, WhatOneDeskReadAnotherHasNot) {
  put("a.txt", "1\n");
  told(box(owner_, "one"), "read_text_file", {{"path", "a.txt"}});
  EXPECT_THAT(told(box(owner_, "two"), "write_file", {{"path", "a.txt"}, {"content", "2\n"}}),
              HasSubstr("not read before"));
}

TEST_F(DepotToolboxTest, WhoOnlyReadsMayTryAnEditOutAndMakesNone) {
  put("a.txt", "1\n");
  const auto open = box(delegate({}));
  EXPECT_EQ(run(open, "edit_file", edit("a.txt", "1", "2")).error().code, Code::kUploadNotAllowed);
  auto dry = edit("a.txt", "1", "2");
  dry["dryRun"] = true;
  EXPECT_THAT(told(open, "edit_file", dry), HasSubstr("+2"));
  EXPECT_EQ(content("a.txt"), "1\n");
}

TEST_F(DepotToolboxTest, EveryChangeCanBeTriedOutAndMakesNoCommit) {
  put("docs/a.txt", "1\n");
  put("b.txt", "2\n");
  const auto open = box(owner_);
  told(open, "write_file", {{"path", "c.txt"}, {"content", "3\n"}});
  const auto before = json::write(call("depot_history", {{"depotId", depot_}}));
  struct Case {
    std::string_view tool;
    json::Object arguments;
    std::string_view says;
  };
  const Case cases[] = {
      {"write_file", {{"path", "b.txt"}, {"content", "x"}}, "Would have written to b.txt; dryRun"},
      {"edit_file", edit("b.txt", "2", "4"), "+4"},
      {"create_directory", {{"path", "new/x"}}, "Would have created directory new/x"},
      {"move_file", {{"source", "docs"}, {"destination", "d"}}, "Would have moved docs to d"},
      {"copy_file", {{"source", "docs"}, {"destination", "d"}}, "Would have copied docs to d"},
      {"delete_file", {{"path", "docs"}, {"recursive", true}}, "Would have deleted docs"},
      {"undo", {}, "write_file c.txt; dryRun: nothing was changed"},
      {"delete_file", {{"path", "docs"}}, "say recursive"},
      {"move_file", {{"source", "docs"}, {"destination", "b.txt"}}, "TARGET_EXISTS"},
      {"write_file", {{"path", "no/b.txt"}, {"content", "x"}}, "PATH_NOT_FOUND"},
  };
  for (const auto& c : cases) {
    auto dry = c.arguments;
    dry["dryRun"] = true;
    EXPECT_THAT(told(open, c.tool, dry), HasSubstr(c.says)) << c.tool;
    EXPECT_EQ(json::write(call("depot_history", {{"depotId", depot_}})), before) << c.tool;
  }
  // What was only tried out does not count as seen.
  EXPECT_THAT(told(open, "write_file", {{"path", "b.txt"}, {"content", "x"}}),
              HasSubstr("not read before"));
}

TEST_F(DepotToolboxTest, ADryRunFindsTheConflictThatTheChangeWouldHave) {
  put("a.txt", "one\n");
  const auto open = box(owner_);
  told(open, "read_text_file", {{"path", "a.txt"}});
  put("a.txt", "theirs\n");
  EXPECT_THAT(
      told(open, "write_file", {{"path", "a.txt"}, {"content", "mine\n"}, {"dryRun", true}}),
      HasSubstr("CONFLICT"));
}

TEST_F(DepotToolboxTest, WhoOnlyReadsIsToldSoInADryRun) {
  put("a.txt", "1\n");
  const auto open = box(delegate({}));
  EXPECT_THAT(told(open, "delete_file", {{"path", "a.txt"}, {"dryRun", true}}),
              HasSubstr("you may only read here"));
  EXPECT_EQ(content("a.txt"), "1\n");
}

TEST_F(DepotToolboxTest, AStrangeArgumentOfAChangeIsRefusedAndNothingHappens) {
  put("a.txt", "1\n");
  const auto open = box(owner_);
  for (const auto* name : {"simulate", "dryrun", "force"}) {
    for (const auto* tool : {"delete_file", "undo", "write_file", "move_file"}) {
      json::Object arguments{{name, true}};
      if (std::string_view(tool) != "undo") arguments["path"] = "a.txt";
      const auto done = run(open, tool, arguments);
      ASSERT_FALSE(done) << tool;
      EXPECT_EQ(done.error().code, Code::kInvalidArgument);
    }
  }
  EXPECT_EQ(content("a.txt"), "1\n");
}

TEST_F(DepotToolboxTest, ABoxIsGoodAsLongAsItsCallerIs) {
  const auto child = delegate({});
  const auto open = box(child);
  EXPECT_TRUE(open->still_valid());
  call("revoke_delegate", {{"delegateId", id_of(child)}});
  EXPECT_FALSE(open->still_valid());
  EXPECT_EQ(run(open, "list_directory", {{"path", "."}}).error().code, Code::kDelegateRevoked);
}

TEST_F(DepotToolboxTest, AStrangeArgumentIsIgnoredAndSaidAndASlipIsRefused) {
  put("a.txt", "1");
  const auto open = box(owner_);
  EXPECT_THAT(told(open, "read_text_file", {{"path", "a.txt"}, {"encoding", "utf8"}}),
              HasSubstr("'encoding' is no argument of read_text_file and was ignored"));
  EXPECT_EQ(run(open, "read_text_file", {{"path", "a.txt"}, {"hed", 1}}).error().code,
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace cairn::work
