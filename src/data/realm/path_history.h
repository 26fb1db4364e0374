// The history of a path: the commits after which something else stood there than before, or
// nothing any more. Realm::history_at() has only those after which something did.
//
// Threads     any.
// Fails with  as Realm::history_at().
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/realm/realm.h"

namespace cairn {

struct PathChange {
  HistoryEntry commit;         // its root is the depot's
  std::optional<NodeKey> key;  // what the path became; nothing: it was removed
};

struct PathHistory {
  std::vector<PathChange> changes;  // newest first
  std::optional<std::string> next_cursor;
};

Result<PathHistory> path_history(Realm& realm, const Place& place, std::size_t limit,
                                 std::optional<std::string_view> cursor);

// Of the page of any history of the depot that begins with this commit, or the next older one.
std::string history_cursor(std::uint64_t sequence);

}  // namespace cairn
