#include "data/store/log_guard.h"

#include <algorithm>
#include <ctime>
#include <memory>

#include <rocksdb/db.h>
#include <unistd.h>

#include "base/os/disk_files.h"
#include "base/os/os_error.h"
#include "data/store/directory_lock.h"
#include "data/store/log_reader.h"
#include "data/store/rocks_options.h"
#include "data/store/synced_note.h"

namespace cairn {
namespace {

namespace fs = std::filesystem;

// What RocksDB makes of the store as it is, without changing it.
struct Recovered {
  bool opened = false;
  std::uint64_t sequence = 0;   // of the last change it finds
  std::uint64_t first_log = 0;  // logs before this one are not needed any more
};

Recovered recover(const fs::path& store, rocksdb::Env* env, rocksdb::WALRecoveryMode mode) {
  rocksdb::DBOptions options = rocks_db_options();
  options.wal_recovery_mode = mode;
  options.create_missing_column_families = false;
  if (env != nullptr) options.env = env;
  rocksdb::DB* opened = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const auto status = rocksdb::DB::OpenForReadOnly(
      options, store.string(), rocks_tables({.block_cache = std::size_t{1} << 20}), &handles,
      &opened);
  const std::unique_ptr<rocksdb::DB> db(opened);
  if (!status.ok()) return {};
  Recovered found{.opened = true, .sequence = db->GetLatestSequenceNumber()};
  db->GetIntProperty(rocksdb::DB::Properties::kMinLogNumberToKeep, &found.first_log);
  for (auto* handle : handles) db->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  return found;
}

// The log that the note is about is shorter than it was.
std::optional<LogPlace> cut_off(const fs::path& store, const std::optional<Synced>& note) {
  if (!note) return std::nullopt;
  const fs::path file = store / fmt::format("{:06}.log", note->log);
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error || size >= note->log_bytes) return std::nullopt;
  return LogPlace{
      file, size,
      fmt::format("it has {} of the {} bytes that were on disk", size, note->log_bytes)};
}

struct Damage {
  LogState state;
  LogPlace place;
  std::uint64_t synced = 0;  // up to here it was on disk once
  std::uint64_t left = 0;    // up to here it still is
};

// Where the logs end too early. The last of them may be gone altogether.
LogPlace place_of(const fs::path& store, const LogState& state, const std::optional<Synced>& note) {
  if (state.broken) return *state.broken;
  if (auto cut = cut_off(store, note)) return *cut;
  if (state.torn) return *state.torn;
  const fs::path last = store / fmt::format("{:06}.log", note ? note->log : 0);
  if (std::error_code error; note && !fs::exists(last, error)) return {last, 0, "it is missing"};
  if (state.files.empty()) return {store, 0, "there is no log"};
  std::error_code error;
  return {state.files.back(), fs::file_size(state.files.back(), error), "it ends too early"};
}

Result<std::optional<Damage>> find_damage(const fs::path& store, rocksdb::Env* env) {
  auto state = TRY(log_state(store));
  const auto note = SyncedNote::read(store);
  const std::uint64_t synced = std::max(state.synced, note ? note->sequence : 0);
  const bool cut = cut_off(store, note).has_value();
  // All is there, and nothing has to be asked. The most frequent case by far.
  if (state.whole() && !cut && state.last >= synced) return std::nullopt;
  auto recovered = recover(store, env, rocksdb::WALRecoveryMode::kPointInTimeRecovery);
  if (!recovered.opened) {
    // Tables that are ahead of the log would be one reason; if it is another, opening will tell.
    const auto anyway = recover(store, env, rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords);
    if (!anyway.opened) return std::nullopt;
    recovered.first_log = anyway.first_log;
  }
  // Once more, without logs that nobody needs: they may be damaged or gone.
  state = TRY(log_state(store, recovered.first_log));
  // It does not miss a log that is gone, and reads on behind it.
  const bool skips = state.broken && recovered.sequence > state.last;
  if (recovered.opened && !cut && !skips && recovered.sequence >= synced) return std::nullopt;
  auto place = place_of(store, state, note);
  const std::uint64_t left = skips ? state.last : std::max(state.last, recovered.sequence);
  return Damage{std::move(state), std::move(place), synced, left};
}

std::uint64_t unreadable(const Damage& damage, const LostChanges& lost) {
  const std::uint64_t end = std::max(damage.synced, damage.state.highest);
  const std::uint64_t all = end > damage.left ? end - damage.left : 0;
  return all > lost.readable ? all - lost.readable : 0;
}

std::string counted(std::uint64_t number, std::string_view one) {
  return fmt::format("{} {}{}", number, one, number == 1 ? "" : "s");
}

// `about 52 commits`: those that can be read, and of the rest as many as elsewhere.
std::string how_much(const Damage& damage, const LostChanges& lost,
                     const LogGuardOptions& options) {
  const std::uint64_t dark = unreadable(damage, lost);
  if (options.is_commit) {
    const auto commits = static_cast<std::uint64_t>(std::ranges::count_if(
        lost.pointers,
        [&](const LostChange& change) { return change.value && options.is_commit(change.key); }));
    const bool all_dark = lost.readable == 0 || commits == 0;
    if (!all_dark || lost.readable + dark == 0) {
      return fmt::format(
          "about {}",
          counted(commits + dark * commits / std::max<std::uint64_t>(1, lost.readable), "commit"));
    }
  }
  return counted(lost.readable + dark, "acknowledged change");
}

std::string sentence(const fs::path& store, const Damage& damage) {
  return fmt::format("the write-ahead log of the store in '{}' is damaged: {} at byte {}, {}",
                     store.string(), damage.place.file.filename().string(), damage.place.offset,
                     damage.place.why);
}

std::string time_for_a_name(Millis now) {
  const std::time_t seconds = now / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}{:02}{:02}-{:02}{:02}{:02}", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

Result<fs::path> new_directory(const fs::path& store, Millis now) {
  const std::string name = "damaged-" + time_for_a_name(now);
  std::error_code error;
  fs::path path = store / name;
  for (int i = 2; fs::exists(path, error); ++i) path = store / fmt::format("{}-{}", name, i);
  TRY(os::make_directories(path));
  return path;
}

Result<void> copy_synced(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::copy_file(from, to, error);
  if (error) {
    return fail(Code::kIoError, "cannot copy '{}' to '{}': {}", from.string(), to.string(),
                error.message());
  }
  return os::sync_path(to);
}

// In an order in which whatever breaks it off leaves a store that is still refused, and can be
// repaired again.
Result<void> cut(const fs::path& store, const Damage& damage, const fs::path& saved) {
  std::error_code error;
  if (fs::exists(SyncedNote::file(store), error)) {
    TRY(copy_synced(SyncedNote::file(store), saved / SyncedNote::file(store).filename()));
  }
  const auto here = std::ranges::find(damage.state.files, damage.place.file);
  if (here != damage.state.files.end()) {
    TRY(copy_synced(*here, saved / here->filename()));
    TRY(os::sync_path(saved));
    for (auto later = damage.state.files.end(); --later != here;) {
      TRY(os::rename_path(*later, saved / later->filename()));
    }
    TRY(os::sync_path(saved));
    if (damage.place.offset == 0) {
      fs::remove(*here, error);
    } else {
      fs::resize_file(*here, damage.place.offset, error);
      if (!error) TRY(os::sync_path(*here));
    }
    if (error) return fail(Code::kIoError, "cannot cut '{}': {}", here->string(), error.message());
  }
  fs::remove(SyncedNote::file(store), error);
  return os::sync_path(store);
}

}  // namespace

Result<void> cut_log(const fs::path& store, std::uint64_t sequence) {
  const auto state = TRY(log_state(store));
  if (state.files.empty()) return {};
  std::optional<std::uint64_t> behind;
  TRY(read_log(state.files.back(), [&](const LogPiece& piece) {
    const bool kept = piece.kind == LogPiece::Kind::kRecord && piece.sequence() <= sequence;
    // Damage with something behind it is not what was refused: opening finds it.
    if (kept) behind.reset();
    if (!kept && !behind) behind = piece.begin;
  }));
  if (!behind) return {};
  std::error_code error;
  fs::resize_file(state.files.back(), *behind, error);
  if (!error) return os::sync_path(state.files.back());
  return fail(Code::kIoError, "cannot cut '{}': {}", state.files.back().string(), error.message());
}

Result<void> check_log(const fs::path& store, const LogGuardOptions& options) {
  const auto damage = TRY(find_damage(store, options.env));
  if (!damage) return {};
  const auto lost = TRY(lost_behind(damage->state, damage->place));
  return Failure(
      Error(Code::kStoreDamaged,
            fmt::format("{}; behind it lie {}. Nothing was opened or changed. Restore a backup, or "
                        "run `cairn fsck --repair`: it saves the log, opens the store as it was "
                        "before the damage and says which depots went back",
                        sentence(store, *damage), how_much(*damage, lost, options)))
          .with("file", damage->place.file.filename().string())
          .with("offset", static_cast<std::int64_t>(damage->place.offset)));
}

Result<std::optional<LogRepair>> repair_log(const fs::path& store, const Clock& clock,
                                            const LogGuardOptions& options) {
  const auto lock = TRY(DirectoryLock::take(store));
  const auto damage = TRY(find_damage(store, options.env));
  if (!damage) return std::nullopt;
  auto lost = TRY(lost_behind(damage->state, damage->place));
  LogRepair repair;
  repair.damage = sentence(store, *damage);
  repair.unreadable = unreadable(*damage, lost);
  repair.lost = std::move(lost.pointers);
  repair.saved = TRY(new_directory(store, clock.now()));
  TRY(cut(store, *damage, repair.saved));
  return repair;
}

}  // namespace cairn
