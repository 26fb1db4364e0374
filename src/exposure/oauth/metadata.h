// The documents that clients read first: who guards a resource (RFC 9728), and where that is found
// (RFC 8414).
//
// Threads  plain functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/json/json.h"
#include "data/oauth/origin.h"

namespace cairn::oauth {

inline constexpr std::string_view kResourceMetadata = "/.well-known/oauth-protected-resource";
inline constexpr std::string_view kServerMetadata = "/.well-known/oauth-authorization-server";
inline constexpr std::string_view kOpenIdMetadata = "/.well-known/openid-configuration";

// Of the resource at a path, with the query that its client uses; nothing: there is none there.
std::optional<json::Object> resource_metadata(const Origin& origin, std::string_view path,
                                              std::string_view query);

struct ServerFeatures {
  bool with_iss = true;
  bool reads_documents = false;  // of clients, from elsewhere
};
json::Object server_metadata(const Origin& origin, const ServerFeatures& features);

}  // namespace cairn::oauth
