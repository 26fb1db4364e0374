#include "tools/executor/sign_in_limits.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

using namespace std::chrono_literals;

TEST(SignInLimits, ANameIsTriedFiveTimesFromOneAddress) {
  ManualClock clock;
  SignInLimits limits(clock);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(limits.begin("ann", "10.0.0.1", true)) << i;
  const auto refused = limits.begin("ann", "10.0.0.1", true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kRateLimited);
  clock.advance(2s);
  EXPECT_TRUE(limits.begin("ann", "10.0.0.1", true));
}

TEST(SignInLimits, OthersFailuresHoldNobodyUp) {
  ManualClock clock;
  SignInLimits limits(clock);
  for (int i = 0; i < 1000; ++i) {
    (void)limits.begin("ann", "10.0.0.2", true);
    (void)limits.begin("guess" + std::to_string(i), "10.0.0.1", false);
  }
  EXPECT_TRUE(limits.begin("ann", "10.0.0.1", true));
  EXPECT_TRUE(limits.begin("bob", "10.0.0.2", true));
}

TEST(SignInLimits, NamesThatNobodyHasAreSoonRefusedWithoutALook) {
  ManualClock clock;
  SignInLimits limits(clock);
  int looked_at = 0;
  for (int i = 0; i < 1000; ++i) {
    looked_at += limits.begin("guess" + std::to_string(i), "10.0.0.1", false) ? 1 : 0;
  }
  EXPECT_EQ(looked_at, 10);
}

TEST(SignInLimits, TheAddressesOfAnIpv6NetworkAreOne) {
  ManualClock clock;
  SignInLimits limits(clock);
  const auto address = [](int i) { return fmt::format("2001:db8:1:2::{:x}", i + 1); };
  int looked_at = 0;
  for (int i = 0; i < 100; ++i) looked_at += limits.begin("ann", address(i), true) ? 1 : 0;
  EXPECT_EQ(looked_at, 5);
  for (int i = 0; i < 100; ++i) looked_at += limits.begin("guess", address(i), false) ? 1 : 0;
  EXPECT_EQ(looked_at, 10);
  EXPECT_TRUE(limits.begin("ann", "2001:db8:1:3::1", true));
}

TEST(SignInLimits, ARightPasswordTakesNothing) {
  ManualClock clock;
  SignInLimits limits(clock);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(limits.begin("ann", "10.0.0.1", true)) << i;
    limits.succeeded("ann", "10.0.0.1");
  }
}

TEST(SignInLimits, AreBounded) {
  ManualClock clock;
  SignInLimits limits(clock);
  for (int i = 0; i < 50'000; ++i) {
    (void)limits.begin("ann", "10.0.0." + std::to_string(i), true);
    clock.advance(1ms);
  }
  EXPECT_TRUE(limits.begin("ann", "10.0.0.1", true));
}

}  // namespace
}  // namespace cairn
