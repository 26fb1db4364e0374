// SHA-256 through OpenSSL, which uses the processor's instructions for it.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"

namespace cairn {

using Digest = std::array<std::uint8_t, 32>;

Digest sha256(ByteView bytes);

Digest hmac_sha256(ByteView key, ByteView bytes);

// Takes as long whether they differ early or late.
bool same_secret(ByteView a, ByteView b);

}  // namespace cairn
