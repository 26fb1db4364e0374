// How a node's bytes lie in the store: one codec byte, then the payload.
//
//   00  the bytes themselves
//   01  one zstd frame that states its content size
//
// Nodes below 64 bytes, and those that do not shrink, are stored as they are.
#pragma once

#include <optional>

#include "base/bytes.h"

namespace cairn {

Bytes pack_node(ByteView node);

// The inverse; nullopt when the value is not one that pack_node could have written. Never makes
// more than kMaxNodeBytes.
std::optional<Bytes> unpack_node(ByteView value);

}  // namespace cairn
