#include "data/workspace/held_directory.h"

#include <algorithm>
#include <cerrno>

#include <dirent.h>

#include "base/os/names.h"
#include "base/os/os_error.h"

namespace cairn {
namespace {

Millis millis(const statx_timestamp& time) {
  return time.tv_sec * 1000 + static_cast<Millis>(time.tv_nsec / 1'000'000);
}

class HeldFile final : public WorkFile {
 public:
  HeldFile(const os::Kernel& kernel, OpenFile file, std::string place)
      : kernel_(kernel),
        file_(std::move(file.handle)),
        info_(info_of(file.stat)),
        place_(std::move(place)) {}

  const std::string& place() const override { return place_; }
  const WorkInfo& info() const override { return info_; }
  Result<std::size_t> read(std::uint64_t offset, std::span<char> room) const override {
    const auto count = os::read_at(file_.fd(), offset, room.data(), room.size(), kernel_);
    if (!count) return os::path_failure(count.error(), place_);
    return *count;
  }

 private:
  os::Kernel kernel_;
  os::Handle file_;
  WorkInfo info_;
  std::string place_;
};

// A name from a caller, who may have it from elsewhere than entries().
Result<void> check_name(const std::string& name, std::string_view place) {
  if (!name.empty() && name != "." && name != ".." && !name.contains('/') && !name.contains('\0'))
    return {};
  return os::fail_at(place, Code::kInvalidPath,
                     "'{}' is not the name of an entry; take one as listed", os::shown_path(name));
}

class HeldDirectory final : public WorkDirectory {
 public:
  HeldDirectory(const Roots& roots, const os::TemporaryNames& temporary, os::Handle handle,
                std::string place)
      : roots_(roots),
        temporary_(temporary),
        handle_(std::move(handle)),
        place_(std::move(place)) {}

  const std::string& place() const override { return place_; }

  Result<std::vector<WorkEntry>> entries() const override {
    auto reader = os::NameReader::open(handle_.fd(), kernel());
    if (!reader) return os::path_failure(reader.error(), place_);
    std::vector<WorkEntry> entries;
    while (true) {
      const auto next = reader->next();
      if (!next) return os::path_failure(next.error(), place_);
      if (!*next) break;
      if (temporary_.mine((*next)->name)) continue;
      entries.push_back({.name = std::string((*next)->name), .kind = kind(**next)});
    }
    std::ranges::sort(entries, {}, &WorkEntry::name);
    return entries;
  }

  Result<WorkDirectoryPtr> enter(const std::string& name) const override {
    auto place = join_path(place_, name);
    TRY(check_name(name, place));
    auto handle = os::open_name(handle_.fd(), name, O_PATH | O_DIRECTORY, 0, kernel());
    if (!handle) return os::path_failure(handle.error(), place);
    return std::make_unique<HeldDirectory>(roots_, temporary_, *std::move(handle),
                                           std::move(place));
  }

  Result<WorkInfo> info(const std::string& name) const override {
    TRY(check_name(name, place_));
    const auto stat = os::stat_name(handle_.fd(), name, kernel());
    if (!stat) return os::path_failure(stat.error(), join_path(place_, name));
    if (!os::is_link(*stat)) return info_of(*stat);
    auto place = join_path(place_, name);
    const auto path = roots_.paths().inside(place);
    if (!path) return roots_.paths().outside(place);
    return info_of(TRY(find_beneath(roots_, *path)).stat);
  }

  Result<WorkFilePtr> open(const std::string& name) const override {
    auto place = join_path(place_, name);
    TRY(check_name(name, place));
    const auto handle = os::open_name(handle_.fd(), name, O_PATH, 0, kernel());
    if (!handle) return os::path_failure(handle.error(), place);
    const auto stat = os::stat(handle->fd(), kernel());
    if (!stat) return os::path_failure(stat.error(), place);
    if (os::is_link(*stat)) {
      return os::fail_at(place, Code::kNotAFile, "'{}' is a link; open it by its path",
                         os::shown_path(place));
    }
    auto file = TRY(open_held(roots_, handle_.fd(), name, *handle, *stat, place));
    return held_file(kernel(), std::move(file), std::move(place));
  }

 private:
  const os::Kernel& kernel() const { return roots_.kernel(); }

  WorkKind kind(const os::RawName& entry) const {
    switch (os::type_of(handle_.fd(), entry, kernel())) {
      case DT_REG:
        return WorkKind::kFile;
      case DT_DIR:
        return WorkKind::kDirectory;
      case DT_LNK:
        return WorkKind::kLink;
      default:
        return WorkKind::kOther;
    }
  }

  const Roots& roots_;
  const os::TemporaryNames& temporary_;
  os::Handle handle_;  // O_PATH
  std::string place_;
};

}  // namespace

WorkKind kind_of(const os::Stat& stat) {
  if (os::is_file(stat)) return WorkKind::kFile;
  if (os::is_directory(stat)) return WorkKind::kDirectory;
  return os::is_link(stat) ? WorkKind::kLink : WorkKind::kOther;
}

WorkInfo info_of(const os::Stat& stat) {
  WorkInfo info{.kind = kind_of(stat),
                .size = stat.stx_size,
                .created = millis(stat.stx_btime),
                .modified = millis(stat.stx_mtime),
                .accessed = millis(stat.stx_atime),
                .permissions = stat.stx_mode & 0777U};
  // Not every file system knows when a file was made.
  if ((stat.stx_mask & STATX_BTIME) == 0)
    info.created = std::min({info.modified, info.accessed, millis(stat.stx_ctime)});
  return info;
}

WorkFilePtr held_file(const os::Kernel& kernel, OpenFile file, std::string place) {
  return std::make_unique<HeldFile>(kernel, std::move(file), std::move(place));
}

Result<WorkDirectoryPtr> held_directory(const Roots& roots, const os::TemporaryNames& temporary,
                                        Found found) {
  if (!os::is_directory(found.stat)) return os::path_failure(ENOTDIR, found.place);
  return std::make_unique<HeldDirectory>(roots, temporary, std::move(found.handle),
                                         std::move(found.place));
}

}  // namespace cairn
