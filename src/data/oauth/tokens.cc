#include "data/oauth/tokens.h"

#include <algorithm>

#include "base/quote.h"
#include "data/oauth/client_login.h"
#include "data/oauth/pkce.h"
#include "data/oauth/requests.h"
#include "data/oauth/resource.h"
#include "data/store/update.h"

namespace cairn::oauth {
namespace {

constexpr std::string_view kDeviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
// Without vowels, so that no words come of it.
constexpr std::string_view kCodeLetters = "BCDFGHJKLMNPQRSTVWXZ";
constexpr std::size_t kUserCodeLetters = 8;
constexpr std::int64_t kInterval = 5;

std::unexpected<Denied> refuse(std::string_view error, std::string description) {
  return std::unexpected(
      Denied{.error = std::string(error), .description = std::move(description)});
}

std::unexpected<Denied> bad_grant(std::string description) {
  return refuse("invalid_grant", std::move(description));
}

// The value of a Result, or its error as a client understands it.
template <typename T>
std::expected<T, Denied> or_denied(Result<T> result) {
  if (result) {
    if constexpr (std::is_void_v<T>) {
      return {};
    } else {
      return *std::move(result);
    }
  }
  return std::unexpected(denied(result.error()));
}

// What a trade comes to inside a batch: an error of the store, or the client's.
using Traded = Result<std::expected<CreatedDelegate, Denied>>;

class StoredTokens final : public Tokens {
 public:
  explicit StoredTokens(OAuthBase& base)
      : base_(base),
        trades_(base.parts.clock, {.burst = 20, .per_second = 20}),
        wrong_codes_(base.parts.clock, {.burst = 10, .per_second = 10.0 / 60}),
        enrolls_(base.parts.clock, {.burst = 10, .per_second = 10.0 / 60}),
        all_enrolls_(base.parts.clock, {.burst = 300, .per_second = 5}) {}

  std::expected<GivenTokens, Denied> trade(const ClientCall& call) override {
    TRY(check_form(call));
    const auto client = TRY(caller(call));
    const auto type = parameter(call.form, "grant_type");
    if (!type) return refuse("invalid_request", "grant_type is missing");
    if (*type == "authorization_code") return trade_code(call, client);
    if (*type == "refresh_token") return refresh(call, client);
    if (*type == kDeviceGrant) return trade_device(call, client);
    return refuse("unsupported_grant_type",
                  fmt::format("grant_type {} is not possible here", shown(*type)));
  }

  std::expected<void, Denied> revoke(const ClientCall& call) override;
  std::expected<GivenDeviceCode, Denied> device(const ClientCall& call) override;
  std::expected<Registered, Denied> enroll(const json::Object& metadata,
                                           std::string_view address) override;

 private:
  static std::string name_of(const ClientCall& call, std::string_view client) {
    return fmt::format("{}\n{}", client, call.address);
  }

  static std::expected<void, Denied> check_form(const ClientCall& call) {
    const auto twice = repeated(call.form, "resource");
    if (!twice) return {};
    return refuse("invalid_request", fmt::format("{} was sent twice", shown(*twice)));
  }

  // Who calls, in its turn.
  std::expected<Client, Denied> caller(const ClientCall& call) {
    const auto id = parameter(call.form, "client_id").value_or("");
    TRY(or_denied(trades_.take(name_of(call, shown(id)), "too many requests of this program")));
    return calling_client(base_, call);
  }

  // That what is asked for is a part of what was granted.
  static std::expected<void, Denied> check_resource(const ClientCall& call,
                                                    std::string_view granted) {
    for (const auto text : every_parameter(call.form, "resource")) {
      const auto resource = parse_resource(text, call.origin);
      if (!resource || !covers(granted, *resource)) {
        return refuse("invalid_target",
                      fmt::format("the resource {} was not granted", shown(text, 200)));
      }
    }
    return {};
  }

  std::expected<GivenTokens, Denied> trade_code(const ClientCall& call, const Client& client);
  std::expected<GivenTokens, Denied> refresh(const ClientCall& call, const Client& client);
  std::expected<GivenTokens, Denied> trade_device(const ClientCall& call, const Client& client);
  std::expected<void, Denied> check_code(const ClientCall& call, const Client& client,
                                         const StoredCode& code, Millis made_at) const;
  Result<CreatedDelegate> issue(Batch& batch, const RealmId& realm, const DelegateId& delegate,
                                const Client& client, std::string_view audience);
  void replayed(const RealmId& realm, const DelegateId& delegate, const Client& client,
                std::string_view what);
  GivenTokens given(const ClientCall& call, const Client& client, const CreatedDelegate& created,
                    std::string_view what);
  std::string make_user_code();

  OAuthBase& base_;
  Buckets trades_;
  Buckets wrong_codes_;
  Buckets enrolls_;
  Buckets all_enrolls_;
};

Result<CreatedDelegate> StoredTokens::issue(Batch& batch, const RealmId& realm,
                                            const DelegateId& delegate, const Client& client,
                                            std::string_view audience) {
  TRY(base_.check_person(realm));
  // Nobody may void its tokens in between.
  const auto key = access_records::delegate_key(realm, delegate);
  batch.conditions.push_back({key, TRY(base_.kv().get(key))});
  const auto session = TRY(base_.parts.delegates.act_as(realm, delegate));
  const auto& who = session->who();
  return CreatedDelegate{
      who, base_.parts.delegates.add_tokens(batch, who,
                                            {.client = client.id,
                                             .audience = std::string(audience),
                                             .access_lifetime = base_.options.access_lifetime,
                                             .refresh_lifetime = base_.options.refresh_lifetime})};
}

GivenTokens StoredTokens::given(const ClientCall& call, const Client& client,
                                const CreatedDelegate& created, std::string_view what) {
  const auto now = base_.parts.clock.now();
  const auto& delegate = created.delegate;
  base_.note(delegate.realm, delegate.id, what,
             fmt::format("{} from {}", shown(client.id), shown(call.address)), "ok");
  if (const auto grant = base_.grants.of_delegate(delegate.realm, delegate.id); grant && *grant) {
    base_.grants.note_use(**grant, now, call.address);
  }
  base_.clients.note_use(client);
  return {.access = created.tokens.access.text(),
          .refresh = created.tokens.refresh.text(),
          .expires_in = std::chrono::seconds((created.tokens.access_expires_at - now) / 1000),
          .scopes = {.write = delegate.can_upload, .manage = delegate.can_manage_depot}};
}

void StoredTokens::replayed(const RealmId& realm, const DelegateId& delegate, const Client& client,
                            std::string_view what) {
  base_.note(realm, delegate, "oauth_replay", fmt::format("{} of {}", what, shown(client.id)),
             info(Code::kTokenReplayed).name);
  if (const auto grant = base_.grants.of_delegate(realm, delegate); grant && *grant) {
    base_.grants.note_replay(**grant, base_.parts.clock.now());
  }
}

std::expected<void, Denied> StoredTokens::check_code(const ClientCall& call, const Client& client,
                                                     const StoredCode& code, Millis made_at) const {
  const auto verifier = parameter(call.form, "code_verifier").value_or("");
  const auto redirect = parameter(call.form, "redirect_uri");
  if (code.client_id != client.id) return bad_grant("the code was given to another client");
  if (code.issuer != call.origin.text()) {
    return bad_grant(fmt::format("the code was given out at {}; bring it there", code.issuer));
  }
  if (redirect && *redirect != code.redirect) {
    return bad_grant("redirect_uri is not the one that the code was sent to");
  }
  if (!proves(verifier, code.challenge)) {
    return bad_grant("code_verifier is not what the code_challenge was made of");
  }
  // One that was used is looked at whatever its age.
  const bool old =
      base_.parts.clock.now() - made_at > std::chrono::milliseconds(OAuthBase::kCodeIsGood).count();
  if (old && !code.used_at) return bad_grant("the code has expired; ask for another");
  return {};
}

std::expected<GivenTokens, Denied> StoredTokens::trade_code(const ClientCall& call,
                                                            const Client& client) {
  const auto id = parameter(call.form, "code");
  if (!id) return refuse("invalid_request", "code is missing");
  if (!parameter(call.form, "code_verifier")) {
    return refuse("invalid_request", "code_verifier is missing");
  }
  const auto tries = name_of(call, client.id);
  TRY(or_denied(wrong_codes_.check(tries, "too many codes of this program were wrong")));
  std::optional<StoredCode> again;
  const auto change = [&](Batch& batch) -> Traded {
    const auto stored = TRY(base_.codes.get(*id));
    if (!stored) return std::expected<CreatedDelegate, Denied>(bad_grant("the code is not known"));
    const auto key = *base_.codes.key_of(*id);
    auto code = TRY(decode_code(*stored));
    if (auto fits = check_code(call, client, code, Shelf::time_of(key)); !fits) {
      return std::expected<CreatedDelegate, Denied>(std::unexpected(fits.error()));
    }
    if (auto fits = check_resource(call, code.resource); !fits) {
      return std::expected<CreatedDelegate, Denied>(std::unexpected(fits.error()));
    }
    if (code.used_at) {
      again = code;
      return std::expected<CreatedDelegate, Denied>(
          bad_grant("the code was used before: all tokens that it gave are void now"));
    }
    code.used_at = base_.parts.clock.now();
    batch.conditions.push_back({key, stored});
    batch.puts.push_back({key, encode(code)});
    return std::expected<CreatedDelegate, Denied>(
        TRY(issue(batch, code.realm, code.delegate, client, code.resource)));
  };
  auto traded = TRY(or_denied(until_committed(base_.kv(), "the code", change)));
  if (again) {
    TRY(or_denied(base_.parts.delegates.void_all(again->realm, again->delegate)));
    replayed(again->realm, again->delegate, client, "a code");
  }
  if (!traded) {
    if (traded.error().error == "invalid_grant") wrong_codes_.spend(tries);
    return std::unexpected(std::move(traded).error());
  }
  return given(call, client, *traded, "oauth_token");
}

std::expected<GivenTokens, Denied> StoredTokens::refresh(const ClientCall& call,
                                                         const Client& client) {
  const auto token = parameter(call.form, "refresh_token");
  if (!token) return refuse("invalid_request", "refresh_token is missing");
  // What clients repeat here is what they asked for, which may be more than they were given: the
  // answer says what that is.
  if (!parse_scopes(parameter(call.form, "scope").value_or(""))) {
    return refuse("invalid_scope", "scope should be of cas:read, cas:write and depot:manage");
  }
  const auto record = base_.parts.delegates.bearer_of(*token);
  if (record && record->client == client.id) {
    TRY(check_resource(call, record->audience));
    TRY(or_denied(base_.check_person(record->realm)));
  }
  auto created =
      base_.parts.delegates.refresh_granted(*token,
                                            {.client = client.id,
                                             .audience = "",
                                             .access_lifetime = base_.options.access_lifetime,
                                             .refresh_lifetime = base_.options.refresh_lifetime},
                                            base_.options.window);
  if (!created) {
    if (created.error().code == Code::kTokenReplayed && record) {
      replayed(record->realm, record->delegate, client, "a refresh token");
    }
    return std::unexpected(denied(created.error()));
  }
  return given(call, client, *created, "oauth_refresh");
}

std::expected<GivenTokens, Denied> StoredTokens::trade_device(const ClientCall& call,
                                                              const Client& client) {
  const auto id = parameter(call.form, "device_code");
  if (!id) return refuse("invalid_request", "device_code is missing");
  const auto change = [&](Batch& batch) -> Traded {
    using Out = std::expected<CreatedDelegate, Denied>;
    const auto stored = TRY(base_.devices.get(*id));
    if (!stored)
      return Out(refuse("expired_token", "the device code is not known, or has expired"));
    const auto key = *base_.devices.key_of(*id);
    auto device = TRY(decode_device(*stored));
    if (device.client_id != client.id) {
      return Out(bad_grant("the device code was given to another client"));
    }
    if (auto fits = check_resource(call, device.resource); !fits) {
      return Out(std::unexpected(fits.error()));
    }
    batch.conditions.push_back({key, stored});
    const auto now = base_.parts.clock.now();
    switch (device.state) {
      case StoredDevice::State::kDenied:
        return Out(refuse("access_denied", "the person said no"));
      case StoredDevice::State::kWaiting: {
        // A little earlier is forgiven: what takes time on the way is not the client's fault.
        const bool early = now - device.polled_at < device.interval * 1000 - 500;
        if (early && device.polled_at != 0) device.interval += kInterval;
        const bool slow = early && device.polled_at != 0;
        device.polled_at = now;
        batch.puts.push_back({key, encode(device)});
        batch.durability = Durability::kBuffered;
        if (slow) {
          return Out(refuse("slow_down", fmt::format("ask every {} s", device.interval)));
        }
        return Out(refuse("authorization_pending", "nobody has answered yet"));
      }
      case StoredDevice::State::kAllowed:
        break;
    }
    if (device.used || !device.realm || !device.delegate) {
      return Out(bad_grant("the device code was used before"));
    }
    device.used = true;
    batch.puts.push_back({key, encode(device)});
    return Out(TRY(issue(batch, *device.realm, *device.delegate, client, device.resource)));
  };
  auto traded = TRY(or_denied(until_committed(base_.kv(), "the device code", change)));
  if (!traded) return std::unexpected(std::move(traded).error());
  return given(call, client, *traded, "oauth_token");
}

std::expected<void, Denied> StoredTokens::revoke(const ClientCall& call) {
  TRY(check_form(call));
  const auto client = TRY(caller(call));
  const auto token = parameter(call.form, "token");
  if (!token) return refuse("invalid_request", "token is missing");
  const auto record = base_.parts.delegates.bearer_of(*token);
  if (!record) return {};
  if (record->client != client.id) {
    return refuse("unauthorized_client", "the token was given to another client");
  }
  const auto done = [&]() -> Result<void> {
    if (record->kind != TokenKind::kRefresh) {
      Batch batch;
      batch.deletes.push_back(access_records::token_key(sha256(*token)));
      return base_.kv().commit(std::move(batch));
    }
    // One that is void already ends nothing: whoever connected again has others.
    const auto holder = base_.parts.delegates.act_as(record->realm, record->delegate);
    if (!holder || (*holder)->who().epoch != record->epoch) return {};
    const auto root = TRY(
        base_.parts.delegates.act_as(record->realm, DelegateId::from_bytes(record->realm.bytes())));
    TRY(base_.parts.delegates.revoke(*root, record->delegate));
    return {};
  }();
  base_.note(record->realm, record->delegate, "oauth_revoke",
             fmt::format("{} by {} from {}",
                         record->kind == TokenKind::kRefresh ? "the grant" : "an access token",
                         shown(client.id), shown(call.address)),
             done ? "ok" : done.error().name());
  return or_denied(done);
}

std::string StoredTokens::make_user_code() {
  std::string out;
  while (out.size() < kUserCodeLetters) {
    for (const char c : base_.parts.random.bytes(kUserCodeLetters)) {
      const auto byte = static_cast<unsigned char>(c);
      // So that every letter is as likely.
      if (byte < 240 && out.size() < kUserCodeLetters) {
        out += kCodeLetters[byte % kCodeLetters.size()];
      }
    }
  }
  return out;
}

std::expected<GivenDeviceCode, Denied> StoredTokens::device(const ClientCall& call) {
  TRY(check_form(call));
  TRY(or_denied(enrolls_.take(std::string(call.address), "too many requests from this address")));
  TRY(or_denied(all_enrolls_.take("", "too many requests")));
  const auto client = TRY(caller(call));
  const auto scopes = parse_scopes(parameter(call.form, "scope").value_or(""));
  if (!scopes) {
    return refuse("invalid_scope", "scope should be of cas:read, cas:write and depot:manage");
  }
  std::vector<std::string> resources;
  for (const auto text : every_parameter(call.form, "resource")) {
    auto resource = parse_resource(text, call.origin);
    if (!resource) {
      return refuse("invalid_target",
                    fmt::format("the resource {} is not served here", shown(text, 200)));
    }
    resources.push_back(*std::move(resource));
  }
  const auto resource = widest(resources);
  if (!resource) return refuse("invalid_target", "the resources are apart; ask for one at a time");
  TRY(or_denied(base_.devices.make_room()));
  const auto place = base_.devices.place();
  StoredDevice stored{.client_id = client.id,
                      .issuer = call.origin.text(),
                      .resource = *resource,
                      .scopes = *scopes,
                      .user_code = "",
                      .address = shown(call.address)};
  if (client.allowed) {
    stored.scopes.write = stored.scopes.write && client.allowed->write;
    stored.scopes.manage = stored.scopes.manage && client.allowed->manage;
  }
  TRY(or_denied(until_committed(base_.kv(), "the user code", [&](Batch& batch) -> Result<void> {
    stored.user_code = make_user_code();
    batch.conditions.push_back({user_code_key(stored.user_code), std::nullopt});
    batch.puts.push_back({user_code_key(stored.user_code), place.key});
    batch.puts.push_back({place.key, encode(stored)});
    return {};
  })));
  base_.clients.note_use(client);
  return GivenDeviceCode{
      .device_code = place.id,
      .user_code = fmt::format("{}-{}", stored.user_code.substr(0, 4), stored.user_code.substr(4)),
      .expires_in = OAuthBase::kDeviceLives,
      .interval = std::chrono::seconds(kInterval)};
}

std::expected<Tokens::Registered, Denied> StoredTokens::enroll(const json::Object& metadata,
                                                               std::string_view address) {
  TRY(or_denied(enrolls_.take(std::string(address), "too many registrations from this address")));
  TRY(or_denied(all_enrolls_.take("", "too many registrations")));
  auto registration = register_client(metadata, base_.options.redirect_schemes);
  if (!registration) {
    return refuse(registration.error().error, std::move(registration.error().description));
  }
  const bool fresh = TRY(or_denied(base_.clients.keep(registration->client)));
  const auto known = TRY(or_denied(base_.clients.find(registration->client.id)));
  registration->answer["client_id_issued_at"] = known ? known->created_at / 1000 : 0;
  if (fresh) {
    // Of nobody's realm: it stands in the log of the machine's owner, who looks after the server.
    if (const auto owner = base_.parts.users.find(Users::kOwner)) {
      base_.note(owner->id, DelegateId::from_bytes(owner->id.bytes()), "oauth_register",
                 fmt::format("{} {} from {}", registration->client.id, registration->client.name,
                             shown(address)),
                 "ok", AuditLog::When::kSoon);
    }
  }
  return Registered{std::move(registration->answer), fresh};
}

}  // namespace

std::unique_ptr<Tokens> make_tokens(OAuthBase& base) {
  return std::make_unique<StoredTokens>(base);
}

}  // namespace cairn::oauth
