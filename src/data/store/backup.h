// Backups: a directory with a checkpoint of the tables and, written last, a file that says so.
//
//   TARGET/store         the tables
//   TARGET/files.sha256  a checksum of each of their files, as sha256sum writes it
//   TARGET/cairn-backup  `Cairn backup, format 1`; who finds it opens no store there
//
// On the same disk the tables are links at first: seal_backup() (open.h) makes copies of them, and
// the checksums. restore_backup() makes copies too, so that store and backup share nothing. All of
// it is its owner's alone: 0700, 0600.
#pragma once

#include "data/store/backend.h"

namespace cairn {

// TARGET_EXISTS, IO_ERROR. What it began is removed when it fails.
Result<void> make_backup(Backend& backend, const std::filesystem::path& target);

}  // namespace cairn
