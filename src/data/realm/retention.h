// Thinning a history: removes the commits that a depot's Keep does not keep any more. Their nodes
// are garbage then, unless something else holds them.
//
// Never removed are the current commit and those that have a tag. Nothing at all is removed when
// the clock is behind the last commit: then it is wrong now, or was then.
//
// Threads     from any thread, while others commit; a batch at a time, each of which requires that
//             the depot and its tags are as they were read.
// Fails with  IO_ERROR; not for a depot that is deleted meanwhile, or changes too fast.
#pragma once

#include "data/realm/realm.h"

namespace cairn {

// How many commits were removed.
Result<std::uint64_t> thin_history(Realm& realm, const DepotId& depot);
// The keys of the records that it would remove now.
Result<std::vector<Bytes>> to_be_thinned(Realm& realm, const DepotId& depot);

}  // namespace cairn
