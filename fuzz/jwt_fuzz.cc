// Any text is an ID token or is refused with a message that can be shown and has nothing of it; one
// that is accepted is spelled in one way only. Any text is a key set or is refused, and no key
// believes what it has not signed.
//
// Input: a token, and behind the first line break a set of keys.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/base64url.h"
#include "base/utf8.h"
#include "exposure/oidc/id_token.h"
#include "exposure/oidc/key_set.h"
#include "exposure/oidc/metadata.h"

namespace {

using namespace cairn::oidc;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_refusal(const cairn::Error& error) {
  require(error.code == cairn::Code::kInvalidToken);
  require(cairn::valid_utf8(error.message) && error.message.size() < 1000);
}

void check_token(const Jwt& token, std::string_view text) {
  require(token.signed_part + "." + cairn::base64url_encode(token.signature) == text);
  require(token.signed_part.ends_with("." + cairn::base64url_encode(token.payload)));
  const auto claims = token.claims();
  if (!claims) return check_refusal(claims.error());
  const auto subject = check_claims(
      *claims, {.issuer = "https://a", .client_id = "c", .nonce = "n"}, 1'800'000'000'000);
  if (!subject) return check_refusal(subject.error());
  require(!subject->empty() && subject->size() <= 255);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto end = std::min(input.find('\n'), input.size());
  const auto text = input.substr(0, end);
  const auto rest = input.substr(std::min(end + 1, input.size()));
  const auto keys = KeySet::parse(rest);
  if (!keys) check_refusal(keys.error());
  if (const auto metadata = Metadata::parse(rest, "https://a"); !metadata) {
    require(cairn::valid_utf8(metadata.error().message));
  }
  const auto token = Jwt::parse(text);
  if (!token) {
    check_refusal(token.error());
    return 0;
  }
  check_token(*token, text);
  if (keys) (void)keys->check(*token);
  return 0;
}
