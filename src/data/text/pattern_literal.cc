#include "data/text/pattern_literal.h"

#include <array>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cairn {
namespace {

// Bytes of source text and prose, the most frequent first; any other byte is rarer than these.
constexpr std::string_view kFrequent =
    " etaionsrlcdpumfhg_b.,\n()y;-w/v*=:\"0x1kI'>ES2TARCN{}OL<P3DFM4&[]q85j6U#zBG7!9+HVWX";

constexpr auto kFrequency = [] {
  std::array<std::uint8_t, 256> table{};
  for (std::size_t i = 0; i < kFrequent.size(); ++i) {
    table[static_cast<std::uint8_t>(kFrequent[i])] = static_cast<std::uint8_t>(255 - i);
  }
  return table;
}();

std::uint8_t frequency(char c) { return kFrequency[static_cast<std::uint8_t>(c)]; }

std::size_t find_plainly(ByteView needle, std::size_t, std::size_t, ByteView text,
                         std::size_t from) {
  if (from >= text.size()) return ByteView::npos;
  const void* hit =
      needle.size() == 1
          ? std::memchr(text.data() + from, needle[0], text.size() - from)
          : memmem(text.data() + from, text.size() - from, needle.data(), needle.size());
  return hit == nullptr ? ByteView::npos
                        : static_cast<std::size_t>(static_cast<const char*>(hit) - text.data());
}

#if defined(__x86_64__)

// One bit for each of 32 positions from `at` on where both rare bytes are in place.
[[gnu::target("avx2"), gnu::always_inline]] inline std::uint32_t both_in_place(
    const char* at, std::size_t rare, std::size_t other, __m256i rare_byte, __m256i other_byte) {
  const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + rare));
  const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + other));
  const __m256i hits =
      _mm256_and_si256(_mm256_cmpeq_epi8(first, rare_byte), _mm256_cmpeq_epi8(second, other_byte));
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(hits));
}

[[gnu::target("avx2")]] std::size_t find_avx2(ByteView needle, std::size_t rare, std::size_t other,
                                              ByteView text, std::size_t from) {
  constexpr std::size_t kBlock = 32;
  if (text.size() < from + needle.size() + kBlock) return find_plainly(needle, 0, 0, text, from);
  const char* const base = text.data();
  const std::size_t last = text.size() - needle.size();  // the last position it could be at
  const __m256i rare_byte = _mm256_set1_epi8(needle[rare]);
  const __m256i other_byte = _mm256_set1_epi8(needle[other]);

  const auto first_of = [&](std::uint32_t hits, std::size_t at) -> std::size_t {
    for (; hits != 0; hits &= hits - 1) {
      const std::size_t place = at + static_cast<std::size_t>(__builtin_ctz(hits));
      if (std::memcmp(base + place, needle.data(), needle.size()) == 0) return place;
    }
    return ByteView::npos;
  };

  std::size_t at = from;
  for (; at + 2 * kBlock <= last + 1; at += 2 * kBlock) {
    const auto low = both_in_place(base + at, rare, other, rare_byte, other_byte);
    const auto high = both_in_place(base + at + kBlock, rare, other, rare_byte, other_byte);
    if ((low | high) == 0) [[likely]]
      continue;
    if (auto place = first_of(low, at); place != ByteView::npos) return place;
    if (auto place = first_of(high, at + kBlock); place != ByteView::npos) return place;
  }
  // Less than two blocks are left; the last block is moved back to end at `last`.
  for (; at <= last; at += kBlock) {
    if (at + kBlock > last + 1) at = last + 1 - kBlock;
    const auto hits = both_in_place(base + at, rare, other, rare_byte, other_byte);
    if (auto place = first_of(hits, at); place != ByteView::npos) return place;
  }
  return ByteView::npos;
}

#endif

}  // namespace

LiteralFinder::LiteralFinder(std::string needle) : needle_(std::move(needle)), find_(find_plainly) {
  for (std::size_t i = 1; i < needle_.size(); ++i) {
    if (frequency(needle_[i]) < frequency(needle_[rare_])) rare_ = i;
  }
  other_ = rare_ == 0 ? needle_.size() - 1 : 0;
  for (std::size_t i = 0; i < needle_.size(); ++i) {
    if (i != rare_ && frequency(needle_[i]) < frequency(needle_[other_])) other_ = i;
  }
#if defined(__x86_64__)
  if (needle_.size() > 1 && __builtin_cpu_supports("avx2")) find_ = find_avx2;
#endif
}

}  // namespace cairn
