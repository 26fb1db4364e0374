#include "base/base32.h"

#include <array>
#include <cstdint>

namespace cairn {
namespace {
constexpr std::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

// The value of each character, -1 for none: every accepted spelling.
constexpr auto kDigits = [] {
  std::array<std::int8_t, 256> digits{};
  digits.fill(-1);
  auto set = [&](char c, std::size_t value) {
    digits[static_cast<unsigned char>(c)] = static_cast<std::int8_t>(value);
    if (c >= 'A')
      digits[static_cast<unsigned char>(c - 'A' + 'a')] = static_cast<std::int8_t>(value);
  };
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) set(kAlphabet[i], i);
  set('I', 1);
  set('L', 1);
  set('O', 0);
  return digits;
}();

}  // namespace

std::string base32_encode(ByteView bytes) {
  std::string text((bytes.size() * 8 + 4) / 5, '0');
  auto* out = text.data();
  unsigned buffer = 0;
  unsigned bits = 0;
  for (char c : bytes) {
    buffer = (buffer << 8) | static_cast<unsigned char>(c);
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      *out++ = kAlphabet[(buffer >> bits) & 31];
    }
    buffer &= (1U << bits) - 1;
  }
  if (bits > 0) *out = kAlphabet[(buffer << (5 - bits)) & 31];
  return text;
}

std::optional<unsigned> base32_digit(char c) {
  const auto digit = kDigits[static_cast<unsigned char>(c)];
  if (digit < 0) return std::nullopt;
  return static_cast<unsigned>(digit);
}

std::optional<Bytes> base32_decode(std::string_view text, std::size_t size) {
  if (text.size() != (size * 8 + 4) / 5) return std::nullopt;
  Bytes bytes;
  bytes.reserve(size);
  unsigned buffer = 0;
  unsigned bits = 0;
  for (char c : text) {
    auto digit = base32_digit(c);
    if (!digit) return std::nullopt;
    buffer = (buffer << 5) | *digit;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push_back(static_cast<char>(buffer >> bits));
      buffer &= (1U << bits) - 1;
    }
  }
  if (buffer != 0) return std::nullopt;
  return bytes;
}

std::optional<std::string> base32_normalise(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    auto digit = base32_digit(c);
    if (!digit) return std::nullopt;
    out.push_back(kAlphabet[*digit]);
  }
  return out;
}

}  // namespace cairn
