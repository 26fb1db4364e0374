// What an ID token must say before somebody is let in for it (OpenID Connect Core, 3.1.3.7).
//
// Threads     plain functions of their arguments.
// Fails with  INVALID_TOKEN, with one sentence for each reason.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "data/json/json.h"

namespace cairn::oidc {

struct Expected {
  std::string issuer;
  std::string client_id;
  std::string nonce;
  // What was asked for with max_age; nothing: it was not asked for.
  std::optional<std::chrono::seconds> max_age = std::nullopt;
};

// Clocks of two machines differ by so much.
inline constexpr std::chrono::seconds kSkew{60};

// REQUIRES: the claims are of a token whose signature was checked. The subject is returned: 1 to
// 255 characters.
Result<std::string> check_claims(const json::Object& claims, const Expected& expected, Millis now);

}  // namespace cairn::oidc
