#include "base/guarded.h"

#include <condition_variable>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cairn {
namespace {

TEST(Guarded, GivesItsValueThroughLock) {
  Guarded<std::string> text("a");
  *text.lock() += "b";
  text.lock()->push_back('c');
  EXPECT_EQ(*text.lock(), "abc");
}

TEST(Guarded, BeginsWithAnEmptyValue) {
  Guarded<int> number;
  EXPECT_EQ(*number.lock(), 0);
}

TEST(Guarded, LetsOneThreadInAtATime) {
  Guarded<int> count;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 1000; ++k) {
          auto access = count.lock();
          *access = *access + 1;
        }
      });
    }
  }
  EXPECT_EQ(*count.lock(), 4000);
}

TEST(Guarded, GivesUpItsMutexToAConditionVariable) {
  Guarded<bool> ready;
  std::condition_variable changed;
  std::jthread other([&] {
    *ready.lock() = true;
    changed.notify_one();
  });
  auto access = ready.lock();
  changed.wait(access.mutex(), [&] { return *access; });
  EXPECT_TRUE(*access);
}

}  // namespace
}  // namespace cairn
