// Text that came from outside, made fit to stand in a message: valid UTF-8, no control characters,
// cut to a length.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

// What cannot be shown becomes U+FFFD; what is cut off becomes `…`.
std::string shown(std::string_view text, std::size_t max_bytes = 120);

}  // namespace cairn
