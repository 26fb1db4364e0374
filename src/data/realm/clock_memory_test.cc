// A clock that is set wrong costs nobody what was kept.
#include "data/realm/clock_memory.h"

#include <gtest/gtest.h>

#include "data/realm/gc.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using namespace std::chrono_literals;
constexpr auto kYear = std::chrono::hours(24 * 365);

TEST(ClockMemory, IsWhatTheNextProcessBeginsWith) {
  ManualClock machine;
  const auto store = make_memory_store(machine);
  const GuardedClock first(machine);
  must(keep_time(*store, first));
  const auto seen = first.now();

  ManualClock behind(seen - 1000 * 3600 * 24);
  GuardedClock second(behind);
  must(recall_time(*store, second));
  EXPECT_EQ(second.now(), seen);

  ManualClock ahead(seen + std::chrono::milliseconds(kYear).count());
  GuardedClock third(ahead);
  must(recall_time(*store, third));
  EXPECT_EQ(third.now(), ahead.now());
  EXPECT_EQ(third.settled().now(), seen);
  must(keep_time(*store, third));
  ahead.advance(25h);
  GuardedClock fourth(ahead);
  must(recall_time(*store, fourth));
  EXPECT_EQ(fourth.settled().now(), ahead.now()) << "a day later it is believed";
}

TEST(ClockMemory, IsWrittenAsOftenAsIsAskedFor) {
  ManualClock machine;
  const auto store = make_memory_store(machine);
  const GuardedClock clock(machine);
  must(keep_time(*store, clock));
  const auto before = must(store->kv().get("m clock"));
  machine.advance(59s);
  must(keep_time(*store, clock, 1min));
  EXPECT_EQ(must(store->kv().get("m clock")), before);
  machine.advance(1s);
  must(keep_time(*store, clock, 1min));
  EXPECT_NE(must(store->kv().get("m clock")), before);
}

TEST(ClockMemory, WhatIsDamagedIsAsIfThereWereNone) {
  ManualClock machine;
  const auto store = make_memory_store(machine);
  Batch batch;
  batch.puts.push_back({"m clock", "\xff"});
  must(store->kv().commit(std::move(batch)));
  GuardedClock clock(machine);
  must(recall_time(*store, clock));
  EXPECT_EQ(clock.now(), machine.now());
}

// What was uploaded a minute ago is not garbage because the clock says that a year has passed.
TEST(ClockMemory, AYearAheadTakesNothing) {
  ManualClock machine;
  const auto store = make_memory_store(machine);
  SeededRandom random{1};
  const auto id = RealmId::make(machine, random);
  GuardedClock before(machine);
  must(keep_time(*store, before));
  NodeKey draft;
  DepotId depot;
  {
    Realm realm(*store, id, before, random, {});
    depot = must(realm.create_depot("d")).id;
    DepotStory story(realm, Place(depot));
    draft = story.edit("a", "not committed yet").root;
    for (int i = 0; i < 150; ++i) {
      machine.advance(1h);
      story.with("f", std::to_string(i)).committed();
    }
    draft = story.edit("a", "not committed yet").root;
    must(keep_time(*store, before));
  }
  machine.advance(kYear);
  GuardedClock after(machine);
  must(recall_time(*store, after));
  Realm realm(*store, id, after, random, {.settled = &after.settled()});
  const auto report = must(collect_garbage(realm));
  EXPECT_TRUE(must(realm.nodes().has(draft)));
  EXPECT_EQ(report.thinned, 0U);
  machine.advance(25h);
  EXPECT_GT(must(collect_garbage(realm)).thinned, 0U) << "when it has stood for a day";
  EXPECT_FALSE(must(realm.nodes().has(draft)));
}

}  // namespace
}  // namespace cairn::realm_testing
