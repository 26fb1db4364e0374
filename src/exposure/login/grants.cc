#include "exposure/login/grants.h"

#include <algorithm>

#include "base/quote.h"
#include "exposure/login/pkce.h"

namespace cairn::login {
namespace {

constexpr std::string_view kRefusal = "oauthError";
constexpr std::string_view kDeviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
// No lifetime of a token is longer, whatever a server says.
constexpr std::int64_t kLongest = std::int64_t{3650} * 24 * 3600;

Code code_of(std::string_view refusal, int status) {
  if (refusal == "access_denied") return Code::kForbidden;
  if (refusal == "authorization_pending" || refusal == "slow_down") return Code::kUnavailable;
  if (status == 429 || status >= 500) return Code::kUnavailable;
  if (refusal == "invalid_grant" || refusal == "invalid_client" || refusal == "expired_token") {
    return Code::kInvalidToken;
  }
  return Code::kBadRequest;
}

// A server's words, as a part of a sentence.
std::string reason_of(const json::Object& object) {
  auto text = text_of(object, "error_description");
  if (text.empty()) text = text_of(object, "message");
  if (text.empty()) text = text_of(object, "error");
  while (text.ends_with('.')) text.pop_back();
  return shown(text, 500);
}

Failure refused(std::string_view url, const http::ClientResponse& response) {
  const auto object = object_of(response);
  const auto name = text_of(object, "error");
  const auto reason = reason_of(object);
  return Failure(Error(code_of(name, response.status),
                       fmt::format("{} answered {}{}{}", shown(url), response.status,
                                   reason.empty() ? "" : ": ", reason))
                     .with(std::string(kRefusal), name));
}

// Visible ASCII: what goes into a header.
bool is_plain(std::string_view token) {
  return std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7F; });
}

std::int64_t number_of(const json::Object& object, std::string_view name, std::int64_t otherwise) {
  const auto* found = json::find(object, name);
  const bool good = found != nullptr && found->is_int64() && found->get_int64() > 0;
  return good ? std::min(found->get_int64(), kLongest) : otherwise;
}

Result<Tokens> tokens_of(const std::string& url, const http::ClientResponse& response) {
  if (response.status != 200) return refused(url, response);
  const auto object = object_of(response);
  Tokens out{.access = text_of(object, "access_token"),
             .refresh = text_of(object, "refresh_token"),
             .scope = text_of(object, "scope"),
             .lasts = std::chrono::seconds(number_of(object, "expires_in", 3600))};
  if (out.access.empty()) {
    return fail(Code::kUnavailable, "{} answered without a token", shown(url));
  }
  if (!is_plain(out.access) || !is_plain(out.refresh)) {
    return fail(Code::kUnavailable, "{} answered with a token that cannot be sent", shown(url));
  }
  return out;
}

}  // namespace

std::string refusal_of(const Error& error) {
  const auto found = error.details.find(std::string(kRefusal));
  if (found == error.details.end()) return {};
  const auto* text = std::get_if<std::string>(&found->second);
  return text == nullptr ? std::string() : *text;
}

Result<std::string> register_client(const Web& web, const Authority& authority,
                                    std::string_view name, std::string_view scope) {
  if (authority.registration_endpoint.empty()) {
    return fail(Code::kForbidden,
                "{} registers no clients of its own accord; have one added there ('cairn client "
                "add') and give its id with --client-id",
                shown(authority.issuer));
  }
  const json::Object about{
      {"client_name", name},
      {"redirect_uris", json::Array{"http://127.0.0.1/callback"}},
      {"grant_types", json::Array{"authorization_code", "refresh_token", kDeviceGrant}},
      {"response_types", json::Array{"code"}},
      {"token_endpoint_auth_method", "none"},
      {"application_type", "native"},
      {"scope", scope}};
  const auto response = TRY(web.post(authority.registration_endpoint, about));
  auto id = text_of(object_of(response), "client_id");
  if (response.status >= 300 || id.empty()) {
    return refused(authority.registration_endpoint, response);
  }
  return id;
}

Result<std::string> authorization_url(const Authority& authority, const CodeRequest& request) {
  const auto address = TRY(Address::parse(authority.authorization_endpoint));
  if (!is_private(address.origin)) {
    return fail(Code::kForbidden, "the page to sign in, {}, is not https",
                shown(authority.authorization_endpoint));
  }
  const bool more = address.target.find('?') != std::string::npos;
  return fmt::format("{}{}{}{}", address.origin.render(), address.target, more ? "&" : "?",
                     form_of({{"response_type", "code"},
                              {"client_id", request.client},
                              {"redirect_uri", request.redirect},
                              {"scope", request.scope},
                              {"state", request.state},
                              {"code_challenge", challenge_of(request.verifier)},
                              {"code_challenge_method", "S256"},
                              {"resource", authority.resource}}));
}

Result<Tokens> trade_code(const Web& web, const Authority& authority, const CodeRequest& request,
                          std::string_view code) {
  return tokens_of(
      authority.token_endpoint,
      TRY(web.post(authority.token_endpoint, Fields{{"grant_type", "authorization_code"},
                                                    {"client_id", request.client},
                                                    {"code", std::string(code)},
                                                    {"redirect_uri", request.redirect},
                                                    {"code_verifier", request.verifier},
                                                    {"resource", authority.resource}})));
}

Result<DeviceRequest> ask_for_device(const Web& web, const Authority& authority,
                                     std::string_view client, std::string_view scope) {
  if (authority.device_endpoint.empty()) {
    return fail(Code::kUnavailable, "{} signs nobody in on another device; leave --device out",
                shown(authority.issuer));
  }
  const auto response =
      TRY(web.post(authority.device_endpoint, Fields{{"client_id", std::string(client)},
                                                     {"scope", std::string(scope)},
                                                     {"resource", authority.resource}}));
  if (response.status != 200) return refused(authority.device_endpoint, response);
  const auto object = object_of(response);
  DeviceRequest out{
      .device_code = text_of(object, "device_code"),
      .user_code = text_of(object, "user_code"),
      .page = text_of(object, "verification_uri"),
      .full_page = text_of(object, "verification_uri_complete"),
      .lasts = std::chrono::seconds(number_of(object, "expires_in", 900)),
      .interval =
          std::chrono::seconds(std::min<std::int64_t>(number_of(object, "interval", 5), 60)),
  };
  if (out.device_code.empty() || out.user_code.empty() || out.page.empty()) {
    return fail(Code::kUnavailable, "{} answered without a code", shown(authority.device_endpoint));
  }
  return out;
}

Result<Tokens> trade_device(const Web& web, const Authority& authority, std::string_view client,
                            std::string_view device_code) {
  return tokens_of(
      authority.token_endpoint,
      TRY(web.post(authority.token_endpoint, Fields{{"grant_type", std::string(kDeviceGrant)},
                                                    {"client_id", std::string(client)},
                                                    {"device_code", std::string(device_code)},
                                                    {"resource", authority.resource}})));
}

Result<Tokens> renew(const Web& web, const std::string& token_endpoint, std::string_view client,
                     std::string_view refresh_token) {
  return tokens_of(
      token_endpoint,
      TRY(web.post(token_endpoint, Fields{{"grant_type", "refresh_token"},
                                          {"client_id", std::string(client)},
                                          {"refresh_token", std::string(refresh_token)}})));
}

Result<void> revoke(const Web& web, const std::string& revocation_endpoint, std::string_view client,
                    std::string_view refresh_token) {
  const auto response =
      TRY(web.post(revocation_endpoint, Fields{{"token", std::string(refresh_token)},
                                               {"token_type_hint", "refresh_token"},
                                               {"client_id", std::string(client)}}));
  if (response.status != 200) return refused(revocation_endpoint, response);
  return {};
}

}  // namespace cairn::login
