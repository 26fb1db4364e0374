#include "base/os/system.h"

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <tuple>

#include <dirent.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

namespace cairn::os {
namespace {

constexpr unsigned kStatMask = STATX_BASIC_STATS | STATX_BTIME;
// A concurrent rename anywhere makes the kernel unsure of `..`; it says so, and is asked again.
constexpr int kUnsure = 16;

std::unexpected<int> failed() { return std::unexpected(errno); }

int fault_of(const Kernel& kernel, Call call) {
  return kernel.faults == nullptr ? 0 : kernel.faults->before(call);
}

// Every call goes through here: a fault may take its place, and one that was interrupted is made
// again.
template <typename Make>
auto made(const Kernel& kernel, Call call, Make make) -> decltype(make()) {
  while (true) {
    const int fault = fault_of(kernel, call);
    const auto result = fault == 0 ? make() : -1;
    if (fault != 0) errno = fault;
    if (result >= 0 || errno != EINTR) return result;
  }
}

std::size_t portion(const Kernel& kernel, Call call, std::size_t size) {
  return kernel.faults == nullptr ? size : kernel.faults->portion(call, size);
}

Outcome<void> done(int result) {
  if (result < 0) return failed();
  return {};
}

Outcome<std::size_t> counted(ssize_t result) {
  if (result < 0) return failed();
  return static_cast<std::size_t>(result);
}

Outcome<Handle> opened(int fd) {
  if (fd < 0) return failed();
  return Handle(fd);
}

// A second name, and the first one gone: what a file system that cannot refuse to replace has.
Outcome<void> link_new(int from_directory, const std::string& from, int to_directory,
                       const std::string& to, const Kernel& kernel) {
  const int linked = made(kernel, Call::kLink, [&] {
    return ::linkat(from_directory, from.c_str(), to_directory, to.c_str(), 0);
  });
  if (linked < 0) return failed();
  auto removed = remove_name(from_directory, from, 0, kernel);
  if (!removed) std::ignore = remove_name(to_directory, to, 0, kernel);
  return removed;
}

// mkdir claims the name, and a directory may replace one that is empty.
Outcome<void> rename_directory_new(int from_directory, const std::string& from, int to_directory,
                                   const std::string& to, const Kernel& kernel) {
  if (auto claimed = make_directory(to_directory, to, 0700, kernel); !claimed) return claimed;
  auto renamed = rename_over(from_directory, from, to_directory, to, kernel);
  if (!renamed) std::ignore = remove_name(to_directory, to, AT_REMOVEDIR, kernel);
  return renamed;
}

}  // namespace

bool same_inode(const Stat& a, const Stat& b) {
  return a.stx_ino == b.stx_ino && a.stx_dev_major == b.stx_dev_major &&
         a.stx_dev_minor == b.stx_dev_minor;
}

Outcome<Stat> stat(int fd, const Kernel& kernel) {
  Stat stat = {};
  const int result =
      made(kernel, Call::kStat, [&] { return ::statx(fd, "", AT_EMPTY_PATH, kStatMask, &stat); });
  if (result < 0) return failed();
  return stat;
}

Outcome<Stat> stat_name(int directory, const std::string& name, const Kernel& kernel) {
  constexpr int kFlags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
  Stat stat = {};
  const int result = made(kernel, Call::kStat, [&] {
    return ::statx(directory, name.c_str(), kFlags, kStatMask, &stat);
  });
  if (result < 0) return failed();
  return stat;
}

Outcome<Handle> open_name(int directory, const std::string& name, int flags, mode_t mode,
                          const Kernel& kernel) {
  return opened(made(kernel, Call::kOpen, [&] {
    return ::openat(directory, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, mode);
  }));
}

Outcome<Handle> open_path(const std::string& path, int flags, const Kernel& kernel) {
  return opened(made(kernel, Call::kOpen,
                     [&] { return ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY); }));
}

Outcome<Handle> open_beneath(int root, const char* path, const Kernel& kernel) {
  if (!kernel.openat2) return std::unexpected(ENOSYS);
  ::open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long fd = -1;
  for (int i = 0; i < kUnsure; ++i) {
    fd = made(kernel, Call::kOpen, [&] {
      return ::syscall(SYS_openat2, root, *path == '\0' ? "." : path, &how, sizeof how);
    });
    if (fd >= 0 || errno != EAGAIN) break;
  }
  return opened(static_cast<int>(fd));
}

Outcome<Handle> reopen(int fd, const Kernel& kernel) {
  if (!kernel.proc) return std::unexpected(ENOENT);
  std::array<char, 40> link;
  *fmt::format_to(link.data(), "/proc/self/fd/{}", fd) = '\0';
  return opened(made(kernel, Call::kOpen, [&] {
    return ::open(link.data(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  }));
}

Outcome<Handle> open_listing(int directory, const Kernel& kernel) {
  return opened(made(kernel, Call::kOpen,
                     [&] { return ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
}

Outcome<void> close(Handle handle, const Kernel& kernel) {
  const int fault = fault_of(kernel, Call::kClose);
  // Whatever it says, it is closed: it is never closed again.
  const int result = ::close(handle.release());
  if (fault != 0) return std::unexpected(fault);
  return done(result);
}

Outcome<std::string> read_link(int link) {
  std::array<char, PATH_MAX> text;
  const auto size = ::readlinkat(link, "", text.data(), text.size());
  if (size < 0) return failed();
  return std::string(text.data(), static_cast<std::size_t>(size));
}

bool on_proc(int fd) {
  struct statfs about = {};
  return ::fstatfs(fd, &about) == 0 && about.f_type == PROC_SUPER_MAGIC;
}

std::string path_of(int fd, const Kernel& kernel) {
  if (!kernel.proc) return {};
  std::array<char, 40> link;
  *fmt::format_to(link.data(), "/proc/self/fd/{}", fd) = '\0';
  std::array<char, std::size_t{2} * PATH_MAX> text;
  const auto size = ::readlink(link.data(), text.data(), text.size());
  if (size <= 0 || static_cast<std::size_t>(size) == text.size()) return {};
  std::string path(text.data(), static_cast<std::size_t>(size));
  // Linux appends this to the path of a file that has lost its name; a name may also just end so.
  if (path.ends_with(" (deleted)")) {
    const auto about = stat(fd, kernel);
    if (!about || about->stx_nlink == 0) return {};
  }
  return path;
}

Outcome<std::size_t> read(int fd, std::span<char> room, const Kernel& kernel) {
  return counted(made(kernel, Call::kRead, [&] {
    return ::read(fd, room.data(), portion(kernel, Call::kRead, room.size()));
  }));
}

Outcome<std::size_t> read_at(int fd, std::uint64_t offset, char* room, std::size_t size,
                             const Kernel& kernel) {
  std::size_t total = 0;
  while (total < size) {
    const auto count = made(kernel, Call::kRead, [&] {
      return ::pread(fd, room + total, portion(kernel, Call::kRead, size - total),
                     static_cast<off_t>(offset + total));
    });
    if (count < 0) return failed();
    if (count == 0) break;
    total += static_cast<std::size_t>(count);
  }
  return total;
}

Outcome<void> write_all(int fd, ByteView bytes, const Kernel& kernel) {
  while (!bytes.empty()) {
    const auto count = made(kernel, Call::kWrite, [&] {
      return ::write(fd, bytes.data(), portion(kernel, Call::kWrite, bytes.size()));
    });
    if (count < 0) return failed();
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Outcome<void> sync(int fd, const Kernel& kernel) {
  return done(made(kernel, Call::kSync, [&] { return ::fsync(fd); }));
}

Outcome<void> sync_file_system(int fd, const Kernel& kernel) {
  return done(made(kernel, Call::kSync, [&] { return ::syncfs(fd); }));
}

Outcome<void> try_lock(int fd, const Kernel& kernel) {
  return done(made(kernel, Call::kLock, [&] { return ::flock(fd, LOCK_EX | LOCK_NB); }));
}

Outcome<void> set_mode(int fd, mode_t mode, const Kernel& kernel) {
  return done(made(kernel, Call::kSetMode, [&] { return ::fchmod(fd, mode); }));
}

Outcome<void> rename(int from_directory, const std::string& from, int to_directory,
                     const std::string& to, unsigned flags, const Kernel& kernel) {
  return done(made(kernel, Call::kRename, [&] {
    return ::renameat2(from_directory, from.c_str(), to_directory, to.c_str(), flags);
  }));
}

Outcome<void> rename_over(int from_directory, const std::string& from, int to_directory,
                          const std::string& to, const Kernel& kernel) {
  return done(made(kernel, Call::kRename, [&] {
    return ::renameat(from_directory, from.c_str(), to_directory, to.c_str());
  }));
}

Outcome<void> rename_new(int from_directory, const std::string& from, int to_directory,
                         const std::string& to, const Kernel& kernel) {
  if (kernel.rename_noreplace) {
    auto renamed = rename(from_directory, from, to_directory, to, RENAME_NOREPLACE, kernel);
    // EINVAL: the file system cannot; also a directory into itself, which fails again below.
    if (renamed || (renamed.error() != EINVAL && renamed.error() != ENOSYS)) return renamed;
  }
  const auto what = stat_name(from_directory, from, kernel);
  if (!what) return std::unexpected(what.error());
  return is_directory(*what) ? rename_directory_new(from_directory, from, to_directory, to, kernel)
                             : link_new(from_directory, from, to_directory, to, kernel);
}

Outcome<void> remove_name(int directory, const std::string& name, int flags, const Kernel& kernel) {
  return done(
      made(kernel, Call::kRemove, [&] { return ::unlinkat(directory, name.c_str(), flags); }));
}

Outcome<void> make_directory(int directory, const std::string& name, mode_t mode,
                             const Kernel& kernel) {
  return done(
      made(kernel, Call::kMakeDirectory, [&] { return ::mkdirat(directory, name.c_str(), mode); }));
}

Outcome<void> may_change(int directory) {
  if (::faccessat(directory, ".", W_OK | X_OK, AT_EACCESS) == 0) return {};
  return std::unexpected(errno);
}

Outcome<std::size_t> list(int directory, std::span<char> room, const Kernel& kernel) {
  return counted(
      made(kernel, Call::kList, [&] { return ::getdents64(directory, room.data(), room.size()); }));
}

}  // namespace cairn::os
