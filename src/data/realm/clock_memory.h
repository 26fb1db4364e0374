// What a store remembers of the time, so that a clock that was set wrong between two processes is
// noticed.
//
// Threads  any.
#pragma once

#include "base/guarded_clock.h"
#include "data/store/store.h"

namespace cairn {

// Holds the clock against what was seen when the store was used last, if it was.
Result<void> recall_time(Store& store, GuardedClock& clock);
// Remembers what the clock shows, unless that was done not so long ago.
Result<void> keep_time(Store& store, const GuardedClock& clock,
                       std::chrono::milliseconds not_so_long = std::chrono::milliseconds(1));

}  // namespace cairn
