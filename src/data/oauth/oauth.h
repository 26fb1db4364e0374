// OAuth: the parts of the authorization server that know nothing of HTTP, put together.
//
//   Authorization   what people are asked                (authorization.h)
//   Tokens          codes and refresh tokens, traded in  (tokens.h)
//   Clients, Grants as they lie in the store
//
// Threads  as its parts: any.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "data/access/audit.h"
#include "data/access/realms.h"
#include "data/access/users.h"
#include "data/oauth/buckets.h"
#include "data/oauth/clients.h"
#include "data/oauth/grants.h"
#include "data/oauth/shelf.h"

namespace cairn::oauth {

struct OAuthOptions {
  // Of programs, beside those that are known (redirect_uri.h).
  std::set<std::string> redirect_schemes = {};
  // Whether answers say who they are from (RFC 9207).
  bool with_iss = true;
  std::chrono::milliseconds access_lifetime = std::chrono::hours(8);
  std::chrono::milliseconds refresh_lifetime = std::chrono::hours(24 * 30);
  // For so long after its first use a refresh token can be traded in again.
  std::chrono::milliseconds window = std::chrono::seconds(60);
  // Reads a client's document, cached as it may be; nothing: documents are not fetched.
  std::function<std::expected<Client, BadMetadata>(std::string_view id)> fetch = nullptr;
};

// What it works on; all of it outlives it.
struct OAuthParts {
  Realms& realms;
  Delegates& delegates;
  Users& users;
  AuditLog& audit;
  const Clock& clock;
  Random& random;
};

// What its parts share.
class OAuthBase final {
 public:
  OAuthBase(const OAuthParts& parts, OAuthOptions options);

  // The client of that id, with its document fetched if that is allowed; nothing: it is not known.
  Result<std::optional<Client>> client(std::string_view id, bool may_fetch);
  void note(const RealmId& realm, const DelegateId& delegate, std::string_view what,
            std::string context, std::string_view outcome,
            AuditLog::When when = AuditLog::When::kNow);
  KeyValueStore& kv() { return parts.realms.store().kv(); }
  // That the person may use the server.
  Result<void> check_person(const RealmId& realm) const;
  Result<void> tidy();

  static constexpr std::chrono::minutes kRequestLives{10};
  static constexpr std::chrono::minutes kDeviceLives{15};
  // A code is good for this long; that it was used is known for longer.
  static constexpr std::chrono::seconds kCodeIsGood{120};

  const OAuthParts parts;
  const OAuthOptions options;
  Clients clients;
  Grants grants;
  Shelf requests;
  Shelf codes;
  Shelf devices;
};

Bytes user_code_key(std::string_view code);

}  // namespace cairn::oauth
