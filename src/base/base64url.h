// Base64 as RFC 4648, section 5 has it for URLs, without padding: what JOSE and OAuth speak.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace cairn {

std::string base64url_encode(ByteView bytes);

// The inverse: nullopt for any string that encode would not have written.
std::optional<Bytes> base64url_decode(std::string_view text);

}  // namespace cairn
