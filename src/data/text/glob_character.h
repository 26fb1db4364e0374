// The characters of UTF-8 text, for both dialects of globs.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/utf8.h"

namespace cairn {

struct Character {
  char32_t code;
  std::size_t length;
};

// Above every code point; a byte that is not UTF-8 is read as this, so that no set has it.
inline constexpr char32_t kNotACharacter = 0x110000;

// The first character of `text`, which begins with a whole one. Halves of surrogate pairs, which
// UTF-8 does not have, are read like any other.
inline Character whole_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  char32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return {code, length};
}

// The first character of `text`, which is not empty.
inline Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t most = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0x80 ? 2 : 1;
  if (!valid_utf8(text.substr(0, most))) return {kNotACharacter, 1};
  return whole_character(text);
}

}  // namespace cairn
