// Garbage collection of one realm: thin histories, mark what is reachable, sweep the rest, while it
// is used.
//
// Roots are every root in a depot or its history, also of one that was deleted and can be restored,
// every root somebody wrote within the grace time together with what it grew from, and every node
// stored within the grace time. So a node of an upload or of an edit in progress is never taken.
// For what is being purged (purge.h) there is no grace time: a purge that was broken off is
// finished here.
// Fails with  CORRUPT_NODE or NODE_NOT_FOUND when something reachable is damaged: then nothing is
//             swept, as what lies below the damage may be wanted. Run fsck.
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "data/realm/realm.h"

namespace cairn {

// Stamps of nodes are lazy, and in whole minutes: a node may be younger than its stamp by this.
inline constexpr Millis kStampSlack =
    std::chrono::milliseconds(kRestampAfter + std::chrono::minutes(1)).count();

struct GcOptions {
  // Instead of the realm's own. With zero, whatever no depot holds goes at once, save for uploads
  // in progress (Realm::Upload): edits that are not committed yet are lost, and deleted depots.
  std::optional<std::chrono::milliseconds> grace = std::nullopt;
  // Only count.
  bool dry_run = false;
};

struct GcReport {
  std::uint64_t thinned = 0;      // commits that their depots do not keep any more (retention.h)
  std::uint64_t marked = 0;       // nodes that are in use, or spared
  std::uint64_t removed = 0;      // nodes taken
  std::uint64_t freed_bytes = 0;  // physical
  std::uint64_t forgotten = 0;    // origins of roots that are gone, and owners of nodes that are
  std::uint64_t depots = 0;       // deleted ones that went for good
  // What only the grace time keeps, and when the last of it may go if nobody uses it again.
  std::uint64_t spared = 0;
  std::uint64_t spared_bytes = 0;  // physical
  std::optional<Millis> spared_until = std::nullopt;
  // Deleted depots that can still be restored, and until when the last of them.
  std::uint64_t restorable = 0;
  std::optional<Millis> restorable_until = std::nullopt;
};

// `keep` are roots that others hold: a delegate's scope. Whoever begins to hold one meanwhile
// requires it in the batch that says so.
Result<GcReport> collect_garbage(Realm& realm, std::span<const NodeKey> keep = {},
                                 const GcOptions& options = {});

// Whether the garbage of the whole store is to be collected again, so long after the last time. The
// store remembers when that was: a server that is started every day collects too.
Result<bool> is_collection_due(const KeyValueStore& kv, Millis now,
                               std::chrono::milliseconds every);
// It was collected, all of it. Buffered.
Result<void> note_collection(KeyValueStore& kv, Millis now);

}  // namespace cairn
