// The header WWW-Authenticate of whatever a token opens (RFC 6750 section 3, RFC 9728 section 5.1):
// it tells a client where to find out how it gets one.
//
// Threads  plain functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/oauth/scopes.h"
#include "exposure/http/http.h"
#include "exposure/oauth/origin_rule.h"

namespace cairn::oauth {

// An answer as it goes out: a 401 gets the header for the path of its request, in place of one that
// says less.
void add_challenge(const OriginRule& rule, const http::Request& request, http::Response& response);

// The header of a 403 whose caller came with a token of a grant, and could be granted what it
// lacks; empty: it could not.
std::string step_up(const OriginRule& rule, const http::Request& request, Code code);

// A token in the address is refused, wherever that goes: addresses are logged and kept. Nothing:
// the request has none there.
std::optional<http::Response> refuse_token_in_address(const http::Request& request);

}  // namespace cairn::oauth
