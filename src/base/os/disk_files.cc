#include "base/os/disk_files.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include <dirent.h>

#include "base/os/names.h"
#include "base/os/os_error.h"

namespace cairn::os {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPortion = std::size_t{1024} * 1024;
// Most files that are read whole are smaller.
constexpr std::size_t kFirstRead = 4096;

Outcome<void> write_new(const std::string& path, ByteView content, mode_t mode,
                        const Kernel& kernel) {
  auto file = open_name(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL, mode, kernel);
  if (!file) return std::unexpected(file.error());
  if (auto written = write_all(file->fd(), content, kernel); !written) return written;
  if (auto synced = sync(file->fd(), kernel); !synced) return synced;
  return close(*std::move(file), kernel);
}

// Not every file system can do it for a directory, and not everybody who may write to one may open
// it: then what can be had is had already.
Outcome<void> sync_parent(const fs::path& path, const Kernel& kernel) {
  const auto parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  auto directory = open_path(parent, O_RDONLY | O_DIRECTORY, kernel);
  if (!directory) {
    if (directory.error() == EACCES) return {};
    return std::unexpected(directory.error());
  }
  auto synced = sync(directory->fd(), kernel);
  if (!synced && synced.error() == EINVAL) return {};
  return synced;
}

Outcome<void> copy_content(int from, int to, const Kernel& kernel) {
  Bytes room(kPortion, '\0');
  while (true) {
    const auto count = read(from, room, kernel);
    if (!count) return std::unexpected(count.error());
    if (*count == 0) return {};
    const auto portion = ByteView(room).substr(0, *count);
    if (auto written = write_all(to, portion, kernel); !written) return written;
  }
}

// Nothing but regular files, and what links to them.
Outcome<void> copy_file(const fs::path& from, const fs::path& to, const Kernel& kernel) {
  const auto source = open_path(from, O_RDONLY | O_NONBLOCK, kernel);
  if (!source) return std::unexpected(source.error());
  const auto about = stat(source->fd(), kernel);
  if (!about) return std::unexpected(about.error());
  if (!is_file(*about)) return {};
  const mode_t mode = about->stx_mode & 0777U;
  auto copy = open_name(AT_FDCWD, to, O_WRONLY | O_CREAT | O_EXCL, mode, kernel);
  if (!copy) return std::unexpected(copy.error());
  if (auto copied = copy_content(source->fd(), copy->fd(), kernel); !copied) return copied;
  if (auto set = set_mode(copy->fd(), mode, kernel); !set) return set;
  if (auto synced = sync(copy->fd(), kernel); !synced) return synced;
  return close(*std::move(copy), kernel);
}

}  // namespace

Result<void> replace_file(const fs::path& path, ByteView content, mode_t mode,
                          const Kernel& kernel) {
  const auto next = path.string() + ".new";
  std::ignore = remove_name(AT_FDCWD, next, 0, kernel);
  auto replaced = write_new(next, content, mode, kernel);
  if (replaced) replaced = rename_over(AT_FDCWD, next, AT_FDCWD, path, kernel);
  if (!replaced) {
    std::ignore = remove_name(AT_FDCWD, next, 0, kernel);
    return io_error("write", path, replaced.error());
  }
  return checked(sync_parent(path, kernel), "write", path);
}

Outcome<std::string> read_file(const fs::path& path, std::size_t most, const Kernel& kernel) {
  const auto file = TRY(open_path(path, O_RDONLY, kernel));
  std::string out;
  Bytes room(kFirstRead, '\0');
  while (const auto count = TRY(read(file.fd(), room, kernel))) {
    if (count > most - out.size()) return std::unexpected(EFBIG);
    out.append(room, 0, count);
    room.resize(kPortion);
  }
  return out;
}

Outcome<std::string> read_line(const fs::path& path, const Kernel& kernel) {
  constexpr std::size_t kMostBytes = std::size_t{64} * 1024;
  auto text = TRY(read_file(path, kMostBytes, kernel));
  text.resize(std::min(text.size(), text.find('\n')));
  return text;
}

Result<void> rename_path(const fs::path& from, const fs::path& to, const Kernel& kernel) {
  auto renamed = rename_over(AT_FDCWD, from, AT_FDCWD, to, kernel);
  return checked(std::move(renamed), fmt::format("rename to '{}'", shown_path(to.string())), from);
}

Result<void> sync_path(const fs::path& path, const Kernel& kernel) {
  const auto file = TRY(checked(open_path(path, O_RDONLY, kernel), "sync", path));
  return checked(sync(file.fd(), kernel), "sync", path);
}

Result<void> make_directories(const fs::path& path, const Kernel& kernel) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  if (error) return io_error("find", path, error.value());
  if (fs::is_directory(whole, error)) return {};
  if (whole.has_relative_path()) TRY(make_directories(whole.parent_path(), kernel));
  const auto made = make_directory(AT_FDCWD, whole, 0777, kernel);
  // Another may have been faster; and `a/b/` is made with `a/b`.
  if (!made && !fs::is_directory(whole, error))
    return io_error("make the directory", whole, made.error());
  return sync_path(whole.parent_path(), kernel);
}

Result<void> copy_files(const fs::path& from, const fs::path& to, const Kernel& kernel) {
  TRY(make_directories(to, kernel));
  NameReader names(TRY(checked(open_path(from, O_RDONLY | O_DIRECTORY, kernel), "read", from)),
                   kernel);
  while (const auto entry = TRY(checked(names.next(), "read", from))) {
    const auto type = type_of(names.fd(), *entry, kernel);
    if (type != DT_REG && type != DT_LNK) continue;
    TRY(checked(copy_file(from / entry->name, to / entry->name, kernel), "copy",
                from / entry->name));
  }
  return sync_path(to, kernel);
}

}  // namespace cairn::os
