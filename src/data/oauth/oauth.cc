#include "data/oauth/oauth.h"

#include "base/quote.h"
#include "data/oauth/requests.h"

namespace cairn::oauth {

OAuthBase::OAuthBase(const OAuthParts& the_parts, OAuthOptions the_options)
    : parts(the_parts),
      options(std::move(the_options)),
      clients(kv(), parts.clock, parts.random),
      grants(kv(), parts.delegates),
      requests(kv(), parts.clock, parts.random, {.letter = 'r', .lifetime = kRequestLives}),
      codes(kv(), parts.clock, parts.random, {.letter = 'k', .lifetime = kRequestLives}),
      devices(kv(), parts.clock, parts.random, {.letter = 'd', .lifetime = kDeviceLives}) {}

Result<std::optional<Client>> OAuthBase::client(std::string_view id, bool may_fetch) {
  auto known = TRY(clients.find(id));
  if (known || !may_fetch || !options.fetch || !is_document_id(id)) return known;
  auto fetched = options.fetch(id);
  if (!fetched) return fail(Code::kInvalidArgument, "{}", fetched.error().description);
  return std::optional(*std::move(fetched));
}

void OAuthBase::note(const RealmId& realm, const DelegateId& delegate, std::string_view what,
                     std::string context, std::string_view outcome, AuditLog::When when) {
  AuditEntry entry;
  entry.time = parts.clock.now();
  entry.delegate = delegate;
  entry.entrance = "oauth";
  entry.tool = what;
  entry.context = std::move(context);
  entry.outcome = outcome;
  parts.audit.record(realm, std::move(entry), outcome == "ok" ? when : AuditLog::When::kSoon);
}

Result<void> OAuthBase::check_person(const RealmId& realm) const {
  if (TRY(parts.users.role_of(realm)) != Role::kUnauthorized) return {};
  return fail(Code::kForbidden,
              "this user is not authorised; an admin can change that with the role 'authorized'");
}

Result<void> OAuthBase::tidy() {
  TRY(requests.tidy());
  TRY(codes.tidy());
  TRY(devices.tidy());
  TRY(clients.tidy());
  TRY(grants.tidy(parts.clock.now()));
  // User codes whose device is gone.
  Batch batch;
  std::vector<std::pair<Bytes, Bytes>> codes_of;
  TRY(kv().scan(KeyRange::prefix("Ou"), Direction::kForward, [&](ByteView key, ByteView value) {
    codes_of.emplace_back(key, value);
    return Scan::kContinue;
  }));
  for (const auto& [key, device] : codes_of) {
    if (!TRY(kv().get(device))) batch.deletes.push_back(key);
  }
  if (batch.deletes.empty()) return {};
  return kv().commit(std::move(batch));
}

Bytes user_code_key(std::string_view code) { return "Ou" + Bytes(code); }

}  // namespace cairn::oauth
