// What a realm keeps beside its files: tools, endpoints, delegates and depots, with their texts.
// They count towards the quota when one is made, and delegates make so many depots.
//
// Counted, not kept: making one is rare, and two threads may pass at the same moment.
#pragma once

#include "tools/executor/call.h"

namespace cairn::depots {

// Of a realm, deleted ones that can be restored included; its owner makes more.
inline constexpr std::size_t kMostOfDelegates = 10'000;

// QUOTA_EXCEEDED when the realm has a quota, and files and records together have used it up.
Result<void> check_record_quota(Call& call);
// The same before a depot is made; TOO_MANY_ENTRIES for a delegate when there are enough.
Result<void> check_depot_room(Call& call);

}  // namespace cairn::depots
