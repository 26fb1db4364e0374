// Backups: a directory with a checkpoint of the tables and, written last, a file that says so.
//
//   TARGET/store         the tables
//   TARGET/files.sha256  a checksum of each of their files, as sha256sum writes it
//   TARGET/cairn-backup  `Cairn backup, format 1`; who finds it opens no store there
//   TARGET/DAMAGED       only if damage was known then: which nodes
//
// On the same disk the tables are links at first: seal_backup() (open.h) makes copies of them, and
// the checksums. restore_backup() makes copies too, so that store and backup share nothing. All of
// it is its owner's alone: 0700, 0600. open_backup() reads one as it lies there.
#pragma once

#include <set>

#include "data/store/backend.h"
#include "data/store/store.h"

namespace cairn {

// A node whose bytes are not what its key says, or are gone.
struct DamagedNode {
  RealmId realm;
  NodeKey key;

  auto operator<=>(const DamagedNode&) const = default;
};

// What a backup says of the store it was made of: the nodes that were known to be damaged.
inline constexpr std::string_view kDamagedList = "DAMAGED";
Result<void> write_damaged(const std::filesystem::path& backup,
                           const std::set<DamagedNode>& damaged);
std::set<DamagedNode> read_damaged(const std::filesystem::path& backup);

// Whether a backup could be made there: TARGET_EXISTS.
Result<void> check_backup_target(const std::filesystem::path& target);
// TARGET_EXISTS, IO_ERROR. What it began is removed when it fails.
Result<void> make_backup(Backend& backend, const std::filesystem::path& target);

// Whether there is one: INVALID_ARGUMENT; STORE_INCOMPATIBLE when it is a newer one's.
Result<void> check_backup(const std::filesystem::path& backup);
// To be read; nothing of it changes. A write to it is STORE_READ_ONLY.
Result<std::unique_ptr<Store>> open_backup(const std::filesystem::path& backup, const Clock& clock);

}  // namespace cairn
