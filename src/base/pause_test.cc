#include "base/pause.h"

#include <thread>

#include <gtest/gtest.h>

namespace cairn {
namespace {

using namespace std::chrono_literals;

TEST(Pause, LastsAsLongAsItShould) {
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(pause(5ms, {}));
  EXPECT_GE(std::chrono::steady_clock::now() - began, 5ms);
}

TEST(Pause, IsOverWhenTheThreadShouldStop) {
  bool in_full = true;
  {
    std::jthread thread(
        [&](const std::stop_token& stop) { in_full = pause(std::chrono::hours(1), stop); });
  }
  EXPECT_FALSE(in_full);
}

TEST(Pause, DoesNotBeginForWhoShouldHaveStopped) {
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(pause(std::chrono::hours(1), stopped.get_token()));
}

}  // namespace
}  // namespace cairn
