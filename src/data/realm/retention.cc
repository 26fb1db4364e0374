#include "data/realm/retention.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "data/store/update.h"

namespace cairn {
namespace {

// How many are removed in one step.
constexpr std::size_t kBatch = 1000;

// What of a history may be looked at for removal.
struct Bounds {
  std::uint64_t from = 0;  // those before were looked at
  std::uint64_t to = 0;    // the newest that stay in any case begin here
};

struct Step {
  std::uint64_t removed = 0;
  std::uint64_t next = 0;
  bool done = true;
};

class Thinning final {
 public:
  Thinning(Realm& realm, const DepotId& depot)
      : realm_(realm), kv_(realm.store().kv()), depot_(depot) {}

  Result<std::uint64_t> run() {
    std::uint64_t removed = 0;
    Step step;
    do {
      auto done = until_committed(kv_, "the depot " + depot_.render(), [&](Batch& batch) {
        batch.growth = Growth::kFrees;
        return make(step.next, batch);
      });
      // A crowd commits just now; the next collection is early enough.
      if (!done && done.error().code == Code::kConflict) return removed;
      step = TRY(std::move(done));
      removed += step.removed;
    } while (!step.done);
    return removed;
  }

  Result<std::vector<Bytes>> plan() {
    std::vector<Bytes> keys;
    Step step;
    do {
      Batch batch;
      step = TRY(make(step.next, batch));
      std::ranges::move(batch.deletes, std::back_inserter(keys));
    } while (!step.done);
    return keys;
  }

 private:
  Result<Step> make(std::uint64_t from, Batch& batch) {
    const auto key = records::depot_key(realm_.id(), depot_);
    const auto stored = TRY(kv_.get(key));
    if (!stored) return Step{};
    auto depot = TRY(records::decode_depot(key, *stored));
    const auto now = realm_.settled_clock().now();
    if (depot.keep.everything || now < depot.updated_at) return Step{};
    const auto tags_key = records::tags_key(realm_.id(), depot_);
    const auto stored_tags = TRY(kv_.get(tags_key));
    std::set<std::uint64_t> tagged;
    if (stored_tags) {
      for (const auto& tag : TRY(records::decode_tags(*stored_tags))) tagged.insert(tag.sequence);
    }
    const auto to = TRY(first_of_last(depot));
    auto step = TRY(choose({from, to}, depot, tagged, now, batch));
    if (step.removed == 0) return step;
    depot.dropped = depot.sequence + 1 - TRY(realm_.history_length(depot)) + step.removed;
    batch.realm = realm_.id();
    batch.conditions.push_back({key, *stored});
    batch.conditions.push_back({tags_key, stored_tags});
    batch.puts.push_back({key, records::encode(depot)});
    return step;
  }

  // The oldest of the newest that stay whatever their age.
  Result<std::uint64_t> first_of_last(const Depot& depot) {
    auto left = std::max<std::uint64_t>(depot.keep.last, 1);
    std::uint64_t first = depot.sequence;
    std::optional<Error> error;
    TRY(kv_.scan(records::history(realm_.id(), depot_), Direction::kBackward,
                 [&](ByteView key, ByteView value) {
                   auto entry = records::decode_history(key, value);
                   if (!entry) {
                     error = std::move(entry).error();
                     return Scan::kStop;
                   }
                   first = entry->sequence;
                   return --left == 0 ? Scan::kStop : Scan::kContinue;
                 }));
    if (error) return Failure(std::move(*error));
    return first;
  }

  // Adds what goes to the batch. A commit is the last of its day when the next is of another.
  Result<Step> choose(const Bounds& bounds, const Depot& depot,
                      const std::set<std::uint64_t>& tagged, Millis now, Batch& batch) {
    auto range = records::history(realm_.id(), depot_);
    range.begin = records::history_key(realm_.id(), depot_, bounds.from);
    Step step;
    std::optional<HistoryEntry> before;
    std::optional<Error> error;
    TRY(kv_.scan(range, Direction::kForward, [&](ByteView key, ByteView value) {
      auto entry = records::decode_history(key, value);
      if (!entry) {
        error = std::move(entry).error();
        return Scan::kStop;
      }
      if (before && before->sequence < bounds.to && !tagged.contains(before->sequence) &&
          !depot.keep.by_age(before->time, utc_day(before->time) != utc_day(entry->time), now)) {
        batch.deletes.push_back(records::history_key(realm_.id(), depot_, before->sequence));
        ++step.removed;
      }
      // All that follow are newer still.
      const bool rest_stays =
          entry->sequence >= bounds.to || depot.keep.by_age(entry->time, false, now);
      if (rest_stays) return Scan::kStop;
      if (step.removed == kBatch) {
        step.done = false;
        step.next = entry->sequence;
        return Scan::kStop;
      }
      before = std::move(*entry);
      return Scan::kContinue;
    }));
    if (error) return Failure(std::move(*error));
    return step;
  }

  Realm& realm_;
  KeyValueStore& kv_;
  DepotId depot_;
};

}  // namespace

Result<std::uint64_t> thin_history(Realm& realm, const DepotId& depot) {
  return Thinning(realm, depot).run();
}

Result<std::vector<Bytes>> to_be_thinned(Realm& realm, const DepotId& depot) {
  return Thinning(realm, depot).plan();
}

}  // namespace cairn
