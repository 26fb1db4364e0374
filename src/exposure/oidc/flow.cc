#include "exposure/oidc/flow.h"

#include "base/base64url.h"
#include "base/sha256.h"
#include "data/oauth/record.h"

namespace cairn::oidc {
namespace {

constexpr std::size_t kBrowserBytes = 32;
constexpr std::size_t kMaxCode = 4096;
constexpr std::size_t kMaxRequest = 200;

ByteView view(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// A secret of the two that only the browser and this server have.
std::string made_of(std::string_view browser, std::string_view state, std::string_view what) {
  return base64url_encode(view(hmac_sha256(browser, fmt::format("{} {}", what, state))));
}

bool is_browser(std::string_view cookie) {
  const auto bytes = base64url_decode(cookie);
  return bytes && bytes->size() == kBrowserBytes;
}

Failure stale() {
  return fail(Code::kBadRequest,
              "this sign-in is not known here, or was begun more than ten minutes ago; begin it "
              "again");
}

Failure used_already() {
  return fail(Code::kBadRequest,
              "this sign-in was finished already, and an answer counts once; begin it again");
}

// What the provider says went wrong, as the standards name it; its own words are not repeated.
Failure provider_said(std::string_view error) {
  if (error == "access_denied") {
    return fail(Code::kForbidden,
                "the provider did not sign you in: you or it said no (access_denied)");
  }
  for (std::string_view known :
       {"invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope",
        "server_error", "temporarily_unavailable", "interaction_required", "login_required",
        "account_selection_required", "consent_required"}) {
    if (error == known) {
      return fail(Code::kForbidden, "the provider did not sign you in ({}); begin it again", known);
    }
  }
  return fail(Code::kForbidden, "the provider did not sign you in; begin it again");
}

}  // namespace

Bytes Flow::encode(const Record& record) {
  return oauth::write_record({{"origin", record.origin},
                              {"request", record.request},
                              {"browser", base64url_encode(record.browser)},
                              {"used", record.used}});
}

Result<Flow::Record> Flow::decode(ByteView value) {
  const auto object = TRY(oauth::read_record(value, "a sign-in that was begun"));
  return Record{.origin = oauth::text_of(object, "origin"),
                .request = oauth::text_of(object, "request"),
                .browser = base64url_decode(oauth::text_of(object, "browser")).value_or(Bytes()),
                .used = oauth::flag_of(object, "used")};
}

Provider::Ask Flow::ask_for(const std::string& origin, std::string_view state,
                            std::string_view browser) const {
  return {.redirect_uri = origin + std::string(kCallback),
          .state = std::string(state),
          .nonce = made_of(browser, state, "nonce"),
          .verifier = made_of(browser, state, "verifier")};
}

Result<Flow::Begun> Flow::begin(const std::string& origin, std::string_view browser,
                                std::string_view request) {
  if (request.size() > kMaxRequest) {
    return fail(Code::kBadRequest, "'request' has more than {} bytes", kMaxRequest);
  }
  Begun out;
  // Several tabs of one browser share the cookie.
  out.browser =
      is_browser(browser) ? std::string(browser) : base64url_encode(random_.bytes(kBrowserBytes));
  TRY(shelf_.make_room());
  const auto place = shelf_.place();
  // First: where there is no provider, nothing is stored.
  out.location = TRY(provider_.address_for(ask_for(origin, place.id, out.browser)));
  Batch batch;
  batch.durability = Durability::kBuffered;
  batch.puts.push_back({place.key, encode({.origin = origin,
                                           .request = std::string(request),
                                           .browser = Bytes(view(sha256(out.browser)))})});
  TRY(kv_.commit(std::move(batch)));
  return out;
}

Result<Flow::Record> Flow::take(std::string_view state, std::string_view browser) {
  const auto stored = TRY(shelf_.get(state));
  if (!stored) return stale();
  auto record = TRY(decode(*stored));
  if (!is_browser(browser) || !same_secret(view(sha256(browser)), record.browser)) {
    return fail(Code::kBadRequest,
                "this sign-in was begun by another browser, or yours does not keep cookies; begin "
                "it again in the browser that is to be signed in");
  }
  if (record.used) return used_already();
  record.used = true;
  Batch batch;
  const auto key = *shelf_.key_of(state);
  batch.conditions.push_back({key, stored});
  batch.puts.push_back({key, encode(record)});
  // Before anything is done for it: killed in between, it is begun again.
  auto done = kv_.commit(std::move(batch));
  if (done) return record;
  if (done.error().code == Code::kConflict) return used_already();
  return Failure(std::move(done).error());
}

Result<Flow::Done> Flow::finish(const http::Query& answer, std::string_view browser) {
  const auto state = answer.get("state");
  if (!state) {
    return fail(Code::kBadRequest,
                "the answer does not say which sign-in it is of (state); begin it again");
  }
  auto record = TRY(take(*state, browser));
  const auto issuer = answer.get("iss");
  TRY(provider_.check_issuer(issuer ? std::optional(std::string(*issuer)) : std::nullopt));
  if (const auto error = answer.get("error")) return provider_said(*error);
  const auto code = answer.get("code").value_or("");
  if (code.empty() || code.size() > kMaxCode) {
    return fail(Code::kBadRequest, "the answer has no code, or one of over {} bytes; begin again",
                kMaxCode);
  }
  const auto person =
      TRY(provider_.identify(std::string(code), ask_for(record.origin, *state, browser)));
  return Done{TRY(people_.user_for(person)), std::move(record.request)};
}

}  // namespace cairn::oidc
