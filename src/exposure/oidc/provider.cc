#include "exposure/oidc/provider.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "data/oauth/pkce.h"
#include "data/oauth/record.h"
#include "data/oauth/url.h"
#include "exposure/http/uri.h"
#include "exposure/oidc/id_token.h"

namespace cairn::oidc {
namespace {

constexpr json::ParseLimits kLimits{.max_depth = 20, .max_values = 20'000};
constexpr std::size_t kMaxText = 320;  // the longest address of mail
constexpr std::size_t kMaxGroups = 1'000;

// The errors of RFC 6749, 5.2: everything else may be any text.
std::string_view known_error(std::string_view text) {
  for (std::string_view one : {"invalid_request", "invalid_client", "invalid_grant",
                               "unauthorized_client", "unsupported_grant_type", "invalid_scope"}) {
    if (text == one) return one;
  }
  return "an error that is not in the standard";
}

Failure refused_code(const Inbound& answer) {
  const auto parsed = json::parse(answer.body, kLimits);
  const auto said =
      parsed && parsed->is_object() ? oauth::text_of(parsed->get_object(), "error") : std::string();
  if (answer.status >= 500) {
    return fail(Code::kUnavailable, "the sign-in provider is out of order (status {}); try again",
                answer.status);
  }
  return fail(Code::kInvalidToken,
              "the provider did not give an ID token for the code (status {}, {}); sign in again, "
              "and if that does not help, compare --oidc-client-id and the secret with what the "
              "provider has",
              answer.status, known_error(said));
}

// What people may be shown.
std::string plain(std::string_view text) {
  const bool fits =
      text.size() <= kMaxText && valid_utf8(text) &&
      std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
  return fits ? std::string(text) : std::string();
}

bool is_true(const json::Object& claims, std::string_view name) {
  // Cognito has it as a text.
  return oauth::flag_of(claims, name) || oauth::text_of(claims, name) == "true";
}

std::vector<std::string> groups_of(const json::Object& claims, std::string_view name) {
  auto out = oauth::texts_of(claims, name);
  if (auto one = oauth::text_of(claims, name); !one.empty()) out.push_back(std::move(one));
  if (out.size() > kMaxGroups) out.resize(kMaxGroups);
  return out;
}

}  // namespace

Provider::Provider(ProviderOptions options, Fetch fetch, const Clock& clock)
    : options_(std::move(options)),
      fetch_(std::move(fetch)),
      clock_(clock),
      documents_(options_.issuer, fetch_, clock) {}

Result<std::string> Provider::address_for(const Ask& ask) {
  const auto metadata = TRY(documents_.metadata());
  std::vector<std::pair<std::string, std::string>> fields{
      {"response_type", "code"},
      {"client_id", options_.client_id},
      {"redirect_uri", ask.redirect_uri},
      {"scope", options_.scope},
      {"state", ask.state},
      {"nonce", ask.nonce},
      {"code_challenge", oauth::challenge_of(ask.verifier)},
      {"code_challenge_method", "S256"}};
  if (options_.max_age) fields.emplace_back("max_age", std::to_string(options_.max_age->count()));
  return oauth::with_query(metadata->authorization_endpoint, form_encoded(fields));
}

Result<void> Provider::check_issuer(const std::optional<std::string>& said) {
  if (said && *said != options_.issuer) {
    return fail(Code::kInvalidToken,
                "the answer is of another provider (iss '{}'); it should be of '{}'", shown(*said),
                options_.issuer);
  }
  if (!said && TRY(documents_.metadata())->says_issuer_back) {
    return fail(Code::kInvalidToken,
                "the answer does not say that it is of '{}' (iss), as that provider's answers do",
                options_.issuer);
  }
  return {};
}

Result<Provider::Tokens> Provider::exchange(const Metadata& metadata, const std::string& code,
                                            const Ask& ask) {
  Outbound request{.url = metadata.token_endpoint,
                   .form = {{"grant_type", "authorization_code"},
                            {"code", code},
                            {"redirect_uri", ask.redirect_uri},
                            {"code_verifier", ask.verifier}}};
  if (options_.client_secret && metadata.basic) {
    // Both are encoded before they are put together (RFC 6749, 2.3.1).
    request.headers.emplace_back(
        "Authorization", "Basic " + base64_encode(http::percent_encode(options_.client_id) + ":" +
                                                  http::percent_encode(*options_.client_secret)));
  } else {
    request.form.emplace_back("client_id", options_.client_id);
    if (options_.client_secret) request.form.emplace_back("client_secret", *options_.client_secret);
  }
  const auto answer = fetch_(request);
  if (!answer) {
    return fail(Code::kUnavailable, "the sign-in provider does not answer; try again in a while");
  }
  if (!answer->is_json()) return refused_code(*answer);
  const auto parsed = json::parse(answer->body, kLimits);
  if (!parsed || !parsed->is_object()) return refused_code(*answer);
  const auto& object = parsed->get_object();
  Tokens out{.id_token = oauth::text_of(object, "id_token"),
             .access_token = oauth::text_of(object, "access_token")};
  if (out.id_token.empty()) return refused_code(*answer);
  return out;
}

Result<void> Provider::add_userinfo(const Metadata& metadata, const std::string& access_token,
                                    json::Object& claims) {
  const bool complete = claims.contains("email") &&
                        (!options_.wants_groups || claims.contains(options_.groups_claim));
  if (complete || metadata.userinfo_endpoint.empty() || access_token.empty()) return {};
  const auto answer = fetch_({.url = metadata.userinfo_endpoint,
                              .headers = {{"Authorization", "Bearer " + access_token}}});
  // Who it is, is known without it.
  if (!answer || !answer->is_json()) return {};
  const auto parsed = json::parse(answer->body, kLimits);
  if (!parsed || !parsed->is_object()) return {};
  const auto& more = parsed->get_object();
  if (oauth::text_of(more, "sub") != oauth::text_of(claims, "sub")) {
    return fail(Code::kInvalidToken,
                "the provider's userinfo is about somebody else than its ID token (sub)");
  }
  const bool has_email = claims.contains("email");
  for (const std::string_view name :
       {std::string_view("email"), std::string_view("email_verified"),
        std::string_view("preferred_username"), std::string_view(options_.groups_claim)}) {
    const auto* value = json::find(more, name);
    // Whether an address is verified is said of that address.
    if (value == nullptr || (has_email && name.starts_with("email"))) continue;
    if (name == "email_verified") {
      claims[name] = *value;
    } else if (!claims.contains(name)) {
      claims.emplace(name, *value);
    }
  }
  return {};
}

Result<Person> Provider::identify(const std::string& code, const Ask& ask) {
  const auto metadata = TRY(documents_.metadata());
  const auto tokens = TRY(exchange(*metadata, code, ask));
  const auto token = TRY(Jwt::parse(tokens.id_token));
  TRY(documents_.check_signature(token));
  auto claims = TRY(token.claims());
  Person out{.issuer = options_.issuer,
             .subject = TRY(check_claims(claims,
                                         {.issuer = options_.issuer,
                                          .client_id = options_.client_id,
                                          .nonce = ask.nonce,
                                          .max_age = options_.max_age},
                                         clock_.now()))};
  TRY(add_userinfo(*metadata, tokens.access_token, claims));
  out.email = plain(oauth::text_of(claims, "email"));
  out.email_verified = !out.email.empty() && is_true(claims, "email_verified");
  out.username = plain(oauth::text_of(claims, "preferred_username"));
  out.groups = groups_of(claims, options_.groups_claim);
  return out;
}

}  // namespace cairn::oidc
