#include "data/store/directory_lock.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace cairn {

Result<DirectoryLock> DirectoryLock::take(const std::filesystem::path& directory) {
  const int file = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) {
    return fail(Code::kIoError, "cannot open '{}': {}", directory.string(), std::strerror(errno));
  }
  DirectoryLock lock(file);
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) {
    return fail(Code::kIoError, "cannot lock '{}': {}", directory.string(), std::strerror(errno));
  }
  return fail(Code::kStoreLocked,
              "another process has the store in '{}' open; stop it, or talk to it instead",
              directory.string());
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : file_(std::exchange(other.file_, -1)) {}

DirectoryLock::~DirectoryLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace cairn
