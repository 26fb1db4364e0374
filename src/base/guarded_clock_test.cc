#include "base/guarded_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A machine whose time can be set without time passing.
class Machine final : public Clock {
 public:
  Millis now() const override { return wall; }
  std::chrono::nanoseconds monotonic() const override { return pace; }
  void pass(std::chrono::milliseconds time) {
    wall += time.count();
    pace += time;
  }
  void set(std::chrono::milliseconds by) { wall += by.count(); }

  Millis wall = 1'800'000'000'000;
  std::chrono::nanoseconds pace = 1000s;
};

class GuardedClockTest : public testing::Test {
 protected:
  static constexpr auto kYear = std::chrono::hours(24 * 365);

  Millis settled() const { return clock_.settled().now(); }
  // A process ends, and another begins.
  void restart() { begin(clock_.memory()); }
  void begin(const GuardedClock::Memory& memory) {
    again_.emplace(machine_, [this](const std::string& text) { told_.push_back(text); });
    again_->remember(memory);
  }

  Machine machine_;
  std::vector<std::string> told_;
  GuardedClock clock_{machine_, [this](const std::string& text) {
                        told_.push_back(text);
                        (void)clock_.now();  // as a log does
                      }};
  std::optional<GuardedClock> again_;
};

TEST_F(GuardedClockTest, IsTheMachinesWhileThatRuns) {
  for (int i = 0; i < 1000; ++i) {
    machine_.pass(1700ms);
    ASSERT_EQ(clock_.now(), machine_.wall);
    ASSERT_EQ(settled(), machine_.wall);
  }
  machine_.set(4min);
  EXPECT_EQ(clock_.now(), machine_.wall) << "put right by a little";
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(GuardedClockTest, NeverGoesBack) {
  const auto before = clock_.now();
  machine_.set(-1min);
  EXPECT_EQ(clock_.now(), before);
  machine_.pass(2min);
  EXPECT_EQ(clock_.now(), machine_.wall) << "caught up";
  EXPECT_THAT(told_, IsEmpty());

  const auto then = clock_.now();
  machine_.set(-kYear);
  EXPECT_EQ(clock_.now(), then);
  machine_.pass(1h);
  EXPECT_EQ(clock_.now(), then + 3'600'000) << "at its own pace";
  EXPECT_EQ(settled(), then + 3'600'000);
  EXPECT_THAT(told_, ElementsAre(HasSubstr("365 days behind")));
  machine_.set(kYear);
  EXPECT_EQ(clock_.now(), machine_.wall);
  EXPECT_THAT(told_, ElementsAre(HasSubstr("behind"), HasSubstr("caught up")));
}

TEST_F(GuardedClockTest, SetAheadGoesOnAsBeforeUntilThatHasStoodForADay) {
  const auto before = clock_.now();
  machine_.set(kYear);
  EXPECT_EQ(clock_.now(), before);
  machine_.pass(23h);
  EXPECT_EQ(clock_.now(), before + 23 * 3'600'000);
  EXPECT_THAT(told_, ElementsAre(HasSubstr("365 days ahead")));
  machine_.set(-kYear);
  EXPECT_EQ(clock_.now(), machine_.wall) << "as if it had never been";
  machine_.set(kYear);
  clock_.now();
  machine_.pass(25h);
  EXPECT_EQ(clock_.now(), machine_.wall);
  EXPECT_EQ(settled(), machine_.wall);
}

TEST_F(GuardedClockTest, SaysHowFarToTheNearest) {
  machine_.set(kYear - 1ms);
  clock_.now();
  EXPECT_THAT(told_, ElementsAre(HasSubstr("365 days ahead")))
      << "the two clocks are read one after the other";
}

TEST_F(GuardedClockTest, GoesOnFromWhatAProcessBeforeHasSeen) {
  machine_.set(-kYear);
  const auto seen = clock_.now();
  restart();
  EXPECT_EQ(again_->now(), seen);
  machine_.pass(1s);
  EXPECT_EQ(again_->now(), seen + 1000);
}

TEST_F(GuardedClockTest, AfterARestTheTimeIsNewAndNothingIsOldYet) {
  const auto memory = clock_.memory();
  machine_.pass(30 * 24h);
  begin(memory);
  EXPECT_EQ(again_->settled().now(), machine_.wall) << "a month is nothing";

  machine_.pass(kYear);
  begin(memory);
  EXPECT_EQ(again_->now(), machine_.wall);
  EXPECT_EQ(again_->settled().now(), memory.seen);
  EXPECT_THAT(told_, ElementsAre(HasSubstr("ahead of what was seen last")));
  // Over as many processes as it takes.
  for (int hour = 1; hour < 24; ++hour) {
    machine_.pass(1h);
    begin(again_->memory());
    ASSERT_LT(again_->settled().now(), machine_.wall - 1000) << hour;
  }
  machine_.pass(1h);
  begin(again_->memory());
  EXPECT_EQ(again_->settled().now(), machine_.wall);
  EXPECT_EQ(told_.size(), 1U);
}

TEST_F(GuardedClockTest, AStoreThatWasNeverUsedHasNothingToCompareWith) {
  begin({.seen = machine_.wall, .settled = machine_.wall});
  EXPECT_EQ(again_->now(), machine_.wall);
  EXPECT_EQ(again_->settled().now(), machine_.wall);
}

}  // namespace
}  // namespace cairn
