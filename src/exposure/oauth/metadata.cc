#include "exposure/oauth/metadata.h"

#include "data/oauth/resource.h"
#include "data/oauth/scopes.h"

namespace cairn::oauth {
namespace {

// What is asked for when nothing else is said; clients ask for this list as it stands.
json::Array baseline() { return {"cas:read", "cas:write"}; }

}  // namespace

std::optional<json::Object> resource_metadata(const Origin& origin, std::string_view path,
                                              std::string_view query) {
  if (!is_resource(path)) return std::nullopt;
  auto resource = origin.at(path);
  // Clients compare it with the whole address that they were given.
  if (!path.empty() && !query.empty()) resource += fmt::format("?{}", query);
  return json::Object{
      {"resource", resource},           {"authorization_servers", json::Array{origin.text()}},
      {"scopes_supported", baseline()}, {"bearer_methods_supported", json::Array{"header"}},
      {"resource_name", "Cairn"},       {"resource_documentation", origin.at("/api/docs")}};
}

json::Object server_metadata(const Origin& origin, const ServerFeatures& features) {
  const json::Array methods{"none", "client_secret_basic", "client_secret_post"};
  return {{"issuer", origin.text()},
          {"authorization_endpoint", origin.at("/oauth/authorize")},
          {"token_endpoint", origin.at("/api/auth/token")},
          {"registration_endpoint", origin.at("/api/auth/register")},
          {"revocation_endpoint", origin.at("/api/auth/revoke")},
          {"device_authorization_endpoint", origin.at("/api/auth/device")},
          {"response_types_supported", json::Array{"code"}},
          {"response_modes_supported", json::Array{"query"}},
          {"grant_types_supported", json::Array{"authorization_code", "refresh_token",
                                                "urn:ietf:params:oauth:grant-type:device_code"}},
          {"code_challenge_methods_supported", json::Array{"S256"}},
          {"token_endpoint_auth_methods_supported", methods},
          {"revocation_endpoint_auth_methods_supported", methods},
          {"scopes_supported", baseline()},
          {"client_id_metadata_document_supported", features.reads_documents},
          {"authorization_response_iss_parameter_supported", features.with_iss},
          {"ui_locales_supported", json::Array{"en", "zh-CN"}},
          {"service_documentation", origin.at("/api/docs")}};
}

}  // namespace cairn::oauth
