#include "base/os/plain_files.h"

#include <cerrno>

#include <sys/statvfs.h>
#include <unistd.h>

namespace cairn::os {
namespace {

// The outcome of a call that gives -1 and an errno when it fails.
template <typename Do>
auto made(const Kernel& kernel, Call call, Do make) -> Outcome<decltype(make())> {
  if (kernel.faults != nullptr) {
    if (const int error = kernel.faults->before(call); error != 0) return std::unexpected(error);
  }
  while (true) {
    const auto value = make();
    if (value >= 0) return value;
    if (errno != EINTR) return std::unexpected(errno);
  }
}

std::size_t portion(const Kernel& kernel, std::size_t size) {
  return kernel.faults == nullptr ? size : kernel.faults->portion(Call::kWrite, size);
}

}  // namespace

Outcome<Handle> open_to_write(const std::filesystem::path& path, Writes writes, mode_t mode,
                              const Kernel& kernel) {
  const int how =
      O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (writes == Writes::kAtTheEnd ? O_APPEND : 0);
  const auto fd = made(kernel, Call::kOpen, [&] { return ::open(path.c_str(), how, mode); });
  if (!fd) return std::unexpected(fd.error());
  return Handle(*fd);
}

Outcome<std::size_t> write_once(int fd, ByteView bytes, const Kernel& kernel) {
  const auto size = portion(kernel, bytes.size());
  const auto count = made(kernel, Call::kWrite, [&] { return ::write(fd, bytes.data(), size); });
  if (!count) return std::unexpected(count.error());
  return static_cast<std::size_t>(*count);
}

Outcome<std::size_t> write_once_at(int fd, std::uint64_t offset, ByteView bytes,
                                   const Kernel& kernel) {
  const auto size = portion(kernel, bytes.size());
  const auto at = static_cast<off_t>(offset);
  const auto count =
      made(kernel, Call::kWrite, [&] { return ::pwrite(fd, bytes.data(), size, at); });
  if (!count) return std::unexpected(count.error());
  return static_cast<std::size_t>(*count);
}

Outcome<void> take_blocks(int fd, std::uint64_t bytes, const Kernel& kernel) {
  // It gives the error itself, and leaves errno alone.
  const auto done = made(kernel, Call::kWrite, [&] {
    errno = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
    return errno == 0 ? 0 : -1;
  });
  if (!done) return std::unexpected(done.error());
  return {};
}

Outcome<DiskSpace> space_at(const std::filesystem::path& path, const Kernel& kernel) {
  struct statvfs disk{};
  const auto done = made(kernel, Call::kStat, [&] { return ::statvfs(path.c_str(), &disk); });
  if (!done) return std::unexpected(done.error());
  const auto unit = static_cast<std::uint64_t>(disk.f_frsize);
  return DiskSpace{.capacity = disk.f_blocks * unit, .free = disk.f_bavail * unit};
}

}  // namespace cairn::os
