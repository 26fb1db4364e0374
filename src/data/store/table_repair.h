// Tables with blocks that cannot be read, written anew without them.
//
// A damaged block of a table on disk is told of when it is read. But whoever compacts that table
// fails for ever, and with it the writes that wait for it; and what is written again is not read
// where the damage still stands in the way. repair_tables() copies all rows that can be read into
// new tables. They take the place of the old ones in one step, which stay beside them.
//
// The two rows of a node make up for each other: where the one that describes it is lost it is made
// again from its data, and data that only one of two tables hides is asked for by its key. Data
// that is lost is found missing by a check (fsck.h), which can heal it (heal.h). Usage counts are
// made anew.
//
// Threads     nobody else has the store open.
// Fails with  STORE_LOCKED; STORE_DAMAGED when no record of a depot can be read; STORAGE_FULL when
//             there is no room beside it; IO_ERROR. Then the store is as it was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "data/store/backend.h"

namespace cairn {

// Between two keys of a table there was something. An empty key is the table's begin or end.
struct LostRows {
  Table table = Table::kPointers;
  Bytes after;
  Bytes before;
};

struct TableRepair {
  std::filesystem::path saved;  // where the old tables lie now
  std::uint64_t rows = 0;       // copied
  std::vector<LostRows> lost;   // in the order of tables and keys

  // Those of the pointers: no check can know of them.
  std::vector<LostRows> lost_records() const;
};

// Nothing when every block of every table has its checksum. REQUIRES: the log is not damaged
// (log_guard.h).
Result<std::optional<TableRepair>> repair_tables(const std::filesystem::path& store,
                                                 const Clock& clock);

}  // namespace cairn
