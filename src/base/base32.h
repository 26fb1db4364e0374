// Crockford's Base32: digits and capital letters without I, L, O, U; five bits a character,
// first bits first, the last character padded with zero bits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace cairn {

std::string base32_encode(ByteView bytes);

// The value of one character: case is ignored, I and L read as 1, O as 0, as Crockford has it.
std::optional<unsigned> base32_digit(char c);

// The inverse of encode for exactly `size` bytes; nullopt when the length, a character or the
// padding bits are wrong.
std::optional<Bytes> base32_decode(std::string_view text, std::size_t size);

// Rewrites accepted spellings (lower case, I, L, O) to the one that encode writes; nullopt when a
// character is not of the alphabet.
std::optional<std::string> base32_normalise(std::string_view text);

}  // namespace cairn
