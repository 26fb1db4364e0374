#include "data/store/crc32c.h"

#include <array>
#include <cstring>

namespace cairn {
namespace {

// tables[k][b] is the sum of the byte `b` with k zero bytes behind it: eight bytes in one step.
using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0x82f63b78U : 0);
    tables[0][byte] = sum;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t sum = tables[k - 1][byte];
      tables[k][byte] = (sum >> 8) ^ tables[0][sum & 0xff];
    }
  }
  return tables;
}

constexpr CrcTables kCrcTables = make_crc_tables();

}  // namespace

std::uint32_t crc32c(ByteView bytes, std::uint32_t before) {
  std::uint32_t sum = ~before;
  while (bytes.size() >= 8) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, bytes.data(), 4);
    std::memcpy(&high, bytes.data() + 4, 4);
    low ^= sum;
    sum = kCrcTables[7][low & 0xff] ^ kCrcTables[6][(low >> 8) & 0xff] ^
          kCrcTables[5][(low >> 16) & 0xff] ^ kCrcTables[4][low >> 24] ^
          kCrcTables[3][high & 0xff] ^ kCrcTables[2][(high >> 8) & 0xff] ^
          kCrcTables[1][(high >> 16) & 0xff] ^ kCrcTables[0][high >> 24];
    bytes.remove_prefix(8);
  }
  for (const char c : bytes)
    sum = (sum >> 8) ^ kCrcTables[0][(sum ^ static_cast<unsigned char>(c)) & 0xff];
  return ~sum;
}

}  // namespace cairn
