#include "data/store/backup.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

#include "base/os/disk_files.h"
#include "data/store/open.h"

namespace cairn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarkerName = "cairn-backup";
constexpr std::string_view kMarkerBegin = "Cairn backup, format ";
constexpr std::uint64_t kBackupFormat = 1;

Result<void> refuse_existing(const fs::path& target) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(target, error))) return {};
  return fail(Code::kTargetExists, "'{}' exists already; name a new directory", target.string());
}

Result<void> write_marker(const fs::path& target) {
  return os::replace_file(target / kMarkerName, fmt::format("{}{}\n", kMarkerBegin, kBackupFormat),
                          0666);
}

// Nothing: it is no marker.
std::optional<std::uint64_t> format_of(const fs::path& backup) {
  constexpr std::size_t kMost = 64;
  const auto marker = os::read_file(backup / kMarkerName, kMost);
  if (!marker || !marker->starts_with(kMarkerBegin) || !marker->ends_with('\n'))
    return std::nullopt;
  const auto digits = ByteView(*marker).substr(kMarkerBegin.size());
  std::uint64_t format = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size() - 1, format);
  if (error != std::errc() || *end != '\n' || format == 0) return std::nullopt;
  return format;
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

Result<void> write_damaged(const fs::path& backup, const std::set<DamagedNode>& damaged) {
  std::string text;
  for (const auto& [realm, key] : damaged) {
    text += fmt::format("{} {}\n", realm.render(), key.render());
  }
  return os::replace_file(backup / kDamagedList, text, 0666);
}

std::set<DamagedNode> read_damaged(const fs::path& backup) {
  std::set<DamagedNode> out;
  const auto text = os::read_file(backup / kDamagedList);
  std::istringstream lines(text ? *text : std::string());
  for (std::string realm, key; lines >> realm >> key;) {
    const auto in = RealmId::parse(realm);
    const auto node = NodeKey::parse(key);
    if (in && node) out.insert({*in, *node});
  }
  return out;
}

Result<void> check_backup(const fs::path& backup) {
  const auto format = format_of(backup);
  if (format && *format > kBackupFormat) {
    return fail(
        Code::kStoreIncompatible,
        "the backup '{}' has format {}, this version of Cairn reads up to {}; use a newer one",
        backup.string(), *format, kBackupFormat);
  }
  std::error_code error;
  if (format && fs::exists(backup / "store" / "CURRENT", error)) return {};
  return fail(Code::kInvalidArgument, "'{}' is not a complete backup made by `cairn backup`",
              backup.string());
}

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
  TRY(check_backup(backup));
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
