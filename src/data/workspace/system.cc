#include "data/workspace/system.h"

#include <array>
#include <cerrno>
#include <climits>

#include <fmt/format.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

namespace cairn::os {
namespace {

constexpr unsigned kStatMask = STATX_BASIC_STATS | STATX_BTIME;
// A concurrent rename anywhere makes the kernel unsure of `..`; it says so, and is asked again.
constexpr int kUnsure = 16;

std::unexpected<int> failed() { return std::unexpected(errno); }

template <typename Call>
auto retried(Call call) {
  while (true) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

Outcome<void> done(int result) {
  if (result < 0) return failed();
  return {};
}

Outcome<Handle> opened(int fd) {
  if (fd < 0) return failed();
  return Handle(fd);
}

bool same_time(const statx_timestamp& a, const statx_timestamp& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

// A second name, and the first one gone: what a file system that cannot refuse to replace has.
Outcome<void> link_new(int from_directory, const std::string& from, int to_directory,
                       const std::string& to) {
  if (::linkat(from_directory, from.c_str(), to_directory, to.c_str(), 0) < 0) return failed();
  if (::unlinkat(from_directory, from.c_str(), 0) == 0) return {};
  const int error = errno;
  ::unlinkat(to_directory, to.c_str(), 0);
  return std::unexpected(error);
}

// mkdir claims the name, and a directory may replace one that is empty.
Outcome<void> rename_directory_new(int from_directory, const std::string& from, int to_directory,
                                   const std::string& to) {
  if (::mkdirat(to_directory, to.c_str(), 0700) < 0) return failed();
  if (::renameat(from_directory, from.c_str(), to_directory, to.c_str()) == 0) return {};
  const int error = errno;
  ::unlinkat(to_directory, to.c_str(), AT_REMOVEDIR);
  return std::unexpected(error);
}

}  // namespace

bool same_inode(const Stat& a, const Stat& b) {
  return a.stx_ino == b.stx_ino && a.stx_dev_major == b.stx_dev_major &&
         a.stx_dev_minor == b.stx_dev_minor;
}

bool same_content(const Stat& a, const Stat& b) {
  return same_inode(a, b) && a.stx_size == b.stx_size && same_time(a.stx_mtime, b.stx_mtime) &&
         same_time(a.stx_ctime, b.stx_ctime);
}

Outcome<Stat> stat(int fd) {
  Stat stat = {};
  if (::statx(fd, "", AT_EMPTY_PATH, kStatMask, &stat) < 0) return failed();
  return stat;
}

Outcome<Stat> stat_name(int directory, const std::string& name) {
  Stat stat = {};
  if (::statx(directory, name.c_str(), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, kStatMask, &stat) < 0)
    return failed();
  return stat;
}

Outcome<Handle> open_name(int directory, const std::string& name, int flags, mode_t mode) {
  return opened(retried([&] {
    return ::openat(directory, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, mode);
  }));
}

Outcome<Handle> open_beneath(int root, const char* path, const Kernel& kernel) {
  if (!kernel.openat2) return std::unexpected(ENOSYS);
  ::open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long fd = -1;
  for (int i = 0; i < kUnsure; ++i) {
    fd = retried(
        [&] { return ::syscall(SYS_openat2, root, *path == '\0' ? "." : path, &how, sizeof how); });
    if (fd >= 0 || errno != EAGAIN) break;
  }
  return opened(static_cast<int>(fd));
}

Outcome<Handle> reopen(int fd, const Kernel& kernel) {
  if (!kernel.proc) return std::unexpected(ENOENT);
  std::array<char, 40> link;
  *fmt::format_to(link.data(), "/proc/self/fd/{}", fd) = '\0';
  return opened(
      retried([&] { return ::open(link.data(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC); }));
}

Outcome<Handle> open_listing(int directory) {
  return opened(
      retried([&] { return ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
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
  // Appended to what has no name any more; a name may also just end so.
  if (path.ends_with(" (deleted)")) {
    const auto about = stat(fd);
    if (!about || about->stx_nlink == 0) return {};
  }
  return path;
}

Outcome<std::size_t> read_at(int fd, std::uint64_t offset, char* room, std::size_t size) {
  std::size_t total = 0;
  while (total < size) {
    const auto count = retried([&] {
      return ::pread(fd, room + total, size - total, static_cast<off_t>(offset + total));
    });
    if (count < 0) return failed();
    if (count == 0) break;
    total += static_cast<std::size_t>(count);
  }
  return total;
}

Outcome<void> write_all(int fd, ByteView bytes) {
  while (!bytes.empty()) {
    const auto count = retried([&] { return ::write(fd, bytes.data(), bytes.size()); });
    if (count < 0) return failed();
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Outcome<void> rename_over(int from_directory, const std::string& from, int to_directory,
                          const std::string& to) {
  return done(::renameat(from_directory, from.c_str(), to_directory, to.c_str()));
}

Outcome<void> rename_new(int from_directory, const std::string& from, int to_directory,
                         const std::string& to, const Kernel& kernel) {
  if (kernel.rename_noreplace) {
    const int result =
        ::renameat2(from_directory, from.c_str(), to_directory, to.c_str(), RENAME_NOREPLACE);
    // EINVAL: the file system cannot; also a directory into itself, which fails again below.
    if (result == 0 || (errno != EINVAL && errno != ENOSYS)) return done(result);
  }
  const auto what = stat_name(from_directory, from);
  if (!what) return std::unexpected(what.error());
  return is_directory(*what) ? rename_directory_new(from_directory, from, to_directory, to)
                             : link_new(from_directory, from, to_directory, to);
}

}  // namespace cairn::os
