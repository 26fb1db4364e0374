#include "exposure/http/in_flight.h"

#include <optional>

#include <gtest/gtest.h>

namespace cairn::http {
namespace {

const Share kA{.group = "x", .who = "a"};
const Share kB{.group = "y", .who = "b"};

TEST(InFlight, OneClientHasItsShareAndNoMore) {
  InFlight bytes({.each = 100, .all = 250, .little = 0});
  InFlight::Hold first(bytes, kA);
  InFlight::Hold second(bytes, kA);
  EXPECT_TRUE(first.grow(60));
  const auto refused = second.grow(60);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kRateLimited);
  InFlight::Hold other(bytes, kB);
  EXPECT_TRUE(other.grow(100));
}

TEST(InFlight, AllTogetherHaveNoMoreThanAll) {
  InFlight bytes({.each = 100, .all = 150, .little = 0});
  InFlight::Hold a(bytes, kA);
  InFlight::Hold b(bytes, kB);
  EXPECT_TRUE(a.grow(100));
  EXPECT_FALSE(b.grow(51));
  EXPECT_TRUE(b.grow(50));
}

TEST(InFlight, AGroupHasNoMoreThanItsPart) {
  InFlight bytes({.each = 100, .of_group = 150, .all = 1000, .little = 0});
  InFlight::Hold a(bytes, kA);
  InFlight::Hold like_a(bytes, {.group = "x", .who = "c"});
  InFlight::Hold b(bytes, kB);
  EXPECT_TRUE(a.grow(100));
  EXPECT_FALSE(like_a.grow(51));
  EXPECT_TRUE(like_a.grow(50));
  EXPECT_TRUE(b.grow(100));
}

TEST(InFlight, WhoHasLittleIsLetInWhenAllIsTaken) {
  InFlight bytes({.each = 100, .of_group = 100, .all = 100, .little = 10, .beyond = 25});
  InFlight::Hold a(bytes, kA);
  EXPECT_TRUE(a.grow(100));
  // Also one of the same group, and for another request.
  for (const auto& whose : {kB, Share{.group = "x", .who = "c"}}) {
    EXPECT_TRUE(bytes.check_room(whose));
    InFlight::Hold small(bytes, whose);
    EXPECT_TRUE(small.grow(10));
    EXPECT_FALSE(small.grow(1));
  }
  InFlight::Hold first(bytes, {.group = "y", .who = "1"});
  InFlight::Hold second(bytes, {.group = "y", .who = "2"});
  InFlight::Hold third(bytes, {.group = "y", .who = "3"});
  EXPECT_TRUE(first.grow(10));
  EXPECT_TRUE(second.grow(10));
  EXPECT_FALSE(third.grow(10)) << "this has an end too";
}

TEST(InFlight, WhatIsThereIsCountedAndHoldsTheNextUp) {
  InFlight bytes({.each = 100, .all = 1000, .little = 0});
  std::optional<InFlight::Hold> answer(std::in_place, bytes, kA);
  answer->count(500);
  EXPECT_FALSE(bytes.check_room(kA));
  EXPECT_TRUE(bytes.check_room(kB));
  answer.reset();
  EXPECT_TRUE(bytes.check_room(kA));
  EXPECT_EQ(bytes.now(), 0U);
}

TEST(InFlight, TellsOnceThatABurstIsOver) {
  constexpr std::size_t kMuch = std::size_t{50} << 20;
  InFlight bytes({});
  {
    InFlight::Hold hold(bytes, kA);
    hold.count(kMuch);
    EXPECT_FALSE(bytes.burst_is_over());
  }
  EXPECT_TRUE(bytes.burst_is_over());
  EXPECT_FALSE(bytes.burst_is_over());
}

}  // namespace
}  // namespace cairn::http
