#include "data/realm/moved_back.h"

#include <algorithm>

namespace cairn {
namespace {

constexpr std::size_t kMovedIdBytes = 16;  // a realm, a depot
constexpr std::size_t kDepotKeyBytes = 1 + 2 * kMovedIdBytes;
constexpr std::size_t kCommitKeyBytes = kDepotKeyBytes + 8;

class Losses final {
 public:
  void take(const LostChange& change) {
    if (!change.value) return;
    if (is_commit_record(change.key)) {
      take_commit(change);
    } else if (change.key.starts_with('d') && change.key.size() == kDepotKeyBytes) {
      auto& depot = of(change);
      if (auto record = records::decode_depot(change.key, *change.value)) {
        depot.title = record->title;
      }
    }
  }

  std::vector<MovedBack> all() && { return std::move(found_); }

 private:
  void take_commit(const LostChange& change) {
    auto entry = records::decode_history(change.key, *change.value);
    if (!entry) return;
    auto& depot = of(change);
    depot.commits += 1;
    depot.was = std::max(depot.was, entry->sequence);
    depot.root = entry->root;
    depot.certain = depot.certain && change.certain;
  }

  MovedBack& of(const LostChange& change) {
    const auto realm = RealmId::from_bytes(ByteView(change.key).substr(1, kMovedIdBytes));
    const auto depot =
        DepotId::from_bytes(ByteView(change.key).substr(1 + kMovedIdBytes, kMovedIdBytes));
    const auto known = std::ranges::find_if(found_, [&](const MovedBack& moved) {
      return moved.realm == realm && moved.depot == depot;
    });
    if (known != found_.end()) return *known;
    auto& added = found_.emplace_back();
    added.realm = realm;
    added.depot = depot;
    return added;
  }

  std::vector<MovedBack> found_;
};

}  // namespace

bool is_commit_record(ByteView key) {
  return key.starts_with('h') && key.size() == kCommitKeyBytes;
}

Result<std::vector<MovedBack>> moved_back(const KeyValueStore& kv,
                                          const std::vector<LostChange>& lost) {
  Losses losses;
  for (const auto& change : lost) losses.take(change);
  auto found = std::move(losses).all();
  for (auto& moved : found) {
    const auto key = records::depot_key(moved.realm, moved.depot);
    const auto record = TRY(kv.get(key));
    if (!record) continue;
    const auto depot = TRY(records::decode_depot(key, *record));
    moved.now = depot.sequence;
    moved.title = depot.title;
  }
  // A record that was changed without a commit, its title say, is no loss of content.
  std::erase_if(found, [](const MovedBack& moved) { return moved.commits == 0 && moved.now; });
  return found;
}

}  // namespace cairn
