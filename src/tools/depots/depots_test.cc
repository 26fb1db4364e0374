// Depots: making, changing, deleting and listing them.
#include "tools/depots/depots.h"

#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tools_testing::all_pages;
using tools_testing::column;
using tools_testing::Says;
using tools_testing::text;

class DepotsTest : public tools_testing::ToolTest {
 protected:
  json::Array history_of(const json::Object& depot) { return depot.at("history").as_array(); }
};

TEST_F(DepotsTest, ANewDepotIsEmptyOrBeginsAtARootOneHas) {
  put("a", "1");
  const auto empty = call("create_depot", {{"title", "x"}});
  EXPECT_FALSE(exists(text(empty, "depotId"), "a"));
  const auto begun = call("create_depot", {{"title", "y"}, {"root", root()}});
  EXPECT_EQ(text(begun, "root"), root());
  EXPECT_EQ(content_at(text(begun, "depotId"), "a"), "1");
}

TEST_F(DepotsTest, WhatADepotCannotBeginAtIsNamed) {
  const auto nowhere = NodeKey::of("nothing").render();
  EXPECT_THAT(refused("create_depot", {{"title", "x"}, {"root", nowhere}}),
              Says(Code::kNodeNotFound, nowhere));
  EXPECT_THAT(refused("create_depot", {{"title", "x"}, {"root", "main"}}),
              Says(Code::kInvalidKey, "'main'"));
  EXPECT_THAT(refused("create_depot", {{"title", "x"}, {"maxHistory", 0}}),
              Says(Code::kInvalidArgument, "maxHistory"));
  EXPECT_EQ(column(call("list_depots", {}), "depots", "title").size(), 1U);
}

TEST_F(DepotsTest, WhoSeesAPartOfTheRealmMakesNoDepotOutsideOfIt) {
  put("docs/a", "1");
  const auto scoped = delegate(
      {{"canUpload", true}, {"canManageDepot", true}, {"scope", json::Array{depot_ + "/docs"}}});
  EXPECT_THAT(refused(scoped, "create_depot", {{"title", "x"}}),
              Says(Code::kDepotManageNotAllowed, "outside"));
  EXPECT_THAT(refused(delegate({{"canUpload", true}}), "create_depot", {{"title", "x"}}),
              Says(Code::kDepotManageNotAllowed, "canManageDepot"));
}

TEST_F(DepotsTest, ATitleChangesAndTheFilesDoNot) {
  put("a", "1");
  const auto before = root();
  const auto changed = call("update_depot", {{"depotId", depot_}, {"title", "other"}});
  EXPECT_EQ(text(changed, "title"), "other");
  EXPECT_EQ(text(changed, "root"), before);
}

TEST_F(DepotsTest, LessHistoryListsTheNewestAndDropsNothing) {
  std::vector<std::string> roots;
  for (int i = 0; i < 5; ++i) {
    put("a", std::to_string(i));
    roots.push_back(root());
  }
  const auto changed = call("update_depot", {{"depotId", depot_}, {"maxHistory", 2}});
  EXPECT_EQ(text(changed, "root"), roots[4]);
  EXPECT_EQ(json::write(history_of(changed)), json::write(json::Array{roots[3], roots[2]}));
  put("a", "9");
  EXPECT_EQ(json::write(history_of(call("get_depot", {{"depotId", depot_}}))),
            json::write(json::Array{roots[4], roots[3]}));
  const auto all = call("update_depot", {{"depotId", depot_}, {"maxHistory", 1000}});
  EXPECT_EQ(history_of(all).size(), 6U);
  EXPECT_EQ(json::text(history_of(all)[4]), roots[0]);
}

TEST_F(DepotsTest, TheLastTenRootsAreShown) {
  for (int i = 0; i < 15; ++i) put("a", std::to_string(i));
  EXPECT_EQ(history_of(call("get_depot", {{"depotId", depot_}})).size(), 10U);
}

TEST_F(DepotsTest, ADeletedDepotIsNotThereAndTheOthersAre) {
  put("a", "1");
  const auto last = root();
  const auto other = text(call("create_depot", {{"title", "x"}, {"root", last}}), "depotId");
  const auto would = call("delete_depot", {{"depotId", depot_}, {"dryRun", true}});
  EXPECT_TRUE(tools_testing::is_true(would, "dryRun"));
  EXPECT_EQ(text(call("get_depot", {{"depotId", depot_}}), "depotId"), depot_);
  EXPECT_EQ(text(call("delete_depot", {{"depotId", depot_}}), "deleted"), depot_);
  EXPECT_THAT(refused("get_depot", {{"depotId", depot_}}), Says(Code::kDepotNotFound, depot_));
  EXPECT_EQ(refused("delete_depot", {{"depotId", depot_}}).code, Code::kDepotNotFound);
  EXPECT_EQ(content_at(other, "a"), "1");
}

TEST_F(DepotsTest, ATitleIsOneDepotsAndTheOneThatHasItIsNamed) {
  const auto error = refused("create_depot", {{"title", "d"}});
  EXPECT_THAT(error, Says(Code::kTargetExists, depot_));
  EXPECT_EQ(std::get<std::string>(error.details.at("depotId")), depot_);
  const auto other = text(call("create_depot", {{"title", "x"}}), "depotId");
  EXPECT_THAT(refused("update_depot", {{"depotId", other}, {"title", "d"}}),
              Says(Code::kTargetExists, depot_));
  for (const auto* title : {"a:b", "dpt_foo", "nod_x", " a", ""}) {
    EXPECT_EQ(refused("create_depot", {{"title", title}}).code, Code::kInvalidArgument) << title;
    EXPECT_EQ(refused("update_depot", {{"depotId", other}, {"title", title}}).code,
              Code::kInvalidArgument)
        << title;
  }
  // Who does not see the other is not told which it is.
  const auto one = delegate(
      {{"canUpload", true}, {"canManageDepot", true}, {"delegatedDepots", json::Array{other}}});
  const auto blind = refused(one, "update_depot", {{"depotId", other}, {"title", "d"}});
  EXPECT_EQ(blind.code, Code::kTargetExists);
  EXPECT_THAT(blind.message, testing::Not(HasSubstr(depot_)));
  EXPECT_TRUE(blind.details.empty());
}

TEST_F(DepotsTest, IfNotExistsGivesTheOneThatIsThere) {
  const auto made = call("create_depot", {{"title", "x"}, {"ifNotExists", true}});
  EXPECT_TRUE(tools_testing::is_true(made, "created"));
  const auto again = call("create_depot", {{"title", "x"}, {"ifNotExists", true}});
  EXPECT_FALSE(tools_testing::is_true(again, "created"));
  EXPECT_EQ(text(again, "depotId"), text(made, "depotId"));
}

TEST_F(DepotsTest, ADepotIsFoundByItsTitleByWhoSeesIt) {
  put("docs/a", "1");
  const auto hidden = text(call("create_depot", {{"title", "hidden"}}), "depotId");
  EXPECT_THAT(column(call("list_depots", {{"title", "d"}}), "depots", "depotId"),
              ElementsAre(depot_));
  EXPECT_TRUE(call("list_depots", {{"title", "none"}}).at("depots").get_array().empty());
  const auto scoped = writer_in("docs");
  EXPECT_THAT(column(call(scoped, "list_depots", {{"title", "d"}}), "depots", "depotId"),
              ElementsAre(depot_));
  EXPECT_TRUE(call(scoped, "list_depots", {{"title", "hidden"}}).at("depots").get_array().empty());
}

TEST_F(DepotsTest, ADeletedDepotComesBackForEverybodyWhoSawIt) {
  put("docs/a", "1");
  const auto scoped = writer_in("docs");
  const auto gone = call("delete_depot", {{"depotId", depot_}});
  EXPECT_EQ(text(gone, "title"), "d");
  EXPECT_TRUE(call("list_depots", {}).at("depots").get_array().empty());
  EXPECT_TRUE(call("list_depots", {{"title", "d"}}).at("depots").get_array().empty());
  EXPECT_EQ(refused(scoped, "fs_ls", {{"nodeKey", depot_}}).code, Code::kDepotNotFound);
  EXPECT_TRUE(call(scoped, "list_depots", {}).at("depots").get_array().empty());
  const auto listed = call("list_depots", {{"deleted", true}});
  EXPECT_THAT(column(listed, "depots", "depotId"), ElementsAre(depot_));
  EXPECT_EQ(json::write(listed.at("depots").at(0).at("restorableUntil")),
            json::write(gone.at("restorableUntil")));
  EXPECT_TRUE(call(scoped, "list_depots", {{"deleted", true}}).at("depots").get_array().empty());

  // Another has the title meanwhile.
  const auto other = text(call("create_depot", {{"title", "d"}}), "depotId");
  EXPECT_THAT(refused("restore_depot", {{"depotId", depot_}}), Says(Code::kTargetExists, other));
  const auto back = call("restore_depot", {{"depotId", depot_}, {"title", "d again"}});
  EXPECT_EQ(text(back, "title"), "d again");
  EXPECT_EQ(text(call(scoped, "fs_read", {{"nodeKey", depot_}, {"path", "a"}}), "content"), "1");
  EXPECT_EQ(refused("restore_depot", {{"depotId", depot_}}).code, Code::kDepotNotFound);
}

TEST_F(DepotsTest, RestoringNeedsTheWholeOfADepotAndTheRight) {
  put("docs/a", "1");
  const auto scoped = delegate(
      {{"canUpload", true}, {"canManageDepot", true}, {"scope", json::Array{depot_ + "/docs"}}});
  const auto writer = delegate({{"canUpload", true}});
  const auto manager = delegate({{"canManageDepot", true}});
  call("delete_depot", {{"depotId", depot_}});
  EXPECT_EQ(refused(scoped, "restore_depot", {{"depotId", depot_}}).code, Code::kForbidden);
  EXPECT_EQ(refused(writer, "restore_depot", {{"depotId", depot_}}).code,
            Code::kDepotManageNotAllowed);
  EXPECT_EQ(refused(another_user("carol"), "restore_depot", {{"depotId", depot_}}).code,
            Code::kDepotNotFound);
  call(manager, "restore_depot", {{"depotId", depot_}});
  EXPECT_EQ(content("docs/a"), "1");
}

TEST_F(DepotsTest, RenamingAndDeletingNeedTheWholeOfADepot) {
  put("docs/a", "1");
  const auto scoped = delegate(
      {{"canUpload", true}, {"canManageDepot", true}, {"scope", json::Array{depot_ + "/docs"}}});
  EXPECT_THAT(refused(scoped, "delete_depot", {{"depotId", depot_}}),
              Says(Code::kForbidden, "a part"));
  EXPECT_THAT(refused(scoped, "update_depot", {{"depotId", depot_}, {"title", "mine"}}),
              Says(Code::kForbidden, "a part"));
  EXPECT_EQ(text(call("get_depot", {{"depotId", depot_}}), "title"), "d");
}

TEST_F(DepotsTest, ADelegateIsListedWhatItMaySeeAsItSeesIt) {
  put_all({{"docs/a", "1"}, {"src/b", "1"}});
  call("create_depot", {{"title", "hidden"}});
  const auto two = delegate({{"scope", json::Array{depot_ + "/docs", depot_ + "/src"}}});
  const auto listed = call(two, "list_depots", {});
  EXPECT_THAT(column(listed, "depots", "depotId"), ElementsAre(depot_ + "/docs", depot_ + "/src"));
  EXPECT_THAT(column(listed, "depots", "root"), testing::Not(testing::Contains(root())));
  const auto one = call(writer_in("docs"), "list_depots", {});
  EXPECT_THAT(column(one, "depots", "depotId"), ElementsAre(depot_));
}

TEST_F(DepotsTest, PagesOfDepotsAreAllOfThemForWhoeverAsks) {
  json::Array some;
  for (int i = 0; i < 7; ++i) {
    clock_.advance(std::chrono::milliseconds(1));  // ids sort by age
    const auto id = call("create_depot", {{"title", fmt::format("t{}", i)}}).at("depotId");
    if (i % 2 == 0) some.push_back(id);
  }
  const auto titles = [&](const Caller& caller) {
    std::vector<std::string> out;
    for (const auto& page : all_pages({{"limit", 2}}, [&](const json::Object& arguments) {
           return call(caller, "list_depots", arguments);
         })) {
      for (auto& title : column(page, "depots", "title")) out.push_back(std::move(title));
    }
    return out;
  };
  EXPECT_THAT(titles(owner_), ElementsAre("d", "t0", "t1", "t2", "t3", "t4", "t5", "t6"));
  EXPECT_THAT(titles(delegate({{"delegatedDepots", some}})), ElementsAre("t0", "t2", "t4", "t6"));
}

TEST_F(DepotsTest, LongTitlesMakeShorterPages) {
  for (int i = 0; i < 300; ++i) {
    const auto title = std::to_string(1000 + i) + std::string(Realm::kMaxTitleBytes - 4, 't');
    call("create_depot", {{"title", title}});
  }
  const auto page = call("list_depots", {{"limit", 1000}});
  EXPECT_LT(page.at("depots").get_array().size(), 301U);
  EXPECT_TRUE(page.at("nextCursor").is_string());
}

// Of a part of a depot each commit costs a look at its tree, so only so many are looked at.
TEST_F(DepotsTest, APartOfALongHistoryIsNotLookedForToItsEnd) {
  put("docs/a", "1");
  const auto writer = writer_in("docs");
  const auto made =
      call(writer, "fs_write", {{"nodeKey", depot_}, {"path", "a"}, {"content", "mine"}});
  call(writer, "depot_commit", {{"depotId", depot_}, {"root", made.at("newRoot")}});
  EXPECT_EQ(history_of(call(writer, "get_depot", {{"depotId", depot_}})).size(), 1U);
  for (int i = 0; i < 1001; ++i) put("src/b", std::to_string(i));
  const auto seen = call(writer, "get_depot", {{"depotId", depot_}});
  EXPECT_EQ(history_of(seen).size(), 0U);
  EXPECT_TRUE(tools_testing::is_true(seen, "moreHistory"));
  EXPECT_THAT(refused(writer, "depot_undo", {{"depotId", depot_}}),
              tools_testing::Says(Code::kHistoryNotFound, "among the newest"));
  call(writer, "depot_undo", {{"depotId", depot_}, {"change", 2}});
  EXPECT_EQ(content("docs/a"), "1");
}

}  // namespace
}  // namespace cairn
