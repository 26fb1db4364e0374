#include "base/base32.h"

namespace cairn {
namespace {
constexpr std::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
}

std::string base32_encode(ByteView bytes) {
  std::string text;
  text.reserve((bytes.size() * 8 + 4) / 5);
  unsigned buffer = 0;
  unsigned bits = 0;
  for (char c : bytes) {
    buffer = (buffer << 8) | static_cast<unsigned char>(c);
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text.push_back(kAlphabet[(buffer >> bits) & 31]);
    }
    buffer &= (1U << bits) - 1;
  }
  if (bits > 0) text.push_back(kAlphabet[(buffer << (5 - bits)) & 31]);
  return text;
}

std::optional<unsigned> base32_digit(char c) {
  if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  if (c == 'I' || c == 'L') c = '1';
  if (c == 'O') c = '0';
  auto at = kAlphabet.find(c);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<unsigned>(at);
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
