#include "exposure/mirror/directory.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <string_view>
#include <tuple>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "base/base32.h"
#include "base/os/os_error.h"

namespace cairn::mirror {
namespace {

constexpr std::string_view kTemporary = ".cairn-mirror-";
constexpr std::size_t kDigits = 26;  // of 16 random bytes

std::string_view parent_path(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string last_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// A directory, and the calls that are made there.
struct Spot {
  const os::Handle& directory;
  const os::Kernel& kernel;

  os::Outcome<os::Stat> look_at(const std::string& name) const {
    return os::stat_name(directory.fd(), name, kernel);
  }
  os::Outcome<void> rename(const std::string& from, const std::string& to, unsigned flags) const {
    return os::rename(directory.fd(), from, directory.fd(), to, flags, kernel);
  }
  os::Outcome<void> remove(const std::string& name) const {
    return os::remove_name(directory.fd(), name, 0, kernel);
  }
};

bool is_as_seen(const os::Outcome<os::Stat>& stat, const os::Stamp& expected) {
  return stat && os::is_file(*stat) && os::stamp_of(*stat) == expected;
}

bool is_moved_as_seen(const os::Outcome<os::Stat>& stat, const os::Stamp& expected) {
  return stat && os::is_file(*stat) && os::stamp_of(*stat).is_renamed(expected);
}

bool is_no_directory(int error) { return error == ENOTDIR || error == ELOOP || error == ENOENT; }

// Some file systems cannot swap, nor rename without replacing.
bool is_unsupported(int error) { return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP; }

// Removed when it is no longer needed.
class Temporary final {
 public:
  Temporary(const Spot& spot, const os::Handle& file, std::string name)
      : spot_(spot), name_(std::move(name)) {
    if (const auto stat = os::stat(file.fd(), spot.kernel)) inode_ = stat->stx_ino;
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!kept_) std::ignore = spot_.remove(name_);
  }
  const Spot& spot() const { return spot_; }
  const std::string& name() const { return name_; }
  std::uint64_t inode() const { return inode_; }
  void keep() { kept_ = true; }

 private:
  Spot spot_;
  std::string name_;
  std::uint64_t inode_ = 0;
  bool kept_ = false;
};

// Not as it was seen.
constexpr int kChanged = EBUSY;
constexpr std::unexpected<int> kItChanged(kChanged);

os::Outcome<void> put_in_place(Temporary& temporary, const std::string& name) {
  const auto& spot = temporary.spot();
  auto renamed = spot.rename(temporary.name(), name, RENAME_NOREPLACE);
  if (!renamed && is_unsupported(renamed.error())) {
    if (spot.look_at(name)) return kItChanged;
    renamed = spot.rename(temporary.name(), name, 0);
  }
  if (renamed) temporary.keep();
  return !renamed && renamed.error() == EEXIST ? kItChanged : renamed;
}

// The file that was swapped out is not the one that was seen. Put back; and once more if yet
// another came to its place meanwhile.
os::Outcome<void> swap_back(Temporary& temporary, const std::string& name) {
  const auto& spot = temporary.spot();
  for (int i = 0; i < 2; ++i) {
    auto swapped = spot.rename(temporary.name(), name, RENAME_EXCHANGE);
    if (!swapped) {
      temporary.keep();
      // Its place is empty now.
      const bool back = swapped.error() == ENOENT &&
                        spot.rename(temporary.name(), name, RENAME_NOREPLACE).has_value();
      return back ? kItChanged : swapped;
    }
    const auto out = spot.look_at(temporary.name());
    if (out && out->stx_ino == temporary.inode()) return kItChanged;
  }
  // Somebody's own is under the temporary name: it stays.
  temporary.keep();
  return kItChanged;
}

// The same over a file that is still the one that was seen.
os::Outcome<void> replace(Temporary& temporary, const std::string& name,
                          const os::Stamp& expected) {
  const auto& spot = temporary.spot();
  // So that a file that is not the one is not even moved for a moment.
  if (!is_as_seen(spot.look_at(name), expected)) return kItChanged;
  auto swapped = spot.rename(temporary.name(), name, RENAME_EXCHANGE);
  if (!swapped && is_unsupported(swapped.error())) {
    auto renamed = spot.rename(temporary.name(), name, 0);
    if (renamed) temporary.keep();
    return renamed;
  }
  if (!swapped) return swapped.error() == ENOENT ? kItChanged : swapped;
  // Swapped out under the temporary name, and gone with it.
  if (is_moved_as_seen(spot.look_at(temporary.name()), expected)) return {};
  return swap_back(temporary, name);
}

os::Outcome<void> remove_file(const Spot& spot, const std::string& name, const std::string& aside,
                              const os::Stamp& expected) {
  const auto now = spot.look_at(name);
  if (!now && now.error() == ENOENT) return {};
  if (!is_as_seen(now, expected)) return kItChanged;
  auto moved = spot.rename(name, aside, RENAME_NOREPLACE);
  if (!moved) return is_unsupported(moved.error()) ? spot.remove(name) : moved;
  if (is_moved_as_seen(spot.look_at(aside), expected)) return spot.remove(aside);
  auto back = spot.rename(aside, name, RENAME_NOREPLACE);
  return back ? kItChanged : back;
}

}  // namespace

bool is_temporary(std::string_view name) {
  if (!name.starts_with(kTemporary) || name.size() != kTemporary.size() + kDigits) return false;
  constexpr std::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  return name.find_first_not_of(kAlphabet, kTemporary.size()) == std::string_view::npos;
}

Result<MirrorDirectory> MirrorDirectory::open(const std::filesystem::path& path,
                                              const Tools& tools) {
  auto root = os::open_path(path, O_RDONLY | O_DIRECTORY, tools.kernel);
  if (root) return MirrorDirectory(path, *std::move(root), tools);
  const auto shown_path = os::shown_path(path.string());
  if (root.error() == ENOENT) {
    return fail(Code::kNotFound, "there is no directory '{}'", shown_path);
  }
  if (root.error() == ENOTDIR) {
    return fail(Code::kNotADirectory, "'{}' is not a directory", shown_path);
  }
  return os::io_error("open", path, root.error());
}

std::string MirrorDirectory::named(std::string_view path) const {
  return os::shown_path((path_ / path).string());
}

template <typename T>
Result<T> MirrorDirectory::checked(os::Outcome<T> outcome, std::string_view doing,
                                   std::string_view path) const {
  return os::checked(std::move(outcome), doing, path_ / path);
}

Result<void> MirrorDirectory::unless_changed(const os::Outcome<void>& outcome,
                                             std::string_view doing, std::string_view path) const {
  if (outcome || outcome.error() != kChanged) return checked(outcome, doing, path);
  return fail(Code::kConflict, "'{}' changed meanwhile", named(path));
}

std::string MirrorDirectory::temporary_name() const {
  return std::string(kTemporary) + base32_encode(tools_.random.bytes(16));
}

// A directory in another, made where it is missing.
os::Outcome<os::Handle> MirrorDirectory::step(const os::Handle& at, const std::string& name,
                                              Missing missing) const {
  constexpr int kFlags = O_PATH | O_DIRECTORY;
  auto next = os::open_name(at.fd(), name, kFlags, 0, tools_.kernel);
  if (next || next.error() != ENOENT || missing == Missing::kFail) return next;
  const auto mode = 0777U & ~tools_.mask;
  if (auto made = os::make_directory(at.fd(), name, mode, tools_.kernel); !made) {
    return std::unexpected(made.error());
  }
  // The program's own mask is for what it writes elsewhere.
  ::fchmodat(at.fd(), name.c_str(), mode, AT_SYMLINK_NOFOLLOW);
  return os::open_name(at.fd(), name, kFlags, 0, tools_.kernel);
}

Result<os::Handle> MirrorDirectory::enter(std::string_view path, Missing missing) const {
  auto at = TRY(
      checked(os::open_name(root_.fd(), ".", O_PATH | O_DIRECTORY, 0, tools_.kernel), "enter", ""));
  for (std::size_t begin = 0; begin < path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    auto next = step(at, std::string(path.substr(begin, end - begin)), missing);
    if (!next && is_no_directory(next.error())) {
      return fail(Code::kConflict, "'{}' is no directory any more", named(path.substr(0, end)));
    }
    at = TRY(checked(std::move(next), "enter", path.substr(0, end)));
    begin = end + 1;
  }
  return at;
}

Result<os::Handle> MirrorDirectory::parent_of(const std::string& path, Missing missing) const {
  return enter(parent_path(path), missing);
}

Result<Client::Source> MirrorDirectory::read(const std::string& path) const {
  const auto parent = TRY(parent_of(path, Missing::kFail));
  auto file = os::open_name(parent.fd(), last_name(path), O_RDONLY | O_NONBLOCK, 0, tools_.kernel);
  if (!file && (file.error() == ENOENT || file.error() == ELOOP)) {
    return fail(Code::kConflict, "'{}' is gone", named(path));
  }
  return client::source_of(TRY(checked(std::move(file), "read", path)), path_ / path,
                           tools_.kernel);
}

Result<std::string> MirrorDirectory::write(const std::string& path, const Expected& expected,
                                           const Fill& fill) const {
  const auto parent = TRY(parent_of(path, Missing::kMake));
  const auto name = last_name(path);
  const auto temporary_path = temporary_name();
  const auto file = TRY(checked(
      os::open_name(parent.fd(), temporary_path, O_WRONLY | O_CREAT | O_EXCL, 0600, tools_.kernel),
      "write", path));
  Temporary temporary({parent, tools_.kernel}, file, temporary_path);
  // So that nobody takes it for a leftover.
  std::ignore = os::try_lock(file.fd(), tools_.kernel);
  client::KeyMaker key(name);
  TRY(fill([&](ByteView bytes) -> Result<void> {
    TRY(key.append(bytes));
    return checked(os::write_all(file.fd(), bytes, tools_.kernel), "write", path);
  }));
  mode_t mode = 0666U & ~tools_.mask;
  if (const auto before = temporary.spot().look_at(name); expected && before) {
    mode = before->stx_mode & 0777U;
    // Only root can give a file away; for everybody else it is theirs already, or cannot be.
    if (::fchown(file.fd(), before->stx_uid, before->stx_gid) != 0) mode &= 0777U;
  }
  TRY(checked(os::set_mode(file.fd(), mode, tools_.kernel), "write", path));
  TRY(unless_changed(expected ? replace(temporary, name, *expected) : put_in_place(temporary, name),
                     "write", path));
  return key.finish();
}

Result<void> MirrorDirectory::remove(const std::string& path, const os::Stamp& expected) const {
  const auto parent = TRY(parent_of(path, Missing::kFail));
  return unless_changed(
      remove_file({parent, tools_.kernel}, last_name(path), temporary_name(), expected), "remove",
      path);
}

Result<void> MirrorDirectory::make_directory(const std::string& path) const {
  TRY(enter(path, Missing::kMake));
  return {};
}

Result<void> MirrorDirectory::remove_directory(const std::string& path) const {
  const auto parent = TRY(parent_of(path, Missing::kFail));
  auto removed = os::remove_name(parent.fd(), last_name(path), AT_REMOVEDIR, tools_.kernel);
  if (removed || removed.error() == ENOENT) return {};
  if (removed.error() == ENOTEMPTY || removed.error() == EEXIST) {
    return fail(Code::kConflict, "'{}' is not empty", named(path));
  }
  if (removed.error() == ENOTDIR) {
    return fail(Code::kConflict, "'{}' is no directory any more", named(path));
  }
  return checked(std::move(removed), "remove", path);
}

Result<void> MirrorDirectory::sync() const {
  return checked(os::sync_file_system(root_.fd(), tools_.kernel), "write", "");
}

}  // namespace cairn::mirror
