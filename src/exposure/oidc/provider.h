// A provider of OpenID Connect, as a client of it sees one: where to send the browser, and what the
// code is worth that it comes back with.
//
// Invariants  what the provider answers in words is never passed on. Its tokens are not kept.
// Threads     every function may be called from any thread.
// Fails with  UNAVAILABLE when it cannot be asked; INVALID_TOKEN for what it answers.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exposure/oidc/documents.h"

namespace cairn::oidc {

struct ProviderOptions {
  std::string issuer;
  std::string client_id;
  std::optional<std::string> client_secret = std::nullopt;
  std::string scope = "openid email profile";
  std::optional<std::chrono::seconds> max_age = std::nullopt;
  std::string groups_claim = "groups";
  bool wants_groups = false;  // somebody asks for them
};

// Whom the provider says that somebody is.
struct Person {
  std::string issuer = {};
  std::string subject = {};
  std::string email = {};  // empty: not said
  bool email_verified = false;
  std::string username = {};  // preferred_username; empty: not said
  std::vector<std::string> groups = {};
};

class Provider final {
 public:
  struct Ask {
    std::string redirect_uri;
    std::string state;
    std::string nonce;
    std::string verifier;
  };
  struct Answer {
    std::string code;
    std::optional<std::string> issuer;  // the parameter `iss`
  };

  Provider(ProviderOptions options, Fetch fetch, const Clock& clock);

  // Where the browser goes.
  Result<std::string> address_for(const Ask& ask);
  // Whether an answer that says `iss`, or says none, can be the provider's.
  Result<void> check_issuer(const std::optional<std::string>& said);
  // Trades the code in and checks all that comes for it.
  Result<Person> identify(const std::string& code, const Ask& ask);

  const ProviderOptions& options() const { return options_; }

 private:
  struct Tokens {
    std::string id_token;
    std::string access_token;
  };
  Result<Tokens> exchange(const Metadata& metadata, const std::string& code, const Ask& ask);
  // What the ID token does not say and userinfo does.
  Result<void> add_userinfo(const Metadata& metadata, const std::string& access_token,
                            json::Object& claims);

  const ProviderOptions options_;
  const Fetch fetch_;
  const Clock& clock_;
  Documents documents_;
};

}  // namespace cairn::oidc
