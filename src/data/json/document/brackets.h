// Finds the end of an array or object, 64 bytes at a time; private to scan.cc.
//
// Which byte ends a string depends on all before it. Done byte by byte, each step waits for the
// one before; here the places of quotes and brackets are bits of a word, found all at once.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace cairn::document {

// Bit i is about byte i.
using Bits = std::uint64_t;

// Some bytes of a text; zeros follow the last ones.
class Block {
 public:
  static constexpr std::size_t kBytes = 64;

  explicit Block(std::string_view bytes) { std::memcpy(words_, bytes.data(), bytes.size()); }

  // Which bytes are `c` once the bits of `also` are set in them.
  Bits equal(char c, char also = 0) const {
#ifdef __SSE2__
    Bits bits = 0;
    for (int i = 0; i < 4; ++i) {
      __m128i part;
      std::memcpy(&part, words_ + 2 * i, sizeof part);
      const auto set = _mm_or_si128(part, _mm_set1_epi8(also));
      const auto found = _mm_movemask_epi8(_mm_cmpeq_epi8(set, _mm_set1_epi8(c)));
      bits |= static_cast<Bits>(found) << (16 * i);
    }
    return bits;
#else
    return equal_portably(c, also);
#endif
  }

  // The same on any processor, at half the speed.
  Bits equal_portably(char c, char also = 0) const {
    constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
    Bits bits = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      const auto difference = (words_[i] | repeated(also)) ^ repeated(c);
      // The top bit of each byte that is zero, and only of those.
      const auto zeros = ~(((difference & kLow) + kLow) | difference | kLow);
      // The eight top bits, gathered in order.
      bits |= ((zeros >> 7) * 0x0102040810204080 >> 56) << (8 * i);
    }
    return bits;
  }

 private:
  static_assert(std::endian::native == std::endian::little);

  static std::uint64_t repeated(char c) {
    return 0x0101010101010101 * static_cast<unsigned char>(c);
  }

  std::uint64_t words_[8] = {};
};

// Counts brackets from one block to the next.
class Brackets {
 public:
  // The place of the bracket that closes the first one that opened.
  std::optional<std::size_t> find_close(const Block& block) {
    const auto quotes = block.equal('"') & ~escaped(block.equal('\\'));
    const auto outside = ~inside(quotes);
    // A square bracket differs from a curly one in one bit.
    const auto opening = block.equal('{', 0x20) & outside;
    const auto closing = block.equal('}', 0x20) & outside;
    const auto closes = static_cast<std::size_t>(std::popcount(closing));
    if (depth_ > closes) {
      depth_ += static_cast<std::size_t>(std::popcount(opening)) - closes;
      return std::nullopt;
    }
    return find_close(opening, closing);
  }

 private:
  std::optional<std::size_t> find_close(Bits opening, Bits closing) {
    for (; (opening | closing) != 0;) {
      const auto first = (opening | closing) & ~((opening | closing) - 1);
      if ((opening & first) != 0) {
        ++depth_;
      } else if (depth_ <= 1) {
        return static_cast<std::size_t>(std::countr_zero(first));
      } else {
        --depth_;
      }
      opening &= ~first;
      closing &= ~first;
    }
    return std::nullopt;
  }

  // The bytes after a backslash that is not itself escaped.
  Bits escaped(Bits backslashes) {
    Bits out = escapes_first_ ? 1 : 0;
    escapes_first_ = false;
    for (backslashes &= ~out; backslashes != 0;) {
      const auto next = (backslashes & ~(backslashes - 1)) << 1;
      escapes_first_ = next == 0;
      out |= next;
      backslashes &= ~(next | (next - 1));
    }
    return out;
  }

  // The bytes from each opening quote to the byte before the closing one.
  Bits inside(Bits quotes) {
    auto parity = quotes;
    for (int shift = 1; shift < 64; shift *= 2) parity ^= parity << shift;
    if (in_string_) parity = ~parity;
    in_string_ = (parity >> 63) != 0;
    return parity;
  }

  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escapes_first_ = false;  // the next block's first byte
};

}  // namespace cairn::document
