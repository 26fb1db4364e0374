#include "data/access/token.h"

#include "base/base32.h"
#include "base/base64.h"

namespace cairn {
namespace {

std::string check_digits(std::string_view text) {
  const auto hash = sha256(text);
  const ByteView bytes(reinterpret_cast<const char*>(hash.data()), hash.size());
  return base32_encode(bytes).substr(0, Token::kKeyCheckDigits);
}

Result<void> check_key(std::string_view text) {
  constexpr std::string_view kAgain = "copy it again as a whole, as it was given out";
  if (text.size() != Token::kKeyTextBytes) {
    return fail(Code::kInvalidToken, "the key has {} characters, and a key has {}; {}", text.size(),
                Token::kKeyTextBytes, kAgain);
  }
  const auto body = text.substr(0, text.size() - Token::kKeyCheckDigits);
  if (text.substr(body.size()) == check_digits(body)) return {};
  return fail(Code::kInvalidToken,
              "the key is mistyped: its last {} characters do not fit the others; {}",
              Token::kKeyCheckDigits, kAgain);
}

}  // namespace

Token Token::make(Random& random) { return Token(base64_encode(random.bytes(kRandomBytes))); }

Token Token::make_key(Random& random) { return key_of(random.bytes(kKeyRandomBytes)); }

Token Token::key_of(ByteView random_bytes) {
  auto text = std::string(kKeyPrefix) + base32_encode(random_bytes);
  auto check = check_digits(text);
  return Token(std::move(text) + check);
}

Result<Token> Token::parse(std::string_view text) {
  if (text.starts_with(kKeyPrefix)) {
    TRY(check_key(text));
    return Token(std::string(text));
  }
  // 44 characters of base64 without padding are exactly 33 bytes.
  if (text.size() == kTextBytes && is_base64(text)) return Token(std::string(text));
  return fail(Code::kInvalidToken,
              "the token does not look like one: it should be the {} characters of base64 that "
              "were given out with it, or a key, which begins with {}",
              kTextBytes, kKeyPrefix);
}

}  // namespace cairn
