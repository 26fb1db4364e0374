#include "exposure/http/peers.h"

#include <gtest/gtest.h>

namespace cairn::http {
namespace {

TEST(Peers, OneHasNoMoreThanItsShare) {
  Peers peers(2);
  EXPECT_TRUE(peers.come("10.0.0.1"));
  EXPECT_TRUE(peers.come("10.0.0.1"));
  EXPECT_FALSE(peers.come("10.0.0.1"));
  EXPECT_TRUE(peers.come("10.0.0.2"));
  peers.leave("10.0.0.1");
  EXPECT_TRUE(peers.come("10.0.0.1"));
}

TEST(Peers, TheAddressesOfAnIpv6NetworkAreOne) {
  Peers peers(2);
  EXPECT_TRUE(peers.come("2001:db8::1"));
  EXPECT_TRUE(peers.come("2001:db8::2"));
  EXPECT_FALSE(peers.come("2001:db8::3"));
  EXPECT_TRUE(peers.come("2001:db8:0:1::3"));
  peers.leave("2001:db8::2");
  EXPECT_TRUE(peers.come("2001:db8::3"));
}

}  // namespace
}  // namespace cairn::http
