// What `cairn fsck --repair` does, to a data directory that nobody else has open: cuts a damaged
// log off, writes damaged tables anew, heals nodes, and checks what is left.
//
// Threads     one at a time; the progress may be read, and it be ended, from any.
// Fails with  STORE_LOCKED; INVALID_ARGUMENT for what it is to heal from; as the store does.
#pragma once

#include <string>
#include <vector>

#include "data/realm/found_again.h"
#include "data/realm/heal.h"
#include "data/realm/moved_back.h"
#include "data/store/log_guard.h"
#include "data/store/table_repair.h"
#include "exposure/cli/kit.h"

namespace cairn::cli {

struct RepairedLog {
  LogRepair log;
  std::vector<MovedBack> moved;
};
// Nothing: it is not damaged.
Result<std::optional<RepairedLog>> repair_log(Kit& kit);

struct RepairedTables {
  TableRepair tables;
  std::vector<Depot> found_again;  // their records were lost
};
// Nothing: they are not damaged. REQUIRES: the log is not, either.
Result<std::optional<RepairedTables>> repair_tables(Kit& kit);

struct CheckedRealm {
  RealmId realm;
  FsckReport report;                 // after it was healed
  std::vector<NodeKey> healed = {};  // nodes that are whole again
  bool recounted = false;            // the usage counts were off, and are right now
};
// Every realm of the store. `from` is a backup, a data directory, a directory of files, the URL of
// a server, or empty: then what the store has elsewhere is all there is.
Result<std::vector<CheckedRealm>> heal_all(Kit& kit, const std::string& from,
                                           const FsckOptions& options);

}  // namespace cairn::cli
