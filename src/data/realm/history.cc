// Realm::history, in_history: what a depot, or a place in it, was.

#include "data/realm/path_history.h"
#include "data/realm/realm.h"

namespace cairn {
namespace {

constexpr std::size_t kSequenceBytes = 8;
// As many commits as one page of a place's history looks at.
constexpr std::size_t kMaxLookedAt = 1000;
// As many trees as are read to find out whether one stood at a place: about a second's work.
constexpr std::size_t kMaxVersionsLooked = 50'000;

Result<void> check_limit(std::size_t limit) {
  if (limit >= 1 && limit <= 1000) return {};
  return fail(Code::kInvalidArgument, "limit is {}; it should be 1 to 1000", limit);
}

// The commits older than the one a cursor names, or all.
Result<KeyRange> range_before(const RealmId& realm, const DepotId& depot,
                              std::optional<std::string_view> cursor) {
  auto range = records::history(realm, depot);
  if (!cursor) return range;
  auto last = TRY(parse_cursor(*cursor));
  if (last.size() != kSequenceBytes) {
    return fail(Code::kInvalidCursor, "'{}' is not a cursor", *cursor);
  }
  // The cursor is the sequence as it stands in the key: an end at that key leaves out the entry
  // itself and everything newer.
  range.end = records::history_key(realm, depot, 0);
  range.end.replace(range.end.size() - kSequenceBytes, kSequenceBytes, last);
  return range;
}

// Of what is older than a commit.
std::string cursor_after(std::uint64_t sequence) {
  Bytes out;
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(sequence >> shift));
  return render_cursor(out);
}

// Up to `limit` commits of a range, newest first.
Result<std::vector<HistoryEntry>> newest(const KeyValueStore& kv, const KeyRange& range,
                                         std::size_t limit) {
  std::vector<HistoryEntry> entries;
  std::optional<Error> error;
  TRY(kv.scan(range, Direction::kBackward, [&](ByteView key, ByteView value) {
    if (entries.size() == limit) return Scan::kStop;
    auto entry = records::decode_history(key, value);
    if (!entry) {
      error = std::move(entry).error();
      return Scan::kStop;
    }
    entries.push_back(std::move(*entry));
    return Scan::kContinue;
  }));
  if (error) return Failure(std::move(*error));
  return entries;
}

// The key at a place in a commit; nullopt when nothing stood there.
Result<std::optional<NodeKey>> key_in(const NodeReader& nodes, const HistoryEntry& entry,
                                      const Path& path) {
  auto found = TRY(find_place(nodes, entry.root, path));
  if (!found) return std::nullopt;
  return found->key;
}

}  // namespace

Result<HistoryPage> Realm::history(const DepotId& depot, std::size_t limit,
                                   std::optional<std::string_view> cursor) const {
  // Of a depot that does not exist the history would be empty, not an error.
  TRY(check_limit(limit));
  TRY(get_depot(depot));
  HistoryPage page;
  // One more than asked for, to know whether there is another page.
  page.entries = TRY(newest(kv_, TRY(range_before(id_, depot, cursor)), limit + 1));
  if (page.entries.size() > limit) {
    page.entries.resize(limit);
    page.next_cursor = cursor_after(page.entries.back().sequence);
  }
  return page;
}

namespace {

enum class Removals { kLeftOut, kListed };

Result<PathHistory> changes_at(const KeyValueStore& kv, const RealmId& realm,
                               const NodeReader& nodes, const Place& place, std::size_t limit,
                               std::optional<std::string_view> cursor, Removals removals) {
  // One more than is looked at, to compare the last with.
  auto entries = TRY(newest(kv, TRY(range_before(realm, place.depot, cursor)), kMaxLookedAt + 1));
  PathHistory page;
  std::optional<NodeKey> key;
  if (!entries.empty()) key = TRY(key_in(nodes, entries.front(), place.path));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i == kMaxLookedAt || page.changes.size() == limit) {
      page.next_cursor = cursor_after(entries[i - 1].sequence);
      break;
    }
    std::optional<NodeKey> before;
    if (i + 1 < entries.size()) before = TRY(key_in(nodes, entries[i + 1], place.path));
    if (key != before && (key || removals == Removals::kListed)) {
      page.changes.push_back({std::move(entries[i]), key});
    }
    key = before;
  }
  return page;
}

}  // namespace

std::string history_cursor(std::uint64_t sequence) { return cursor_after(sequence + 1); }

Result<PathHistory> path_history(Realm& realm, const Place& place, std::size_t limit,
                                 std::optional<std::string_view> cursor) {
  TRY(check_limit(limit));
  TRY(check_place(place.path));
  TRY(realm.get_depot(place.depot));
  return changes_at(realm.store().kv(), realm.id(), realm.nodes(), place, limit, cursor,
                    Removals::kListed);
}

Result<HistoryPage> Realm::history_at(const Place& place, std::size_t limit,
                                      std::optional<std::string_view> cursor) const {
  if (place.path.is_root()) return history(place.depot, limit, cursor);
  TRY(check_limit(limit));
  TRY(check_place(place.path));
  TRY(get_depot(place.depot));
  // A commit that removed the place has no root to show; the next one that makes it again is
  // listed.
  auto found = TRY(changes_at(kv_, id_, nodes_, place, limit, cursor, Removals::kLeftOut));
  HistoryPage page;
  page.next_cursor = std::move(found.next_cursor);
  for (auto& change : found.changes) {
    change.commit.root = *change.key;
    page.entries.push_back(std::move(change.commit));
  }
  return page;
}

Result<std::uint64_t> Realm::history_length(const Depot& depot) const {
  if (depot.dropped) return depot.sequence + 1 - *depot.dropped;
  std::uint64_t count = 0;
  TRY(kv_.scan(records::history(id_, depot.id), Direction::kForward, [&](ByteView, ByteView) {
    ++count;
    return Scan::kContinue;
  }));
  return count;
}

Result<bool> Realm::in_history(const Place& place, const NodeKey& root) const {
  TRY(check_place(place.path));
  const bool whole = place.path.is_root();
  bool found = false;
  std::vector<NodeKey> roots;  // read when the scan is over
  TRY(kv_.scan(records::history(id_, place.depot), Direction::kBackward,
               [&](ByteView key, ByteView value) {
                 auto entry = records::decode_history(key, value);
                 // A damaged entry must not hide the sound ones; fsck reports it.
                 if (!entry) return Scan::kContinue;
                 found = whole && entry->root == root;
                 if (!whole) roots.push_back(entry->root);
                 // One more than is looked at, to know whether there are.
                 const bool enough = found || roots.size() > kMaxVersionsLooked;
                 return enough ? Scan::kStop : Scan::kContinue;
               }));
  const bool more = roots.size() > kMaxVersionsLooked;
  if (more) roots.pop_back();
  for (std::size_t i = 0; i < roots.size() && !found; ++i) {
    auto there = TRY(find_place(nodes_, roots[i], place.path));
    found = there && there->key == root;
  }
  if (!found && more) {
    return fail(Code::kBudgetExceeded,
                "{} is not in the newest {} versions of this part of the depot, and there are "
                "more; name a version by its number in depot_history, such as #14",
                root.render_short(), kMaxVersionsLooked);
  }
  return found;
}

}  // namespace cairn
