#include "data/access/audit.h"

#include <algorithm>

#include "base/pause.h"
#include "data/realm/remove_realm.h"
#include "data/store/update.h"
#include "data/tree/path.h"

namespace cairn {
namespace {

// a realm time sequence: a block of entries, oldest first. Time and sequence are eight bytes
// big-endian, so that blocks lie in the order they were written.
// Blocks of version 1 have no endpoints in them; from version 3 on a block has a kind, and its
// entries counts; from version 4 on they have requests and messages.
constexpr char kVersion = 4;
// Refusals of one delegate that are kept one by one, of those that are written together.
constexpr std::size_t kMaxRefused = 20;
// Pending entries before they are written without waiting for the timer.
constexpr std::size_t kMaxPending = 1000;
// Entries that one query reads at most; the cursor goes on from there.
constexpr std::size_t kMaxLooked = 50'000;
constexpr std::size_t kMaxContext = 500;
constexpr std::size_t kMaxMessage = 300;
constexpr std::size_t kMaxKept = 20 * kMaxPending;  // while the store takes none
constexpr std::uint64_t kTrimEvery = 1 << 20;       // bytes
constexpr std::chrono::milliseconds kTrimAfter = std::chrono::hours(24);

void put_number(Bytes& out, std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

KeyRange blocks(const RealmId& realm) { return KeyRange::prefix("a" + Bytes(realm.bytes())); }

Bytes block_key(const RealmId& realm, Millis time, std::uint64_t sequence) {
  auto key = "a" + Bytes(realm.bytes());
  put_number(key, static_cast<std::uint64_t>(time));
  put_number(key, sequence);
  return key;
}

void put_entry(Bytes& out, const AuditEntry& entry) {
  put_varint(out, static_cast<std::uint64_t>(entry.time));
  out.append(entry.delegate.bytes());
  for (const auto* text : {&entry.entrance, &entry.tool, &entry.context, &entry.outcome}) {
    put_text(out, *text);
  }
  for (auto number : {entry.bytes_in, entry.bytes_out, entry.micros}) put_varint(out, number);
  for (const auto* text : {&entry.endpoint, &entry.binding}) put_text(out, *text);
  put_varint(out, entry.count);
  for (const auto* text : {&entry.request, &entry.message}) put_text(out, *text);
}

std::optional<AuditEntry> take_entry(ByteReader& in, int version) {
  AuditEntry entry;
  entry.time = static_cast<Millis>(in.varint());
  auto delegate = in.take(16);
  for (auto* text : {&entry.entrance, &entry.tool, &entry.context, &entry.outcome}) {
    *text = in.text();
  }
  for (auto* number : {&entry.bytes_in, &entry.bytes_out, &entry.micros}) *number = in.varint();
  if (version >= 2) {
    for (auto* text : {&entry.endpoint, &entry.binding}) *text = in.text();
  }
  if (version >= 3) entry.count = in.varint();
  if (version >= 4) {
    for (auto* text : {&entry.request, &entry.message}) *text = in.text();
  }
  if (in.failed()) return std::nullopt;
  entry.delegate = DelegateId::from_bytes(delegate);
  return entry;
}

std::vector<AuditEntry> decode_block(ByteView value) {
  std::vector<AuditEntry> entries;
  ByteReader in(value);
  const int version = in.byte();
  if (version < 1 || version > kVersion) return entries;
  if (version >= 3) in.byte();  // its kind
  while (!in.at_end()) {
    auto entry = take_entry(in, version);
    if (!entry) break;  // a damaged block shows what can be read of it
    entries.push_back(std::move(*entry));
  }
  return entries;
}

// Before version 3 both lie together, and count as changes.
bool is_of_others(ByteView block) { return block.size() > 1 && block[0] >= 3 && block[1] == 2; }

// At the beginning of a character.
void cut(std::string& text, std::size_t size) {
  if (text.size() <= size) return;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  text.resize(size);
}

bool fits(const AuditEntry& entry, const AuditQuery& query) {
  return (!query.since || entry.time >= *query.since) &&
         (!query.until || entry.time < *query.until) &&
         (!query.delegate || entry.delegate == *query.delegate) &&
         (!query.tool || entry.tool == *query.tool) &&
         (!query.outcome || entry.outcome == *query.outcome) &&
         (!query.endpoint || entry.endpoint == *query.endpoint);
}

// A cursor is the key of a block (without its realm) and how many of its entries, from the newest,
// were given or passed over.
struct Position {
  Bytes block;  // 16 bytes
  std::uint64_t passed = 0;
};

std::string render(const Position& position) {
  Bytes bytes = position.block;
  put_varint(bytes, position.passed);
  return render_cursor(bytes);
}

Result<Position> parse_position(std::string_view cursor) {
  auto bytes = TRY(parse_cursor(cursor));
  ByteReader in(bytes);
  Position position;
  position.block = in.take(16);
  position.passed = in.varint();
  if (in.failed() || !in.at_end()) {
    return fail(Code::kInvalidCursor, "'{}' is not a cursor", cursor);
  }
  return position;
}

}  // namespace

AuditLog::AuditLog(KeyValueStore& kv, const Clock& clock, AuditOptions options)
    : kv_(kv), clock_(clock), options_(options) {
  writer_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

AuditLog::~AuditLog() {
  writer_.request_stop();
  writer_.join();
  static_cast<void>(flush());
}

void AuditLog::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pause(options_.flush_every, stop);
    static_cast<void>(flush());
  }
}

Bytes AuditLog::next_key(const RealmId& realm) {
  auto state = state_.lock();
  return block_key(realm, clock_.now(), state->sequence++);
}

// Another log over the same store may have taken a key: of this process before, or of another.
Result<void> AuditLog::put_blocks(const RealmId& realm, const std::vector<Bytes>& blocks) {
  return until_committed(kv_, "the audit log of " + realm.render(),
                         [&](Batch& batch) -> Result<void> {
                           batch.durability = Durability::kBuffered;
                           // Of what makes room it is written too.
                           batch.growth = Growth::kFrees;
                           for (const auto& block : blocks) {
                             auto key = next_key(realm);
                             batch.conditions.push_back({key, std::nullopt});
                             batch.puts.push_back({std::move(key), block});
                           }
                           return {};
                         });
}

bool AuditLog::is_time_to_trim(const RealmId& realm, std::uint64_t written) {
  const auto now = clock_.now();
  auto state = state_.lock();
  auto& pending = state->realms[realm];
  pending.written += written;
  if (pending.written < kTrimEvery && now - pending.trimmed_at < kTrimAfter.count()) return false;
  pending.written = 0;
  pending.trimmed_at = now;
  return true;
}

// A block for each run of one kind, so that they lie in the order in which they were recorded.
std::vector<Bytes> AuditLog::blocks_of(const std::vector<Noted>& entries) {
  std::vector<Bytes> blocks;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Kind kind = entries[i].kind;
    if (i == 0 || entries[i - 1].kind != kind) {
      blocks.push_back({kVersion, static_cast<char>(kind)});
    }
    put_entry(blocks.back(), entries[i].entry);
  }
  return blocks;
}

Result<void> AuditLog::write(const RealmId& realm, std::vector<Noted> entries) {
  if (entries.empty()) return {};
  const auto blocks = blocks_of(entries);
  if (auto done = put_blocks(realm, blocks); !done) {
    auto state = state_.lock();
    auto& later = state->realms[realm].entries;
    // Back to the front, where they were; the oldest go when too many wait.
    later.insert(later.begin(), std::move_iterator(entries.begin()),
                 std::move_iterator(entries.end()));
    if (later.size() > kMaxKept) later.erase(later.begin(), later.end() - kMaxKept);
    return done;
  }
  std::uint64_t written = 0;
  for (const auto& block : blocks) written += block.size();
  if (is_time_to_trim(realm, written)) TRY(trim(realm));
  return {};
}

std::vector<AuditLog::Noted> AuditLog::take_all(Pending& pending) {
  pending.refused.clear();
  return std::exchange(pending.entries, {});
}

std::vector<AuditLog::Noted> AuditLog::take_pending(const RealmId& realm) {
  return take_all(state_.lock()->realms[realm]);
}

bool AuditLog::counted(Pending& pending, const AuditEntry& entry) {
  if (entry.outcome == "ok") return false;
  auto& refused = pending.refused[entry.delegate];
  // Whoever is too fast says nothing new by it.
  if (entry.outcome != info(Code::kRateLimited).name && ++refused <= kMaxRefused) return false;
  const auto alike = [&](const Noted& other) {
    const auto& one = other.entry;
    return one.delegate == entry.delegate && one.outcome == entry.outcome &&
           one.tool == entry.tool && one.entrance == entry.entrance &&
           one.endpoint == entry.endpoint && one.binding == entry.binding;
  };
  const auto found = std::find_if(pending.entries.rbegin(), pending.entries.rend(), alike);
  if (found == pending.entries.rend()) return false;
  found->entry.count += 1;
  return true;
}

void AuditLog::record(const RealmId& realm, AuditEntry entry, When when) {
  cut(entry.context, kMaxContext);
  cut(entry.message, kMaxMessage);
  std::vector<Noted> due;
  {
    auto state = state_.lock();
    auto& pending = state->realms[realm];
    if (counted(pending, entry)) return;
    pending.entries.push_back(
        {std::move(entry), when == When::kNow ? Kind::kChange : Kind::kOther});
    // With all that is pending, so that it lies in the order it was recorded; by this thread, so
    // that it is there when this returns.
    if (when == When::kNow || pending.entries.size() % kMaxPending == 0) due = take_all(pending);
    // Not recorded is not refused: a failed write is tried again with the next ones.
  }
  static_cast<void>(write(realm, std::move(due)));
}

Result<void> AuditLog::flush() {
  // One at a time: query() flushes first, and must find what another flush has taken and not yet
  // written.
  const MutexLock turn(flushing_);
  std::vector<RealmId> realms;
  {
    auto state = state_.lock();
    for (auto& [realm, pending] : state->realms) {
      if (!pending.entries.empty()) realms.push_back(realm);
    }
  }
  Result<void> all;
  for (const auto& realm : realms) {
    auto done = write(realm, take_pending(realm));
    if (!done) all = std::move(done);
  }
  return all;
}

Result<AuditPage> AuditLog::query(const RealmId& realm, const AuditQuery& query) {
  if (query.limit < 1 || query.limit > 1000) {
    return fail(Code::kInvalidArgument, "limit is {}; it should be 1 to 1000", query.limit);
  }
  TRY(flush());
  auto range = blocks(realm);
  Position at;
  if (query.cursor) {
    at = TRY(parse_position(*query.cursor));
    range.end = "a" + Bytes(realm.bytes()) + at.block + '\0';
  }
  // A block is written after its entries were recorded. So blocks older than `since` hold none that
  // fit, but a block newer than `until` may: only the beginning can be cut off.
  if (query.since) range.begin = block_key(realm, std::max<Millis>(0, *query.since), 0);
  AuditPage page;
  std::size_t looked = 0;
  TRY(kv_.scan(range, Direction::kBackward, [&](ByteView key, ByteView value) {
    const Bytes block(key.substr(17));
    auto entries = decode_block(value);
    std::uint64_t passed = block == at.block ? at.passed : 0;
    for (; passed < entries.size(); ++passed) {
      if (page.entries.size() == query.limit || looked == kMaxLooked) {
        page.next_cursor = render({block, passed});
        return Scan::kStop;
      }
      looked += 1;
      auto& entry = entries[entries.size() - 1 - passed];
      if (fits(entry, query)) page.entries.push_back(std::move(entry));
    }
    return Scan::kContinue;
  }));
  return page;
}

Result<void> AuditLog::remove_all(const RealmId& realm) {
  TRY(flush());
  TRY(delete_ranges(kv_, {{blocks(realm)}}));
  return {};
}

Result<std::uint64_t> AuditLog::trim(const RealmId& realm) {
  const auto& clock = options_.settled != nullptr ? *options_.settled : clock_;
  const auto oldest =
      block_key(realm, std::max<Millis>(0, clock.now() - options_.max_age.count()), 0);
  Batch batch;
  batch.durability = Durability::kBuffered;
  std::uint64_t of_changes = 0;
  std::uint64_t of_others = 0;
  // Newest first: what no longer fits goes.
  TRY(kv_.scan(blocks(realm), Direction::kBackward, [&](ByteView key, ByteView value) {
    const bool others = is_of_others(value);
    auto& bytes = others ? of_others : of_changes;
    bytes += key.size() + value.size();
    const auto most = others ? options_.max_other_bytes : options_.max_change_bytes;
    if (bytes > most || key < oldest) batch.deletes.emplace_back(key);
    return Scan::kContinue;
  }));
  const auto count = batch.deletes.size();
  if (count > 0) TRY(kv_.commit(std::move(batch)));
  return count;
}

}  // namespace cairn
