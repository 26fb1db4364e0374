#include "base/budget.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cairn {
namespace {

using std::chrono::milliseconds;
using Limit = Budget::Limit;

TEST(Budget, WithoutLimitsNeverSaysNo) {
  ManualClock clock;
  Budget budget(clock, {});
  EXPECT_TRUE(budget.take_entries(1'000'000'000'000));
  EXPECT_TRUE(budget.take_bytes(1'000'000'000'000));
  clock.advance(std::chrono::hours(24 * 365));
  EXPECT_TRUE(budget.in_time());
  EXPECT_EQ(budget.stopped_by(), std::nullopt);
}

TEST(Budget, SpendsToTheLastEntryAndThenSaysNo) {
  ManualClock clock;
  Budget budget(clock, {.entries = 3});
  EXPECT_TRUE(budget.take_entries());
  EXPECT_TRUE(budget.take_entries(2));
  EXPECT_EQ(budget.entries_left(), 0);
  EXPECT_TRUE(budget.take_entries(0));
  EXPECT_FALSE(budget.take_entries());
  EXPECT_EQ(budget.stopped_by(), Limit::kEntries);
}

TEST(Budget, SpendsNothingWhenItSaysNo) {
  ManualClock clock;
  Budget budget(clock, {.bytes = 10});
  EXPECT_FALSE(budget.take_bytes(11));
  EXPECT_EQ(budget.bytes_left(), 10);
  EXPECT_TRUE(budget.take_bytes(10));
  EXPECT_EQ(budget.stopped_by(), Limit::kBytes);
}

TEST(Budget, RemembersTheFirstLimitThatSaidNo) {
  ManualClock clock;
  Budget budget(clock, {.entries = 0, .bytes = 0, .time = milliseconds(0)});
  EXPECT_FALSE(budget.take_bytes(1));
  EXPECT_FALSE(budget.take_entries());
  EXPECT_FALSE(budget.in_time());
  EXPECT_EQ(budget.stopped_by(), Limit::kBytes);
}

TEST(Budget, IsOutOfTimeAtTheDeadline) {
  ManualClock clock;
  Budget budget(clock, {.time = milliseconds(100)});
  clock.advance(milliseconds(99));
  EXPECT_TRUE(budget.in_time());
  EXPECT_EQ(budget.stopped_by(), std::nullopt);
  clock.advance(milliseconds(1));
  EXPECT_FALSE(budget.in_time());
  EXPECT_EQ(budget.stopped_by(), Limit::kTime);
}

TEST(Budget, NeverOversellsToSeveralThreads) {
  ManualClock clock;
  constexpr std::int64_t kEntries = 20'000;
  Budget budget(clock, {.entries = kEntries});
  std::atomic<std::int64_t> sold = 0;
  std::vector<std::jthread> threads;
  for (std::int64_t share = 1; share <= 4; ++share) {
    threads.emplace_back([&, share] {
      while (budget.take_entries(share)) sold += share;
    });
  }
  threads.clear();
  EXPECT_EQ(sold + budget.entries_left(), kEntries);
  EXPECT_EQ(budget.entries_left(), 0);  // the thread that takes one at a time gets the rest
  EXPECT_EQ(budget.stopped_by(), Limit::kEntries);
}

TEST(Budget, NamesItsLimits) {
  EXPECT_EQ(name(Limit::kEntries), "entries");
  EXPECT_EQ(name(Limit::kBytes), "bytes");
  EXPECT_EQ(name(Limit::kTime), "time");
}

TEST(Budget, IsOutOfTimeOnceItsCallIsCancelled) {
  ManualClock clock;
  std::stop_source source;
  Budget budget(clock, {.stop = source.get_token()});
  EXPECT_TRUE(budget.in_time());
  source.request_stop();
  EXPECT_FALSE(budget.in_time());
  EXPECT_EQ(budget.stopped_by(), Limit::kCancelled);
  EXPECT_EQ(name(Limit::kCancelled), "cancelled");
}

}  // namespace
}  // namespace cairn
