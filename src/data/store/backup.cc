#include "data/store/backup.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/ranges.h>

#include "base/os/disk_files.h"
#include "base/os/os_error.h"
#include "base/os/system.h"
#include "base/sha256_stream.h"
#include "data/store/open.h"

namespace cairn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarkerName = "cairn-backup";
constexpr std::string_view kSumsName = "files.sha256";
constexpr mode_t kPrivate = 0600;
constexpr std::size_t kPortion = std::size_t{1} << 20;
constexpr std::size_t kHashDigits = 64;
constexpr std::string_view kMarkerBegin = "Cairn backup, format ";
constexpr std::uint64_t kBackupFormat = 1;

Result<void> refuse_existing(const fs::path& target) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(target, error))) return {};
  return fail(Code::kTargetExists, "'{}' exists already; name a new directory", target.string());
}

Result<void> write_marker(const fs::path& target) {
  return os::replace_file(target / kMarkerName, fmt::format("{}{}\n", kMarkerBegin, kBackupFormat),
                          kPrivate);
}

// Of its owner alone, from the beginning.
Result<void> make_private(const fs::path& directory) {
  TRY(os::make_directories(directory));
  std::error_code error;
  fs::permissions(directory, fs::perms::owner_all, error);
  if (error) return os::io_error("set the mode of", directory, error.value());
  return {};
}

Result<void> make_files_private(const fs::path& directory) {
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (!at->is_regular_file(error)) continue;
    fs::permissions(at->path(), fs::perms::owner_read | fs::perms::owner_write, error);
  }
  if (error) return os::io_error("set the modes in", directory, error.value());
  return {};
}

// What reads a file, in portions.
using Take = std::function<Result<void>(ByteView portion)>;
Result<std::string> hash_of(const fs::path& file, const Take& take) {
  const auto handle = TRY(os::checked(os::open_path(file, O_RDONLY), "read", file));
  Sha256Stream hash;
  Bytes room(kPortion, '\0');
  while (const auto count = TRY(os::checked(os::read(handle.fd(), room), "read", file))) {
    const auto portion = ByteView(room).substr(0, count);
    hash.append(portion);
    if (take) TRY(take(portion));
  }
  return hash.finish();
}

// In the place of a link to the store's own file.
Result<std::string> copy_over(const fs::path& file) {
  auto part = file;
  part += ".copy";
  auto handle = TRY(os::checked(
      os::open_name(AT_FDCWD, part, O_WRONLY | O_CREAT | O_EXCL, kPrivate), "write", part));
  auto hash = TRY(hash_of(file, [&](ByteView portion) {
    return os::checked(os::write_all(handle.fd(), portion), "write", part);
  }));
  TRY(os::checked(os::sync(handle.fd()), "write", part));
  TRY(os::rename_path(part, file));
  return hash;
}

Result<std::vector<fs::path>> files_of(const fs::path& directory) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (at->is_regular_file(error)) out.push_back(at->path());
  }
  if (error) return os::io_error("read", directory, error.value());
  std::ranges::sort(out);
  return out;
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
  TRY(make_files_private(target / "store"));
  // The marker comes last: a backup without it is not complete.
  TRY(write_marker(target));
  return os::sync_path(parent_of(target));
}

// Under another name until it is whole.
Result<void> fill_restored(const fs::path& backup, const fs::path& partial,
                           const fs::path& target) {
  TRY(make_private(partial));
  TRY(os::copy_files(backup / "store", partial / "store"));
  TRY(make_private(partial / "store"));
  TRY(make_files_private(partial / "store"));
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
  return os::replace_file(backup / kDamagedList, text, kPrivate);
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

Result<void> check_backup_target(const fs::path& target) { return refuse_existing(target); }

Result<void> make_backup(Backend& backend, const fs::path& target) {
  TRY(refuse_existing(target));
  TRY(make_private(target));
  auto made = fill_backup(backend, target);
  std::error_code ignored;
  if (!made) fs::remove_all(target, ignored);
  return made;
}

bool is_backup(const fs::path& directory) {
  std::error_code error;
  return fs::exists(directory / kMarkerName, error);
}

Result<void> seal_backup(const fs::path& backup, BackupFiles files) {
  std::string sums;
  for (const auto& file : TRY(files_of(backup / "store"))) {
    std::error_code error;
    const bool shared = fs::hard_link_count(file, error) > 1;
    const bool copied = shared && files == BackupFiles::kCopied;
    const auto hash = TRY(copied ? copy_over(file) : hash_of(file, {}));
    sums += fmt::format("{}  store/{}\n", hash, file.filename().string());
  }
  TRY(os::sync_path(backup / "store"));
  return os::replace_file(backup / kSumsName, sums, kPrivate);
}

Result<std::size_t> verify_backup(const fs::path& backup) {
  TRY(check_backup(backup));
  const auto sums = os::read_file(backup / kSumsName);
  if (!sums) {
    return fail(Code::kInvalidArgument,
                "'{}' has no {}: it was made by a version without checksums, or broken off; make a "
                "new backup, or look with 'cairn fsck' at what 'cairn restore' makes of it",
                backup.string(), kSumsName);
  }
  std::map<std::string, std::string, std::less<>> known;
  std::istringstream lines(*sums);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > kHashDigits + 2)
      known[line.substr(kHashDigits + 2)] = line.substr(0, kHashDigits);
  }
  std::vector<std::string> bad;
  const auto count = known.size();
  for (const auto& file : TRY(files_of(backup / "store"))) {
    const auto found = known.extract("store/" + file.filename().string());
    if (!found) bad.push_back(file.filename().string() + " (not of this backup)");
    if (found && TRY(hash_of(file, {})) != found.mapped()) bad.push_back(found.key());
  }
  for (const auto& [name, hash] : known) bad.push_back(name + " (missing)");
  if (bad.empty()) return count;
  constexpr std::size_t kMost = 10;
  const auto more = bad.size() > kMost ? fmt::format(" and {} more", bad.size() - kMost) : "";
  if (bad.size() > kMost) bad.resize(kMost);
  return fail(Code::kStoreDamaged,
              "the backup '{}' is not as it was made: {}{}; make a new one, or use an older one",
              backup.string(), fmt::join(bad, ", "), more);
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
