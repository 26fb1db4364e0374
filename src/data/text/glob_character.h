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

// The first character of `text`, which is not empty.
inline Character first_character(std::string_view text) {
  auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (!valid_utf8(text.substr(0, length))) return {kNotACharacter, 1};
  char32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return {code, length};
}

}  // namespace cairn
