// The usage counts of a realm, made anew from what is stored: where they are off, or damaged.
#pragma once

#include "data/store/node_store.h"

namespace cairn {

// What is stored now. Commits wait meanwhile, in proportion to the nodes of the realm. A quota
// stays as far as it can be read. CORRUPT_NODE when the record of a node is damaged: then nothing
// changes. REQUIRES: the nodes of a store that is open, not those of a snapshot.
Result<Usage> recount(NodeStore& nodes);

}  // namespace cairn
