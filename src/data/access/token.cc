#include "data/access/token.h"

#include "base/base64.h"

namespace cairn {

Token Token::make(Random& random) { return Token(base64_encode(random.bytes(kRandomBytes))); }

Result<Token> Token::parse(std::string_view text) {
  if (text.size() == kTextBytes) {
    const auto bytes = base64_decode(text);
    if (bytes && bytes->size() == kRandomBytes) return Token(std::string(text));
  }
  return fail(Code::kInvalidToken,
              "the token does not look like one: it should be the {} characters of base64 that "
              "were given out with it",
              kTextBytes);
}

}  // namespace cairn
