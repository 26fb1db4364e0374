// SHA-256 through OpenSSL, which uses the processor's instructions for it.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"

namespace cairn {

using Digest = std::array<std::uint8_t, 32>;

Digest sha256(ByteView bytes);

}  // namespace cairn
