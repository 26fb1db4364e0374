// What the kill test's child writes and its parent checks: files that say themselves what should be
// in them.
//
// Writer w's commit number n sets `w<w>/last` and `w<w>/slot<n % 40>` to content(w, n), and with
// every eighth commit `w<w>/large<n % 3>`, which is cut into pieces.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include <fmt/format.h>

#include "base/bytes.h"

namespace cairn {

inline constexpr std::uint64_t kSlots = 40;
inline constexpr std::uint64_t kLargeSlots = 3;
inline constexpr std::uint64_t kLargeEvery = 8;

struct Stamp {
  std::uint64_t writer = 0;
  std::uint64_t number = 0;
  std::uint64_t size = 0;  // of the noise after the first line
};

// A first line `writer number size`, then noise of that size.
inline Bytes render_content(const Stamp& stamp) {
  auto text = fmt::format("{} {} {}\n", stamp.writer, stamp.number, stamp.size);
  std::mt19937_64 noise(stamp.writer << 40 | stamp.number);
  text.reserve(text.size() + stamp.size);
  for (std::uint64_t i = 0; i < stamp.size; ++i) {
    text += i % 64 == 63 ? '\n' : static_cast<char>('a' + noise() % 26);
  }
  return text;
}

// The stamp in the first line; nothing when the rest is not what it says.
inline std::optional<Stamp> parse_content(ByteView content) {
  Stamp stamp;
  const char* at = content.data();
  const char* end = at + std::min(content.find('\n'), content.size());
  for (auto* field : {&stamp.writer, &stamp.number, &stamp.size}) {
    auto [next, error] = std::from_chars(at, end, *field);
    if (error != std::errc()) return std::nullopt;
    at = next == end ? next : next + 1;
  }
  if (stamp.size > content.size() || render_content(stamp) != content) return std::nullopt;
  return stamp;
}

inline std::uint64_t small_size(std::uint64_t number) { return number * 2654435761U % 3000; }
inline std::uint64_t large_size(std::uint64_t number) {
  return 100'000 + number * 2654435761U % 300'000;
}

}  // namespace cairn
