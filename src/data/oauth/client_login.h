// Which client calls, and whether it is (RFC 6749 section 2.3).
//
// Threads  a plain function of its arguments.
#pragma once

#include "data/oauth/tokens.h"

namespace cairn::oauth {

// By its id in the form, where it is public, or with its secret, in the form or as Basic; never two
// ways at once. invalid_client, 401: clients then forget their registration and make another.
std::expected<Client, Denied> calling_client(OAuthBase& base, const ClientCall& call);

// What an error of the store or of a token means to a client.
Denied denied(const Error& error);

}  // namespace cairn::oauth
