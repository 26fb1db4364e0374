// For this module's tests: an authorization server that holds its clients to the letter. A refresh
// token works once, without any grace: whoever races is found out.
//
// Threads     any.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "exposure/http/testing.h"
#include "exposure/http/uri.h"
#include "exposure/login/pkce.h"
#include "exposure/login/web.h"

namespace cairn::login::testing {

class FakeAuthority final {
 public:
  // What a test makes of it, before the requests that it is for.
  struct Manner {
    std::map<std::string, std::string> metadata = {};  // instead of what is right; empty: left out
    std::string challenge_method = "S256";
    std::string resource = {};                     // instead of its own address
    std::vector<std::string> device_answers = {};  // errors, one after the other; then tokens
    int refresh_status = 200;
    std::string refresh_error = "invalid_grant";
    int expires_in = 3600;
    bool rotates = true;
  };
  struct Seen {
    int refreshes = 0;
    int replays = 0;
    std::vector<std::string> revoked = {};
    std::vector<std::string> registered = {};  // as they came
    std::vector<std::string> token_forms = {};
  };

  FakeAuthority() : server_([this](const http::Request& request) { return begin(request); }) {}

  std::string url() const { return fmt::format("http://127.0.0.1:{}", server_.port()); }
  void behave(Manner manner) { state_.lock()->manner = std::move(manner); }
  Seen seen() { return state_.lock()->seen; }
  // A refresh token that is good now.
  std::string a_refresh_token() {
    auto state = state_.lock();
    return next(*state);
  }
  // What a browser would be sent back with for this authorization request.
  static std::string code_for(std::string_view authorization_url) {
    return "code-for-" +
           std::string(query_of(authorization_url).get("code_challenge").value_or(""));
  }
  static http::Query query_of(std::string_view url) {
    return *http::Query::parse(url.substr(std::min(url.find('?'), url.size() - 1) + 1));
  }

 private:
  struct State {
    Manner manner;
    Seen seen;
    std::set<std::string> good;
    std::set<std::string> used;
    int made = 0;
    std::size_t polled = 0;
  };

  static std::string next(State& state) {
    auto token = fmt::format("refresh-{}", ++state.made);
    state.good.insert(token);
    return token;
  }

  static http::Response answer(int status, const json::Object& object) {
    http::Response out;
    out.status = status;
    out.content_type = "application/json";
    out.body = json::write(json::Value(object));
    return out;
  }
  static http::Response refuse(int status, std::string_view error) {
    return answer(status, {{"error", error}, {"error_description", "because it is a test."}});
  }

  http::Plan begin(const http::Request& request) {
    if (request.path == "/.well-known/oauth-protected-resource") {
      auto state = state_.lock();
      const auto& as = state->manner.resource;
      return answer(200, {{"resource", as.empty() ? url() : as},
                          {"authorization_servers", json::Array{url()}},
                          {"scopes_supported", json::Array{"cas:read", "cas:write"}}});
    }
    if (request.path == "/.well-known/oauth-authorization-server") return metadata();
    if (!request.has_body) return refuse(404, "not_found");
    return http::WantBody{.max_bytes = 16384,
                          .answer = [this, path = std::string(request.path)](Bytes body) {
                            return http::Answer(take(path, body));
                          }};
  }

  http::Response metadata() {
    auto state = state_.lock();
    json::Object out{
        {"issuer", url()},
        {"authorization_endpoint", url() + "/oauth/authorize"},
        {"token_endpoint", url() + "/token"},
        {"registration_endpoint", url() + "/register"},
        {"revocation_endpoint", url() + "/revoke"},
        {"device_authorization_endpoint", url() + "/device"},
        {"code_challenge_methods_supported", json::Array{state->manner.challenge_method}},
        {"authorization_response_iss_parameter_supported", true}};
    for (const auto& [name, value] : state->manner.metadata) {
      out.erase(name);
      if (!value.empty()) out[name] = value;
    }
    return answer(200, out);
  }

  http::Response take(const std::string& path, const std::string& body) {
    auto state = state_.lock();
    if (path == "/register") {
      state->seen.registered.push_back(body);
      return answer(201, {{"client_id", "client-1"}, {"redirect_uris", json::Array()}});
    }
    const auto form = http::Query::parse(body);
    if (!form) return refuse(400, "invalid_request");
    const auto field = [&](std::string_view name) {
      return std::string(form->get(name).value_or(""));
    };
    if (path == "/revoke") {
      state->seen.revoked.push_back(field("token"));
      return answer(200, {});
    }
    if (path == "/device") {
      return answer(200, {{"device_code", "device-1"},
                          {"user_code", "BCDF-GHJK"},
                          {"verification_uri", url() + "/oauth/device"},
                          {"expires_in", 900},
                          {"interval", 1}});
    }
    if (path != "/token") return refuse(404, "not_found");
    state->seen.token_forms.push_back(body);
    const auto grant = field("grant_type");
    if (grant == "authorization_code") {
      const bool good = field("code") == "code-for-" + challenge_of(field("code_verifier"));
      return good ? tokens(*state) : refuse(400, "invalid_grant");
    }
    if (grant == "refresh_token") return refresh(*state, field("refresh_token"));
    if (state->polled < state->manner.device_answers.size()) {
      const auto error = state->manner.device_answers[state->polled++];
      return refuse(error == "server_error" ? 503 : 400, error);
    }
    return tokens(*state);
  }

  static http::Response refresh(State& state, const std::string& token) {
    if (state.manner.refresh_status != 200) {
      return refuse(state.manner.refresh_status, state.manner.refresh_error);
    }
    if (state.used.contains(token)) ++state.seen.replays;
    if (!state.good.contains(token)) return refuse(400, "invalid_grant");
    ++state.seen.refreshes;
    if (!state.manner.rotates) return tokens(state);
    state.good.erase(token);
    state.used.insert(token);
    return tokens(state);
  }

  static http::Response tokens(State& state) {
    const auto refresh = next(state);
    return answer(200, {{"access_token", "access-" + refresh},
                        {"token_type", "Bearer"},
                        {"expires_in", state.manner.expires_in},
                        {"refresh_token", refresh},
                        {"scope", "cas:read"}});
  }

  Guarded<State> state_;
  http::testing::TestServer server_;
};

}  // namespace cairn::login::testing
