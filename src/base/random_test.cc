#include "base/random.h"

#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cairn {
namespace {

TEST(SystemRandom, FillsAsManyBytesAsAsked) {
  SystemRandom random;
  // Over 256 bytes a call may be interrupted and give fewer.
  for (std::size_t count : {0U, 1U, 16U, 257U, 1U << 20}) {
    EXPECT_EQ(random.bytes(count).size(), count);
  }
}

TEST(SystemRandom, DoesNotRepeatItself) {
  SystemRandom random;
  std::set<Bytes> seen;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(seen.insert(random.bytes(16)).second);
}

TEST(SeededRandom, RepeatsItselfForOneSeedOnly) {
  SeededRandom one(7);
  SeededRandom same(7);
  SeededRandom other(8);
  auto bytes = one.bytes(32);
  EXPECT_EQ(same.bytes(32), bytes);
  EXPECT_NE(other.bytes(32), bytes);
  EXPECT_NE(one.bytes(32), bytes);
}

TEST(SeededRandom, MayBeSharedBetweenThreads) {
  SeededRandom random(7);
  std::vector<Bytes> taken(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : taken) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) mine += random.bytes(1);
      });
    }
  }
  // Together they took every byte of the sequence once.
  Bytes all = SeededRandom(7).bytes(4000);
  Bytes joined = taken[0] + taken[1] + taken[2] + taken[3];
  EXPECT_EQ(std::multiset<char>(joined.begin(), joined.end()),
            std::multiset<char>(all.begin(), all.end()));
}

}  // namespace
}  // namespace cairn
