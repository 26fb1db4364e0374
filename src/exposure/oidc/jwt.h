// A signed JSON Web Token as it came: three parts in base64url (RFC 7515, compact), taken apart and
// not yet believed.
//
// Invariants  the algorithm is one of those below: a token that is not signed, or with a secret
// that
//             two share, does not become a Jwt. What the header says of keys (jwk, jku, x5u) is not
//             looked at.
// Threads     a value.
// Fails with  INVALID_TOKEN, with a sentence about what is wrong; nothing of the token is in it.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "data/json/json.h"

namespace cairn::oidc {

// ECDSA is on P-256, EdDSA is Ed25519.
enum class Algorithm { kRs256, kPs256, kEs256, kEdDsa };
std::string_view name(Algorithm algorithm);

struct Jwt {
  static constexpr std::size_t kMaxBytes = 64 << 10;

  Algorithm algorithm = Algorithm::kRs256;
  std::string key_id;  // empty: not said
  Bytes payload;       // not to be parsed before the signature is checked
  Bytes signed_part;
  Bytes signature;

  static Result<Jwt> parse(std::string_view text);
  // The payload as an object of JSON.
  Result<json::Object> claims() const;
};

}  // namespace cairn::oidc
