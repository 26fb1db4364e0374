#include "data/store/rocks_backend.h"

#include <chrono>
#include <thread>

#include "base/os/disk_files.h"
#include "data/store/log_guard.h"
#include "data/store/log_reader.h"

namespace cairn {
namespace {

namespace fs = std::filesystem;

// Logs this long, or so many, take some ten milliseconds to read when the store is opened next.
constexpr std::uint64_t kWorthFlushing = 4 << 20;
constexpr std::size_t kManyLogs = 8;
// With more room than this, nobody looks how much is yet to be written out.
constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;
constexpr std::chrono::seconds kReadersEnd{5};

// RocksDB has no code of its own for a held lock, only these words.
bool is_lock_held(const rocksdb::Status& status) {
  const std::string text = status.ToString();
  return status.IsIOError() && (text.find("lock hold by") != std::string::npos ||
                                text.find("While lock file") != std::string::npos);
}

// Nor for a file system that is read-only.
bool is_read_only(const rocksdb::Status& status) {
  const std::string text = status.ToString();
  return status.IsIOError() && (text.find("Read-only file system") != std::string::npos ||
                                text.find("Permission denied") != std::string::npos);
}

bool is_full(const rocksdb::Status& status) {
  return status.IsNoSpace() || status.ToString().find("No space left") != std::string::npos ||
         status.ToString().find("Disk quota exceeded") != std::string::npos;
}

Failure cannot_open(const fs::path& directory, const rocksdb::Status& status) {
  if (is_lock_held(status)) {
    return fail(Code::kStoreLocked,
                "another process has the store in '{}' open; stop it, or talk to it instead",
                directory.string());
  }
  // A table we do not know, or a file format RocksDB does not.
  if (status.IsInvalidArgument() || status.IsNotSupported()) {
    return fail(Code::kStoreIncompatible,
                "the store in '{}' was written by a newer version of Cairn; use that one ({})",
                directory.string(), status.ToString());
  }
  // Nobody but a repair can tell whether it is one of the tables.
  return fail(Code::kIoError, "cannot open the store in '{}': {}{}", directory.string(),
              status.ToString(),
              status.IsCorruption()
                  ? "; restore a backup, or run `cairn fsck --repair`, which keeps what can be "
                    "read where it is a table that is damaged"
                  : "");
}

Error read_only(const fs::path& directory, const rocksdb::Status& status) {
  return {Code::kStoreReadOnly,
          fmt::format("the store in '{}' is open for reading only: its disk cannot be written to "
                      "({}); what is stored can be read, exported and backed up",
                      directory.string(), status.ToString())};
}

Result<void> prepare_directory(const fs::path& directory, bool create) {
  std::error_code error;
  if (fs::exists(directory / "CURRENT", error)) return {};
  if (!create) {
    return fail(Code::kIoError, "there is no store in '{}'", directory.string());
  }
  return os::make_directories(directory);
}

std::size_t logs_in(const fs::path& directory) {
  std::size_t count = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (log_number(entry.path())) ++count;
  }
  return count;
}

// What a process that was killed had written and not synced: RocksDB reads it, and what is written
// next rests on it.
rocksdb::Status sync_logs(const fs::path& directory, rocksdb::Env* given) {
  rocksdb::Env* env = given != nullptr ? given : rocksdb::Env::Default();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (!log_number(entry.path())) continue;
    std::unique_ptr<rocksdb::WritableFile> file;
    auto status = env->ReopenWritableFile(entry.path().string(), &file, rocksdb::EnvOptions());
    if (status.ok()) status = file->Sync();
    if (status.ok()) status = file->Close();
    if (!status.ok()) return status;
  }
  return rocksdb::Status::OK();
}

// The tables as they were. Holds on to the database, should the backend open another one.
class RocksSnapshot final : public Backend {
 public:
  RocksSnapshot(std::shared_ptr<RocksTables> tables, std::shared_ptr<std::atomic<int>> count)
      : tables_(std::move(tables)), held_(tables_->hold()), count_(std::move(count)) {
    ++*count_;
  }
  ~RocksSnapshot() override {
    tables_->release(held_);
    --*count_;
  }
  RocksSnapshot(const RocksSnapshot&) = delete;
  RocksSnapshot& operator=(const RocksSnapshot&) = delete;

  Result<bool> read(Table table, ByteView key, const Reader& reader) const override {
    return tables_->read(table, key, reader, held_);
  }
  Result<void> scan(Table table, const KeyRange& range, Direction direction,
                    const KeyValueStore::Visitor& visit) const override {
    return tables_->scan(table, range, direction, visit, held_);
  }
  Result<void> write(const Changes&, Durability) override { return only_read(); }
  Result<void> reclaim(Table, const KeyRange&) override { return only_read(); }
  Result<void> checkpoint(const fs::path&) override { return only_read(); }
  Result<std::unique_ptr<Backend>> snapshot() const override {
    return std::make_unique<RocksSnapshot>(tables_, count_);
  }

 private:
  static Failure only_read() {
    return fail(Code::kStoreReadOnly, "a snapshot of the store can only be read");
  }

  std::shared_ptr<RocksTables> tables_;
  const rocksdb::Snapshot* held_;
  std::shared_ptr<std::atomic<int>> count_;
};

}  // namespace

Result<std::unique_ptr<RocksBackend>> RocksBackend::open(const fs::path& directory,
                                                         Options options) {
  TRY(prepare_directory(directory, options.create));
  // Before RocksDB's own lock, which it takes too late (directory_lock.h).
  auto lock = TRY(DirectoryLock::take(directory));
  if (std::error_code error; fs::exists(directory / "CURRENT", error)) {
    TRY(check_log(directory, {.env = options.env, .is_commit = options.is_commit}));
  }
  std::unique_ptr<RocksBackend> backend(
      new RocksBackend(std::move(lock), directory, std::move(options)));
  TRY(backend->begin());
  return backend;
}

RocksBackend::RocksBackend(DirectoryLock lock, fs::path directory, Options options)
    : lock_(std::move(lock)),
      directory_(std::move(directory)),
      options_(std::move(options)),
      room_(directory_, options_.reserve_bytes) {}

rocksdb::Status RocksBackend::open_tables(Access access) {
  rocksdb::Status status;
  if (access == Access::kReadWrite) status = sync_logs(directory_, options_.env);
  if (!status.ok()) return status;
  std::shared_ptr<RocksTables> opened = RocksTables::open(
      directory_,
      {.access = access, .create = options_.create, .memory = options_.memory, .env = options_.env},
      status);
  if (!opened) return status;
  *tables_.lock() = std::move(opened);
  stuck_ = false;
  if (access == Access::kReadWrite) {
    *trouble_.lock() = std::nullopt;
    note_.emplace(directory_);
  }
  return status;
}

// What cannot be written to is opened to be read.
Result<void> RocksBackend::begin() {
  auto status = open_tables(Access::kReadWrite);
  if (is_full(status) && room_.release_reserve()) status = open_tables(Access::kReadWrite);
  if (status.ok()) {
    room_.make_reserve();
    full_ = !has_room();
    flush_if_long();
    return {};
  }
  if (!is_full(status) && !is_read_only(status)) return cannot_open(directory_, status);
  full_ = is_full(status);
  auto trouble = full_ ? full().error() : read_only(directory_, status);
  // Where there is no store yet, that is what there is to say.
  if (!open_tables(Access::kReadOnly).ok()) return Failure(std::move(trouble));
  *trouble_.lock() = std::move(trouble);
  return {};
}

// Opening needs no room for this, so it is not done then; but logs that pile up make it slow.
void RocksBackend::flush_if_long() {
  auto open = tables();
  if (full_) return;
  if (open->unflushed_bytes() <= kWorthFlushing && logs_in(directory_) <= kManyLogs) return;
  if (!open->flush().ok()) stuck_ = true;
}

RocksBackend::~RocksBackend() {
  // Nobody is left to tell; what matters was synced by its commit.
  // A database that refuses writes would refuse these too.
  auto open = tables();
  if (!open || open->access() == Access::kReadOnly || stuck_) return;
  if (open->sync().ok()) note_synced();
  if (full_ || open->unflushed_bytes() <= kWorthFlushing) return;
  open->flush().PermitUncheckedError();
}

bool RocksBackend::has_room() const {
  const std::uint64_t free = room_.free_bytes();
  if (free > kPlenty) return true;
  // Full or not, it changes with a distance.
  const std::uint64_t need = room_.base() + (full_ ? room_.base() + room_.missing_reserve() : 0);
  auto open = tables();
  return free > need + (open ? open->unflushed_bytes() : 0);
}

Failure RocksBackend::full() const {
  return fail(Code::kStorageFull,
              "the disk under '{}' is full, so nothing is written now; reading works, and so does "
              "what makes room: delete depots and run `cairn gc --grace 0`, or free space on the "
              "disk, and writing goes on by itself",
              directory_.string());
}

Failure RocksBackend::refused(const rocksdb::Status& status) {
  stuck_ = true;
  if (is_full(status)) {
    room_.release_reserve();
    full_ = true;
    return full();
  }
  if (is_read_only(status)) return Failure(read_only(directory_, status));
  return fail(Code::kIoError, "cannot write to the store in '{}': {}", directory_.string(),
              status.ToString());
}

// From reading to writing. Readers keep what they began with.
Result<void> RocksBackend::write_again() {
  const auto status = open_tables(Access::kReadWrite);
  if (status.ok()) return {};
  auto why = refused(status);
  *trouble_.lock() = why.error();
  return why;
}

// It is closed and opened. Meanwhile others read from a second one.
Result<void> RocksBackend::open_again() {
  // What was refused may be in the log, whole; it must not come back.
  TRY(cut_log(directory_, tables()->sequence()));
  const std::weak_ptr<RocksTables> before = tables();
  if (auto status = open_tables(Access::kReadOnly); !status.ok()) return refused(status);
  const auto until = std::chrono::steady_clock::now() + kReadersEnd;
  while (!before.expired()) {
    if (std::chrono::steady_clock::now() > until) {
      // Somebody reads for long; the next write finds it closed.
      return fail(Code::kUnavailable, "the store in '{}' is being opened anew; try again",
                  directory_.string());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return write_again();
}

Result<void> RocksBackend::go_on() {
  auto open = tables();
  if (open->access() == Access::kReadOnly) {
    open.reset();
    if (full_ && !has_room()) return full();
    return write_again();
  }
  open.reset();
  return stuck_ ? open_again() : Result<void>();
}

Result<void> RocksBackend::room() {
  if (full_ && !has_room()) return full();
  TRY(go_on());
  if (!full_ && has_room()) return {};
  room_.make_reserve();
  full_ = !has_room();
  if (full_) return full();
  return {};
}

Result<void> RocksBackend::ready() {
  std::error_code error;
  if (!fs::exists(directory_ / "CURRENT", error)) {
    return fail(Code::kIoError, "the store in '{}' is gone; restore a backup and start again",
                directory_.string());
  }
  if (const auto trouble = *trouble_.lock(); trouble && !full_) return Failure(*trouble);
  if (full_ && !has_room()) return full();
  return {};
}

Result<void> RocksBackend::write(const Changes& changes, Durability durability) {
  TRY(go_on());
  auto open = tables();
  rocksdb::Status status;
  // A synced commit without changes promises that everything before it is on disk.
  if (!changes.empty()) {
    status = open->write(changes, log_mark(synced_), durability);
  } else if (durability == Durability::kSynced) {
    status = open->sync();
  }
  if (!status.ok()) return refused(status);
  if (durability == Durability::kSynced) note_synced();
  return {};
}

void RocksBackend::note_synced() {
  auto open = tables();
  const std::uint64_t sequence = open->sequence();
  if (sequence == synced_) return;
  synced_ = sequence;
  if (const auto [number, bytes] = open->log(); number > 0 && note_) {
    note_->write({sequence, number, bytes});
  }
}

Result<void> RocksBackend::reclaim(Table table, const KeyRange& range) {
  if (*snapshots_ > 0) {
    return fail(Code::kUnavailable,
                "the store in '{}' is being checked, which keeps what was removed on the disk; run "
                "it again when that is done",
                directory_.string());
  }
  auto open = tables();
  // Rewriting takes room before it gives some back.
  if (full_) room_.release_reserve();
  const auto status = open->compact(table, range);
  if (status.ok()) return {};
  if (is_full(status)) return refused(status);
  return fail(Code::kIoError, "cannot compact the store in '{}': {}", directory_.string(),
              status.ToString());
}

Result<std::unique_ptr<Backend>> RocksBackend::snapshot() const {
  return std::make_unique<RocksSnapshot>(tables(), snapshots_);
}

Result<void> RocksBackend::checkpoint(const fs::path& target) {
  auto open = tables();
  if (open->access() == Access::kReadOnly) {
    // Nobody writes to these files: they are a checkpoint as they are.
    TRY(os::copy_files(directory_, target));
    std::error_code ignored;
    for (const auto& own : {DiskRoom::reserve_file(target), SyncedNote::file(target)}) {
      fs::remove(own, ignored);
    }
    return {};
  }
  const auto status =
      open->checkpoint(target, full_ ? RocksTables::Log::kCopied : RocksTables::Log::kFlushed);
  if (status.ok()) return {};
  return fail(is_full(status) ? Code::kStorageFull : Code::kIoError,
              "cannot back up the store in '{}' to '{}': {}", directory_.string(), target.string(),
              status.ToString());
}

}  // namespace cairn
