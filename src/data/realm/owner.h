// The realm of whoever owns the machine: made when a store is first used, the same ever after.
#pragma once

#include "base/random.h"
#include "data/store/store.h"

namespace cairn {

Result<RealmId> owner_realm(Store& store, const Clock& clock, Random& random);

}  // namespace cairn
