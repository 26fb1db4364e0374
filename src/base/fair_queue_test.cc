#include "base/fair_queue.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cairn {
namespace {

using namespace std::chrono_literals;

// A queue without threads: jobs say who they are when they are taken.
struct Bench {
  FairQueue queue{32};
  FairQueue::Time now;
  std::vector<FairQueue::Taken> running;
  std::string said;

  void give(const std::string& group, const std::string& who, int count = 1) {
    for (int i = 0; i < count; ++i) queue.push({group, who}, [this, who] { said += who; });
  }
  // As many as begin now.
  int take(int most = 1000) {
    int taken = 0;
    while (taken < most) {
      auto next = queue.pop(now);
      if (!next) break;
      next->job();
      running.push_back(std::move(*next));
      ++taken;
    }
    return taken;
  }
  void end_all() {
    for (auto& one : running) queue.done(*one.line, one.began, now);
    running.clear();
  }
  // Earns a window with short jobs.
  void warm_up(const std::string& group, const std::string& who) {
    for (int i = 0; i < 40; ++i) {
      give(group, who);
      take();
      end_all();
    }
  }
};

TEST(FairQueue, BeginsWithFewOfEach) {
  Bench bench;
  bench.give("a", "x", 48);
  EXPECT_EQ(bench.take(), 4);
  bench.give("b", "y", 1);
  EXPECT_EQ(bench.take(), 1);
  EXPECT_TRUE(bench.said.ends_with('y'));
}

TEST(FairQueue, ShortJobsWidenTheWindowToThreeQuartersOfTheThreads) {
  Bench bench;
  bench.warm_up("a", "x");
  bench.give("a", "x", 48);
  EXPECT_EQ(bench.take(), 24);
}

TEST(FairQueue, LongJobsNarrowItAgain) {
  Bench bench;
  bench.warm_up("a", "x");
  bench.give("a", "x", 100);
  EXPECT_EQ(bench.take(), 24);
  bench.now += 1s;
  bench.end_all();
  EXPECT_EQ(bench.take(), 4);
}

TEST(FairQueue, WhileSomeTurnOutToBeLongNoMoreBegin) {
  Bench bench;
  bench.warm_up("a", "x");
  bench.give("a", "x", 4);
  EXPECT_EQ(bench.take(), 4);
  bench.now += 1s;
  bench.give("a", "x", 4);
  EXPECT_EQ(bench.take(), 0);
  bench.end_all();
  EXPECT_EQ(bench.take(), 4);
}

TEST(FairQueue, ManySharesOfOneGroupDoNotTakeAllThreads) {
  Bench bench;
  for (int i = 0; i < 100; ++i) bench.give("a", "x" + std::to_string(i), 4);
  EXPECT_EQ(bench.take(), 8);
  bench.give("b", "y");
  EXPECT_EQ(bench.take(), 1);
}

TEST(FairQueue, GroupsAndTheirSharesTakeTurns) {
  Bench bench;
  bench.warm_up("a", "x");
  bench.warm_up("a", "z");
  bench.warm_up("b", "y");
  bench.said.clear();
  bench.give("a", "x", 3);
  bench.give("a", "z", 3);
  bench.give("b", "y", 3);
  bench.take();
  EXPECT_EQ(bench.said, "xyzyxyzxz");
}

TEST(FairQueue, JobsOfOneShareBeginInTheirOrder) {
  Bench bench;
  for (int i = 0; i < 6; ++i) {
    bench.queue.push({"a", "x"}, [&bench, i] { bench.said += std::to_string(i); });
  }
  bench.take();
  bench.end_all();
  bench.take();
  EXPECT_EQ(bench.said, "012345");
}

TEST(FairQueue, TheProgramsOwnJobsHaveNoWindow) {
  Bench bench;
  bench.give("", "", 500);
  EXPECT_EQ(bench.take(), 500);
}

TEST(FairQueue, ForgetsThoseWhoHaveNothingToDo) {
  Bench bench;
  for (int i = 0; i < 20'000; ++i) {
    bench.give("a" + std::to_string(i % 7), std::to_string(i));
    bench.take();
    bench.end_all();
  }
  EXPECT_TRUE(bench.queue.empty());
  EXPECT_FALSE(bench.queue.ready());
}

}  // namespace
}  // namespace cairn
