// The audit log: who did what, through what, to which context, how it ended. Never content, but for
// what the message of an error quotes.
//
// Invariants  an entry of a call that changed something is in the store before its caller gets the
//             answer; it survives the end of the process, and reaches the disk with the next synced
//             commit. Others follow within a second; what the store does not take is tried again,
//             up to a bound. Bounded per realm by age and size, about once a day while there are
//             entries: the oldest go first. Changes and all else (reads, refusals) lie in blocks
//             of their own, and each kind has a size of its own: however much is read or refused,
//             no change is pushed out. Of refusals that come quickly one after the other the first
//             few are kept, and the rest counted.
// Threads     every function may be called from any thread.
#pragma once

#include <chrono>
#include <map>
#include <thread>

#include "base/guarded.h"
#include "base/id.h"
#include "base/mutex.h"
#include "data/store/key_value.h"

namespace cairn {

struct AuditEntry {
  Millis time = 0;
  DelegateId delegate;
  std::string entrance;  // rest, mcp, cli
  std::string tool;
  std::string context;  // the depot or node and the path, as the caller named them
  std::string outcome;  // ok, or the code of the error
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t micros = 0;
  // Through which endpoint and binding it came, if through one.
  std::string endpoint = {};
  std::string binding = {};
  // How many it stands for: itself, and those like it that were not written down one by one.
  std::uint64_t count = 1;
  std::string request = {};  // what the request it came with is called; empty: nothing
  std::string message = {};  // of the error

  bool operator==(const AuditEntry&) const = default;
};

struct AuditOptions {
  std::chrono::milliseconds max_age = std::chrono::hours(24 * 90);
  // Per realm, as stored: of changes, and of all else.
  std::uint64_t max_change_bytes = 64 << 20;
  std::uint64_t max_other_bytes = 32 << 20;
  std::chrono::milliseconds flush_every = std::chrono::milliseconds(500);
  // What the age of entries is measured with; nothing: with the log's own clock.
  const Clock* settled = nullptr;
};

struct AuditQuery {
  std::size_t limit = 100;
  std::optional<std::string> cursor = std::nullopt;
  std::optional<Millis> since = std::nullopt;
  std::optional<Millis> until = std::nullopt;
  std::optional<DelegateId> delegate = std::nullopt;
  std::optional<std::string> tool = std::nullopt;
  std::optional<std::string> outcome = std::nullopt;
  std::optional<std::string> endpoint = std::nullopt;
};

struct AuditPage {
  std::vector<AuditEntry> entries;  // newest first
  // More may follow: a page also ends when much was looked at and little fitted the query.
  std::optional<std::string> next_cursor;
};

class AuditLog final {
 public:
  AuditLog(KeyValueStore& kv, const Clock& clock, AuditOptions options = {});
  // Writes what is pending.
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  enum class When { kSoon, kNow };
  void record(const RealmId& realm, AuditEntry entry, When when);
  Result<AuditPage> query(const RealmId& realm, const AuditQuery& query);
  // Writes what is pending in every realm.
  Result<void> flush() EXCLUDES(flushing_);
  // Removes all of a realm.
  Result<void> remove_all(const RealmId& realm);
  // Removes what is too old or too much in a realm; how many blocks.
  Result<std::uint64_t> trim(const RealmId& realm);

 private:
  enum class Kind : std::uint8_t { kChange = 1, kOther = 2 };
  struct Noted {
    AuditEntry entry;
    Kind kind = Kind::kOther;
  };
  struct Pending {
    std::vector<Noted> entries;
    std::map<DelegateId, std::size_t> refused;  // of those that are pending
    std::uint64_t written = 0;                  // bytes since the last trim
    Millis trimmed_at = 0;
  };
  struct State {
    std::map<RealmId, Pending> realms;
    std::uint64_t sequence = 0;
  };

  // Whether it is only counted, with another like it.
  static bool counted(Pending& pending, const AuditEntry& entry);
  static std::vector<Noted> take_all(Pending& pending);
  std::vector<Noted> take_pending(const RealmId& realm) EXCLUDES(state_);
  Result<void> write(const RealmId& realm, std::vector<Noted> entries) EXCLUDES(state_);
  Result<void> put_blocks(const RealmId& realm, const std::vector<Bytes>& blocks) EXCLUDES(state_);
  static std::vector<Bytes> blocks_of(const std::vector<Noted>& entries);
  Bytes next_key(const RealmId& realm) EXCLUDES(state_);
  bool is_time_to_trim(const RealmId& realm, std::uint64_t written) EXCLUDES(state_);
  void run(const std::stop_token& stop);

  KeyValueStore& kv_;
  const Clock& clock_;
  AuditOptions options_;
  Guarded<State> state_;
  // One flush at a time: a query that needs what is pending also waits for what another thread is
  // just writing.
  Mutex flushing_;
  std::jthread writer_;
};

}  // namespace cairn
