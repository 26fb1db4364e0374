#include "data/cas/chunker.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace cairn {
namespace {

// 256 fixed pseudo-random words (splitmix64 from a fixed seed). Part of the format.
constexpr std::array<std::uint64_t, 256> make_gear() {
  std::array<std::uint64_t, 256> gear{};
  std::uint64_t state = 0x43'41'49'52'4e'31ULL;  // "CAIRN1"
  for (auto& word : gear) {
    state += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    word = z ^ (z >> 31);
  }
  return gear;
}

constexpr auto kGear = make_gear();

// Normalised chunking: cutting is harder before the average length (17 bits) and easier after it
// (13 bits). The high bits of the rolling hash are the ones that have seen most bytes.
constexpr std::uint64_t kHardMask = ~std::uint64_t{0} << (64 - 17);
constexpr std::uint64_t kEasyMask = ~std::uint64_t{0} << (64 - 13);

}  // namespace

std::size_t next_chunk(ByteView bytes) {
  const std::size_t end = std::min(bytes.size(), kMaxChunk);
  // No cut falls below the minimum, so the hash need not see these bytes.
  if (end <= kMinChunk) return end;
  const std::size_t middle = std::min(end, kAverageChunk);
  std::uint64_t hash = 0;
  std::size_t i = kMinChunk;
  for (; i < middle; ++i) {
    hash = (hash << 1) + kGear[static_cast<std::uint8_t>(bytes[i])];
    if ((hash & kHardMask) == 0) return i + 1;
  }
  for (; i < end; ++i) {
    hash = (hash << 1) + kGear[static_cast<std::uint8_t>(bytes[i])];
    if ((hash & kEasyMask) == 0) return i + 1;
  }
  return end;
}

}  // namespace cairn
