#include "data/store/backup.h"

#include <system_error>

#include "base/os/disk_files.h"
#include "data/store/open.h"

namespace cairn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarkerName = "cairn-backup";
constexpr std::string_view kMarker = "Cairn backup, format 1\n";

Result<void> refuse_existing(const fs::path& target) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(target, error))) return {};
  return fail(Code::kTargetExists, "'{}' exists already; name a new directory", target.string());
}

Result<void> write_marker(const fs::path& target) {
  return os::replace_file(target / kMarkerName, kMarker, 0666);
}

Result<void> check_marker(const fs::path& backup) {
  std::error_code error;
  if (os::read_file(backup / kMarkerName, kMarker.size()) == kMarker &&
      fs::exists(backup / "store" / "CURRENT", error))
    return {};
  return fail(Code::kInvalidArgument, "'{}' is not a complete backup made by `cairn backup`",
              backup.string());
}

fs::path parent_of(const fs::path& path) { return fs::absolute(path).parent_path(); }

Result<void> fill_backup(Backend& backend, const fs::path& target) {
  TRY(backend.checkpoint(target / "store"));
  // The marker comes last: a backup without it is not complete.
  TRY(write_marker(target));
  return os::sync_path(parent_of(target));
}

// Under another name until it is whole.
Result<void> fill_restored(const fs::path& backup, const fs::path& partial,
                           const fs::path& target) {
  TRY(os::copy_files(backup / "store", partial / "store"));
  TRY(os::sync_path(partial));
  TRY(os::rename_path(partial, target));
  return os::sync_path(parent_of(target));
}

}  // namespace

Result<void> make_backup(Backend& backend, const fs::path& target) {
  TRY(refuse_existing(target));
  TRY(os::make_directories(target));
  auto made = fill_backup(backend, target);
  std::error_code ignored;
  if (!made) fs::remove_all(target, ignored);
  return made;
}

Result<void> restore_backup(const fs::path& backup, const fs::path& given) {
  // `dir/` names the same as `dir`, and has another parent.
  const fs::path target = given.has_filename() ? given : given.parent_path();
  TRY(check_marker(backup));
  TRY(refuse_existing(target));
  TRY(os::make_directories(parent_of(target)));
  fs::path partial = fs::absolute(target);
  partial += ".restoring";
  if (!refuse_existing(partial)) {
    return fail(Code::kTargetExists,
                "'{}' is there, from a restore that was interrupted; delete it first",
                partial.string());
  }
  auto restored = fill_restored(backup, partial, target);
  std::error_code ignored;
  if (!restored) fs::remove_all(partial, ignored);
  return restored;
}

}  // namespace cairn
