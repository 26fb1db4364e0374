#include "data/access/token.h"

#include "base/base64.h"

namespace cairn {

Token Token::make(Random& random) { return Token(base64_encode(random.bytes(kRandomBytes))); }

Result<Token> Token::parse(std::string_view text) {
  // 44 characters of base64 without padding are exactly 33 bytes.
  if (text.size() == kTextBytes && is_base64(text)) return Token(std::string(text));
  return fail(Code::kInvalidToken,
              "the token does not look like one: it should be the {} characters of base64 that "
              "were given out with it",
              kTextBytes);
}

}  // namespace cairn
