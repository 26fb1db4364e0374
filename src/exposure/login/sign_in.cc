#include "exposure/login/sign_in.h"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "exposure/login/loopback.h"
#include "exposure/login/pkce.h"

namespace cairn::login {
namespace {

// RFC 8628 section 3.5: by so much the next question comes later.
constexpr std::chrono::seconds kSlower{5};

std::string scope_for(const Authority& authority, const Asking& asking) {
  if (!asking.scope.empty()) return asking.scope;
  return fmt::format("{}", fmt::join(authority.scopes, " "));
}

Result<std::string> client_for(const Means& means, const Authority& authority, const Asking& asking,
                               const std::string& scope) {
  if (!asking.client.empty()) return asking.client;
  return register_client(means.web, authority, asking.client_name, scope);
}

Credentials credentials_of(const Means& means, const Authority& authority, std::string client,
                           Tokens tokens, const std::string& asked) {
  // As the standard has it: what was asked, unless the answer says otherwise.
  if (tokens.scope.empty()) tokens.scope = asked;
  const auto now = means.clock.now();
  return {.server = authority.resource,
          .issuer = authority.issuer,
          .client = std::move(client),
          .token_endpoint = authority.token_endpoint,
          .revocation_endpoint = authority.revocation_endpoint,
          .tokens = std::move(tokens),
          .signed_in_at = now,
          .renewed_at = now};
}

// A server that is out of reach for a moment is asked again, like one that has no answer yet.
bool may_come(const Error& error) {
  return error.code == Code::kUnavailable || error.code == Code::kRequestTimeout;
}

}  // namespace

Result<Credentials> sign_in_here(const Means& means, const Authority& authority,
                                 const Asking& asking, const OpenPage& open) {
  CodeRequest request{.client = {},
                      .scope = scope_for(authority, asking),
                      .redirect = {},
                      .state = unguessable(means.random),
                      .verifier = unguessable(means.random)};
  request.client = TRY(client_for(means, authority, asking, request.scope));
  const auto loopback = TRY(Loopback::listen(authority, request.state));
  request.redirect = loopback->address();
  open(TRY(authorization_url(authority, request)));
  const auto code = TRY(loopback->wait(asking.patience));
  auto tokens = TRY(trade_code(means.web, authority, request, code));
  return credentials_of(means, authority, request.client, std::move(tokens), request.scope);
}

Result<Credentials> sign_in_elsewhere(const Means& means, const Authority& authority,
                                      const Asking& asking, const ShowCode& show) {
  const auto scope = scope_for(authority, asking);
  const auto client = TRY(client_for(means, authority, asking, scope));
  const auto request = TRY(ask_for_device(means.web, authority, client, scope));
  show(request);
  const auto patience =
      std::min<std::chrono::milliseconds>(asking.patience, std::chrono::seconds(request.lasts));
  const auto until = means.clock.monotonic() + patience;
  auto interval = request.interval;
  for (;;) {
    means.wait(interval);
    auto tokens = trade_device(means.web, authority, client, request.device_code);
    if (tokens) return credentials_of(means, authority, client, *std::move(tokens), scope);
    if (!may_come(tokens.error())) return Failure(std::move(tokens).error());
    if (refusal_of(tokens.error()) != "authorization_pending") interval += kSlower;
    if (means.clock.monotonic() > until) {
      return fail(Code::kRequestTimeout,
                  "nobody has entered the code {} in time; run 'cairn login --device' again",
                  request.user_code);
    }
  }
}

}  // namespace cairn::login
