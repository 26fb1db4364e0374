#include "data/workspace/copy_tree.h"

#include <algorithm>
#include <cerrno>

#include "base/os/names.h"
#include "base/os/os_error.h"

namespace cairn {
namespace {

constexpr std::size_t kMaxEntries = 100'000;
// Each level holds three handles, and a process has some thousand.
constexpr int kDeepest = 100;
constexpr std::size_t kStep = std::size_t{1024} * 1024;
// Of a file that does not say its size, as those that the kernel makes up.
constexpr std::uint64_t kMostUnsized = std::uint64_t{256} * 1024 * 1024;

os::Outcome<std::uint64_t> copy_in_kernel(int from, int to, std::uint64_t size) {
  std::uint64_t total = 0;
  while (total < size) {
    const auto count = ::copy_file_range(from, nullptr, to, nullptr,
                                         std::min<std::uint64_t>(size - total, kStep), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO || errno == EFBIG))
      return std::unexpected(errno);
    // Not between these file systems, or not of this file: the rest goes through memory.
    if (count <= 0) break;
    total += static_cast<std::uint64_t>(count);
  }
  return total;
}

os::Outcome<void> copy_bytes(int from, int to, std::uint64_t size, const os::Kernel& kernel) {
  const auto most = size == 0 ? kMostUnsized : size;
  auto done = os::Outcome<std::uint64_t>(0);
  if (size > 0) done = copy_in_kernel(from, to, size);
  if (!done) return std::unexpected(done.error());
  if (*done == most) return {};
  std::string room(std::min<std::uint64_t>(most - *done, kStep), '\0');
  while (*done < most) {
    const auto part = std::min<std::uint64_t>(most - *done, room.size());
    const auto count = os::read_at(from, *done, room.data(), part, kernel);
    if (!count) return std::unexpected(count.error());
    if (*count == 0) return {};
    if (auto written = os::write_all(to, ByteView(room).substr(0, *count), kernel); !written)
      return written;
    *done += *count;
  }
  return {};
}

timespec time_of(const statx_timestamp& time) {
  return {.tv_sec = time.tv_sec, .tv_nsec = static_cast<long>(time.tv_nsec)};
}

class TreeCopy final {
 public:
  TreeCopy(const Roots& roots, const os::TemporaryNames& temporary, std::string place,
           CopyOptions options)
      : roots_(roots), temporary_(temporary), place_(std::move(place)), options_(options) {}

  Result<void> entry(int parent, const std::string& name, const os::Handle& source,
                     const os::Stat& stat, int directory, const std::string& copy, int depth) {
    if (++entries_ > kMaxEntries) {
      return os::fail_at(place_, Code::kTooManyEntries,
                         "there are more than {} files and directories in it; copy its parts",
                         kMaxEntries);
    }
    if (os::is_directory(stat)) return this->directory(source, stat, directory, copy, depth);
    if (os::is_file(stat)) return file(parent, name, source, stat, directory, copy);
    if (os::is_link(stat)) return link(source, stat, directory, copy);
    return os::fail_at(place_, Code::kInvalidArgument,
                       "'{}' is a device, pipe or socket, which cannot be copied; copy the others",
                       os::shown_path(place_));
  }

 private:
  const os::Kernel& kernel() const { return roots_.kernel(); }
  Failure failed(int error) const { return os::path_failure(error, place_); }

  Result<void> file(int parent, const std::string& name, const os::Handle& source,
                    const os::Stat& stat, int directory, const std::string& copy) {
    const auto from = TRY(open_held(roots_, parent, name, source, stat, place_));
    const auto to = os::open_name(directory, copy, O_WRONLY | O_CREAT | O_EXCL, 0600, kernel());
    if (!to) return failed(to.error());
    const auto copied = copy_bytes(from.handle.fd(), to->fd(), from.stat.stx_size, kernel());
    if (!copied) return failed(copied.error());
    return finish(to->fd(), from.stat);
  }

  Result<void> link(const os::Handle& source, const os::Stat& stat, int directory,
                    const std::string& copy) {
    const auto text = os::read_link(source.fd());
    if (!text) return failed(text.error());
    if (::symlinkat(text->c_str(), directory, copy.c_str()) < 0) return failed(errno);
    if (!options_.keep_all) return {};
    const timespec times[] = {time_of(stat.stx_atime), time_of(stat.stx_mtime)};
    static_cast<void>(
        ::fchownat(directory, copy.c_str(), stat.stx_uid, stat.stx_gid, AT_SYMLINK_NOFOLLOW));
    static_cast<void>(::utimensat(directory, copy.c_str(), times, AT_SYMLINK_NOFOLLOW));
    return {};
  }

  Result<void> directory(const os::Handle& source, const os::Stat& stat, int directory,
                         const std::string& copy, int depth) {
    if (depth > kDeepest) {
      return os::fail_at(place_, Code::kInvalidArgument,
                         "there are more than {} directories within one another; copy its parts",
                         kDeepest);
    }
    if (const auto made = os::make_directory(directory, copy, 0700, kernel()); !made)
      return failed(made.error());
    const auto to = os::open_name(directory, copy, O_RDONLY | O_DIRECTORY, 0, kernel());
    if (!to) return failed(to.error());
    TRY(children(source, to->fd(), depth));
    return finish(to->fd(), stat);
  }

  Result<void> children(const os::Handle& source, int directory, int depth) {
    auto reader = os::NameReader::open(source.fd(), kernel());
    if (!reader) return failed(reader.error());
    while (true) {
      const auto next = reader->next();
      if (!next) return failed(next.error());
      if (!*next) return {};
      const std::string name((*next)->name);
      // A file that is being made has no place in a copy, least of all the copy itself.
      if (temporary_.mine(name)) continue;
      TRY(child(reader->fd(), name, directory, depth));
    }
  }

  Result<void> child(int parent, const std::string& name, int directory, int depth) {
    const auto length = place_.size();
    place_ = join_path(place_, name);
    const auto handle = os::open_name(parent, name, O_PATH, 0, kernel());
    if (!handle) return failed(handle.error());
    const auto stat = os::stat(handle->fd(), kernel());
    if (!stat) return failed(stat.error());
    TRY(entry(parent, name, *handle, *stat, directory, name, depth + 1));
    place_.resize(length);
    return {};
  }

  // The mode of the copy; last, as it may forbid what came before.
  Result<void> finish(int copy, const os::Stat& stat) {
    mode_t mode = stat.stx_mode & 0777;
    if (options_.keep_all) {
      const timespec times[] = {time_of(stat.stx_atime), time_of(stat.stx_mtime)};
      if (::fchown(copy, stat.stx_uid, stat.stx_gid) == 0) mode = stat.stx_mode & 07777;
      static_cast<void>(::futimens(copy, times));
    } else if (const auto made = os::stat(copy, kernel()); made && os::is_directory(*made)) {
      // Which group new files belong to is the destination's to say.
      mode |= made->stx_mode & S_ISGID;
    }
    if (const auto set = os::set_mode(copy, mode, kernel()); !set) return failed(set.error());
    return {};
  }

  const Roots& roots_;
  const os::TemporaryNames& temporary_;
  std::string place_;  // of what is being copied
  CopyOptions options_;
  std::size_t entries_ = 0;
};

}  // namespace

Result<void> copy_tree(const Roots& roots, const Spot& source, int directory,
                       const std::string& name, const os::TemporaryNames& temporary,
                       CopyOptions options) {
  TreeCopy copy(roots, temporary, source.place, options);
  return copy.entry(source.parent.fd(), source.name, source.handle, *source.stat, directory, name,
                    0);
}

}  // namespace cairn
