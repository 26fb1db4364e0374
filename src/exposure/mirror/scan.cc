// MirrorDirectory::scan: what is in the directory.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/os/names.h"
#include "base/os/os_error.h"
#include "data/tree/path.h"
#include "exposure/mirror/directory.h"

namespace cairn::mirror {
namespace {

constexpr int kReads = 3;

struct ReadFile {
  std::string key;
  os::Stamp stamp;
};

class Scanner final {
 public:
  Scanner(const MirrorFilter& filter, const ByPath<SeenFile>& seen,
          const MirrorDirectory::Tools& tools, MirrorDirectory::Leftovers leftovers,
          const MirrorDirectory::OnDirectory& on_directory)
      : filter_(filter),
        seen_(seen),
        kernel_(tools.kernel),
        now_(tools.clock.now() * 1'000'000),
        leftovers_(leftovers),
        on_directory_(on_directory) {}

  os::Outcome<void> list(os::Handle directory, const std::string& path) {
    if (on_directory_) on_directory_(directory.fd());
    os::NameReader names(std::move(directory), kernel_);
    while (true) {
      const auto entry = names.next();
      if (!entry) return std::unexpected(entry.error());
      if (!*entry) return {};
      const std::string name((*entry)->name);
      look_at(names.fd(), path.empty() ? name : fmt::format("{}/{}", path, name), name);
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
    const auto stat = os::stat_name(directory, name, kernel_);
    if (!stat) {
      // Gone since it was listed: it is not there.
      if (stat.error() != ENOENT) leave_out(path, os::description(stat.error()));
      return;
    }
    if (os::is_directory(*stat)) return look_into(directory, path, name);
    if (os::is_file(*stat)) return look_at_file(directory, path, name, os::stamp_of(*stat));
    leave_out(path, os::is_link(*stat) ? "symbolic links are not followed"
                                       : "neither a file nor a directory");
  }

  void look_into(int directory, const std::string& path, const std::string& name) {
    auto below = os::open_name(directory, name, O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0, kernel_);
    if (!below && below.error() == ENOENT) return;
    const auto listed = below ? list(*std::move(below), path) : std::unexpected(below.error());
    if (!listed) {
      // Its contents are not known, and so not deleted.
      drop_below(path);
      return leave_out(path,
                       fmt::format("it cannot be listed: {}", os::description(listed.error())));
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
                    const os::Stamp& stamp) {
    const auto known = seen_.find(path);
    if (known != seen_.end() && known->second.stamp.kept() == stamp.kept()) {
      return add_file(path, {known->second.key, stamp});
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
    const auto& at = file.stamp;
    if (at.is_settled(now_)) out_.seen.emplace(path, SeenFile{file.key, at.kept()});
    out_.files.emplace(path, at);
    out_.tree.entries.emplace(path, MirrorEntry{EntryKind::kFile, std::move(file.key), at.size});
  }

  // CONFLICT when it was written to meanwhile.
  Result<ReadFile> read_once(int directory, const std::string& name) const {
    auto file = os::open_name(directory, name, O_RDONLY | O_NONBLOCK, 0, kernel_);
    if (!file && file.error() == ENOENT) return fail(Code::kPathNotFound, "it is gone");
    if (!file) return unreadable(file.error());
    const auto before = os::stat(file->fd(), kernel_);
    if (!before) return unreadable(before.error());
    if (!os::is_file(*before)) return fail(Code::kConflict, "it is no file any more");
    client::KeyMaker key(name);
    Bytes room(std::size_t{256} * 1024, '\0');
    while (true) {
      const auto got = os::read(file->fd(), room, kernel_);
      if (!got) return unreadable(got.error());
      if (*got == 0) break;
      TRY(key.append(ByteView(room).substr(0, *got)));
    }
    const auto after = os::stat(file->fd(), kernel_);
    if (!after || os::stamp_of(*before) != os::stamp_of(*after)) {
      return fail(Code::kConflict, "it is being written to");
    }
    return ReadFile{TRY(key.finish()), os::stamp_of(*after)};
  }

  static Failure unreadable(int error) {
    return fail(Code::kIoError, "it cannot be read: {}", os::description(error));
  }

  // One that is being written is locked by who writes it.
  void look_at_leftover(int directory, const std::string& path, const std::string& name) {
    leave_out(path, "");
    if (leftovers_ == MirrorDirectory::Leftovers::kKeep) return;
    const auto file = os::open_name(directory, name, O_RDONLY | O_NONBLOCK, 0, kernel_);
    if (!file || !os::try_lock(file->fd(), kernel_)) return;
    if (os::remove_name(directory, name, 0, kernel_)) out_.tree.left_out.erase(path);
  }

  const MirrorFilter& filter_;
  const ByPath<SeenFile>& seen_;
  os::Kernel kernel_;
  std::int64_t now_;  // nanoseconds
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
  Scanner scanner(filter, seen, tools_, leftovers, on_directory);
  auto root = os::open_listing(root_.fd(), tools_.kernel);
  const auto listed = root ? scanner.list(*std::move(root), "") : std::unexpected(root.error());
  TRY(os::checked(listed, "list the directory", path_));
  return scanner.take();
}

}  // namespace cairn::mirror
