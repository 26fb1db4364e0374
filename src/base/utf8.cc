#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace cairn {
namespace {

constexpr std::size_t kSample = 8192;

// The length of the valid prefix of `bytes`.
std::size_t valid_prefix(ByteView bytes) {
  std::size_t i = 0;
  const std::size_t n = bytes.size();
  auto at = [&](std::size_t k) { return static_cast<std::uint8_t>(bytes[k]); };
  auto continues = [&](std::size_t k, std::uint8_t low, std::uint8_t high) {
    return k < n && at(k) >= low && at(k) <= high;
  };
  while (i < n) {
    if (i + 8 <= n) {
      std::uint64_t word;
      std::memcpy(&word, bytes.data() + i, 8);
      if ((word & 0x8080808080808080ULL) == 0) {
        i += 8;
        continue;
      }
    }
    std::uint8_t lead = at(i);
    if (lead < 0x80) {
      i += 1;
    } else if (lead >= 0xC2 && lead <= 0xDF && continues(i + 1, 0x80, 0xBF)) {
      i += 2;
    } else if ((lead & 0xF0) == 0xE0 &&
               continues(i + 1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF) &&
               continues(i + 2, 0x80, 0xBF)) {
      i += 3;
    } else if (lead >= 0xF0 && lead <= 0xF4 &&
               continues(i + 1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF) &&
               continues(i + 2, 0x80, 0xBF) && continues(i + 3, 0x80, 0xBF)) {
      i += 4;
    } else {
      break;
    }
  }
  return i;
}

// Whether bytes after `tail`, which is not valid, can make it one character: if any can, then
// continuation bytes that are all the lowest or all the highest do.
bool may_continue(ByteView tail) {
  for (char filling : {'\x80', '\xBF'}) {
    for (Bytes filled(tail); filled.size() < 4;) {
      filled.push_back(filling);
      if (valid_prefix(filled) == filled.size()) return true;
    }
  }
  return false;
}

}  // namespace

bool valid_utf8(ByteView bytes) { return valid_prefix(bytes) == bytes.size(); }

bool looks_like_text(ByteView bytes) {
  auto sample = bytes.substr(0, kSample);
  if (sample.find('\0') != ByteView::npos) return false;
  auto tail = sample.substr(valid_prefix(sample));
  return tail.empty() || (sample.size() < bytes.size() && may_continue(tail));
}

}  // namespace cairn
