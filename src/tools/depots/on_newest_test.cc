#include "tools/depots/on_newest.h"

#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::Says;

class OnNewestTest : public tools_testing::ToolTest {
 protected:
  Call call_of_owner(std::stop_token stop = {}) {
    return {engine_->services(), executor().table(), owner_, {}, std::move(stop)};
  }
  int tries_ = 0;
};

TEST_F(OnNewestTest, AnAttemptIsMadeAgainUntilNobodyWasFaster) {
  auto call = call_of_owner();
  const auto done = on_newest(call, [&]() -> Result<std::optional<int>> {
    if (++tries_ < 5) return std::nullopt;
    return 7;
  });
  EXPECT_EQ(done.value(), 7);
  EXPECT_EQ(tries_, 5);
}

TEST_F(OnNewestTest, AnErrorEndsItAtOnce) {
  auto call = call_of_owner();
  const auto done = on_newest(call, [&]() -> Result<std::optional<int>> {
    ++tries_;
    return fail(Code::kPathNotFound, "gone");
  });
  EXPECT_THAT(done.error(), Says(Code::kPathNotFound, "gone"));
  EXPECT_EQ(tries_, 1);
}

TEST_F(OnNewestTest, WhenTheTimeIsUpItSaysThatNothingWasChanged) {
  auto call = call_of_owner();
  const auto done = on_newest(call, [&]() -> Result<std::optional<int>> {
    ++tries_;
    clock_.advance(Call::kTime / 4);
    return std::nullopt;
  });
  EXPECT_THAT(done.error(), Says(Code::kConflict, "nothing was changed"));
  EXPECT_GE(tries_, 3);
  EXPECT_LE(tries_, 6);
}

TEST_F(OnNewestTest, ItEndsThoughNoTimePasses) {
  auto call = call_of_owner();
  const auto done = on_newest(call, [&]() -> Result<std::optional<int>> {
    ++tries_;
    return std::nullopt;
  });
  EXPECT_EQ(done.error().code, Code::kConflict);
  EXPECT_EQ(tries_, 1000);
}

TEST_F(OnNewestTest, ACallThatWasCancelledIsNotTriedAgain) {
  std::stop_source stop;
  auto call = call_of_owner(stop.get_token());
  const auto done = on_newest(call, [&]() -> Result<std::optional<int>> {
    ++tries_;
    stop.request_stop();
    return std::nullopt;
  });
  EXPECT_EQ(done.error().code, Code::kConflict);
  EXPECT_LT(tries_, 1000);
}

}  // namespace
}  // namespace cairn
