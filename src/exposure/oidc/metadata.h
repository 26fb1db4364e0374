// What a provider says of itself (OpenID Connect Discovery 1.0), as far as it matters here.
//
// Threads     a value.
// Fails with  INVALID_ARGUMENT for a document that cannot be used.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::oidc {

struct Metadata {
  std::string issuer;
  std::string authorization_endpoint;
  std::string token_endpoint;
  std::string jwks_uri;
  std::string userinfo_endpoint = {};  // empty: it has none
  bool basic = true;                   // how our secret is sent: in a header, or in the form
  bool says_issuer_back = false;       // answers carry `iss` (RFC 9207)

  static Result<Metadata> parse(std::string_view text, std::string_view issuer);
};

// Where the document of an issuer is.
std::string metadata_address(std::string_view issuer);

}  // namespace cairn::oidc
