// FastCDC: cuts a stream of bytes where its content says so, between 8 and 128 KiB, 32 KiB on
// average, so that an insertion moves only the cuts around it.
#pragma once

#include <cstddef>

#include "base/bytes.h"

namespace cairn {

inline constexpr std::size_t kMinChunk = 8 * 1024;
inline constexpr std::size_t kAverageChunk = 32 * 1024;
inline constexpr std::size_t kMaxChunk = 128 * 1024;

// Files up to this size are one node.
inline constexpr std::size_t kMaxInline = 128 * 1024;

// The length of the first chunk of `bytes`. When `bytes` is shorter than kMaxChunk and not the end
// of the stream, more bytes could move the cut: give at least kMaxChunk bytes or all that is left.
std::size_t next_chunk(ByteView bytes);

}  // namespace cairn
