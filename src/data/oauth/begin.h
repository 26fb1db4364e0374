// Authorization requests as they come in: what is checked before anybody is asked.
//
// Threads  plain functions of their arguments.
#pragma once

#include <expected>

#include "data/oauth/authorization.h"
#include "data/oauth/oauth.h"
#include "data/oauth/requests.h"

namespace cairn::oauth {

// The request, to be stored; or why not. Where the document of an unknown client may be read once
// somebody has signed in, the client and its address are looked at then.
std::expected<StoredRequest, Refused> begin_request(OAuthBase& base, const Parameters& parameters,
                                                    const Origin& origin, bool signed_in);

// Where the browser goes with an answer: the whole address, with state and iss; a device's: empty.
std::string answer_to(const StoredRequest& request, Parameters answer);

}  // namespace cairn::oauth
