#include "base/network.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

TEST(NetworkOf, IsTheFirstHalfOfAnIpv6AddressAndAllOfAnIpv4Address) {
  struct Case {
    std::string_view address;
    std::string_view network;
  };
  const Case cases[] = {
      {"10.0.0.7", "10.0.0.7"},
      {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
      {"2001:db8:1:2::1", "2001:db8:1:2::/64"},
      {"2001:db8:1:3::1", "2001:db8:1:3::/64"},
      {"::1", "::/64"},
      {"fe80::1%eth0", "fe80::/64"},
      {"::ffff:10.0.0.7", "10.0.0.7"},
      {"local", "local"},
      {"", ""},
  };
  for (const auto& c : cases) EXPECT_EQ(network_of(c.address), c.network) << c.address;
}

}  // namespace
}  // namespace cairn
