// Token: a random secret that says who is calling. Only its hash is ever stored.
//
// Those that are renewed all the time are base64. A key, which lasts and is copied by people, can
// be told by its looks, and is known to be mistyped or cut off before anybody is asked:
//
//   cairn_000G40R40M30E209185GR38E1W8124GK2GAHC5RRC9M623
//   cairn_ and 40 digits (Crockford's base 32) of 25 random bytes, here 0 to 24; then the first 6
//   digits of the SHA-256 of all before.
//
// Threads     immutable; share it freely.
#pragma once

#include <string>
#include <string_view>

#include "base/random.h"
#include "base/result.h"
#include "base/sha256.h"

namespace cairn {

class Token final {
 public:
  static constexpr std::size_t kRandomBytes = 33;
  static constexpr std::size_t kTextBytes = 44;  // base64, no padding needed

  static constexpr std::string_view kKeyPrefix = "cairn_";
  static constexpr std::size_t kKeyRandomBytes = 25;
  static constexpr std::size_t kKeyRandomDigits = 40;
  static constexpr std::size_t kKeyCheckDigits = 6;
  static constexpr std::size_t kKeyTextBytes = 6 + kKeyRandomDigits + kKeyCheckDigits;

  static Token make(Random& random);
  static Token make_key(Random& random);
  // The key that is made of these random bytes.
  static Token key_of(ByteView random_bytes);
  // INVALID_TOKEN for what is not one by its looks; the message never repeats the text.
  static Result<Token> parse(std::string_view text);

  const std::string& text() const { return text_; }
  bool is_key() const { return text_.starts_with(kKeyPrefix); }
  // SHA-256 of the text: what is stored, and the key for proofs of possession.
  Digest hash() const { return sha256(text_); }

 private:
  explicit Token(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace cairn
