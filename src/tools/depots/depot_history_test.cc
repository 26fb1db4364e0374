#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using tools_testing::all_pages;
using tools_testing::column;
using tools_testing::Says;
using tools_testing::text;

class DepotHistoryTest : public tools_testing::ToolTest {
 protected:
  std::vector<json::Object> pages(std::int64_t limit) {
    return all_pages({{"depotId", depot_}, {"limit", limit}}, [&](const json::Object& arguments) {
      return call("depot_history", arguments);
    });
  }
  static std::vector<std::string> messages(const std::vector<json::Object>& pages) {
    std::vector<std::string> out;
    for (const auto& page : pages) {
      for (auto& message : column(page, "entries", "message")) out.push_back(std::move(message));
    }
    return out;
  }
};

TEST_F(DepotHistoryTest, CommitsComeNewestFirstWithWhoAndWhy) {
  const auto writer = delegate({{"name", "w"}, {"canUpload", true}});
  commit(write("a", "1"), "first");
  clock_.advance(std::chrono::seconds(1));
  call(writer, "depot_commit",
       {{"depotId", depot_}, {"root", write("a", "2")}, {"message", "second"}});
  const auto page = call("depot_history", {{"depotId", depot_}});
  const auto entries = page.at("entries").as_array();
  EXPECT_EQ(text(entries[0].as_object(), "message"), "second");
  EXPECT_EQ(text(entries[0].as_object(), "author"), id_of(writer));
  EXPECT_EQ(text(entries[0].as_object(), "root"), root());
  EXPECT_EQ(entries[0].at("time"), clock_.now());
  EXPECT_EQ(text(entries[1].as_object(), "message"), "first");
}

TEST_F(DepotHistoryTest, PagesTogetherAreTheWholeHistory) {
  for (int i = 0; i < 9; ++i) commit(write("a", std::to_string(i)), fmt::format("c{}", i));
  const auto some = messages(pages(4));
  EXPECT_EQ(some, messages(pages(1000)));
  EXPECT_THAT(std::vector(some.begin(), some.begin() + 9),
              ElementsAre("c8", "c7", "c6", "c5", "c4", "c3", "c2", "c1", "c0"));
}

TEST_F(DepotHistoryTest, LongMessagesMakeShorterPagesAndNothingIsLost) {
  constexpr int kCommits = 40;
  const std::string why(Realm::kMaxMessageBytes - 10, 'w');
  for (int i = 0; i < kCommits; ++i)
    commit(write("a", std::to_string(i)), fmt::format("{:02}{}", i, why));
  const auto found = pages(1000);
  EXPECT_GT(found.size(), 1U);
  const auto all = messages(found);
  for (int i = 0; i < kCommits; ++i) {
    EXPECT_TRUE(
        all[static_cast<std::size_t>(i)].starts_with(fmt::format("{:02}w", kCommits - 1 - i)));
  }
}

TEST_F(DepotHistoryTest, ADelegateSeesTheCommitsThatChangedItsPlace) {
  put_all({{"docs/a", "1"}, {"src/b", "1"}});
  commit(write("docs/a", "2"), "docs");
  commit(write("src/b", "2"), "src");
  const auto page = call(writer_in("docs"), "depot_history", {{"depotId", depot_}});
  // What others say of their commits may be about the rest of the depot: it is told what changed.
  EXPECT_THAT(column(page, "entries", "message"), ElementsAre("changed a", "changed"));
  for (const auto& seen : column(page, "entries", "root")) EXPECT_NE(seen, root());
}

TEST_F(DepotHistoryTest, WhatIsAskedForWronglyIsRefused) {
  EXPECT_EQ(refused("depot_history", {{"depotId", depot_}, {"cursor", "made up"}}).code,
            Code::kInvalidCursor);
  EXPECT_THAT(refused("depot_history", {{"depotId", depot_}, {"limit", 1001}}),
              Says(Code::kInvalidArgument, "limit"));
  const auto other = another_user("carol");
  EXPECT_THAT(refused(other, "depot_history", {{"depotId", depot_}}),
              Says(Code::kDepotNotFound, depot_));
}

TEST_F(DepotHistoryTest, EveryCommitHasANumberThatIsTheSameForEverybody) {
  put("src/b", "1");
  put("docs/a", "1");
  const auto reader = writer_in("docs");
  const auto all = call("depot_history", {{"depotId", depot_}});
  const auto part = call(reader, "depot_history", {{"depotId", depot_}});
  EXPECT_EQ(all.at("entries").at(0).at("change"), 2);
  EXPECT_EQ(part.at("entries").at(0).at("change"), 2);
  EXPECT_EQ(part.at("entries").get_array().size(), 1U);
}

TEST_F(DepotHistoryTest, ADelegateReadsItsOwnMessagesAndNotWhatOthersSaidOfTheRest) {
  put_all({{"docs/a", "1"}, {"src/b", "1"}});
  const auto writer = writer_in("docs");
  const auto made =
      call(writer, "fs_write", {{"nodeKey", depot_}, {"path", "a"}, {"content", "mine"}});
  call(writer, "depot_commit",
       {{"depotId", depot_}, {"root", text(made, "newRoot")}, {"message", "mine"}});
  commit(write("docs/a", "3", write("src/b", "3")), "the secret of src");
  EXPECT_THAT(column(call(writer, "depot_history", {{"depotId", depot_}}), "entries", "message"),
              ElementsAre("changed a", "mine", testing::StartsWith("changed")));
  EXPECT_EQ(column(call("depot_history", {{"depotId", depot_}}), "entries", "message")[0],
            "the secret of src");
}

TEST_F(DepotHistoryTest, OfAPathHasTheCommitThatRemovedIt) {
  put("docs/a", "1");
  const auto gone = call("fs_rm", {{"nodeKey", depot_}, {"path", "docs/a"}});
  commit(text(gone, "newRoot"), "away");
  const auto whole = call("depot_history", {{"depotId", depot_}, {"path", "docs/a"}});
  const auto part = call(writer_in("docs"), "depot_history", {{"depotId", depot_}, {"path", "a"}});
  for (const auto& page : {whole, part}) {
    ASSERT_EQ(page.at("entries").get_array().size(), 2U);
    const auto& first = page.at("entries").at(0).as_object();
    EXPECT_TRUE(tools_testing::is_true(first, "removed"));
    EXPECT_FALSE(first.contains("key"));
    EXPECT_TRUE(page.at("entries").at(1).as_object().contains("key"));
  }
  EXPECT_EQ(text(whole.at("entries").at(0).as_object(), "root"), root());
}

TEST_F(DepotHistoryTest, OfAPathHasTheCommitsThatChangedIt) {
  put("a", "1");
  put("b", "1");
  put("a", "2");
  const auto page = call("depot_history", {{"depotId", depot_}, {"path", "a"}});
  const auto& entries = page.at("entries").as_array();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].at("change"), 3);
  EXPECT_EQ(text(entries[0].as_object(), "root"), root());
  EXPECT_EQ(entries[1].at("change"), 1);
  EXPECT_NE(entries[0].at("key"), entries[1].at("key"));
}

TEST_F(DepotHistoryTest, GoesBackPastAHundredCommits) {
  for (int i = 0; i < 130; ++i) commit(write("a", std::to_string(i)), fmt::format("c{}", i));
  const auto all = messages(pages(50));
  EXPECT_EQ(all.size(), 131U);
  EXPECT_EQ(all.back(), "created");
  const auto agents = call("get_depot", {{"depotId", depot_}});
  EXPECT_EQ(agents.at("history").get_array().size(), 10U);
  EXPECT_EQ(agents.at("historyCount"), 130);
  const auto programs = call(owner_.entering(Entrance::kRest), "get_depot", {{"depotId", depot_}});
  EXPECT_EQ(programs.at("history").get_array().size(), 100U);
  call("update_depot", {{"depotId", depot_}, {"maxHistory", 1000}, {"keep", "7d,daily=2y"}});
  const auto more = call(owner_.entering(Entrance::kRest), "get_depot", {{"depotId", depot_}});
  EXPECT_EQ(more.at("history").get_array().size(), 130U);
  EXPECT_EQ(text(more, "keep"), "7d,daily=730d");
  EXPECT_THAT(refused("update_depot", {{"depotId", depot_}, {"keep", "weekly"}}),
              Says(Code::kInvalidArgument, "30d,daily=365d"));
}

}  // namespace
}  // namespace cairn
