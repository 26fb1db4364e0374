// DirectoryLock: this process has a directory to itself, until the lock is gone or the process
// ends.
//
// RocksDB has a lock of its own, but turns its log files over before it takes it: two processes
// that open a store at the same moment would trip over each other.
//
// Threads     take() from any thread; the lock itself belongs to one owner.
#pragma once

#include <filesystem>
#include <utility>

#include "base/os/handle.h"
#include "base/result.h"

namespace cairn {

class DirectoryLock final {
 public:
  // STORE_LOCKED when somebody else has it, in this process or another.
  static Result<DirectoryLock> take(const std::filesystem::path& directory);

 private:
  explicit DirectoryLock(os::Handle directory) : directory_(std::move(directory)) {}
  os::Handle directory_;
};

}  // namespace cairn
