// Which depots went back to an earlier state when a damaged log was cut off (log_guard.h).
//
// Threads     plain functions of their arguments.
// Fails with  IO_ERROR when the store cannot be read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/realm/records.h"
#include "data/store/log_state.h"

namespace cairn {

// Whether a record is a commit.
bool is_commit_record(ByteView key);

struct MovedBack {
  RealmId realm;
  DepotId depot;
  std::string title;          // as it is now, or was when the depot itself is lost
  std::uint64_t commits = 0;  // that are lost and could be read
  // The number of the commit it is at now; nothing: there is no such depot any more.
  std::optional<std::uint64_t> now;
  std::uint64_t was = 0;        // the number of the last commit that could be read
  std::optional<NodeKey> root;  // what that one had
  bool certain = true;          // false: from bytes that do not have their checksum
};

// From what was cut off and the store as it is afterwards, in the order of the first loss.
Result<std::vector<MovedBack>> moved_back(const KeyValueStore& kv,
                                          const std::vector<LostChange>& lost);

}  // namespace cairn
