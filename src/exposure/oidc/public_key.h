// A public key of a provider, as JSON Web Keys describe it (RFC 7517, 7518, 8037).
//
// Invariants  RSA of 2048 to 8192 bits, P-256 or Ed25519; a key that is for encryption, for another
//             algorithm, or a secret, does not become one.
// Threads     immutable; copies share the key.
// Fails with  INVALID_TOKEN for a description that is none.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "data/json/json.h"
#include "exposure/oidc/jwt.h"

struct evp_pkey_st;

namespace cairn::oidc {

class PublicKey final {
 public:
  static Result<PublicKey> parse(const json::Object& jwk);

  const std::string& id() const { return id_; }
  // Whether tokens of this algorithm may be signed with it.
  bool is_for(Algorithm algorithm) const;
  // Whether the signature is of these bytes by this key. False for an algorithm it is not for.
  bool verifies(Algorithm algorithm, ByteView bytes, ByteView signature) const;

 private:
  enum class Kind { kRsa, kP256, kEd25519 };

  PublicKey() = default;

  Kind kind_ = Kind::kRsa;
  std::string id_;
  std::optional<Algorithm> only_;  // said of the key
  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace cairn::oidc
