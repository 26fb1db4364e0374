#include "data/workspace/roots.h"

#include <cerrno>
#include <cstdlib>

#include <linux/openat2.h>
#include <sys/syscall.h>

#include "base/os/os_error.h"

namespace cairn {
namespace {

constexpr int kFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;

// A real path has no links; one that has some by now is another's doing.
os::Outcome<os::Handle> open_real(const std::string& path, const os::Kernel& kernel) {
  if (!kernel.openat2) return os::open_name(AT_FDCWD, path, kFlags, 0, kernel);
  ::open_how how = {};
  how.flags = static_cast<std::uint64_t>(kFlags);
  how.resolve = RESOLVE_NO_SYMLINKS;
  const auto fd = ::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how);
  if (fd >= 0) return os::Handle(static_cast<int>(fd));
  if (errno == ENOSYS || errno == EPERM) return os::open_name(AT_FDCWD, path, kFlags, 0, kernel);
  return std::unexpected(errno);
}

std::string real_path(const os::Handle& handle, const std::string& spelled,
                      const os::Kernel& kernel) {
  auto path = os::path_of(handle.fd(), kernel);
  if (path.starts_with('/')) return path;
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(spelled.c_str(), nullptr),
                                                             &std::free);
  return resolved ? std::string(resolved.get()) : spelled;
}

}  // namespace

Result<std::unique_ptr<Roots>> Roots::open(const std::vector<std::string>& directories,
                                           std::string home, const os::Kernel& kernel) {
  std::vector<RootPath> paths;
  std::vector<SharedHandle> handles;
  for (const auto& directory : directories) {
    auto handle = os::open_path(directory, kFlags, kernel);
    if (!handle) return os::path_failure(handle.error(), directory);
    paths.push_back({.spelled = directory, .real = real_path(*handle, directory, kernel)});
    handles.push_back(std::make_shared<const os::Handle>(*std::move(handle)));
  }
  return std::unique_ptr<Roots>(
      new Roots(RootPaths(std::move(paths), std::move(home)), std::move(handles), kernel));
}

Roots::Roots(RootPaths paths, std::vector<SharedHandle> handles, const os::Kernel& kernel)
    : paths_(std::move(paths)), kernel_(kernel), handles_(std::move(handles)) {}

os::Outcome<SharedHandle> Roots::handle(std::size_t root) const {
  auto handle = (*handles_.lock())[root];
  const auto held = os::stat(handle->fd(), kernel_);
  const auto there = os::stat_name(AT_FDCWD, paths_[root].real, kernel_);
  if (held && there && os::same_inode(*held, *there)) return handle;
  // A process that may no longer look there still has what it holds.
  if (held && held->stx_nlink > 0 && !there && there.error() == EACCES) return handle;
  return opened_again(root);
}

os::Outcome<SharedHandle> Roots::opened_again(std::size_t root) const {
  auto handle = open_real(paths_[root].real, kernel_);
  if (!handle) return std::unexpected(handle.error());
  auto shared = std::make_shared<const os::Handle>(*std::move(handle));
  (*handles_.lock())[root] = shared;
  return shared;
}

std::optional<std::string> Roots::place_of(int fd) const {
  auto path = os::path_of(fd, kernel_);
  if (path.empty()) return std::nullopt;
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    if (path_is_in(path, paths_[i].real)) return path;
  }
  return std::nullopt;
}

}  // namespace cairn
