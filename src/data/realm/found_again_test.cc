// A depot whose record is lost is not lost with it.
#include "data/realm/found_again.h"

#include "data/realm/fsck.h"
#include "data/realm/realm_testing.h"

namespace cairn {
namespace {

using realm_testing::World;

class FoundAgain : public ::testing::Test {
 protected:
  void lose(Bytes key) {
    Batch batch;
    batch.deletes.push_back(std::move(key));
    ASSERT_THAT(world.store->kv().commit(std::move(batch)), IsOk());
  }

  World world;
};

TEST_F(FoundAgain, ByItsHistoryAndItsTitle) {
  auto depot = world.a_depot().with("a.txt", "1").committed();
  depot.with("a.txt", "2").committed();
  const auto before = world.realm.get_depot(depot.id).value();
  world.a_depot().with("b.txt", "x").committed();
  lose(records::depot_key(world.realm.id(), depot.id));
  const auto found = find_depots_again(*world.store, world.realm.id()).value();
  ASSERT_EQ(found.size(), 1U);
  const auto after = world.realm.get_depot(depot.id).value();
  EXPECT_EQ(after.title, before.title);
  EXPECT_EQ(after.root, before.root);
  EXPECT_EQ(after.sequence, before.sequence);
  EXPECT_TRUE(fsck(world.realm).value().clean());
  depot.with("a.txt", "3").committed();
  EXPECT_EQ(world.realm.get_depot(depot.id)->sequence, before.sequence + 1);
}

TEST_F(FoundAgain, UnderATitleThatSaysSoWhenThatIsLostToo) {
  auto depot = world.a_depot().with("a.txt", "1").committed();
  const auto title = world.realm.get_depot(depot.id)->title;
  lose(records::depot_key(world.realm.id(), depot.id));
  lose(records::title_key(world.realm.id(), title));
  const auto found = find_depots_again(*world.store, world.realm.id()).value();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].title, "found again " + depot.id.render());
  EXPECT_THAT(Titles(world.store->kv(), world.realm.id()).find(found[0].title).value(),
              ::testing::ElementsAre(depot.id));
  EXPECT_TRUE(fsck(world.realm).value().clean());
}

TEST_F(FoundAgain, IsNothingWhereNothingIsLostAndTitlesAreThereAgain) {
  auto depot = world.a_depot().with("a.txt", "1").committed();
  auto deleted = world.a_depot().with("b.txt", "1").committed();
  ASSERT_THAT(world.realm.delete_depot(deleted.id), IsOk());
  const auto title = world.realm.get_depot(depot.id)->title;
  lose(records::title_key(world.realm.id(), title));
  EXPECT_TRUE(find_depots_again(*world.store, world.realm.id())->empty());
  EXPECT_THAT(Titles(world.store->kv(), world.realm.id()).find(title).value(),
              ::testing::ElementsAre(depot.id));
  EXPECT_TRUE(fsck(world.realm).value().clean());
}

TEST(RecordInWords, NamesWhatAPersonKnows) {
  const auto realm = RealmId::from_bytes(Bytes(16, 'r'));
  const auto depot = DepotId::from_bytes(Bytes(16, 'd'));
  EXPECT_EQ(record_in_words(records::history_key(realm, depot, 258)),
            "commit #258 of " + depot.render());
  EXPECT_EQ(record_in_words(records::depot_key(realm, depot)), "the depot " + depot.render());
  EXPECT_EQ(record_in_words(records::freed_key(realm)), "the record frrrrrrrrrrrrrrrr");
  EXPECT_EQ(record_in_words(""), "");
}

}  // namespace
}  // namespace cairn
