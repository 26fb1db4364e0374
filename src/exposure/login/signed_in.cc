#include "exposure/login/signed_in.h"

#include <utility>

#include "base/quote.h"
#include "exposure/login/grants.h"

namespace cairn::login {

Result<std::string> SignedIn::token(std::string_view refused) {
  {
    auto known = known_.lock();
    if (*known && will_do(**known, refused)) return (*known)->tokens.access;
  }
  // Not under the lock: it may take a server's time. Two threads that come together meet at the
  // file.
  auto credentials = TRY(stored());
  if (!will_do(credentials, refused)) credentials = TRY(renewed(refused));
  auto token = credentials.tokens.access;
  *known_.lock() = std::move(credentials);
  return token;
}

bool SignedIn::will_do(const Credentials& credentials, std::string_view refused) const {
  return credentials.tokens.access != refused && credentials.fresh(clock_.now());
}

Failure SignedIn::over(std::string_view why) const {
  return fail(Code::kInvalidToken,
              "you are not signed in to {} any more: {}; sign in again with "
              "'cairn login --server {}'",
              shown(server_), why, shown(server_));
}

Result<Credentials> SignedIn::stored() const {
  auto found = TRY(file_.read());
  if (!found) return over("somebody has signed out on this machine");
  if (found->server == server_) return *std::move(found);
  return fail(Code::kInvalidArgument,
              "the credentials in {} are for {}, so they are not sent to {}; sign in there with "
              "'cairn login --server {}'",
              file_.path().string(), shown(found->server), shown(server_), shown(server_));
}

Result<Credentials> SignedIn::renewed(std::string_view refused) const {
  const auto lock = TRY(file_.lock());
  auto credentials = TRY(stored());
  // Whoever held the lock before may have done it.
  if (will_do(credentials, refused)) return credentials;
  if (credentials.tokens.refresh.empty()) return over("its token has ended and cannot be renewed");
  auto tokens = renew(Web(client_), credentials.token_endpoint, credentials.client,
                      credentials.tokens.refresh);
  if (!tokens && tokens.error().code == Code::kInvalidToken) return over(tokens.error().message);
  if (!tokens) {
    // It is near its end, but not there: the server that it is for will say so.
    const bool good =
        credentials.tokens.access != refused && clock_.now() < credentials.expires_at();
    if (good) return credentials;
    return Failure(std::move(tokens).error());
  }
  credentials.renewed(*std::move(tokens), clock_.now());
  TRY(file_.write(credentials));
  return credentials;
}

}  // namespace cairn::login
