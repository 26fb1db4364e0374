// The keys of a provider: a JSON Web Key Set (RFC 7517).
//
// Threads     immutable.
// Fails with  INVALID_TOKEN.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "exposure/oidc/jwt.h"
#include "exposure/oidc/public_key.h"

namespace cairn::oidc {

class KeySet final {
 public:
  static constexpr std::size_t kMaxBytes = 256 << 10;
  static constexpr std::size_t kMaxKeys = 100;

  KeySet() = default;
  // Keys that are of no use here are left out. Fails for what is no key set.
  static Result<KeySet> parse(std::string_view text);

  enum class Verdict {
    kGood,
    kForged,      // there is such a key, and it did not sign this
    kUnknownKey,  // there is none
  };
  // A token that names no key is checked with the one that fits; with several it is of none.
  Verdict check(const Jwt& token) const;
  std::size_t size() const { return keys_.size(); }

 private:
  std::vector<PublicKey> keys_;
};

}  // namespace cairn::oidc
