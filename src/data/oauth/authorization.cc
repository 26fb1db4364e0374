#include "data/oauth/authorization.h"

#include <algorithm>
#include <chrono>

#include <fmt/chrono.h>

#include "base/base64.h"
#include "base/quote.h"
#include "data/access/sight.h"
#include "data/oauth/begin.h"
#include "data/oauth/oauth.h"
#include "data/oauth/requests.h"
#include "data/oauth/resource.h"
#include "data/store/update.h"

namespace cairn::oauth {
namespace {

constexpr std::chrono::hours kLongest{24 * 366};

Failure gone() {
  return fail(
      Code::kNotFound,
      "this request is not waiting any more: it was answered, or is too old; go back to the "
      "program that asked, and connect again");
}

// The day, for people.
std::string day_of(Millis time) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(time / 1000)));
}

class StoredAuthorization final : public Authorization {
 public:
  explicit StoredAuthorization(OAuthBase& base)
      : base_(base),
        begins_(base.parts.clock, {.burst = 30, .per_second = 0.5}),
        wrong_codes_(base.parts.clock, {.burst = 5, .per_second = 5.0 / 3600}),
        all_wrong_codes_(base.parts.clock, {.burst = 30, .per_second = 30.0 / 3600}) {}

  std::variant<Begun, Refused> begin(const Parameters& parameters, const Origin& origin,
                                     bool signed_in, std::string_view who) override {
    if (auto turn = begins_.take(std::string(who), "too many requests began from here"); !turn) {
      return Refused{"slow_down", turn.error().message};
    }
    auto request = begin_request(base_, parameters, origin, signed_in);
    if (!request) return std::move(request).error();
    auto stored = store(*request);
    if (stored) return Begun{*std::move(stored)};
    return Refused{"server_error", "the request could not be kept; try again in a moment"};
  }

  Result<Asked> asked(std::string_view id) override {
    const auto request = TRY(load(id)).request;
    const auto client = TRY(client_of(request));
    Asked out;
    out.client_id = client.id;
    out.client_name = client.name;
    out.client_host = client.host();
    out.kind = client.kind;
    out.scopes = request.scopes;
    out.resource = request.resource;
    out.workspace = workspace_of(request.resource);
    if (!request.redirect.empty()) {
      const auto redirect = TRY(parse_redirect(request.redirect));
      out.redirect_host = redirect.place();
      out.redirect_uri = redirect.text();
      // Of this answer: that others of the client's go elsewhere makes it no safer.
      out.loopback_only = redirect.kind() != RedirectUri::Kind::kHttps;
    }
    if (!request.device.empty()) {
      const auto key = TRY(device_key(request));
      const auto stored = TRY(base_.devices.get_at(key));
      if (!stored) return gone();
      const auto device = TRY(decode_device(*stored));
      out.device = DeviceAsk{.user_code = shown_code(device.user_code),
                             .address = device.address,
                             .at = Shelf::time_of(key)};
    }
    return out;
  }

  Result<std::string> allow(std::string_view id, const Session& person, const Choice& choice,
                            std::string_view address) override {
    const auto loaded = TRY(load(id));
    const auto& request = loaded.request;
    const auto client = TRY(client_of(request));
    TRY(check_person(person));
    auto wanted = TRY(wanted_of(request, client, person, choice));
    TRY(base_.codes.make_room());
    const auto code = base_.codes.place();
    const auto commit = [&](Batch& batch) -> Result<Grant> {
      TRY(answer(batch, loaded));
      auto grant = TRY(put_grant(batch, request, client, person, wanted));
      if (request.device.empty()) {
        batch.puts.push_back({code.key, encode(StoredCode{.client_id = client.id,
                                                          .issuer = request.issuer,
                                                          .redirect = request.redirect,
                                                          .challenge = request.challenge,
                                                          .resource = request.resource,
                                                          .realm = grant.realm,
                                                          .delegate = grant.delegate})});
      } else {
        TRY(answer_device(batch, request, &grant));
      }
      return grant;
    };
    const auto grant = until_committed(base_.kv(), "the request", commit);
    base_.note(person.realm, grant ? grant->delegate : person.who().id, "oauth_consent",
               fmt::format("{} {} from {} asked {} granted {}", shown(client.id), client.name,
                           shown(address), request.scopes.render(),
                           Scopes{choice.write, choice.manage}.render()),
               grant ? "ok" : grant.error().name());
    if (!grant) return Failure(grant.error());
    return answer_to(request, {{"code", code.id}});
  }

  Result<std::string> deny(std::string_view id, const Session& person) override {
    const auto loaded = TRY(load(id));
    const auto& request = loaded.request;
    TRY(until_committed(base_.kv(), "the request", [&](Batch& batch) -> Result<void> {
      TRY(answer(batch, loaded));
      if (!request.device.empty()) TRY(answer_device(batch, request, nullptr));
      return {};
    }));
    base_.note(person.realm, person.who().id, "oauth_consent", shown(request.client_id), "denied");
    return answer_to(request, {{"error", "access_denied"},
                               {"error_description", "the person said no to this request"}});
  }

  Result<std::string> device_request(std::string_view text, std::string_view who) override {
    constexpr auto kTooMany = "too many codes were wrong";
    const std::string name(who);
    TRY(wrong_codes_.check(name, kTooMany));
    TRY(all_wrong_codes_.check("", kTooMany));
    auto found = find_device(text);
    if (!found && found.error().code == Code::kNotFound) {
      wrong_codes_.spend(name);
      all_wrong_codes_.spend("");
    }
    const auto [place, device] = TRY(std::move(found));
    return store({.client_id = device.client_id,
                  .issuer = device.issuer,
                  .redirect = "",
                  .state = std::nullopt,
                  .challenge = "",
                  .resource = device.resource,
                  .scopes = device.scopes,
                  .device = place});
  }

 private:
  struct Loaded {
    Bytes key;
    Bytes value;
    StoredRequest request;
  };

  Result<RedirectUri> parse_redirect(std::string_view text) const {
    return RedirectUri::parse(text, base_.options.redirect_schemes);
  }

  Result<Loaded> load(std::string_view id) const {
    auto value = TRY(base_.requests.get(id));
    if (!value) return gone();
    auto request = TRY(decode_request(*value));
    return Loaded{*base_.requests.key_of(id), *std::move(value), std::move(request)};
  }

  // The request has its answer: nobody else can give one.
  Result<void> answer(Batch& batch, const Loaded& loaded) const {
    // Read anew: somebody else may have been faster.
    if (!TRY(base_.kv().get(loaded.key))) return gone();
    batch.conditions.push_back({loaded.key, loaded.value});
    batch.deletes.push_back(loaded.key);
    return {};
  }

  Result<std::string> store(const StoredRequest& request) {
    TRY(base_.requests.make_room());
    auto place = base_.requests.place();
    Batch batch;
    batch.puts.push_back({place.key, encode(request)});
    batch.durability = Durability::kBuffered;
    TRY(base_.kv().commit(std::move(batch)));
    return std::move(place.id);
  }

  // Those that are registered, when it is asked for anew: they may be others by now.
  Result<Client> client_of(const StoredRequest& request) {
    auto client = TRY(base_.client(request.client_id, true));
    if (!client) return gone();
    if (!request.redirect.empty()) {
      const auto redirect = TRY(parse_redirect(request.redirect));
      if (client->redirect_for(redirect) == nullptr) {
        return fail(Code::kInvalidArgument,
                    "the program wants its answer sent to {}, which is none of the addresses that "
                    "it has registered",
                    shown(redirect.text(), 200));
      }
    }
    return *std::move(client);
  }

  Result<void> check_person(const Session& person) const {
    if (person.who().parent || person.on_behalf_of) {
      return fail(Code::kForbidden, "only a person who has signed in grants access");
    }
    return base_.check_person(person.realm);
  }

  Result<NewDelegate> wanted_of(const StoredRequest& request, const Client& client,
                                const Session& person, const Choice& choice) const;
  Result<Grant> put_grant(Batch& batch, const StoredRequest& request, const Client& client,
                          const Session& person, const NewDelegate& wanted);
  Result<void> answer_device(Batch& batch, const StoredRequest& request, const Grant* grant);
  Result<std::pair<std::string, StoredDevice>> find_device(std::string_view text) const;

  // Only the hash of a device code is known, which is where it lies.
  static Result<Bytes> device_key(const StoredRequest& request) {
    auto key = base64_decode(request.device);
    if (key) return *std::move(key);
    return gone();
  }

  static std::string shown_code(std::string_view code) {
    return fmt::format("{}-{}", code.substr(0, 4),
                       code.substr(std::min<std::size_t>(4, code.size())));
  }

  OAuthBase& base_;
  Buckets begins_;
  Buckets wrong_codes_;
  Buckets all_wrong_codes_;
};

Result<NewDelegate> StoredAuthorization::wanted_of(const StoredRequest& request,
                                                   const Client& client, const Session& person,
                                                   const Choice& choice) const {
  if (choice.write && !request.scopes.write) {
    return fail(Code::kInvalidArgument, "the program has not asked to write; grant reading only");
  }
  const Scopes granted{.write = choice.write, .manage = choice.manage};
  if (client.allowed && !client.allowed->covers(granted)) {
    return fail(Code::kPermissionExceeded, "this program may be granted {} at most",
                client.allowed->render());
  }
  if (choice.lasts && (*choice.lasts <= std::chrono::seconds(0) || *choice.lasts > kLongest)) {
    return fail(Code::kInvalidArgument, "a grant lasts a year at most, or until it is revoked");
  }
  NewDelegate out;
  const auto host = client.host();
  out.name = fmt::format("{}{} {}", shown(client.name, 120),
                         host.empty() ? "" : fmt::format(" ({})", shown(host, 60)),
                         day_of(base_.parts.clock.now()));
  out.kind = DelegateKind::kGrant;
  out.can_upload = choice.write;
  out.can_manage_depot = choice.manage;
  out.depots = choice.depots;
  out.scope = choice.scope;
  out.expires_in = choice.lasts;
  if (const auto workspace = workspace_of(request.resource)) {
    const Sight sight(base_.parts.realms.get(person.realm), person);
    const auto place = TRY(sight.place(*workspace));
    out.depots = {{place.depot}};
    if (!out.scope && !place.path.is_root()) out.scope = {{place}};
  }
  return out;
}

Result<Grant> StoredAuthorization::put_grant(Batch& batch, const StoredRequest& request,
                                             const Client& client, const Session& person,
                                             const NewDelegate& wanted) {
  const auto now = base_.parts.clock.now();
  auto grant = TRY(base_.grants.find(person.realm, client.id, request.resource));
  if (grant) {
    // In force at once, also for the tokens that the program has; should this request have been
    // answered meanwhile, by the same person.
    TRY(base_.parts.delegates.change(person, grant->delegate,
                                     {.name = wanted.name,
                                      .can_upload = wanted.can_upload,
                                      .can_manage_depot = wanted.can_manage_depot,
                                      .depots = wanted.depots,
                                      .scope = wanted.scope,
                                      .directories = std::nullopt,
                                      .expires_in = wanted.expires_in}));
  } else {
    grant.emplace();
    grant->realm = person.realm;
    grant->delegate = TRY(base_.parts.delegates.add(batch, person, wanted)).id;
    grant->client_id = client.id;
    grant->resource = request.resource;
    grant->created_at = now;
  }
  grant->client_name = client.name;
  grant->client_host = client.host();
  grant->redirect_place =
      request.redirect.empty() ? "" : TRY(parse_redirect(request.redirect)).place();
  grant->scopes = {.write = wanted.can_upload, .manage = wanted.can_manage_depot};
  grant->granted_at = now;
  grant->replayed_at = std::nullopt;
  TRY(base_.grants.put(batch, *grant));
  return *std::move(grant);
}

Result<void> StoredAuthorization::answer_device(Batch& batch, const StoredRequest& request,
                                                const Grant* grant) {
  const auto key = TRY(device_key(request));
  const auto stored = TRY(base_.devices.get_at(key));
  if (!stored) return gone();
  auto device = TRY(decode_device(*stored));
  if (device.state != StoredDevice::State::kWaiting) return gone();
  device.state = grant ? StoredDevice::State::kAllowed : StoredDevice::State::kDenied;
  if (grant) {
    device.realm = grant->realm;
    device.delegate = grant->delegate;
  }
  batch.conditions.push_back({key, stored});
  batch.puts.push_back({key, encode(device)});
  batch.deletes.push_back(user_code_key(device.user_code));
  return {};
}

Result<std::pair<std::string, StoredDevice>> StoredAuthorization::find_device(
    std::string_view text) const {
  std::string code;
  for (const char c : text) {
    if (c >= 'a' && c <= 'z') {
      code += static_cast<char>(c - 'a' + 'A');
    } else if (c != '-' && c != ' ') {
      code += c;
    }
  }
  const auto wrong = [] {
    return fail(Code::kNotFound,
                "no device waits with this code; it is wrong, was used, or is older than 15 "
                "minutes");
  };
  constexpr std::size_t kDigits = 8;
  if (code.size() != kDigits) return wrong();
  const auto key = TRY(base_.kv().get(user_code_key(code)));
  if (!key) return wrong();
  const auto stored = TRY(base_.devices.get_at(*key));
  if (!stored) return wrong();
  auto device = TRY(decode_device(*stored));
  if (device.state != StoredDevice::State::kWaiting) return wrong();
  return std::pair(base64_encode(*key), std::move(device));
}

}  // namespace

std::unique_ptr<Authorization> make_authorization(OAuthBase& base) {
  return std::make_unique<StoredAuthorization>(base);
}

}  // namespace cairn::oauth
