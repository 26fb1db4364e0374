#include "exposure/login/discovery.h"

#include <algorithm>

#include "base/quote.h"

namespace cairn::login {
namespace {

std::vector<std::string> texts_of(const json::Object& object, std::string_view name) {
  std::vector<std::string> out;
  const auto* found = json::find(object, name);
  if (found == nullptr || !found->is_array()) return out;
  for (const auto& item : found->get_array()) out.emplace_back(json::text(item));
  return out;
}

Result<json::Object> document(const Web& web, const std::string& url, std::string_view server) {
  const auto response = TRY(web.get(url));
  auto object = object_of(response);
  if (response.status == 200 && !object.empty()) return object;
  return fail(Code::kUnavailable,
              "{} offers no sign-in ({} answered {}); if it is behind a proxy it has to be started "
              "with --public-url. A key does without: 'cairn delegate create --key' makes one, for "
              "CAIRN_TOKEN",
              shown(server), shown(url), response.status);
}

// RFC 8414: between the host and the issuer's path.
Result<std::string> metadata_url(const std::string& issuer) {
  const auto address = TRY(Address::parse(issuer));
  return fmt::format("{}/.well-known/oauth-authorization-server{}", address.origin.render(),
                     address.target == "/" ? "" : address.target);
}

}  // namespace

Result<std::string> origin_of(std::string_view server) {
  const auto url = TRY(http::Url::parse(server));
  if (!url.socket.empty()) {
    return fail(Code::kInvalidArgument,
                "over the socket {} you are the machine's owner already; nobody signs in there",
                shown(server));
  }
  if (!url.base_path.empty()) {
    return fail(Code::kInvalidArgument,
                "'{}' has a path; signing in is to a whole server, {} without the path",
                shown(server), shown(server.substr(0, server.find('/', server.find("//") + 2))));
  }
  return url.render();
}

Result<Authority> discover(const Web& web, std::string_view server) {
  const auto origin = TRY(origin_of(server));
  const auto resource =
      TRY(document(web, origin + "/.well-known/oauth-protected-resource", origin));
  Authority out;
  out.resource = text_of(resource, "resource");
  if (out.resource != origin) {
    return fail(Code::kUnavailable, "the server at {} calls itself {}; sign in to it by that name",
                shown(origin), shown(out.resource));
  }
  const auto issuers = texts_of(resource, "authorization_servers");
  if (issuers.empty() || issuers.front().empty()) {
    return fail(Code::kUnavailable, "{} does not say who signs people in for it", shown(origin));
  }
  out.issuer = issuers.front();
  const auto about = TRY(document(web, TRY(metadata_url(out.issuer)), origin));
  if (text_of(about, "issuer") != out.issuer) {
    return fail(Code::kUnavailable,
                "who signs people in for {} is said to be {}, and calls itself {}", shown(origin),
                shown(out.issuer), shown(text_of(about, "issuer")));
  }
  const auto methods = texts_of(about, "code_challenge_methods_supported");
  if (std::ranges::find(methods, "S256") == methods.end()) {
    return fail(Code::kUnavailable, "{} does not protect its codes (no PKCE with S256)",
                shown(out.issuer));
  }
  out.authorization_endpoint = text_of(about, "authorization_endpoint");
  out.token_endpoint = text_of(about, "token_endpoint");
  out.registration_endpoint = text_of(about, "registration_endpoint");
  out.revocation_endpoint = text_of(about, "revocation_endpoint");
  out.device_endpoint = text_of(about, "device_authorization_endpoint");
  if (out.authorization_endpoint.empty() || out.token_endpoint.empty()) {
    return fail(Code::kUnavailable, "{} does not say where one signs in", shown(out.issuer));
  }
  out.scopes = texts_of(resource, "scopes_supported");
  const auto* named = json::find(about, "authorization_response_iss_parameter_supported");
  out.names_itself = named != nullptr && named->is_bool() && named->get_bool();
  return out;
}

}  // namespace cairn::login
