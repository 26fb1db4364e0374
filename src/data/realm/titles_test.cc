// Titles: one depot each, found by one read, also in stores from before that was so.
#include "data/realm/titles.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/realm/fsck.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class TitlesTest : public testing::Test {
 protected:
  std::vector<DepotId> titled(std::string_view title) {
    std::vector<DepotId> out;
    for (const auto& depot : must(world_.realm.depots_titled(title))) out.push_back(depot.id);
    return out;
  }
  DepotId make(std::string_view title) { return must(world_.realm.create_depot(title)).id; }
  Error refused(std::string_view title) {
    auto made = world_.realm.create_depot(title);
    EXPECT_FALSE(made) << title;
    return made ? Error(Code::kInternal, "") : std::move(made).error();
  }
  // A store as it was before there was an index of titles: these depots, and nothing else of it.
  void forget_the_index() {
    for (const auto& [row, value] : world_.everything().rows) {
      if (row.second.starts_with('y')) world_.plant(Table::kPointers, row.second, std::nullopt);
    }
  }
  // Renames past the rules, as an old version could.
  void retitle(const DepotId& id, std::string_view title) {
    auto depot = must(world_.realm.get_depot(id));
    depot.title = title;
    Batch batch;
    batch.puts.push_back({records::depot_key(world_.realm.id(), id), records::encode(depot)});
    must(world_.store->kv().commit(std::move(batch)));
  }

  World world_;
};

TEST_F(TitlesTest, ATitleIsOneDepots) {
  const auto first = make("notes");
  const auto error = refused("notes");
  EXPECT_EQ(error.code, Code::kTargetExists);
  EXPECT_EQ(detail_text(error, "depotId"), first.render());
  EXPECT_THAT(titled("notes"), ElementsAre(first));
  EXPECT_THAT(titled("other"), IsEmpty());
}

TEST_F(TitlesTest, WhatLooksLikeAnAddressIsNoTitle) {
  for (const auto* title :
       {"", "a:b", ":", "dpt_foo", "nod_", "dft_1", " a", "a ", "a\nb", "\x7f"}) {
    EXPECT_EQ(refused(title).code, Code::kInvalidArgument) << title;
  }
  EXPECT_EQ(refused(std::string(201, 'x')).code, Code::kInvalidArgument);
  for (const auto* title : {"a b", "a/b", "a@b", "a@", "ada@example.org", "dpt", "日本"})
    make(title);
}

TEST_F(TitlesTest, WhatLooksLikeAVersionOfAnotherIsNoTitle) {
  const auto b = make("b");
  for (const auto* title :
       {"b@~1", "b@2h", "b@#1", "b@14", "b@2026-11-01", "b@yesterday", "a@b@~0"}) {
    const auto error = refused(title);
    EXPECT_EQ(error.code, Code::kInvalidArgument) << title;
    EXPECT_THAT(error.message, HasSubstr("a version"));
    EXPECT_FALSE(world_.realm.rename_depot(b, title)) << title;
  }
  // One from before is found, and can be renamed.
  retitle(b, "b@~1");
  forget_the_index();
  EXPECT_THAT(titled("b@~1"), ElementsAre(b));
  must(world_.realm.rename_depot(b, "b"));
  EXPECT_TRUE(must(fsck(world_.realm)).clean());
}

TEST_F(TitlesTest, RenamingFreesTheOldTitleAndTakesTheNew) {
  const auto first = make("a");
  const auto second = make("b");
  auto taken = world_.realm.rename_depot(second, "a");
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Code::kTargetExists);
  EXPECT_THAT(titled("b"), ElementsAre(second));
  must(world_.realm.rename_depot(first, "c"));
  must(world_.realm.rename_depot(second, "a"));
  EXPECT_THAT(titled("a"), ElementsAre(second));
  EXPECT_THAT(titled("b"), IsEmpty());
  EXPECT_THAT(titled("c"), ElementsAre(first));
  // To the same one is no change.
  must(world_.realm.rename_depot(first, "c"));
  EXPECT_TRUE(must(fsck(world_.realm)).clean());
}

TEST_F(TitlesTest, DeletingFreesTheTitle) {
  const auto first = make("a");
  must(world_.realm.delete_depot(first));
  EXPECT_THAT(titled("a"), IsEmpty());
  const auto second = make("a");
  EXPECT_THAT(titled("a"), ElementsAre(second));
}

TEST_F(TitlesTest, AStoreFromBeforeGetsItsIndexWhenItIsFirstNeeded) {
  const auto first = make("a");
  const auto second = make("b");
  const auto third = make("c");
  forget_the_index();
  retitle(second, "a");
  retitle(third, "x:y");
  const auto before = world_.everything();
  EXPECT_TRUE(must(fsck(world_.realm)).clean());
  EXPECT_EQ(world_.everything(), before) << "fsck changes nothing";
  EXPECT_THAT(titled("a"), UnorderedElementsAre(first, second));
  EXPECT_THAT(titled("x:y"), ElementsAre(third));
  EXPECT_EQ(refused("a").code, Code::kTargetExists);
  // One of the two is renamed, and the title is one depot's again.
  must(world_.realm.rename_depot(first, "d"));
  EXPECT_THAT(titled("a"), ElementsAre(second));
  must(world_.realm.rename_depot(third, "c"));
  EXPECT_THAT(titled("x:y"), IsEmpty());
}

TEST_F(TitlesTest, OfManyWhoWantATitleAtOnceOneHasIt) {
  forget_the_index();
  std::vector<std::jthread> threads;
  std::atomic<int> made = 0;
  std::atomic<int> refused_ones = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      auto depot = world_.realm.create_depot("wanted");
      if (depot) made += 1;
      if (!depot && depot.error().code == Code::kTargetExists) refused_ones += 1;
    });
  }
  threads.clear();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(refused_ones, 7);
  EXPECT_EQ(titled("wanted").size(), 1U);
}

TEST_F(TitlesTest, FsckNamesADepotThatItsTitleDoesNotFind) {
  const auto depot = make("a");
  retitle(depot, "b");
  const auto report = must(fsck(world_.realm));
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_THAT(report.problems.front().message, HasSubstr(depot.render()));
  EXPECT_THAT(report.problems.front().message, HasSubstr("'b'"));
}

}  // namespace
}  // namespace cairn::realm_testing
