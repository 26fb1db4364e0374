// Whose an IP address is, as far as one can tell from it.
//
// Threads  any.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

// The network that is one client's: of IPv6 the first 64 bits, of which anybody has as many
// addresses as they like; an IPv4 address is one alone, also in IPv6's long form. What is no
// address stays as it is.
std::string network_of(std::string_view address);

}  // namespace cairn
