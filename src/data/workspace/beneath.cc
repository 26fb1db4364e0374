#include "data/workspace/beneath.h"

#include <cerrno>

#include "base/os/os_error.h"
#include "data/workspace/similar_names.h"

namespace cairn {
namespace {

// The kernel's own lookup below a root (openat2). Nullopt for anything it does not find or refuses:
// the walk then takes the path apart and knows what to say.
std::optional<Found> find_fast(const Roots& roots, const ClientPath& path) {
  const auto root = roots.handle(path.root);
  if (!root) return std::nullopt;
  auto handle = os::open_beneath((*root)->fd(), path.rest(), roots.kernel());
  if (!handle) return std::nullopt;
  const auto stat = os::stat(handle->fd(), roots.kernel());
  if (!stat) return std::nullopt;
  auto place = roots.place_of(handle->fd());
  if (!place) return std::nullopt;
  return Found{*std::move(handle), *stat, *std::move(place)};
}

Result<Found> found_at(const Roots& roots, const ClientPath& path, Walked walked) {
  auto place = walked.trail.place(roots.paths());
  auto handle = walked.trail.take_top();
  if (!handle) return os::path_failure(handle.error(), path.absolute);
  // The kernel's answer is better: it knows of directories that were moved during the walk.
  auto known = roots.place_of(handle->fd());
  if (known) place = *std::move(known);
  return Found{*std::move(handle), *walked.end, std::move(place)};
}

// The same for a spot. A link at the end, and a name that is not quite there, need a walk.
std::optional<Spot> spot_fast(const Roots& roots, const ClientPath& path, WalkOptions::Last last) {
  const auto root = roots.handle(path.root);
  if (!root) return std::nullopt;
  const std::string_view rest = path.rest();
  const auto slash = rest.rfind('/');
  const std::string directory(rest.substr(0, slash == rest.npos ? 0 : slash));
  const std::string name(rest.substr(slash == rest.npos ? 0 : slash + 1));
  auto parent = os::open_beneath((*root)->fd(), directory.c_str(), roots.kernel());
  if (!parent) return std::nullopt;
  const auto parent_place = roots.place_of(parent->fd());
  if (!parent_place) return std::nullopt;
  auto place = join_path(*parent_place, name);
  auto handle = os::open_name(parent->fd(), name, O_PATH, 0, roots.kernel());
  if (!handle) {
    // A file system may spell the name in another Unicode form.
    if (handle.error() != ENOENT || may_have_equivalent(name)) return std::nullopt;
    return Spot{*std::move(parent), name, std::move(place), {}, std::nullopt};
  }
  const auto stat = os::stat(handle->fd(), roots.kernel());
  if (!stat || (os::is_link(*stat) && last == WalkOptions::Last::kFollow)) return std::nullopt;
  return Spot{*std::move(parent), name, std::move(place), *std::move(handle), *stat};
}

Failure root_failure(const ClientPath& path, WalkOptions::Last last) {
  if (last == WalkOptions::Last::kFollow) return os::path_failure(EISDIR, path.absolute);
  return os::fail_at(path.absolute, Code::kForbidden,
                     "'{}' is a root of this workspace, which stays as it is; name something in it",
                     os::shown_path(path.absolute));
}

Failure not_a_file(const os::Stat& stat, std::string_view place) {
  if (os::is_directory(stat)) return os::path_failure(EISDIR, place);
  return os::fail_at(place, Code::kNotAFile,
                     "'{}' is a device, pipe or socket, which is never opened; take a regular file",
                     os::shown_path(place));
}

// For want of a /proc. Looked at before and after: a pipe that comes in between does not block.
Result<OpenFile> open_by_name(const Roots& roots, int directory, const std::string& name,
                              std::string_view place) {
  const auto before = os::stat_name(directory, name, roots.kernel());
  if (!before) return os::path_failure(before.error(), place);
  if (!os::is_file(*before)) return not_a_file(*before, place);
  auto file = os::open_name(directory, name, O_RDONLY | O_NONBLOCK, 0, roots.kernel());
  if (!file) return os::path_failure(file.error(), place);
  const auto stat = os::stat(file->fd(), roots.kernel());
  if (!stat) return os::path_failure(stat.error(), place);
  if (!os::is_file(*stat)) return not_a_file(*stat, place);
  return OpenFile{*std::move(file), *stat};
}

}  // namespace

Result<Found> find_beneath(const Roots& roots, const ClientPath& path) {
  if (auto found = find_fast(roots, path)) return *std::move(found);
  auto walked = TRY(Walk(roots, path, {}).run());
  if (walked.end) return found_at(roots, path, std::move(walked));
  const auto directory = walked.trail.top();
  if (!directory) return os::path_failure(directory.error(), path.absolute);
  return missing_failure(*directory, walked.trail.place(roots.paths()), walked.missing,
                         path.absolute);
}

Result<Spot> spot_beneath(const Roots& roots, const ClientPath& path, WalkOptions::Last last) {
  if (path.is_root()) return root_failure(path, last);
  if (auto spot = spot_fast(roots, path, last)) return *std::move(spot);
  auto walked = TRY(Walk(roots, path, {.last = last}).run());
  Spot spot;
  if (walked.end) {
    if (walked.trail.at_root()) return root_failure(path, last);
    spot.name = walked.trail.name();
    spot.stat = walked.end;
    auto handle = walked.trail.take_top();
    if (!handle) return os::path_failure(handle.error(), path.absolute);
    spot.handle = *std::move(handle);
    // Down to its parent.
    walked.trail.pop();
  } else {
    spot.name = std::move(walked.missing);
  }
  const auto place = walked.trail.place(roots.paths());
  auto parent = walked.trail.take_top();
  if (!parent) return os::path_failure(parent.error(), path.absolute);
  spot.parent = *std::move(parent);
  spot.place = join_path(roots.place_of(spot.parent.fd()).value_or(place), spot.name);
  return spot;
}

Result<Found> make_beneath(const Roots& roots, const ClientPath& path) {
  auto found = find_fast(roots, path);
  if (!found) {
    auto walked = TRY(Walk(roots, path, {.missing = WalkOptions::Missing::kIsMade}).run());
    found = TRY(found_at(roots, path, std::move(walked)));
  }
  if (!os::is_directory(found->stat)) return os::path_failure(EEXIST, found->place);
  return *std::move(found);
}

Result<Foreseen> foresee_beneath(const Roots& roots, const ClientPath& path) {
  auto found = find_fast(roots, path);
  if (!found) {
    auto walked = TRY(Walk(roots, path, {.missing = WalkOptions::Missing::kIsAssumed}).run());
    if (!walked.end) {
      auto place = join_path(walked.trail.place(roots.paths()), walked.missing);
      auto parent = walked.trail.take_top();
      if (!parent) return os::path_failure(parent.error(), path.absolute);
      return Foreseen{std::move(place), *std::move(parent), false};
    }
    found = TRY(found_at(roots, path, std::move(walked)));
  }
  if (!os::is_directory(found->stat)) return os::path_failure(EEXIST, found->place);
  return Foreseen{std::move(found->place), std::move(found->handle), true};
}

Result<OpenFile> open_held(const Roots& roots, int directory, const std::string& name,
                           const os::Handle& held, const os::Stat& stat, std::string_view place) {
  if (!os::is_file(stat)) return not_a_file(stat, place);
  // By its handle, not by its name: whatever has come to the name since is not opened.
  auto file = os::reopen(held.fd(), roots.kernel());
  if (file) return OpenFile{*std::move(file), stat};
  // Without /proc.
  if (file.error() != ENOENT) return os::path_failure(file.error(), place);
  return open_by_name(roots, directory, name, place);
}

Result<OpenFile> open_found(const Roots& roots, const ClientPath& path, const Found& found) {
  if (!os::is_file(found.stat)) return not_a_file(found.stat, found.place);
  auto file = os::reopen(found.handle.fd(), roots.kernel());
  if (file) return OpenFile{*std::move(file), found.stat};
  if (file.error() != ENOENT) return os::path_failure(file.error(), found.place);
  const auto spot = TRY(spot_beneath(roots, path, WalkOptions::Last::kFollow));
  return open_by_name(roots, spot.parent.fd(), spot.name, found.place);
}

}  // namespace cairn
