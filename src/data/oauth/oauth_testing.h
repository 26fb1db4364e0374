// Shared by the tests of this folder: a server with an authorization server over it, a person, and
// programs that ask for access.
//
//   Scene scene;
//   const auto code = scene.code_for(scene.client);
//   const auto tokens = must(scene.trade_code(scene.client, code));
#pragma once

#include <memory>
#include <string>

#include "data/access/access_testing.h"
#include "data/oauth/authorization.h"
#include "data/oauth/oauth.h"
#include "data/oauth/pkce.h"
#include "data/oauth/record.h"
#include "data/oauth/tokens.h"

namespace cairn::oauth {

using access_testing::Access;
using access_testing::Dice;
using access_testing::for_seeds;
using access_testing::must;

// The value, or the test fails with the error's words.
template <typename T>
T granted(std::expected<T, Denied> result) {
  if (!result) {
    ADD_FAILURE() << result.error().error << ": " << result.error().description;
    std::abort();
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

template <typename T>
std::string error_of(const std::expected<T, Denied>& result) {
  return result ? std::string("(none)") : result.error().error;
}

inline std::string of_url(const std::string& url, std::string_view name) {
  const auto form = parse_form(url.substr(url.find('?') + 1));
  return std::string(parameter(form.value_or(Parameters()), name).value_or(""));
}

struct Scene {
  static constexpr std::string_view kVerifier = "a-verifier-of-forty-three-characters-or-more";
  static constexpr std::string_view kRedirect = "http://127.0.0.1:4711/callback";

  explicit Scene(OAuthOptions options = {}) : base(parts(), std::move(options)) {
    must(users.owner(realm()));
    client = enrolled("Prober");
  }

  OAuthParts parts() {
    return {realms, access.delegates, users, audit, access.world.clock, access.world.random};
  }
  const RealmId& realm() const { return access.world.realm.id(); }
  SessionPtr person() { return access.root(); }
  ManualClock& clock() { return access.world.clock; }

  std::string enrolled(std::string_view name) {
    const json::Object metadata{{"client_name", name},
                                {"redirect_uris", json::Array{"http://127.0.0.1/callback"}}};
    return text_of(granted(tokens->enroll(metadata, "10.0.0.1")).answer, "client_id");
  }

  Parameters asking(const std::string& who) const {
    return {{"client_id", who},
            {"redirect_uri", std::string(kRedirect)},
            {"response_type", "code"},
            {"code_challenge", challenge_of(kVerifier)},
            {"code_challenge_method", "S256"},
            {"state", "the state"},
            {"resource", origin.at("/mcp")}};
  }
  std::string begun(const Parameters& parameters) {
    auto begun = authorization->begin(parameters, origin, true, "somebody");
    if (auto* refused = std::get_if<Refused>(&begun)) {
      ADD_FAILURE() << refused->error << ": " << refused->description;
      std::abort();
    }
    return std::get<Begun>(begun).request;
  }
  std::string code_for(const std::string& who, const Choice& choice = {.write = true}) {
    const auto request = begun(asking(who));
    return of_url(must(authorization->allow(request, *person(), choice, "10.0.0.9")), "code");
  }

  ClientCall call(const Parameters& form, std::string_view header = {}) const {
    return {form, header, origin, "10.0.0.1"};
  }
  std::expected<GivenTokens, Denied> trade_code(const std::string& who, const std::string& code,
                                                std::string_view verifier = kVerifier) {
    const Parameters form{{"grant_type", "authorization_code"},
                          {"client_id", who},
                          {"code", code},
                          {"redirect_uri", std::string(kRedirect)},
                          {"code_verifier", std::string(verifier)}};
    return tokens->trade(call(form));
  }
  std::expected<GivenTokens, Denied> refresh(const std::string& who, const std::string& token) {
    const Parameters form{
        {"grant_type", "refresh_token"}, {"client_id", who}, {"refresh_token", token}};
    return tokens->trade(call(form));
  }
  std::expected<void, Denied> revoke(const std::string& who, const std::string& token) {
    const Parameters form{{"client_id", who}, {"token", token}};
    return tokens->revoke(call(form));
  }
  GivenTokens connected() { return granted(trade_code(client, code_for(client))); }
  bool works(const std::string& access_token) {
    return access.delegates.authenticate(access_token).has_value();
  }
  std::vector<std::string> audited() {
    std::vector<std::string> out;
    for (const auto& entry : must(audit.query(realm(), {})).entries) {
      out.push_back(entry.tool + " " + entry.outcome);
    }
    return out;
  }

  Access access;
  Realms realms{*access.world.store, access.world.clock, access.world.random};
  Users users{access.kv(), access.world.clock, access.world.random, 8};
  AuditLog audit{access.kv(), access.world.clock};
  OAuthBase base;
  std::unique_ptr<Authorization> authorization = make_authorization(base);
  std::unique_ptr<Tokens> tokens = make_tokens(base);
  Origin origin = must(Origin::parse("http://127.0.0.1:8765"));
  std::string client;
};

}  // namespace cairn::oauth
