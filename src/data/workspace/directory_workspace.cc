#include "data/workspace/directory_workspace.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <tuple>

#include "base/explain.h"
#include "base/limits.h"
#include "base/mutex.h"
#include "base/os/os_error.h"
#include "base/os/remove_tree.h"
#include "base/os/stamp.h"
#include "data/workspace/copy_tree.h"
#include "data/workspace/held_directory.h"
#include "data/workspace/replace_file.h"

namespace cairn {
namespace {

using Last = WalkOptions::Last;

// Editing again is right as often as it takes; so many changes by others in a row are a program
// that writes all the time.
constexpr int kEditAttempts = 50;

Result<std::string> absolute_directory(const std::string& directory, const std::string& home) {
  auto path = directory;
  if (!home.empty() && (path == "~" || path.starts_with("~/"))) path.replace(0, 1, home);
  if (path.starts_with('/')) return lexically_normal(path);
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  if (error) return os::path_failure(error.value(), path);
  return lexically_normal(join_path(here.string(), path));
}

Result<Bytes> read_whole(const OpenFile& file, std::string_view place) {
  const auto too_large = [&] {
    return os::fail_at(place, Code::kFileTooLarge,
                       "'{}' has more than {} MiB, the most that can be edited; write it anew",
                       os::shown_path(place), kMaxEditedSize >> 20);
  };
  if (file.stat.stx_size > kMaxEditedSize) return too_large();
  Bytes bytes;
  // One byte more shows that it has grown; a size of 0 may be one that nobody knows.
  std::size_t room = std::max<std::size_t>(file.stat.stx_size + 1, 4096);
  while (true) {
    const auto before = bytes.size();
    bytes.resize(before + room);
    const auto count = os::read_at(file.handle.fd(), before, bytes.data() + before, room);
    if (!count) return os::path_failure(count.error(), place);
    bytes.resize(before + *count);
    // It may grow faster than it is read.
    if (bytes.size() > kMaxEditedSize) return too_large();
    if (*count < room) return bytes;
    room = bytes.size();
  }
}

// Also after a rename.
bool same_file(const os::Stat& now, const os::Stat& before) {
  if (!os::is_file(now)) return os::same_inode(now, before);
  return os::stamp_of(now).is_renamed(os::stamp_of(before));
}

Failure changed_meanwhile(std::string_view place) {
  return os::fail_at(place, Code::kConflict,
                     "'{}' is being changed by somebody else; try again later",
                     os::shown_path(place));
}

Result<void> check_is_file(const Spot& spot) {
  if (!spot.stat || os::is_file(*spot.stat)) return {};
  if (os::is_directory(*spot.stat)) return os::path_failure(EISDIR, spot.place);
  return os::fail_at(
      spot.place, Code::kNotAFile,
      "'{}' is a device, pipe or socket, which is never written to; take another name",
      os::shown_path(spot.place));
}

// The directory of the spot takes new names and gives up old ones.
Result<void> check_changeable(const Spot& spot) {
  const auto may = os::may_change(spot.parent.fd());
  return may ? Result<void>() : os::path_failure(may.error(), spot.place);
}

Result<void> check_not_into_itself(const Spot& source, const Spot& target) {
  if (!os::is_directory(*source.stat) || !path_is_in(target.place, source.place)) return {};
  return os::fail_at(target.place, Code::kMoveIntoSelf,
                     "'{}' is inside '{}' itself; choose a place outside it",
                     os::shown_path(target.place), os::shown_path(source.place));
}

Failure not_empty(std::string_view place) {
  return os::fail_at(place, Code::kInvalidArgument,
                     "'{}' is not empty; remove it recursively, or what is in it first",
                     os::shown_path(place));
}

// The directory that a path is in. REQUIRES: the path is no root.
ClientPath parent_of(ClientPath path) {
  path.absolute.resize(std::max<std::size_t>(path.absolute.rfind('/'), 1));
  return path;
}

}  // namespace

struct DirectoryWorkspace::State {
  State(std::unique_ptr<Roots> opened, Random& random, bool may_not_change)
      : roots(std::move(opened)), temporary(random), read_only(may_not_change) {}

  Result<ClientPath> parse(std::string_view path) const { return roots->paths().parse(path); }
  Result<void> check_may_change(const ClientPath& path, Deed deed) const;
  Result<Spot> existing(const ClientPath& path, Last last) const;
  // Fails when the spot is a root, or a directory that a root is in.
  Result<void> check_holds_no_root(const Spot& spot) const;
  Result<Spot> vacant(const ClientPath& path) const REQUIRES(changing);
  Result<bool> edit_once(const ClientPath& path, const Rewrite& rewrite, std::string& place,
                         Deed deed) REQUIRES(changing);
  Result<std::string> foresee_write(const ClientPath& path, Parents parents) REQUIRES(changing);
  Result<std::string> foresee_directory(const ClientPath& path) REQUIRES(changing);
  Result<std::string> foresee_remove(Spot spot, bool recursive) REQUIRES(changing);
  Result<void> copy(const Spot& source, const Spot& target) REQUIRES(changing);
  Result<void> remove(const Spot& spot) REQUIRES(changing);
  Result<std::string> set_aside(const Spot& spot) REQUIRES(changing);
  void put_back(const Spot& spot, const std::string& aside) REQUIRES(changing);
  Result<void> move_across(const Spot& source, const Spot& target) REQUIRES(changing);

  std::unique_ptr<Roots> roots;
  os::TemporaryNames temporary;
  bool read_only;
  // One change at a time: what was found at a place is still there when it is replaced or moved, as
  // far as this process goes.
  Mutex changing;
};

Result<void> DirectoryWorkspace::State::check_may_change(const ClientPath& path, Deed deed) const {
  if (!read_only || deed == Deed::kRehearsed) return {};
  return os::fail_at(path.absolute, Code::kForbidden,
                     "this workspace is read-only, so '{}' cannot be changed",
                     os::shown_path(path.absolute));
}

Result<Spot> DirectoryWorkspace::State::existing(const ClientPath& path, Last last) const {
  auto spot = TRY(spot_beneath(*roots, path, last));
  if (spot.stat) return spot;
  const auto slash = spot.place.rfind('/');
  const std::string_view directory(spot.place.data(), slash == 0 ? 1 : slash);
  return missing_failure(spot.parent.fd(), directory, spot.name, path.absolute);
}

Result<void> DirectoryWorkspace::State::check_holds_no_root(const Spot& spot) const {
  for (const auto& root : roots->paths().all()) {
    if (!path_is_in(root, spot.place)) continue;
    return os::fail_at(spot.place, Code::kForbidden,
                       "'{}' is a root of this workspace or holds one, and stays as it is",
                       os::shown_path(spot.place));
  }
  return {};
}

Result<Spot> DirectoryWorkspace::State::vacant(const ClientPath& path) const {
  // A root exists, so it cannot be vacant; found by its path, its parent would be outside.
  if (path.is_root()) return os::path_failure(EEXIST, path.absolute);
  auto spot = TRY(spot_beneath(*roots, path, Last::kLinkItself));
  if (spot.stat) return os::path_failure(EEXIST, spot.place);
  return spot;
}

// False: somebody else changed the file meanwhile.
Result<bool> DirectoryWorkspace::State::edit_once(const ClientPath& path, const Rewrite& rewrite,
                                                  std::string& place, Deed deed) {
  const auto spot = TRY(existing(path, Last::kFollow));
  place = spot.place;
  const auto file =
      TRY(open_held(*roots, spot.parent.fd(), spot.name, spot.handle, *spot.stat, spot.place));
  const auto before = TRY(read_whole(file, spot.place));
  const auto after = TRY(rewrite(before, spot.place));
  // Not written: a program that watches the file is not woken for nothing.
  if (after == before) return true;
  if (deed == Deed::kRehearsed) {
    TRY(check_changeable(spot));
    return true;
  }
  auto replaced = replace_file(*roots, spot, after, temporary, &file.stat);
  if (replaced) return true;
  if (replaced.error().code == Code::kConflict) return false;
  return Failure(std::move(replaced).error());
}

Result<std::string> DirectoryWorkspace::State::foresee_write(const ClientPath& path,
                                                             Parents parents) {
  if (parents == Parents::kAreMade && !path.is_root()) {
    const auto above = parent_of(path);
    auto directory = TRY(foresee_beneath(*roots, above));
    if (!directory.is_there) {
      TRY(foresee_directory(above));
      return join_path(directory.place, path.absolute.substr(path.absolute.rfind('/') + 1));
    }
  }
  auto spot = TRY(spot_beneath(*roots, path, Last::kFollow));
  TRY(check_is_file(spot));
  TRY(check_changeable(spot));
  return std::move(spot.place);
}

Result<std::string> DirectoryWorkspace::State::foresee_directory(const ClientPath& path) {
  auto directory = TRY(foresee_beneath(*roots, path));
  if (directory.is_there) return std::move(directory.place);
  const auto may = os::may_change(directory.parent.fd());
  if (!may) return os::path_failure(may.error(), directory.place);
  return std::move(directory.place);
}

Result<std::string> DirectoryWorkspace::State::foresee_remove(Spot spot, bool recursive) {
  TRY(check_changeable(spot));
  if (recursive || !os::is_directory(*spot.stat)) return std::move(spot.place);
  const auto directory =
      TRY(held_directory(*roots, temporary, {std::move(spot.handle), *spot.stat, spot.place}));
  if (!TRY(directory->entries()).empty()) return not_empty(spot.place);
  return std::move(spot.place);
}

Result<void> DirectoryWorkspace::State::copy(const Spot& source, const Spot& target) {
  // Under a temporary name until it is whole: nobody sees half a copy, and a failure leaves
  // nothing.
  os::Draft draft(target.parent.fd(), temporary, roots->kernel());
  TRY(copy_tree(*roots, source, target.parent.fd(), draft.name(), temporary, {}));
  // Fails when something has come to the name since: nobody's file is overwritten.
  const auto renamed = os::rename_new(target.parent.fd(), draft.name(), target.parent.fd(),
                                      target.name, roots->kernel());
  if (!renamed) return os::path_failure(renamed.error(), target.place);
  draft.keep();
  return {};
}

// It is gone from its place at once, whatever there is in it.
Result<std::string> DirectoryWorkspace::State::set_aside(const Spot& spot) {
  auto aside = temporary.next();
  const int parent = spot.parent.fd();
  const auto renamed = os::rename_new(parent, spot.name, parent, aside, roots->kernel());
  if (!renamed) return os::path_failure(renamed.error(), spot.place);
  return aside;
}

void DirectoryWorkspace::State::put_back(const Spot& spot, const std::string& aside) {
  const int parent = spot.parent.fd();
  std::ignore = os::rename_new(parent, aside, parent, spot.name, roots->kernel());
}

Result<void> DirectoryWorkspace::State::remove(const Spot& spot) {
  const int parent = spot.parent.fd();
  if (!os::is_directory(*spot.stat)) {
    const auto removed = os::remove_name(parent, spot.name, 0, roots->kernel());
    return removed ? Result<void>() : os::path_failure(removed.error(), spot.place);
  }
  // Renamed first, so that nobody sees a directory that is half removed.
  const auto aside = TRY(set_aside(spot));
  const auto removed = os::remove_tree(parent, aside, temporary, roots->kernel());
  if (removed) return {};
  // With whatever is left in it: better in its place than under a name that nobody knows.
  put_back(spot, aside);
  return os::path_failure(removed.error(), spot.place);
}

// The source leaves its place before the copy takes its own, so that nobody ever sees both.
Result<void> DirectoryWorkspace::State::move_across(const Spot& source, const Spot& target) {
  os::Draft draft(target.parent.fd(), temporary, roots->kernel());
  TRY(copy_tree(*roots, source, target.parent.fd(), draft.name(), temporary, {.keep_all = true}));
  const auto aside = TRY(set_aside(source));
  const auto now = os::stat_name(source.parent.fd(), aside, roots->kernel());
  // Somebody wrote to it after it was copied: the copy is not what would be removed.
  if (!now || !same_file(*now, *source.stat)) {
    put_back(source, aside);
    return changed_meanwhile(source.place);
  }
  const auto renamed = os::rename_new(target.parent.fd(), draft.name(), target.parent.fd(),
                                      target.name, roots->kernel());
  if (!renamed) {
    put_back(source, aside);
    return os::path_failure(renamed.error(), target.place);
  }
  draft.keep();
  const auto removed = os::remove_tree(source.parent.fd(), aside, temporary, roots->kernel());
  if (removed) return {};
  // The copy is whole and stays; so does the rest of the source.
  put_back(source, aside);
  return Failure(explained(
      os::path_failure(removed.error(), source.place).error(),
      fmt::format(
          "all of '{}' is at '{}' now, but some of it could not be removed from where it was",
          os::shown_path(source.place), os::shown_path(target.place))));
}

Result<std::shared_ptr<DirectoryWorkspace>> DirectoryWorkspace::open(
    std::span<const std::string> directories, Random& random, Options options) {
  std::vector<std::string> absolute;
  for (const auto& directory : directories)
    absolute.push_back(TRY(absolute_directory(directory, options.home)));
  auto roots = TRY(Roots::open(absolute, std::move(options.home), options.kernel));
  return std::shared_ptr<DirectoryWorkspace>(new DirectoryWorkspace(
      std::make_shared<State>(std::move(roots), random, options.read_only), Deed::kDone));
}

DirectoryWorkspace::DirectoryWorkspace(std::shared_ptr<State> state, Deed deed)
    : state_(std::move(state)), deed_(deed) {}
DirectoryWorkspace::~DirectoryWorkspace() = default;

std::shared_ptr<DirectoryWorkspace> DirectoryWorkspace::rehearsal() const {
  return std::shared_ptr<DirectoryWorkspace>(new DirectoryWorkspace(state_, Deed::kRehearsed));
}

std::vector<std::string> DirectoryWorkspace::notes() const {
  if (!rehearsed() || !state_->read_only) return {};
  return {"this workspace is read-only: without dryRun it is refused"};
}

std::vector<std::string> DirectoryWorkspace::roots() const { return state_->roots->paths().all(); }

std::string DirectoryWorkspace::relative(std::string_view place) const {
  return state_->roots->paths().relative(place);
}

Result<WorkFilePtr> DirectoryWorkspace::open_file(std::string_view path) const {
  // Read without the lock: a file that is replaced meanwhile stays readable through its handle.
  const auto parsed = TRY(state_->parse(path));
  auto found = TRY(find_beneath(*state_->roots, parsed));
  auto file = TRY(open_found(*state_->roots, parsed, found));
  return held_file(state_->roots->kernel(), std::move(file), std::move(found.place));
}

Result<WorkDirectoryPtr> DirectoryWorkspace::open_directory(std::string_view path) const {
  const auto parsed = TRY(state_->parse(path));
  return held_directory(*state_->roots, state_->temporary,
                        TRY(find_beneath(*state_->roots, parsed)));
}

Result<WorkPlace> DirectoryWorkspace::info(std::string_view path) const {
  const auto parsed = TRY(state_->parse(path));
  auto found = TRY(find_beneath(*state_->roots, parsed));
  return WorkPlace{.place = std::move(found.place), .info = info_of(found.stat)};
}

Result<std::string> DirectoryWorkspace::write(std::string_view path, ByteView content,
                                              Parents parents) {
  const auto parsed = TRY(state_->parse(path));
  TRY(state_->check_may_change(parsed, deed_));
  const MutexLock lock(state_->changing);
  if (rehearsed()) return state_->foresee_write(parsed, parents);
  if (parents == Parents::kAreMade && !parsed.is_root()) {
    TRY(make_beneath(*state_->roots, parent_of(parsed)));
  }
  auto spot = TRY(spot_beneath(*state_->roots, parsed, Last::kFollow));
  TRY(check_is_file(spot));
  TRY(replace_file(*state_->roots, spot, content, state_->temporary));
  return std::move(spot.place);
}

Result<std::string> DirectoryWorkspace::edit(std::string_view path, const Rewrite& rewrite) {
  const auto parsed = TRY(state_->parse(path));
  TRY(state_->check_may_change(parsed, deed_));
  const MutexLock lock(state_->changing);
  std::string place;
  for (int attempt = 0; attempt < kEditAttempts; ++attempt) {
    if (TRY(state_->edit_once(parsed, rewrite, place, deed_))) return place;
  }
  return changed_meanwhile(place);
}

Result<std::string> DirectoryWorkspace::make_directory(std::string_view path) {
  const auto parsed = TRY(state_->parse(path));
  TRY(state_->check_may_change(parsed, deed_));
  const MutexLock lock(state_->changing);
  if (rehearsed()) return state_->foresee_directory(parsed);
  return TRY(make_beneath(*state_->roots, parsed)).place;
}

Result<std::string> DirectoryWorkspace::move(std::string_view source,
                                             std::string_view destination) {
  const auto from_path = TRY(state_->parse(source));
  const auto to_path = TRY(state_->parse(destination));
  TRY(state_->check_may_change(from_path, deed_));
  const MutexLock lock(state_->changing);
  const auto from = TRY(state_->existing(from_path, Last::kLinkItself));
  TRY(state_->check_holds_no_root(from));
  auto to = TRY(state_->vacant(to_path));
  if (os::is_directory(*from.stat) && path_is_in(to.place, from.place)) {
    return os::fail_at(
        to.place, Code::kMoveIntoSelf,
        "'{}' cannot be moved to '{}', which is inside it; choose a place outside it",
        os::shown_path(from.place), os::shown_path(to.place));
  }
  if (rehearsed()) {
    TRY(check_changeable(from));
    TRY(check_changeable(to));
    return std::move(to.place);
  }
  const auto renamed =
      os::rename_new(from.parent.fd(), from.name, to.parent.fd(), to.name, state_->roots->kernel());
  if (renamed) return std::move(to.place);
  if (renamed.error() == EEXIST) return os::path_failure(EEXIST, to.place);
  // Between two file systems renaming is not possible.
  if (renamed.error() != EXDEV) return os::path_failure(renamed.error(), from.place);
  TRY(state_->move_across(from, to));
  return std::move(to.place);
}

Result<std::string> DirectoryWorkspace::copy(std::string_view source,
                                             std::string_view destination) {
  const auto from_path = TRY(state_->parse(source));
  const auto to_path = TRY(state_->parse(destination));
  TRY(state_->check_may_change(to_path, deed_));
  const MutexLock lock(state_->changing);
  auto found = TRY(find_beneath(*state_->roots, from_path));
  Spot from;
  // A directory is copied through its handle; a file also needs its parent, to open it by name
  // where there is no /proc.
  if (os::is_directory(found.stat)) {
    from.place = std::move(found.place);
    from.handle = std::move(found.handle);
    from.stat = found.stat;
  } else {
    from = TRY(state_->existing(from_path, Last::kFollow));
  }
  auto to = TRY(state_->vacant(to_path));
  TRY(check_not_into_itself(from, to));
  if (!rehearsed()) {
    TRY(state_->copy(from, to));
    return std::move(to.place);
  }
  TRY(check_changeable(to));
  if (!os::is_directory(*from.stat)) {
    TRY(open_held(*state_->roots, from.parent.fd(), from.name, from.handle, *from.stat,
                  from.place));
  }
  return std::move(to.place);
}

Result<std::string> DirectoryWorkspace::remove(std::string_view path, bool recursive) {
  const auto parsed = TRY(state_->parse(path));
  TRY(state_->check_may_change(parsed, deed_));
  const MutexLock lock(state_->changing);
  auto spot = TRY(state_->existing(parsed, Last::kLinkItself));
  TRY(state_->check_holds_no_root(spot));
  if (rehearsed()) return state_->foresee_remove(std::move(spot), recursive);
  if (recursive || !os::is_directory(*spot.stat)) {
    TRY(state_->remove(spot));
    return std::move(spot.place);
  }
  const auto removed =
      os::remove_name(spot.parent.fd(), spot.name, AT_REMOVEDIR, state_->roots->kernel());
  if (removed) return std::move(spot.place);
  if (removed.error() != ENOTEMPTY && removed.error() != EEXIST)
    return os::path_failure(removed.error(), spot.place);
  return not_empty(spot.place);
}

}  // namespace cairn
