#include "tools/executor/rate_limit.h"

#include "base/random.h"
#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::Says;

class RateLimitTest : public testing::Test {
 protected:
  // How many calls go through now.
  int burst(RateLimit& limit, const DelegateId& who) {
    int count = 0;
    while (count < 1000 && limit.take(who)) ++count;
    return count;
  }
  ManualClock clock_;
  SeededRandom random_{1};
  DelegateId one_ = DelegateId::make(clock_, random_);
  DelegateId two_ = DelegateId::make(clock_, random_);
};

TEST_F(RateLimitTest, NothingIsLimitedUnlessItIsSaid) {
  RateLimit limit(clock_, {});
  EXPECT_EQ(burst(limit, one_), 1000);
}

TEST_F(RateLimitTest, ABucketHoldsTwoSecondsWorthUnlessItIsSaid) {
  RateLimit limit(clock_, {.per_second = 5});
  EXPECT_EQ(burst(limit, one_), 10);
  RateLimit slow(clock_, {.per_second = 0.1});
  EXPECT_EQ(burst(slow, one_), 1);
  RateLimit wide(clock_, {.per_second = 1, .burst = 50});
  EXPECT_EQ(burst(wide, one_), 50);
}

TEST_F(RateLimitTest, ItFillsWithTimeAndNeverOverflows) {
  RateLimit limit(clock_, {.per_second = 4, .burst = 8});
  burst(limit, one_);
  clock_.advance(std::chrono::milliseconds(500));
  EXPECT_EQ(burst(limit, one_), 2);
  clock_.advance(std::chrono::hours(1));
  EXPECT_EQ(burst(limit, one_), 8);
}

TEST_F(RateLimitTest, WhoIsRefusedIsToldWhenToComeBackAndThenGetsThrough) {
  RateLimit limit(clock_, {.per_second = 4, .burst = 1});
  ASSERT_TRUE(limit.take(one_));
  clock_.advance(std::chrono::milliseconds(100));
  const auto refused = limit.take(one_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error(), Says(Code::kRateLimited, "4 calls a second; try again in 150 ms"));
  const auto wait = std::get<std::int64_t>(refused.error().details.at("retryAfterMs"));
  EXPECT_EQ(wait, 150);
  clock_.advance(std::chrono::milliseconds(wait - 1));
  EXPECT_FALSE(limit.take(one_));
  clock_.advance(std::chrono::milliseconds(1));
  EXPECT_TRUE(limit.take(one_));
}

TEST_F(RateLimitTest, EverybodyHasABucketOfTheirOwn) {
  RateLimit limit(clock_, {.per_second = 1, .burst = 3});
  EXPECT_EQ(burst(limit, one_), 3);
  EXPECT_EQ(burst(limit, two_), 3);
}

class LimitedCallsTest : public tools_testing::ToolTest {
 protected:
  LimitedCallsTest() : ToolTest(limited()) {}

 private:
  static EngineOptions limited() {
    EngineOptions options;
    options.executor.rate = {.per_second = 1, .burst = 3};
    return options;
  }
};

TEST_F(LimitedCallsTest, MakingChildrenMakesNobodyFasterAndTheOwnerIsNotLimited) {
  const auto parent = delegate({});
  const auto other = delegate({});
  const auto child = delegate(parent, {});  // the parent's first call
  call(child, "list_depots", {});
  call(parent, "list_depots", {});
  EXPECT_EQ(refused(child, "list_depots", {}).code, Code::kRateLimited);
  EXPECT_EQ(refused(parent, "list_depots", {}).code, Code::kRateLimited);
  call(other, "list_depots", {});
  for (int i = 0; i < 10; ++i) call("list_depots", {});
  // Nor where it sees a part of a depot as if it were all.
  put("docs/a.txt", "1");
  const auto box = engine_->workspaces().open(owner_, depot_ + "/docs", "desk", {}).value();
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(box->run(*box->find("read_text_file").value(), {{"path", "a.txt"}}, {}));
  }
  clock_.advance(std::chrono::seconds(1));
  call(child, "list_depots", {});
}

}  // namespace
}  // namespace cairn
