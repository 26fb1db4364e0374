#include "base/network.h"

#include <algorithm>
#include <array>

#include <arpa/inet.h>

namespace cairn {

std::string network_of(std::string_view address) {
  constexpr std::size_t kOfOne = 8;  // bytes
  // Without the interface of a link's own address.
  const std::string text(address.substr(0, address.find('%')));
  in6_addr bytes{};
  if (::inet_pton(AF_INET6, text.c_str(), &bytes) != 1) return std::string(address);
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (IN6_IS_ADDR_V4MAPPED(&bytes)) {
    return ::inet_ntop(AF_INET, &bytes.s6_addr[12], out.data(), out.size());
  }
  std::fill(std::begin(bytes.s6_addr) + kOfOne, std::end(bytes.s6_addr), 0);
  return std::string(::inet_ntop(AF_INET6, &bytes, out.data(), out.size())) + "/64";
}

}  // namespace cairn
