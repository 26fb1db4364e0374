// Where a server lets people sign in: what its protected resource metadata (RFC 9728) and the
// authorization server metadata (RFC 8414) behind it say.
//
// Threads     plain functions of their arguments.
// Fails with  UNAVAILABLE for a server that offers no sign-in, or documents that contradict each
//             other: they may be somebody else's. As Web for the rest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exposure/login/web.h"

namespace cairn::login {

struct Authority {
  std::string resource;  // the server itself, as tokens for it name it
  std::string issuer;
  std::string authorization_endpoint;
  std::string token_endpoint;
  // Empty: it has none.
  std::string registration_endpoint = {};
  std::string revocation_endpoint = {};
  std::string device_endpoint = {};
  std::vector<std::string> scopes = {};  // what is asked for unless something else is
  bool names_itself = false;             // every answer to a browser has `iss`
};

// The scheme, host and port of a server, as its documents have it.
Result<std::string> origin_of(std::string_view server);

Result<Authority> discover(const Web& web, std::string_view server);

}  // namespace cairn::login
