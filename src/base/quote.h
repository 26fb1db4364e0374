// Text that came from outside, made fit to stand in a message: valid UTF-8, no control characters,
// cut to a length.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

// Bytes that cannot be shown become U+FFFD; a part that is cut off becomes `…`.
std::string shown(std::string_view text, std::size_t max_bytes = 120);

// How many bytes the text takes as a JSON string, without its quotes.
std::size_t json_bytes(std::string_view text);
// The longest beginning of the text that takes no more than so many, at a character's border.
std::string_view json_prefix(std::string_view text, std::size_t max_bytes);

}  // namespace cairn
