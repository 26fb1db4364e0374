#include "exposure/http/in_flight.h"

#include <optional>

#include <gtest/gtest.h>

namespace cairn::http {
namespace {

TEST(InFlight, OneClientHasItsShareAndNoMore) {
  InFlight bytes({.each = 100, .all = 250});
  InFlight::Hold first(bytes, "a");
  InFlight::Hold second(bytes, "a");
  EXPECT_TRUE(first.grow(60));
  const auto refused = second.grow(60);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kRateLimited);
  InFlight::Hold other(bytes, "b");
  EXPECT_TRUE(other.grow(100));
}

TEST(InFlight, AllTogetherHaveNoMoreThanAll) {
  InFlight bytes({.each = 100, .all = 150});
  InFlight::Hold a(bytes, "a");
  InFlight::Hold b(bytes, "b");
  EXPECT_TRUE(a.grow(100));
  EXPECT_FALSE(b.grow(51));
  EXPECT_TRUE(b.grow(50));
}

TEST(InFlight, WhatIsThereIsCountedAndHoldsTheNextUp) {
  InFlight bytes({.each = 100, .all = 1000});
  std::optional<InFlight::Hold> answer(std::in_place, bytes, "a");
  answer->count(500);
  EXPECT_FALSE(bytes.check_room("a"));
  EXPECT_TRUE(bytes.check_room("b"));
  answer.reset();
  EXPECT_TRUE(bytes.check_room("a"));
  EXPECT_EQ(bytes.now(), 0U);
}

TEST(InFlight, TellsOnceThatABurstIsOver) {
  constexpr std::size_t kMuch = std::size_t{50} << 20;
  InFlight bytes({});
  {
    InFlight::Hold hold(bytes, "a");
    hold.count(kMuch);
    EXPECT_FALSE(bytes.burst_is_over());
  }
  EXPECT_TRUE(bytes.burst_is_over());
  EXPECT_FALSE(bytes.burst_is_over());
}

}  // namespace
}  // namespace cairn::http
