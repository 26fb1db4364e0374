// The parts of an engine over a copy of its store in which whatever is written stays: where dry
// runs run (executor/rehearsal.h).
//
// Costs    a snapshot of the store, caches that are empty at first, and what the run writes.
#pragma once

#include "data/access/delegates.h"
#include "data/realm/realm.h"
#include "tools/executor/call.h"
#include "tools/executor/rehearsal.h"

namespace cairn {

// REQUIRES: what `live` names outlives it.
Result<std::unique_ptr<Rehearsal>> scratch_engine(Services& live, const RealmOptions& realm,
                                                  const DelegateOptions& delegates,
                                                  const Session& caller);

}  // namespace cairn
