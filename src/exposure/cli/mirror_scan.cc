// MirrorDirectory::scan: what is in the directory.

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quote.h"
#include "data/cas/content_type.h"
#include "data/cas/file.h"
#include "data/tree/path.h"
#include "exposure/cli/mirror_directory.h"
#include "exposure/cli/mirror_files.h"

namespace cairn::cli {
namespace {

constexpr int kReads = 3;
// File systems tell times as coarsely as this: what was written within it may be written again
// without a trace.
constexpr std::int64_t kSettledNanoseconds = 2'000'000'000;

struct ReadFile {
  std::string key;
  FileSignature signature;
};

class Scanner final {
 public:
  Scanner(const MirrorFilter& filter, const ByPath<SeenFile>& seen, std::int64_t now,
          MirrorDirectory::Leftovers leftovers, const MirrorDirectory::OnDirectory& on_directory)
      : filter_(filter),
        seen_(seen),
        now_(now),
        leftovers_(leftovers),
        on_directory_(on_directory) {}

  // Gives 0, or why it cannot be listed.
  int list(Descriptor directory, const std::string& path) {
    if (on_directory_) on_directory_(directory.get());
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(directory.get()), ::closedir);
    if (stream == nullptr) return errno;
    const int handle = directory.release();
    while (true) {
      errno = 0;
      const auto* entry = ::readdir(stream.get());
      if (entry == nullptr) return errno;
      const std::string name = entry->d_name;
      if (name != "." && name != "..")
        look_at(handle, path.empty() ? name : path + "/" + name, name);
    }
  }

  MirrorScan take() { return std::move(out_); }

 private:
  void leave_out(const std::string& path, std::string why) {
    out_.tree.left_out.emplace(path, std::move(why));
  }

  void look_at(int directory, const std::string& path, const std::string& name) {
    if (is_temporary(name)) return look_at_leftover(directory, path, name);
    if (auto why = filter_.why_not(path)) return leave_out(path, std::move(*why));
    if (auto why = why_no_entry(path, name); !why.empty()) return leave_out(path, std::move(why));
    struct stat state{};
    if (::fstatat(directory, name.c_str(), &state, AT_SYMLINK_NOFOLLOW) != 0) {
      // Gone since it was listed: it is not there.
      if (errno != ENOENT) leave_out(path, std::strerror(errno));
      return;
    }
    if (S_ISDIR(state.st_mode)) return look_into(directory, path, name);
    if (S_ISREG(state.st_mode)) return look_at_file(directory, path, name, signature_of(state));
    leave_out(path, S_ISLNK(state.st_mode) ? "symbolic links are not followed"
                                           : "neither a file nor a directory");
  }

  void look_into(int directory, const std::string& path, const std::string& name) {
    Descriptor below(::openat(directory, name.c_str(),
                              O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!below.valid() && errno == ENOENT) return;
    if (const int why = below.valid() ? list(std::move(below), path) : errno; why != 0) {
      // What is in it is not known, and so not deleted.
      drop_below(path);
      return leave_out(path, fmt::format("it cannot be listed: {}", std::strerror(why)));
    }
    out_.tree.entries.emplace(path, MirrorEntry{EntryKind::kDirectory});
  }

  void drop_below(const std::string& path) {
    const auto erase = [&](auto& map) {
      map.erase(map.lower_bound(path + "/"), map.lower_bound(path + "0"));
    };
    erase(out_.tree.entries);
    erase(out_.tree.left_out);
    erase(out_.files);
    erase(out_.seen);
  }

  void look_at_file(int directory, const std::string& path, const std::string& name,
                    const FileSignature& signature) {
    const auto known = seen_.find(path);
    if (known != seen_.end() && known->second.signature == signature) {
      return add_file(path, {known->second.key, signature});
    }
    for (int attempt = 0; attempt < kReads; ++attempt) {
      auto read = read_once(directory, name);
      if (!read && read.error().code == Code::kPathNotFound) return;
      if (!read && read.error().code == Code::kConflict) continue;
      if (!read) return leave_out(path, read.error().message);
      return add_file(path, std::move(*read));
    }
    out_.unstable.push_back(path);
    leave_out(path, "");
  }

  void add_file(const std::string& path, ReadFile file) {
    const auto& at = file.signature;
    if (std::max(at.modified, at.changed) + kSettledNanoseconds < now_) {
      out_.seen.emplace(path, SeenFile{file.key, at});
    }
    out_.files.emplace(path, at);
    out_.tree.entries.emplace(path, MirrorEntry{EntryKind::kFile, std::move(file.key),
                                                static_cast<std::uint64_t>(at.size)});
  }

  // CONFLICT when it was written to meanwhile.
  static Result<ReadFile> read_once(int directory, const std::string& name) {
    const Descriptor file(
        ::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!file.valid()) {
      return fail(errno == ENOENT ? Code::kPathNotFound : Code::kIoError, "it cannot be read: {}",
                  std::strerror(errno));
    }
    struct stat before{};
    struct stat after{};
    ::fstat(file.get(), &before);
    if (!S_ISREG(before.st_mode)) return fail(Code::kConflict, "it is no file any more");
    KeyMaker key(name);
    Bytes room(256 * 1024, '\0');
    while (true) {
      const auto got = ::read(file.get(), room.data(), room.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(Code::kIoError, "it cannot be read: {}", std::strerror(errno));
      if (got == 0) break;
      TRY(key.append(ByteView(room).substr(0, static_cast<std::size_t>(got))));
    }
    ::fstat(file.get(), &after);
    if (signature_of(before) != signature_of(after)) {
      return fail(Code::kConflict, "it is being written to");
    }
    return ReadFile{TRY(key.finish()), signature_of(after)};
  }

  // One that is being written is locked by who writes it.
  void look_at_leftover(int directory, const std::string& path, const std::string& name) {
    leave_out(path, "");
    if (leftovers_ == MirrorDirectory::Leftovers::kKeep) return;
    const Descriptor file(
        ::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!file.valid() || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return;
    if (::unlinkat(directory, name.c_str(), 0) == 0) out_.tree.left_out.erase(path);
  }

  const MirrorFilter& filter_;
  const ByPath<SeenFile>& seen_;
  std::int64_t now_;
  MirrorDirectory::Leftovers leftovers_;
  const MirrorDirectory::OnDirectory& on_directory_;
  MirrorScan out_;
};

}  // namespace

std::optional<std::string> MirrorFilter::why_not(std::string_view path) const {
  if (const auto at = left_out.find(path); at != left_out.end()) return at->second;
  for (const auto& glob : exclude) {
    if (glob.matches(path)) return "";
  }
  return std::nullopt;
}

std::string why_no_entry(std::string_view path, std::string_view name) {
  if (auto valid = check_name(name); !valid) return valid.error().message;
  if (child_index(name)) return "names of '~' and digits stand for child indices";
  // Written into a directory it would be taken for a leftover.
  if (is_temporary(name)) return "names like this are of files that a mirror is writing";
  if (auto parsed = Path::parse(path); !parsed) return "its path is too long";
  return {};
}

Result<MirrorScan> MirrorDirectory::scan(const MirrorFilter& filter, const ByPath<SeenFile>& seen,
                                         Leftovers leftovers,
                                         const OnDirectory& on_directory) const {
  Scanner scanner(filter, seen, tools_.clock.now() * 1'000'000, leftovers, on_directory);
  Descriptor root(::openat(root_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const int why = root.valid() ? scanner.list(std::move(root), "") : errno;
  if (why != 0) return io_error("list the directory", "", why);
  return scanner.take();
}

}  // namespace cairn::cli
