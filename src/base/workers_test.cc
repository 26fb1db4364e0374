#include "base/workers.h"

#include <atomic>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cairn {
namespace {

TEST(Workers, DoEveryJobBeforeTheyGo) {
  std::atomic<int> done = 0;
  {
    Workers workers(4, "test");
    for (int i = 0; i < 1000; ++i) workers.run([&] { ++done; });
  }
  EXPECT_EQ(done, 1000);
}

TEST(Workers, DoWhatIsGivenWithinAJobWhileTheyGo) {
  std::atomic<int> done = 0;
  {
    Workers workers(2, "test");
    for (int i = 0; i < 100; ++i) {
      workers.run([&] { workers.run([&] { ++done; }); });
    }
  }
  EXPECT_EQ(done, 100);
}

// Each waits for all the others, so every one needs a thread of its own.
TEST(Workers, KeepNoJobWaitingForOneThatBlocks) {
  constexpr int kJobs = 8;
  for (int round = 0; round < 50; ++round) {
    Workers workers(kJobs, "test");
    for (int again = 0; again < 3; ++again) {
      // Whoever leaves it last lets go of it.
      const auto all = std::make_shared<std::latch>(kJobs + 1);
      for (int i = 0; i < kJobs; ++i) workers.run([all] { all->arrive_and_wait(); });
      all->arrive_and_wait();
    }
  }
}

TEST(Workers, BeginJobsInTheirOrder) {
  std::vector<int> order;
  {
    Workers one(1, "test");
    for (int i = 0; i < 100; ++i) one.run([&order, i] { order.push_back(i); });
  }
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(Workers, AreGivenJobsByManyThreads) {
  std::atomic<int> done = 0;
  {
    Workers workers(3, "test");
    std::vector<std::jthread> givers;
    for (int t = 0; t < 4; ++t) {
      givers.emplace_back([&] {
        for (int i = 0; i < 500; ++i) workers.run([&] { ++done; });
      });
    }
  }
  EXPECT_EQ(done, 2000);
}

}  // namespace
}  // namespace cairn
