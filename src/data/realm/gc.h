// Garbage collection of one realm: mark what is reachable, sweep the rest, while it is used.
//
// Roots are every root in a depot or its history, every root somebody wrote within the grace time
// together with what it grew from, and every node stored within the grace time. So a node of an
// upload or of an edit in progress is never taken.
// Fails with  CORRUPT_NODE or NODE_NOT_FOUND when something reachable is damaged: then nothing is
//             swept, as what lies below the damage may be wanted. Run fsck.
#pragma once

#include "data/realm/realm.h"

namespace cairn {

struct GcReport {
  std::uint64_t marked = 0;       // nodes that are in use
  std::uint64_t removed = 0;      // nodes taken
  std::uint64_t freed_bytes = 0;  // physical
  std::uint64_t forgotten = 0;    // origins of roots that are gone, and owners of nodes that are
};

// `keep` are roots that others hold: a delegate's scope. Whoever begins to hold one meanwhile
// requires it in the batch that says so.
Result<GcReport> collect_garbage(Realm& realm, std::span<const NodeKey> keep = {});

}  // namespace cairn
