#include "base/base64.h"

#include <array>
#include <cstdint>

namespace cairn {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr auto kDigits = [] {
  std::array<std::int8_t, 256> digits{};
  digits.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return digits;
}();

}  // namespace

std::string base64_encode(ByteView bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < group.size() ? static_cast<unsigned char>(group[k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out.push_back(k <= group.size() ? kAlphabet[bits >> (18 - 6 * k) & 63] : '=');
    }
  }
  return out;
}

std::optional<Bytes> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  Bytes out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool padded = i >= text.size() - padding;
    const auto digit = padded ? 0 : kDigits[static_cast<unsigned char>(text[i])];
    if (digit < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if (i % 4 != 3) continue;
    for (int shift : {16, 8, 0}) out.push_back(static_cast<char>(bits >> shift & 255));
    bits = 0;
  }
  for (std::size_t k = 0; k < padding; ++k) {
    if (out.back() != '\0') return std::nullopt;  // bits that encode leaves zero
    out.pop_back();
  }
  return out;
}

bool is_base64(std::string_view text) {
  for (char c : text) {
    if (kDigits[static_cast<unsigned char>(c)] < 0) return false;
  }
  return true;
}

}  // namespace cairn
