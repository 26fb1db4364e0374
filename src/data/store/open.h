// The two embedded stores: RocksDB in a directory, and its in-memory twin for tests.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "data/store/store.h"

namespace cairn {

struct StoreOptions {
  bool create = true;  // make the directory and an empty store where there is none
  // Which records are commits, for messages about those that are lost.
  std::function<bool(ByteView key)> is_commit = {};
  // What is kept free on the disk for when it is full, at most (disk_room.h); 0: nothing.
  std::uint64_t reserve_bytes = 0;
  // What is kept in memory, at most (base/memory_budget.h).
  std::size_t dict_cache_bytes = 64 << 20;
  std::size_t data_cache_bytes = 192 << 20;
  std::size_t block_cache_bytes = 64 << 20;
  std::size_t write_buffer_bytes = 192 << 20;
};

// Opens DIR/store. Takes time that does not grow with the store.
// STORE_LOCKED when another process has it open, STORE_INCOMPATIBLE when it was written by a newer
// version, STORE_DAMAGED when acknowledged commits are missing (log_guard.h repairs it), IO_ERROR
// with the path.
Result<std::unique_ptr<Store>> open_rocks_store(const std::filesystem::path& directory,
                                                const Clock& clock, StoreOptions options = {});

std::unique_ptr<Store> make_memory_store(const Clock& clock, StoreOptions options = {});

// What a backup on the store's own disk shares with the store.
enum class BackupFiles {
  kCopied,  // nothing: what damages one leaves the other
  kLinked,  // tables, which never change: it takes no room
};
// The last step of Store::backup(): checksums of its files, and copies of those it shares.
Result<void> seal_backup(const std::filesystem::path& backup, BackupFiles files);
// Whether a directory is a backup: no store is to be opened and changed there.
bool is_backup(const std::filesystem::path& directory);
// How many files have their checksums. STORE_DAMAGED with the names of those that do not;
// INVALID_ARGUMENT for what is no backup, or one of before there were checksums.
Result<std::size_t> verify_backup(const std::filesystem::path& backup);

// Copies a backup to a directory that does not exist yet, ready to be opened.
Result<void> restore_backup(const std::filesystem::path& backup,
                            const std::filesystem::path& target);

}  // namespace cairn
