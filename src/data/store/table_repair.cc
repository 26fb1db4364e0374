#include "data/store/table_repair.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <iterator>
#include <map>
#include <utility>

#include <fcntl.h>
#include <stdio.h>

#include "base/os/disk_files.h"
#include "base/os/os_error.h"
#include "data/store/directory_lock.h"
#include "data/store/layout.h"
#include "data/store/log_state.h"
#include "data/store/node_codec.h"
#include "data/store/rocks_tables.h"

namespace cairn {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPortion = std::size_t{1} << 20;
constexpr RocksMemory kLittle{.block_cache = 8 << 20, .write_buffers = 32 << 20};
// Longer keys are told apart by so many of their bytes.
constexpr std::size_t kKeyBytes = 128;

// Keys as numbers of kKeyBytes digits.
Bytes padded(ByteView key) {
  Bytes out(key.substr(0, kKeyBytes));
  out.resize(kKeyBytes, '\0');
  return out;
}

unsigned digit(const Bytes& number, std::size_t at) {
  return static_cast<unsigned char>(number[at]);
}

// Half of the sum of both.
Bytes middle(const Bytes& a, const Bytes& b) {
  Bytes out(kKeyBytes, '\0');
  std::array<unsigned, kKeyBytes + 1> sum{};
  for (std::size_t i = kKeyBytes; i-- > 0;) {
    const unsigned here = sum[i + 1] + digit(a, i) + digit(b, i);
    sum[i + 1] = here & 0xff;
    sum[i] = here >> 8;
  }
  unsigned rest = sum[0];
  for (std::size_t i = 0; i < kKeyBytes; ++i) {
    const unsigned here = rest * 256 + sum[i + 1];
    out[i] = static_cast<char>(here / 2);
    rest = here % 2;
  }
  return out;
}

// The first number that does not begin with these digits; nothing when all do.
std::optional<Bytes> behind_all_with(ByteView prefix) {
  Bytes out(prefix);
  while (!out.empty() && out.back() == '\xff') out.pop_back();
  if (out.empty()) return std::nullopt;
  out.back() = static_cast<char>(static_cast<unsigned char>(out.back()) + 1);
  return padded(out);
}

// The rows of tables some of whose blocks cannot be read.
class ReadableRows final {
 public:
  ReadableRows(const RocksTables& tables, std::vector<LostRows>& lost)
      : tables_(tables), lost_(lost) {}

  using Visit = std::function<Result<void>(ByteView key, ByteView value)>;

  // All that can be read, in order; notes what cannot.
  Result<void> visit(Table table, const Visit& visit) {
    Bytes last;
    KeyRange rest;
    while (true) {
      Result<void> visited;
      const auto read = tables_.scan(table, rest, Direction::kForward, [&](ByteView k, ByteView v) {
        last = Bytes(k);
        visited = visit(k, v);
        return visited ? Scan::kContinue : Scan::kStop;
      });
      TRY(std::move(visited));
      if (read) return {};
      const auto next = first_readable(table, last);
      lost_.push_back({table, last, next.value_or(Bytes())});
      if (!next) return {};
      rest.begin = *next;
    }
  }

 private:
  // Whether a row at or behind the key can be read, or there is none; then `found` is that row's
  // key.
  bool readable(Table table, const Bytes& from, std::optional<Bytes>& found) const {
    std::optional<Bytes> first;
    const auto read =
        tables_.scan(table, {from, {}}, Direction::kForward, [&](ByteView key, ByteView) {
          first.emplace(key);
          return Scan::kStop;
        });
    if (read) found = std::move(first);
    return read.has_value();
  }

  // Of the first row behind the damage; nothing when there is none. First in steps that grow, so
  // that what lies between two damaged blocks is not leapt over more than need be.
  std::optional<Bytes> first_readable(Table table, ByteView last) const {
    auto low = padded(last);
    std::optional<Bytes> high;
    std::optional<Bytes> found;
    const auto start = low;
    for (std::size_t length = kKeyBytes + 1; length-- > 0 && !high;) {
      // In the last step to the end of the table.
      const auto next = length > 0 ? behind_all_with(ByteView(start).substr(0, length))
                                   : Bytes(kKeyBytes, '\xff');
      if (!next || *next <= low) continue;
      if (readable(table, *next, found)) {
        high = *next;
      } else {
        low = *next;
      }
    }
    if (!high) return std::nullopt;
    for (auto between = middle(low, *high); between != low; between = middle(low, *high)) {
      if (readable(table, between, found)) {
        high = between;
      } else {
        low = between;
      }
    }
    return found;
  }

  const RocksTables& tables_;
  std::vector<LostRows>& lost_;
};

// Writes rows in portions. Not synced: that is done once, at the end.
class Copy final {
 public:
  Copy(RocksTables& to, const fs::path& directory) : to_(to), directory_(directory) {}

  Result<void> add(Table table, ByteView key, Bytes value) {
    bytes_ += key.size() + value.size();
    changes_[table].insert_or_assign(Bytes(key), std::move(value));
    return bytes_ < kPortion ? Result<void>() : flush();
  }
  Result<void> flush() {
    bytes_ = 0;
    const auto changes = std::exchange(changes_, {});
    if (changes.empty()) return {};
    return checked(to_.write(changes, log_mark(0), Durability::kBuffered));
  }
  // On the disk, without a log to read.
  Result<void> finish() {
    TRY(flush());
    TRY(checked(to_.flush()));
    return checked(to_.sync());
  }

 private:
  Result<void> checked(const rocksdb::Status& status) const {
    if (status.ok()) return {};
    return fail(status.IsNoSpace() ? Code::kStorageFull : Code::kIoError,
                "cannot write the tables anew in '{}': {}; the store is as it was",
                directory_.string(), status.ToString());
  }

  RocksTables& to_;
  const fs::path& directory_;
  Changes changes_;
  std::size_t bytes_ = 0;
};

bool is_between(ByteView key, const LostRows& rows) {
  return key > rows.after && (rows.before.empty() || key < rows.before);
}

class Repair final {
 public:
  Repair(const RocksTables& from, RocksTables& to, const fs::path& directory, Millis now)
      : from_(from), to_(to), copy_(to, directory), minute_(StoredInfo::minute_of(now)) {}

  Result<TableRepair> run() {
    for (const auto table : kTables) {
      TRY(ReadableRows(from_, out_.lost).visit(table, [&](ByteView key, ByteView value) {
        ++out_.rows;
        return copy_.add(table, key, Bytes(value));
      }));
      // Nodes may come from elsewhere, records do not.
      if (table != Table::kPointers || out_.rows > 0) continue;
      return fail(Code::kStoreDamaged,
                  "a table of the store cannot be read at all, so that no depot is left; the store "
                  "is as it was; restore a backup");
    }
    TRY(copy_.flush());
    TRY(fetch_data());
    TRY(describe_data());
    TRY(copy_.flush());
    TRY(count());
    TRY(copy_.finish());
    return std::move(out_);
  }

 private:
  bool is_lost(Table table) const {
    return std::ranges::any_of(out_.lost, [&](const auto& rows) { return rows.table == table; });
  }

  // Calls `visit` with the keys of one table in what another has lost.
  Result<void> for_each_lost(Table lost, Table known, const ReadableRows::Visit& visit) {
    for (const auto& rows : out_.lost) {
      if (rows.table != lost) continue;
      std::vector<Bytes> keys;
      const auto read = to_.scan(known, {rows.after, rows.before}, Direction::kForward,
                                 [&](ByteView k, ByteView) {
                                   if (is_between(k, rows)) keys.emplace_back(k);
                                   return Scan::kContinue;
                                 });
      TRY(Result<void>(read));
      for (const auto& key : keys) TRY(visit(key, {}));
    }
    return {};
  }

  // What lies in another table than the damaged one is found by its key.
  Result<void> fetch_data() {
    TRY(for_each_lost(Table::kNodeData, Table::kNodeInfo, [&](ByteView key, ByteView) {
      Result<void> added;
      const auto found = from_.read(Table::kNodeData, key, [&](ByteView value) {
        ++out_.rows;
        added = copy_.add(Table::kNodeData, key, Bytes(value));
      });
      (void)found;  // what is not found is told by a check
      return added;
    }));
    return copy_.flush();
  }

  // The size that a node has and the one it is stored with are those of its data.
  Result<void> describe_data() {
    return for_each_lost(
        Table::kNodeInfo, Table::kNodeData, [&](ByteView key, ByteView) -> Result<void> {
          Bytes info;
          const auto described =
              from_.read(Table::kNodeInfo, key, [&](ByteView v) { info = Bytes(v); });
          if (!described || !*described) {
            const auto data = to_.read(Table::kNodeData, key, [&](ByteView value) {
              if (const auto node = unpack_node(value)) {
                info = StoredInfo{minute_, value.size(), node->size()}.encode();
              }
            });
            TRY(Result<bool>(data));
          }
          return info.empty() ? Result<void>() : copy_.add(Table::kNodeInfo, key, std::move(info));
        });
  }

  // Of every realm, from what describes its nodes. Quotas stay where they can be read.
  Result<void> count() {
    std::map<RealmId, Usage> all;
    TRY(to_.scan(Table::kNodeInfo, {}, Direction::kForward, [&](ByteView row, ByteView record) {
      auto& usage = all[RealmId::from_bytes(row.substr(0, NodeRow::kRealmBytes))];
      if (const auto info = StoredInfo::decode(record)) {
        usage.physical_bytes += info->physical_bytes;
        usage.logical_bytes += info->logical_bytes;
        usage.node_count += 1;
      }
      return Scan::kContinue;
    }));
    for (auto& [realm, usage] : all) {
      const auto key = usage_key(realm);
      std::optional<Bytes> known;
      TRY(to_.read(Table::kPointers, key, [&](ByteView value) { known.emplace(value); }));
      if (const auto before = decode_usage(known, realm)) usage.quota_limit = before->quota_limit;
      TRY(copy_.add(Table::kPointers, key, encode_usage(usage)));
    }
    // Tables that have these names, and could be opened, are of the format we know.
    if (TRY(to_.read(Table::kPointers, kFormatKey, [](ByteView) {}))) return {};
    return copy_.add(Table::kPointers, kFormatKey, encode_format(kStoreFormat));
  }

  const RocksTables& from_;
  RocksTables& to_;
  Copy copy_;
  std::uint32_t minute_;
  TableRepair out_;
};

Result<std::unique_ptr<RocksTables>> open_tables(const fs::path& directory,
                                                 const RocksTables::Options& options) {
  rocksdb::Status status;
  auto opened = RocksTables::open(directory, options, status);
  if (opened) return opened;
  return fail(Code::kIoError, "cannot open the tables in '{}': {}", directory.string(),
              status.ToString());
}

// `store.damaged-20261118-204501`, beside the store.
fs::path saved_name(const fs::path& store, Millis now) {
  const std::time_t seconds = now / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  auto path = store;
  path += fmt::format(".damaged-{:04}{:02}{:02}-{:02}{:02}{:02}", parts.tm_year + 1900,
                      parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  const auto first = path.string();
  std::error_code error;
  for (int i = 2; fs::exists(path, error); ++i) path = fmt::format("{}-{}", first, i);
  return path;
}

// At every moment there is a store under its name, the old one or the new one.
Result<void> exchange(const fs::path& made, const fs::path& store) {
  TRY(os::sync_path(made));
  return os::checked(os::rename(AT_FDCWD, made.string(), AT_FDCWD, store.string(), RENAME_EXCHANGE),
                     "exchange", made);
}

}  // namespace

std::vector<LostRows> TableRepair::lost_records() const {
  std::vector<LostRows> out;
  std::ranges::copy_if(lost, std::back_inserter(out),
                       [](const LostRows& rows) { return rows.table == Table::kPointers; });
  return out;
}

Result<std::optional<TableRepair>> repair_tables(const fs::path& store, const Clock& clock) {
  const auto lock = TRY(DirectoryLock::take(store));
  auto damaged = TRY(open_tables(
      store, {.access = RocksTables::Access::kWhatIsLeft, .create = false, .memory = kLittle}));
  if (damaged->verify().ok()) return std::nullopt;
  auto made = store;
  made += ".repairing";
  std::error_code error;
  fs::remove_all(made, error);  // of a repair that was interrupted
  TRY(os::make_directories(made));
  auto done = [&]() -> Result<TableRepair> {
    const auto whole = TRY(open_tables(made, {.memory = kLittle}));
    return Repair(*damaged, *whole, made, clock.now()).run();
  }();
  damaged.reset();
  if (done) {
    if (auto exchanged = exchange(made, store); !exchanged) {
      done = Failure(std::move(exchanged).error());
    }
  }
  if (!done) {
    fs::remove_all(made, error);
    return Failure(std::move(done).error());
  }
  // From here on `made` is the old one.
  done->saved = saved_name(store, clock.now());
  TRY(os::rename_path(made, done->saved));
  TRY(os::sync_path(fs::absolute(store).parent_path()));
  return std::optional(std::move(*done));
}

}  // namespace cairn
