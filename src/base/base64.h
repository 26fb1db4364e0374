// Base64 as RFC 4648 has it: the standard alphabet, with padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace cairn {

std::string base64_encode(ByteView bytes);

// The inverse: nullopt for any string that encode would not have written.
std::optional<Bytes> base64_decode(std::string_view text);

// Whether the text has only characters of the alphabet, without padding.
bool is_base64(std::string_view text);

}  // namespace cairn
