#include "data/store/directory_lock.h"

#include <cerrno>
#include <utility>

#include "base/os/os_error.h"

namespace cairn {

Result<DirectoryLock> DirectoryLock::take(const std::filesystem::path& directory) {
  auto handle =
      TRY(os::checked(os::open_path(directory, O_RDONLY | O_DIRECTORY), "open", directory));
  const auto locked = os::try_lock(handle.fd());
  if (locked) return DirectoryLock(std::move(handle));
  if (locked.error() != EWOULDBLOCK) return os::io_error("lock", directory, locked.error());
  return fail(Code::kStoreLocked,
              "another process has the store in '{}' open; stop it, or talk to it instead",
              directory.string());
}

}  // namespace cairn
