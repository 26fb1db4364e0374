// Removing a realm: every depot with its history, deleted ones too, every node, every record.
//
// Not to be undone. Whoever acts in the realm has to be kept out before: what is written meanwhile
// may stay. One that was broken off is begun again.
// Fails with  CONFLICT while garbage of the realm is collected; IO_ERROR.
#pragma once

#include "data/realm/realm.h"

namespace cairn {

struct RealmContent {
  std::uint64_t depots = 0;
  std::uint64_t nodes = 0;
  std::uint64_t physical_bytes = 0;
};

// What there is to remove.
Result<RealmContent> content_of(Realm& realm);
Result<RealmContent> remove_realm(Realm& realm);

// Deletes every key of the ranges, so many at a time. How many.
Result<std::uint64_t> delete_ranges(KeyValueStore& kv, std::span<const KeyRange> ranges);

}  // namespace cairn
