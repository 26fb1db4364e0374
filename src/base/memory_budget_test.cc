#include "base/memory_budget.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kGiB = std::size_t{1} << 30;

std::size_t sum(const MemoryBudget& budget) {
  std::size_t all = 0;
  for (const auto& [name, bytes] : budget.shares()) all += bytes;
  return all;
}

TEST(MemoryBudget, SharesAddUpToTheTotalAndNoneIsEmpty) {
  for (const std::size_t total :
       {MemoryBudget::kLeast, 64 * kMiB + 1, 100 * kMiB, 256 * kMiB, kGiB, 6 * kGiB, 512 * kGiB}) {
    const auto budget = MemoryBudget::of(total).value();
    EXPECT_EQ(budget.total, total);
    EXPECT_EQ(sum(budget), total);
    for (const auto& [name, bytes] : budget.shares()) EXPECT_GE(bytes, kMiB) << name << total;
  }
}

TEST(MemoryBudget, KeepsAQuarterOfWhatTheProgramLeavesForWorkInFlight) {
  const auto budget = MemoryBudget::of(256 * kMiB).value();
  EXPECT_EQ(budget.in_flight, (budget.total - budget.program) / 4);
}

TEST(MemoryBudget, GrowsInEveryShareWithTheTotal) {
  const auto small = MemoryBudget::of(256 * kMiB).value().shares();
  const auto large = MemoryBudget::of(1024 * kMiB).value().shares();
  for (std::size_t i = 0; i < small.size(); ++i) {
    EXPECT_GE(large[i].second, small[i].second) << small[i].first;
  }
}

TEST(MemoryBudget, HasNoMoreWriteBuffersThanAreOfUse) {
  EXPECT_EQ(MemoryBudget::of(64 * kGiB).value().write_buffers, 192 * kMiB);
}

TEST(MemoryBudget, RefusesWhatTheProgramCannotRunIn) {
  for (const std::size_t total : {std::size_t{0}, std::size_t{1000}, MemoryBudget::kLeast - 1}) {
    const auto refused = MemoryBudget::of(total);
    ASSERT_FALSE(refused) << total;
    EXPECT_EQ(refused.error().code, Code::kInvalidArgument);
    EXPECT_EQ(refused.error().message,
              fmt::format("{} bytes of memory are not enough; give at least 64MB, or leave it out",
                          total));
  }
}

TEST(MemoryBudget, IsUsuallyAQuarterOfWhatThereIs) {
  EXPECT_EQ(MemoryBudget::usual(24 * kGiB).total, 6 * kGiB);
  EXPECT_EQ(MemoryBudget::usual(256 * kMiB).total, 64 * kMiB);
  EXPECT_EQ(MemoryBudget::usual(10 * kMiB).total, MemoryBudget::kLeast);
  EXPECT_EQ(MemoryBudget::of_a_command(24 * kGiB).total, MemoryBudget::kOfACommand);
  EXPECT_EQ(MemoryBudget::of_a_command(kGiB).total, 256 * kMiB);
}

}  // namespace
}  // namespace cairn
