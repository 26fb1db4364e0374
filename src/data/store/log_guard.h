// Keeps a damaged write-ahead log from being taken for a short one.
//
// What was acknowledged as synced is in the logs or in the tables. When it is not, RocksDB would
// open all the same, as if it had never been written, and delete the log. check_log() refuses
// instead and leaves every file as it is; repair_log() opens up to the damage, when asked to. Only
// the end of the last log may be torn, where nothing was acknowledged.
//
// Threads     nobody else has the store open.
// Fails with  STORE_DAMAGED with what is damaged and how much lies behind it; IO_ERROR.
#pragma once

#include <functional>

#include "base/clock.h"
#include "data/store/log_state.h"

namespace rocksdb {
class Env;
}

namespace cairn {

struct LogGuardOptions {
  rocksdb::Env* env = nullptr;  // as RocksBackend::Options
  // Which records are commits, for the message; nothing: it speaks of changes.
  std::function<bool(ByteView key)> is_commit = {};
};

// REQUIRES: there is a store.
Result<void> check_log(const std::filesystem::path& store, const LogGuardOptions& options);

// Takes out of the last log what is behind this sequence: a change that was refused, because it
// could not be written or synced. REQUIRES: nobody writes to the log any more.
Result<void> cut_log(const std::filesystem::path& store, std::uint64_t sequence);

struct LogRepair {
  std::string damage;           // what was damaged, as a sentence
  std::filesystem::path saved;  // where the logs lie now, as they were
  std::vector<LostChange> lost;
  std::uint64_t unreadable = 0;  // changes that are lost and cannot be read
};

// Cuts the logs off before the damage, after saving them beside it, in STORE/damaged-TIME. Nothing
// when they are not damaged. Takes the store's lock meanwhile: STORE_LOCKED.
Result<std::optional<LogRepair>> repair_log(const std::filesystem::path& store, const Clock& clock,
                                            const LogGuardOptions& options = {});

}  // namespace cairn
