// Token: a random secret that says who is calling. Only its hash is ever stored.
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

  static Token make(Random& random);
  // INVALID_TOKEN for what is not one by its looks; the message never repeats the text.
  static Result<Token> parse(std::string_view text);

  const std::string& text() const { return text_; }
  // SHA-256 of the text: what is stored, and the key for proofs of possession.
  Digest hash() const { return sha256(text_); }

 private:
  explicit Token(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace cairn
