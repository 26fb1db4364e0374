#include "base/os/descriptors.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace cairn::os {
namespace {

TEST(Descriptors, AreSharedOutSoThatConnectionsLeaveTheStoreItsOwn) {
  for (const std::size_t limit : {64UL, 256UL, 1024UL, 4096UL, 1UL << 20}) {
    const auto shares = DescriptorShares::of(limit);
    EXPECT_GE(limit - shares.connections - shares.store, std::min(limit / 4, 1024UL)) << limit;
    EXPECT_GE(shares.connections, limit < 20'000 ? limit / 2 : 10'000) << limit;
    EXPECT_LE(shares.store, 1024U);
  }
}

TEST(Descriptors, AreRaisedToWhatIsAllowed) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 64;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(descriptor_limit(), 64U);
  EXPECT_GE(raise_descriptor_limit(), std::min<std::size_t>(before.rlim_max, 1 << 24));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace cairn::os
