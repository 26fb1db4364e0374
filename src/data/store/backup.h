// Backups: a directory with a checkpoint of the tables and, written last, a file that says so.
//
//   TARGET/store         the tables; files that never change are links when on the same disk
//   TARGET/cairn-backup  `Cairn backup, format 1`
//
// restore_backup() (open.h) makes real copies, so that store and backup share nothing.
#pragma once

#include "data/store/backend.h"

namespace cairn {

// TARGET_EXISTS, IO_ERROR. What it began is removed when it fails.
Result<void> make_backup(Backend& backend, const std::filesystem::path& target);

}  // namespace cairn
