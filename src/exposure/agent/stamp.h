// Stamps: what a caller sees of something, as a short text that changes exactly when that does.
//
// They are asked for again and again, for every open subscription, so they are read from the data
// itself: no audit, no meter, nothing rendered.
#pragma once

#include "exposure/agent/resource_uri.h"
#include "tools/call.h"

namespace cairn::agent {

// Of the list of depots: their addresses and titles.
Result<std::string> depots_stamp(Services& services, const Session& session);

// Of a resource. Fails as reading it would.
Result<std::string> resource_stamp(Services& services, const Session& session,
                                   const ResourceUri& uri);

}  // namespace cairn::agent
