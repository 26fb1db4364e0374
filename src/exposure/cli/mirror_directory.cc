#include "exposure/cli/mirror_directory.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base32.h"
#include "base/quote.h"
#include "data/cas/content_type.h"
#include "exposure/cli/mirror_files.h"

namespace cairn::cli {
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

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::optional<struct stat> look_at(const Descriptor& directory, const std::string& name) {
  struct stat state{};
  if (::fstatat(directory.get(), name.c_str(), &state, AT_SYMLINK_NOFOLLOW) != 0) {
    return std::nullopt;
  }
  return state;
}

bool is_as_seen(const std::optional<struct stat>& state, const FileSignature& expected) {
  return state && S_ISREG(state->st_mode) && signature_of(*state) == expected;
}

// A rename changes the time of change, and nothing else.
bool is_moved_as_seen(std::optional<struct stat> state, const FileSignature& expected) {
  if (!state || !S_ISREG(state->st_mode)) return false;
  auto signature = signature_of(*state);
  signature.changed = expected.changed;
  return signature == expected;
}

int rename_in(const Descriptor& directory, const std::string& from, const std::string& to,
              unsigned flags) {
  return ::renameat2(directory.get(), from.c_str(), directory.get(), to.c_str(), flags);
}

// Some file systems cannot swap, nor rename without replacing.
bool is_unsupported(int error) { return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP; }

// Gone when it is not needed any more.
class Temporary final {
 public:
  Temporary(const Descriptor& directory, const Descriptor& file, std::string name)
      : directory_(directory), name_(std::move(name)) {
    struct stat state{};
    if (::fstat(file.get(), &state) == 0) inode_ = state.st_ino;
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!kept_) ::unlinkat(directory_.get(), name_.c_str(), 0);
  }
  const Descriptor& directory() const { return directory_; }
  const std::string& name() const { return name_; }
  ino_t inode() const { return inode_; }
  void keep() { kept_ = true; }

 private:
  const Descriptor& directory_;
  std::string name_;
  ino_t inode_ = 0;
  bool kept_ = false;
};

// Not as it was seen.
constexpr int kChanged = EBUSY;

// Gives 0, kChanged, or what else was wrong.
int put_in_place(Temporary& temporary, const std::string& name) {
  const auto& directory = temporary.directory();
  int why = rename_in(directory, temporary.name(), name, RENAME_NOREPLACE) == 0 ? 0 : errno;
  if (is_unsupported(why)) {
    if (look_at(directory, name)) return kChanged;
    why = rename_in(directory, temporary.name(), name, 0) == 0 ? 0 : errno;
  }
  if (why == 0) temporary.keep();
  return why == EEXIST ? kChanged : why;
}

// The same over a file that is still the one that was seen.
int replace(Temporary& temporary, const std::string& name, const FileSignature& expected) {
  const auto& directory = temporary.directory();
  // So that a file that is not the one is not even moved for a moment.
  if (!is_as_seen(look_at(directory, name), expected)) return kChanged;
  if (rename_in(directory, temporary.name(), name, RENAME_EXCHANGE) != 0) {
    if (errno == ENOENT) return kChanged;
    if (!is_unsupported(errno)) return errno;
    if (rename_in(directory, temporary.name(), name, 0) != 0) return errno;
    temporary.keep();
    return 0;
  }
  // Swapped out under the temporary name, and gone with it.
  if (is_moved_as_seen(look_at(directory, temporary.name()), expected)) return 0;
  // Put back; and once more if yet another came to its place meanwhile.
  for (int i = 0; i < 2; ++i) {
    if (rename_in(directory, temporary.name(), name, RENAME_EXCHANGE) != 0) {
      const int why = errno;
      temporary.keep();
      // Its place is empty now.
      const bool back =
          why == ENOENT && rename_in(directory, temporary.name(), name, RENAME_NOREPLACE) == 0;
      return back ? kChanged : why;
    }
    if (const auto swapped = look_at(directory, temporary.name());
        swapped && swapped->st_ino == temporary.inode()) {
      return kChanged;
    }
  }
  // Somebody's own is under the temporary name: it stays.
  temporary.keep();
  return kChanged;
}

int remove_file(const Descriptor& directory, const std::string& name, const std::string& aside,
                const FileSignature& expected) {
  const auto now = look_at(directory, name);
  if (!now && errno == ENOENT) return 0;
  if (!is_as_seen(now, expected)) return kChanged;
  if (rename_in(directory, name, aside, RENAME_NOREPLACE) != 0) {
    if (!is_unsupported(errno)) return errno;
    return ::unlinkat(directory.get(), name.c_str(), 0) == 0 ? 0 : errno;
  }
  if (is_moved_as_seen(look_at(directory, aside), expected)) {
    return ::unlinkat(directory.get(), aside.c_str(), 0) == 0 ? 0 : errno;
  }
  return rename_in(directory, aside, name, RENAME_NOREPLACE) == 0 ? kChanged : errno;
}

}  // namespace

Descriptor::~Descriptor() {
  if (file_ >= 0) ::close(file_);
}

FileSignature signature_of(const struct stat& state) {
  return {.size = state.st_size,
          .modified = nanoseconds(state.st_mtim),
          .changed = nanoseconds(state.st_ctim),
          .inode = static_cast<std::int64_t>(state.st_ino)};
}

bool is_temporary(std::string_view name) {
  if (!name.starts_with(kTemporary) || name.size() != kTemporary.size() + kDigits) return false;
  constexpr std::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  return name.find_first_not_of(kAlphabet, kTemporary.size()) == std::string_view::npos;
}

Result<void> KeyMaker::append(ByteView portion) {
  if (sample_.size() < kContentTypeSample) {
    sample_.append(portion.substr(0, kContentTypeSample - sample_.size()));
  }
  return writer_.append(portion);
}

Result<std::string> KeyMaker::finish() {
  return TRY(writer_.finish(content_type(name_, sample_)))->key().render();
}

Result<MirrorDirectory> MirrorDirectory::open(const std::filesystem::path& path,
                                              const Tools& tools) {
  Descriptor root(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (root.valid()) return MirrorDirectory(path, std::move(root), tools);
  const int why = errno;
  const auto shown_path = shown(path.string(), 1000);
  if (why == ENOENT) return fail(Code::kNotFound, "there is no directory '{}'", shown_path);
  if (why == ENOTDIR) return fail(Code::kNotADirectory, "'{}' is not a directory", shown_path);
  return fail(Code::kIoError, "cannot open '{}': {}", shown_path, std::strerror(why));
}

std::string MirrorDirectory::named(std::string_view path) const {
  return shown((path_ / path).string(), 1000);
}

Failure MirrorDirectory::io_error(std::string_view doing, std::string_view path, int why) const {
  return fail(Code::kIoError, "cannot {} '{}': {}", doing, named(path), std::strerror(why));
}

Failure MirrorDirectory::changed(std::string_view path) const {
  return fail(Code::kConflict, "'{}' changed meanwhile", named(path));
}

std::string MirrorDirectory::temporary_name() const {
  return std::string(kTemporary) + base32_encode(tools_.random.bytes(16));
}

Result<Descriptor> MirrorDirectory::enter(std::string_view path, Missing missing) const {
  constexpr int kFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Descriptor at(::openat(root_.get(), ".", kFlags));
  for (std::size_t begin = 0; at.valid() && begin < path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    const std::string name(path.substr(begin, end - begin));
    Descriptor next(::openat(at.get(), name.c_str(), kFlags));
    if (!next.valid() && errno == ENOENT && missing == Missing::kMake) {
      const auto mode = 0777U & ~tools_.mask;
      if (::mkdirat(at.get(), name.c_str(), mode) == 0) {
        // The program's own mask is for what it writes elsewhere.
        ::fchmodat(at.get(), name.c_str(), mode, AT_SYMLINK_NOFOLLOW);
        next = Descriptor(::openat(at.get(), name.c_str(), kFlags));
      }
    }
    if (!next.valid()) {
      const int why = errno;
      const auto where = path.substr(0, end);
      if (why == ENOTDIR || why == ELOOP || why == ENOENT) {
        return fail(Code::kConflict, "'{}' is no directory any more", named(where));
      }
      return io_error("enter", where, why);
    }
    at = std::move(next);
    begin = end + 1;
  }
  if (!at.valid()) return io_error("enter", "", errno);
  return at;
}

Result<Descriptor> MirrorDirectory::parent_of(const std::string& path, Missing missing) const {
  return enter(parent_path(path), missing);
}

Result<Session::Source> MirrorDirectory::read(const std::string& path) const {
  const auto parent = TRY(parent_of(path, Missing::kFail));
  auto file = std::make_shared<Descriptor>(::openat(
      parent.get(), last_name(path).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!file->valid() && (errno == ENOENT || errno == ELOOP)) {
    return fail(Code::kConflict, "'{}' is gone", named(path));
  }
  if (!file->valid()) return io_error("read", path, errno);
  return [file, name = named(path)](std::span<char> room) -> Result<std::size_t> {
    while (true) {
      const auto got = ::read(file->get(), room.data(), room.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) {
        return fail(Code::kIoError, "cannot read '{}': {}", name, std::strerror(errno));
      }
    }
  };
}

Result<std::string> MirrorDirectory::write(const std::string& path, const Expected& expected,
                                           const Fill& fill) const {
  const auto parent = TRY(parent_of(path, Missing::kMake));
  const auto name = last_name(path);
  const auto temporary_path = temporary_name();
  const Descriptor file(::openat(parent.get(), temporary_path.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return io_error("write", path, errno);
  Temporary temporary(parent, file, temporary_path);
  // So that nobody takes it for a leftover.
  ::flock(file.get(), LOCK_EX | LOCK_NB);
  KeyMaker key(name);
  TRY(fill([&](ByteView bytes) -> Result<void> {
    TRY(key.append(bytes));
    while (!bytes.empty()) {
      const auto written = ::write(file.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return io_error("write", path, errno);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  }));
  mode_t mode = 0666U & ~tools_.mask;
  if (const auto before = look_at(parent, name); expected && before) {
    mode = before->st_mode & 0777U;
    // Only root can give a file away; for everybody else it is theirs already, or cannot be.
    if (::fchown(file.get(), before->st_uid, before->st_gid) != 0) mode &= 0777U;
  }
  if (::fchmod(file.get(), mode) != 0) return io_error("write", path, errno);
  const int why = expected ? replace(temporary, name, *expected) : put_in_place(temporary, name);
  if (why == kChanged) return changed(path);
  if (why != 0) return io_error("write", path, why);
  return key.finish();
}

Result<void> MirrorDirectory::remove(const std::string& path, const FileSignature& expected) const {
  const auto parent = TRY(parent_of(path, Missing::kFail));
  const int why = remove_file(parent, last_name(path), temporary_name(), expected);
  if (why == kChanged) return changed(path);
  return why == 0 ? Result<void>() : io_error("remove", path, why);
}

Result<void> MirrorDirectory::make_directory(const std::string& path) const {
  TRY(enter(path, Missing::kMake));
  return {};
}

Result<void> MirrorDirectory::remove_directory(const std::string& path) const {
  const auto parent = TRY(parent_of(path, Missing::kFail));
  if (::unlinkat(parent.get(), last_name(path).c_str(), AT_REMOVEDIR) == 0) return {};
  if (errno == ENOENT) return {};
  if (errno == ENOTEMPTY || errno == EEXIST) {
    return fail(Code::kConflict, "'{}' is not empty", named(path));
  }
  if (errno == ENOTDIR) {
    return fail(Code::kConflict, "'{}' is no directory any more", named(path));
  }
  return io_error("remove", path, errno);
}

Result<void> MirrorDirectory::sync() const {
  return ::syncfs(root_.get()) == 0 ? Result<void>() : io_error("write", "", errno);
}

}  // namespace cairn::cli
