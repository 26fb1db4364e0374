#include "data/workspace/replace_file.h"

#include <cerrno>
#include <chrono>
#include <thread>
#include <vector>

#include <sys/xattr.h>

#include "base/os/os_error.h"
#include "base/os/stamp.h"

namespace cairn {
namespace {

// Without those by which a program runs as its owner: writing into a file takes them away, too.
constexpr mode_t kModeBits = 01777;
// A collision of random names is unlikely once; so often it is something else.
constexpr int kNameAttempts = 8;

mode_t keep_owner(int file, const os::Stat& old) {
  const auto now = os::stat(file);
  const bool same = now && now->stx_uid == old.stx_uid && now->stx_gid == old.stx_gid;
  // Not root: the group may still be one that the user is in.
  if (!same && ::fchown(file, old.stx_uid, old.stx_gid) != 0) {
    static_cast<void>(::fchown(file, static_cast<uid_t>(-1), old.stx_gid));
  }
  return static_cast<mode_t>(old.stx_mode & kModeBits);
}

bool is_kept(std::string_view attribute) {
  return attribute.starts_with("user.") || attribute.starts_with("system.posix_acl_access");
}

void keep_attribute(const std::string& old, int file, const char* attribute) {
  const auto size = ::getxattr(old.c_str(), attribute, nullptr, 0);
  if (size < 0) return;
  std::vector<char> value(static_cast<std::size_t>(size));
  // Changed in between; left out like any other that cannot be kept.
  if (::getxattr(old.c_str(), attribute, value.data(), value.size()) != size) return;
  static_cast<void>(::fsetxattr(file, attribute, value.data(), value.size(), 0));
}

// Attributes that cannot be kept are left out: the content matters more.
void keep_attributes(const os::Handle& old, int file) {
  const auto path = fmt::format("/proc/self/fd/{}", old.fd());
  const auto size = ::listxattr(path.c_str(), nullptr, 0);
  if (size <= 0) return;
  std::vector<char> list(static_cast<std::size_t>(size));
  const auto got = ::listxattr(path.c_str(), list.data(), list.size());
  if (got <= 0) return;
  std::string_view rest(list.data(), static_cast<std::size_t>(got));
  while (!rest.empty()) {
    const auto attribute = rest.substr(0, rest.find('\0'));
    if (is_kept(attribute)) keep_attribute(path, file, std::string(attribute).c_str());
    rest.remove_prefix(attribute.size() + 1);
  }
}

os::Outcome<void> fill(const Roots& roots, const Spot& spot, int file, ByteView content) {
  auto written = os::write_all(file, content, roots.kernel());
  if (!written || !spot.stat) return written;
  // The mode last: before that, a file meant for a group could be read under the wrong owner.
  const auto mode = keep_owner(file, *spot.stat);
  if (roots.kernel().proc) keep_attributes(spot.handle, file);
  return os::set_mode(file, mode, roots.kernel());
}

// Keeps other processes of Cairn from replacing something in the directory between a check and the
// renaming. It is held for a moment only; a process that cannot have it goes on without.
class DirectoryTurn final {
 public:
  DirectoryTurn(int parent, const os::Kernel& kernel)
      : handle_(os::open_listing(parent, kernel).value_or(os::Handle())) {
    constexpr int kAttempts = 2000;
    for (int i = 0; handle_.valid() && i < kAttempts; ++i) {
      const auto locked = os::try_lock(handle_.fd(), kernel);
      if (locked || locked.error() != EWOULDBLOCK) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 private:
  os::Handle handle_;  // closing it gives the turn to the next
};

Result<void> check_unchanged(const Spot& spot, const os::Stat& before) {
  const auto now = os::stat_name(spot.parent.fd(), spot.name);
  if (now && os::stamp_of(*now) == os::stamp_of(before)) return {};
  return os::fail_at(spot.place, Code::kConflict,
                     "'{}' was changed by somebody else meanwhile; read it again and repeat",
                     os::shown_path(spot.place));
}

}  // namespace

Result<void> replace_file(const Roots& roots, const Spot& spot, ByteView content,
                          os::TemporaryNames& names, const os::Stat* only_if) {
  // A new file has the mode that the umask and the directory's defaults give it.
  // Readable by nobody else until it has the mode of the file that it replaces.
  const mode_t mode = spot.stat ? 0600 : 0666;
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    os::Draft draft(spot.parent.fd(), names, roots.kernel());
    const auto file = os::open_name(spot.parent.fd(), draft.name(), O_WRONLY | O_CREAT | O_EXCL,
                                    mode, roots.kernel());
    if (!file) {
      // The name belongs to somebody else: it must not be removed.
      draft.keep();
      if (file.error() == EEXIST) continue;
      return os::path_failure(file.error(), spot.place);
    }
    if (auto filled = fill(roots, spot, file->fd(), content); !filled)
      return os::path_failure(filled.error(), spot.place);
    const DirectoryTurn turn(spot.parent.fd(), roots.kernel());
    // As late as possible, and with other processes of Cairn kept out until the rename.
    if (only_if != nullptr) TRY(check_unchanged(spot, *only_if));
    const auto renamed = os::rename_over(spot.parent.fd(), draft.name(), spot.parent.fd(),
                                         spot.name, roots.kernel());
    if (!renamed) return os::path_failure(renamed.error(), spot.place);
    draft.keep();
    return {};
  }
  return os::path_failure(EEXIST, spot.place);
}

}  // namespace cairn
