// Three-way merge of texts by line.
#pragma once

#include <optional>

#include "base/bytes.h"

namespace cairn {

// `base` with the changes of both sides made; nullopt when they touch the same or adjacent lines
// differently. The same change made on both sides counts once. Lines keep their bytes, terminators
// included. The order of the sides does not matter. A side whose changes span over
// kMaxComparedLines counts as a conflict with any other change.
//
// REQUIRES  all three are text of at most 4 MiB.
// Costs     about as much as diffing each side with the base (libgit2); seconds at the very worst.
std::optional<Bytes> merge_text(ByteView base, ByteView ours, ByteView theirs);

}  // namespace cairn
