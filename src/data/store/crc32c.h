// CRC-32C (Castagnoli), the checksum in the records of RocksDB's logs.
//
// Threads     plain functions of their arguments.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace cairn {

// Of `bytes` behind what already has the sum `before`. "123456789" has 0xe3069283.
std::uint32_t crc32c(ByteView bytes, std::uint32_t before = 0);

// As RocksDB stores a sum: so that a sum over bytes with sums in them is still a good one.
inline std::uint32_t masked_crc32c(std::uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

}  // namespace cairn
