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
  EXPECT_THAT(column(page, "entries", "message"), testing::Contains("docs"));
  EXPECT_THAT(column(page, "entries", "message"), testing::Not(testing::Contains("src")));
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

}  // namespace
}  // namespace cairn
