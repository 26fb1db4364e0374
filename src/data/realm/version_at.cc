// Realm::version_at: the version that somebody means.

#include "base/quote.h"
#include "data/realm/realm.h"

namespace cairn {
namespace {

// For people: `40 seconds`, `3 hours`, `12 days`.
std::string rough_duration(Millis span) {
  struct Span {
    Millis length;
    std::string_view name;
  };
  constexpr Span kSpans[] = {
      {31'557'600'000, "year"}, {86'400'000, "day"}, {3'600'000, "hour"}, {60'000, "minute"}};
  for (const auto& unit : kSpans) {
    // Of one and a half hours, 90 minutes say more than one hour.
    if (span >= 2 * unit.length) return fmt::format("{} {}s", span / unit.length, unit.name);
  }
  const auto seconds = (span + 999) / 1000;
  return fmt::format("{} second{}", seconds, seconds == 1 ? "" : "s");
}

// The oldest commit from a number on.
Result<std::optional<HistoryEntry>> first_from(const KeyValueStore& kv, KeyRange range) {
  std::optional<Result<HistoryEntry>> found;
  TRY(kv.scan(range, Direction::kForward, [&](ByteView key, ByteView value) {
    found = records::decode_history(key, value);
    return Scan::kStop;
  }));
  if (!found) return std::nullopt;
  return TRY(std::move(*found));
}

Result<std::optional<HistoryEntry>> last_before(const KeyValueStore& kv, KeyRange range) {
  std::optional<Result<HistoryEntry>> found;
  TRY(kv.scan(range, Direction::kBackward, [&](ByteView key, ByteView value) {
    found = records::decode_history(key, value);
    return Scan::kStop;
  }));
  if (!found) return std::nullopt;
  return TRY(std::move(*found));
}

// From a part of a depot nothing is said of how many commits the rest has, and which are kept.
Failure not_here(std::string_view version) {
  return fail(Code::kHistoryNotFound,
              "there is no version {} of this part of the depot; depot_history has those there are",
              version);
}

}  // namespace

Result<HistoryEntry> Realm::entry_at(const Depot& depot, std::uint64_t sequence) const {
  if (sequence > depot.sequence) {
    return fail(Code::kHistoryNotFound, "there is no #{} yet; the newest is #{}", sequence,
                depot.sequence);
  }
  const auto key = records::history_key(id_, depot.id, sequence);
  if (const auto value = TRY(kv_.get(key))) return records::decode_history(key, *value);
  auto range = records::history(id_, depot.id);
  const auto older = TRY(last_before(kv_, {range.begin, key}));
  const auto newer = TRY(first_from(kv_, {key, range.end}));
  return fail(Code::kHistoryNotFound, "#{} is not kept any more; {}", sequence,
              older && newer
                  ? fmt::format("the nearest are #{} and #{}", older->sequence, newer->sequence)
              : newer ? fmt::format("the oldest that is kept is #{}", newer->sequence)
                      : std::string("fsck says what is wrong"));
}

// The commit so many before the current one that changed the place.
Result<HistoryEntry> Realm::entry_back(const Place& place, std::uint64_t count) const {
  constexpr std::size_t kPage = 1000;
  std::uint64_t seen = 0;
  std::optional<std::string> cursor;
  do {
    auto page = TRY(history_at(place, kPage, cursor));
    if (count - seen < page.entries.size()) return std::move(page.entries[count - seen]);
    seen += page.entries.size();
    cursor = std::move(page.next_cursor);
  } while (cursor);
  return fail(Code::kHistoryNotFound, "there is no ~{}: only {} earlier versions are kept", count,
              seen == 0 ? 0 : seen - 1);
}

// The newest commit that is not after the time. Times never go back from one commit to the next, so
// that halving finds it.
Result<HistoryEntry> Realm::entry_then(const Depot& depot, Millis time) const {
  const auto all = records::history(id_, depot.id);
  std::optional<HistoryEntry> found;
  std::uint64_t low = 0;
  std::uint64_t high = depot.sequence + 1;  // not included
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    auto entry = TRY(first_from(kv_, {records::history_key(id_, depot.id, middle), all.end}));
    if (entry && entry->time <= time) {
      low = entry->sequence + 1;
      found = std::move(entry);
    } else {
      high = middle;
    }
  }
  if (found) return std::move(*found);
  const auto oldest = TRY(first_from(kv_, all));
  return fail(Code::kHistoryNotFound,
              "nothing is known of that time; the history begins {} later, with #{}",
              oldest ? rough_duration(oldest->time - time) : "never",
              oldest ? oldest->sequence : 0);
}

Result<HistoryEntry> Realm::seen_from(const Place& place, HistoryEntry entry) const {
  if (place.path.is_root()) return entry;
  const auto found = TRY(find_place(nodes_, entry.root, place.path));
  if (!found) return not_here(fmt::format("#{}", entry.sequence));
  entry.root = found->key;
  return entry;
}

Result<HistoryEntry> Realm::version_at(const Place& place, const Version& version) const {
  TRY(check_place(place.path));
  const auto depot = TRY(get_depot(place.depot));
  if (const auto* back = std::get_if<Version::Back>(&version.value)) {
    return entry_back(place, back->count);
  }
  const bool whole = place.path.is_root();
  const auto as_seen = [&](Result<HistoryEntry> entry) -> Result<HistoryEntry> {
    if (!entry && entry.error().code == Code::kHistoryNotFound && !whole) {
      return not_here(version.render());
    }
    return seen_from(place, TRY(std::move(entry)));
  };
  if (const auto* change = std::get_if<Version::Change>(&version.value)) {
    return as_seen(entry_at(depot, change->number));
  }
  if (const auto time = version.moment(clock_.now())) return as_seen(entry_then(depot, *time));
  const auto& name = std::get<Version::Tag>(version.value).name;
  // Names were given with the whole depot in mind.
  const auto named = whole ? TRY(tags(place.depot)) : std::vector<Tag>();
  for (const auto& tag : named) {
    if (tag.name == name) return entry_at(depot, tag.sequence);
  }
  return fail(Code::kHistoryNotFound,
              "there is no tag '{}'; a version is ~1, #14, 2h, 2026-11-01 or a tag", shown(name));
}

}  // namespace cairn
