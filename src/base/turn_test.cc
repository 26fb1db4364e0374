#include "base/turn.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cairn {
namespace {

using namespace std::chrono_literals;

TEST(Turn, IsFreeAgainWhenItsHolderEnds) {
  Turn turn;
  EXPECT_TRUE(turn.take(0ns));
  const auto held = turn.take(0ns);
  EXPECT_TRUE(held);
}

TEST(Turn, IsNotGivenToASecondInTime) {
  Turn turn;
  const auto held = turn.take(0ns);
  EXPECT_FALSE(turn.take(0ns));
  EXPECT_FALSE(turn.take(2ms));
}

TEST(Turn, GoesToWhoeverWaitsForIt) {
  Turn turn;
  auto held = turn.take(0ns);
  bool had = false;
  {
    std::jthread other([&] { had = turn.take(1min) != nullptr; });
    held.reset();
  }
  EXPECT_TRUE(had);
}

TEST(Turn, IsHadByOneAtATime) {
  Turn turn;
  int count = 0;  // guarded by nothing else; the thread sanitizer would see it
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 1000; ++k) {
          const auto held = turn.take(1min);
          count += 1;
        }
      });
    }
  }
  EXPECT_EQ(count, 4000);
}

}  // namespace
}  // namespace cairn
