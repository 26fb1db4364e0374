#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using tools_testing::Says;
using tools_testing::text;

class DepotUndoTest : public tools_testing::ToolTest {
 protected:
  json::Object arguments(json::Object more = {}) {
    more["depotId"] = depot_;
    return more;
  }
  std::int64_t newest() {
    const auto page = call("depot_history", {{"depotId", depot_}, {"limit", 1}});
    return page.at("entries").at(0).at("change").to_number<std::int64_t>();
  }
};

TEST_F(DepotUndoTest, OneCommitIsTakenBackAndThoseAfterItStay) {
  put_all({{"a", "1"}, {"b", "1"}});
  put("a", "2");
  const auto change = newest();
  put("b", "2");
  const auto done = call("depot_undo", arguments({{"change", change}, {"message", "not yet"}}));
  EXPECT_EQ(content("a"), "1");
  EXPECT_EQ(content("b"), "2");
  EXPECT_EQ(json::write(done.at("paths")), R"(["a"])");
  EXPECT_EQ(json::write(done.at("undid")), fmt::format(R"({{"from":{0},"to":{0}}})", change));
  EXPECT_EQ(done.at("change"), newest());
  const auto page = call("depot_history", {{"depotId", depot_}});
  const auto& entry = page.at("entries").at(0).as_object();
  EXPECT_EQ(text(entry, "message"), "not yet");
  EXPECT_EQ(json::write(entry.at("undid")), fmt::format(R"({{"from":{0},"to":{0}}})", change));
}

TEST_F(DepotUndoTest, AConflictHasTheLinesAndARootWhereTheRestIsTakenBack) {
  put_all({{"a", "1\n"}, {"b", "1\n"}});
  put_all({{"a", "2\n"}, {"b", "2\n"}});
  const auto change = newest();
  put("a", "3\n");
  const auto error = refused("depot_undo", arguments({{"change", change}}));
  EXPECT_THAT(error, Says(Code::kConflict, "<<<<<<< theirs"));
  EXPECT_THAT(error, Says(Code::kConflict, "'a'"));
  const auto merged = std::get<std::string>(error.details.at("mergedRoot"));
  EXPECT_EQ(content("b"), "2\n") << "nothing was changed";
  EXPECT_EQ(content_at(merged, "b"), "1\n");
  EXPECT_EQ(content_at(merged, "a"), "3\n");
  call("depot_commit", arguments({{"root", merged}}));
  EXPECT_EQ(content("b"), "1\n");
}

TEST_F(DepotUndoTest, APlaceThatIsGoneIsAConflictThatSaysSo) {
  put("docs/a", "1");
  put("docs/a", "2");
  const auto change = newest();
  const auto scoped = delegate({{"name", "scoped"},
                                {"canUpload", true},
                                {"scope", json::Array{fmt::format("{}/docs", depot_)}}});
  call("depot_revert", arguments({{"root", "#0"}}));
  EXPECT_THAT(refused(scoped, "depot_undo", arguments({{"change", change}})),
              Says(Code::kConflict, "this part of the depot was removed"));
}

TEST_F(DepotUndoTest, ARunIsOneCommit) {
  put_all({{"a", "1"}, {"b", "1"}});
  const auto before = newest();
  for (const char* name : {"a", "b", "c", "d"}) put(name, "bot");
  put("mine", "kept");
  const auto last = newest();
  call("depot_undo", arguments({{"from", before + 1}, {"to", last - 1}}));
  EXPECT_EQ(newest(), last + 1);
  EXPECT_EQ(content("a"), "1");
  EXPECT_EQ(content("b"), "1");
  EXPECT_FALSE(exists(depot_, "c"));
  EXPECT_EQ(content("mine"), "kept");
}

TEST_F(DepotUndoTest, WithoutANumberItIsTheCallersOwnLatest) {
  const auto writer = delegate({{"name", "w"}, {"canUpload", true}});
  put("a", "1");
  const auto made =
      call(writer, "fs_write", {{"nodeKey", depot_}, {"path", "b"}, {"content", "theirs"}});
  call(writer, "depot_commit", {{"depotId", depot_}, {"root", text(made, "newRoot")}});
  put("a", "2");
  call(writer, "depot_undo", arguments());
  EXPECT_FALSE(exists(depot_, "b"));
  EXPECT_EQ(content("a"), "2");
  EXPECT_THAT(refused(writer, "depot_undo", arguments()), Says(Code::kHistoryNotFound, "of yours"));
  call("depot_undo", arguments());
  EXPECT_EQ(content("a"), "1");
  call("depot_undo", arguments());
  EXPECT_FALSE(exists(depot_, "a")) << "and the one before it";
}

TEST_F(DepotUndoTest, AnUndoCanBeUndone) {
  put("a", "1");
  put("a", "2");
  call("depot_undo", arguments());
  call("depot_undo", arguments({{"change", newest()}}));
  EXPECT_EQ(content("a"), "2");
}

TEST_F(DepotUndoTest, WhatOthersBuiltUponIsAConflictThatNamesIt) {
  put("a", "1");
  put("a", "2");
  const auto change = newest();
  put("a", "3");
  const auto error = refused("depot_undo", arguments({{"change", change}}));
  EXPECT_THAT(error, Says(Code::kConflict, "'a'"));
  EXPECT_THAT(std::get<std::vector<std::string>>(error.details.at("paths")), ElementsAre("a"));
}

TEST_F(DepotUndoTest, WhatIsAskedHasToBeClear) {
  put("a", "1");
  EXPECT_THAT(refused("depot_undo", arguments({{"change", 1}, {"from", 1}, {"to", 1}})),
              Says(Code::kInvalidArgument, "'change'"));
  EXPECT_THAT(refused("depot_undo", arguments({{"from", 1}})),
              Says(Code::kInvalidArgument, "'from' and 'to'"));
  EXPECT_THAT(refused("depot_undo", arguments({{"from", 2}, {"to", 1}})),
              Says(Code::kInvalidArgument, "older"));
  EXPECT_THAT(refused("depot_undo", arguments({{"change", 99}})),
              Says(Code::kHistoryNotFound, "the newest is #1"));
  EXPECT_THAT(refused("depot_undo", arguments({{"change", 0}})),
              Says(Code::kHistoryNotFound, "made the depot"));
}

TEST_F(DepotUndoTest, ADelegateTakesBackWhatHappenedInItsPlaceAndNothingElse) {
  put_all({{"docs/a", "1"}, {"src/b", "1"}});
  put_all({{"docs/a", "2"}, {"src/b", "2"}});
  const auto both = newest();
  put("src/b", "3");
  const auto outside = newest();
  const auto writer = writer_in("docs");
  EXPECT_THAT(refused(writer, "depot_undo", arguments({{"change", outside}})),
              Says(Code::kHistoryNotFound, "changed nothing here"));
  const auto done = call(writer, "depot_undo", arguments({{"change", both}}));
  EXPECT_EQ(json::write(done.at("paths")), R"(["a"])");
  EXPECT_EQ(content("docs/a"), "1");
  EXPECT_EQ(content("src/b"), "3");
  EXPECT_EQ(refused(delegate({}), "depot_undo", arguments({{"change", both}})).code,
            Code::kUploadNotAllowed);
}

}  // namespace
}  // namespace cairn
