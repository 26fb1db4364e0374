// Tokens: codes, refresh tokens and device codes, traded in for tokens of a grant; and tokens given
// back.
//
// Invariants  a code is good once, for its client, its address and whoever has its verifier;
// brought
//             again, all tokens of its grant are void. A refresh token is good once too, but for a
//             moment in which programs that share it bring it together. Nothing is stored unless
//             all of it is: a code is used up in the step that stores its tokens. A passing fault
//             of the store is never said to be the token's.
// Threads     every function may be called from any thread.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "data/json/json.h"
#include "data/oauth/oauth.h"
#include "data/oauth/origin.h"
#include "data/oauth/parameters.h"

namespace cairn::oauth {

// An OAuth error, with the status that it is answered with.
struct Denied {
  int status = 400;
  std::string error;
  std::string description;
  std::optional<std::chrono::seconds> retry_after = std::nullopt;
  bool challenge = false;  // a client that tried Basic is told so
};

// A request of a client: its form, and what it says of itself beside it.
struct ClientCall {
  const Parameters& form;
  std::string_view authorization;  // the header; may be empty
  const Origin& origin;
  std::string_view address;
};

struct GivenTokens {
  std::string access;
  std::string refresh;
  std::chrono::seconds expires_in{};
  Scopes scopes;
};

struct GivenDeviceCode {
  std::string device_code;
  std::string user_code;  // WDJB-MJHT
  std::chrono::seconds expires_in{};
  std::chrono::seconds interval{};
};

class Tokens {
 public:
  virtual ~Tokens() = default;

  // What grant_type names: authorization_code, refresh_token, or a device code.
  virtual std::expected<GivenTokens, Denied> trade(const ClientCall& call) = 0;
  // RFC 7009: a refresh token ends its grant, an access token only itself. One that nobody knows is
  // no error.
  virtual std::expected<void, Denied> revoke(const ClientCall& call) = 0;
  // RFC 8628.
  virtual std::expected<GivenDeviceCode, Denied> device(const ClientCall& call) = 0;
  // RFC 7591. What is to be answered; `fresh`: it was not known before.
  struct Registered {
    json::Object answer;
    bool fresh = false;
  };
  virtual std::expected<Registered, Denied> enroll(const json::Object& metadata,
                                                   std::string_view address) = 0;
};

// REQUIRES: the base outlives it.
std::unique_ptr<Tokens> make_tokens(OAuthBase& base);

}  // namespace cairn::oauth
