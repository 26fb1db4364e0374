#include "data/realm/moved_back.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/realm/realm_testing.h"

namespace cairn {
namespace {

const RealmId kRealm = RealmId::from_bytes(Bytes(16, 'r'));
const DepotId kStays = DepotId::from_bytes(Bytes(16, 's'));
const DepotId kGone = DepotId::from_bytes(Bytes(16, 'g'));

Depot a_depot(const DepotId& id, std::string title, std::uint64_t sequence) {
  Depot depot;
  depot.id = id;
  depot.title = std::move(title);
  depot.sequence = sequence;
  return depot;
}

LostChange lost_commit(const DepotId& depot, std::uint64_t sequence) {
  HistoryEntry entry;
  entry.sequence = sequence;
  return {records::history_key(kRealm, depot, sequence), records::encode(entry), true};
}

TEST(MovedBack, NamesDepotsWithWhatTheyLostAndThoseThatAreGone) {
  const ManualClock clock;
  auto store = make_memory_store(clock);
  const auto key = records::depot_key(kRealm, kStays);
  Batch batch;
  batch.puts.push_back({key, records::encode(a_depot(kStays, "stays", 3))});
  ASSERT_TRUE(store->kv().commit(std::move(batch)));
  const std::vector<LostChange> lost{
      lost_commit(kStays, 4),
      {key, records::encode(a_depot(kStays, "stays", 4)), true},
      {"a audit", Bytes("x"), true},
      {records::depot_key(kRealm, kGone), records::encode(a_depot(kGone, "gone", 0)), true},
      lost_commit(kGone, 1),
      lost_commit(kStays, 5),
  };
  const auto moved = moved_back(store->kv(), lost).value();
  ASSERT_EQ(moved.size(), 2U);
  EXPECT_EQ(moved[0].depot, kStays);
  EXPECT_EQ(moved[0].commits, 2U);
  EXPECT_EQ(moved[0].now, 3U);
  EXPECT_EQ(moved[0].was, 5U);
  EXPECT_EQ(moved[1].title, "gone");
  EXPECT_EQ(moved[1].now, std::nullopt);
}

TEST(MovedBack, KnowsCommitsByTheirKeys) {
  EXPECT_TRUE(is_commit_record(records::history_key(kRealm, kStays, 1)));
  EXPECT_FALSE(is_commit_record(records::depot_key(kRealm, kStays)));
}

}  // namespace
}  // namespace cairn
