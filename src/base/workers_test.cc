#include "base/workers.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

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

// Shorter jobs are not held up by a processor that is taken.
TEST(Workers, LowerThePriorityOfALongJobAndOfNoOther) {
  const auto priority = [] { return ::getpriority(PRIO_PROCESS, 0); };
  const int usual = priority();
  std::atomic<bool> lowered = false;
  std::atomic<int> greatest = usual;
  {
    Workers workers(2, "test");
    workers.run([&] {
      while (priority() == usual) std::this_thread::yield();
      lowered = true;
    });
    // Whoever comes finds it still at work.
    while (!lowered) {
      std::latch done(1);
      workers.run([&] {
        greatest = std::max(greatest.load(), priority());
        done.count_down();
      });
      done.wait();
    }
    for (int i = 0; i < 100; ++i) {
      workers.run([&] { greatest = std::max(greatest.load(), priority()); });
    }
  }
  EXPECT_TRUE(lowered);
  EXPECT_EQ(greatest, usual);
}

TEST(Workers, EndWhileLongJobsDo) {
  for (int round = 0; round < 4; ++round) {
    std::atomic<int> done = 0;
    {
      Workers workers(4, "test");
      for (int i = 0; i < 4; ++i) {
        workers.run([&] {
          const auto end = std::chrono::steady_clock::now() + FairQueue::kLong;
          while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
          ++done;
        });
      }
      for (int i = 0; i < 8; ++i) workers.run([&] { ++done; });
    }
    EXPECT_EQ(done, 12);
  }
}

}  // namespace
}  // namespace cairn
