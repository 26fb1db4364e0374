#include "data/realm/found_again.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "data/realm/moved_back.h"
#include "data/realm/realm.h"
#include "data/store/layout.h"

namespace cairn {
namespace {

constexpr std::size_t kFoundIdBytes = 16;  // a realm, a depot

DepotId depot_in(ByteView key) {
  return DepotId::from_bytes(key.substr(1 + kFoundIdBytes, kFoundIdBytes));
}

class Finder final {
 public:
  Finder(KeyValueStore& kv, const RealmId& realm) : kv_(kv), realm_(realm) {}

  Result<std::vector<Depot>> run() {
    TRY(note_known(records::depots(realm_)));
    TRY(note_known(records::deleted(realm_)));
    TRY(read_histories());
    TRY(read_titles());
    Batch batch;
    std::vector<Depot> out;
    for (auto& [id, depot] : lost_) {
      depot.max_history = Realm::kDefaultMaxHistory;
      depot.dropped = std::nullopt;
      // No title that somebody chose ends so.
      if (depot.title.empty()) depot.title = "found again " + id.render();
      batch.puts.push_back({records::depot_key(realm_, id), records::encode(depot)});
      out.push_back(std::move(depot));
    }
    batch.deletes = std::move(titles_);
    TRY(kv_.commit(std::move(batch)));
    return out;
  }

 private:
  Result<void> note_known(const KeyRange& range) {
    return scan_records(kv_, range, [&](ByteView key, ByteView) -> Result<void> {
      known_.insert(depot_in(key));
      return {};
    });
  }

  Result<void> read_histories() {
    const auto all = KeyRange::prefix(Bytes("h").append(realm_.bytes()));
    return scan_records(kv_, all, [&](ByteView key, ByteView value) -> Result<void> {
      const auto id = depot_in(key);
      if (known_.contains(id)) return {};
      const auto entry = records::decode_history(key, value);
      if (!entry) return {};  // a check tells
      auto [lost, first] = lost_.try_emplace(id);
      auto& depot = lost->second;
      if (first) depot.created_at = entry->time;
      depot.id = id;
      depot.root = entry->root;
      depot.sequence = entry->sequence;
      depot.updated_at = entry->time;
      return {};
    });
  }

  // All of them go: the index is made anew from the depots when it is used.
  Result<void> read_titles() {
    const auto begin = records::title_key(realm_, "");
    return scan_records(kv_, KeyRange::prefix(begin),
                        [&](ByteView key, ByteView value) -> Result<void> {
                          titles_.emplace_back(key);
                          const auto ids = records::decode_title(value);
                          if (!ids) return {};
                          for (const auto& id : *ids) {
                            const auto lost = lost_.find(id);
                            if (lost != lost_.end()) lost->second.title = key.substr(begin.size());
                          }
                          return {};
                        });
  }

  KeyValueStore& kv_;
  const RealmId realm_;
  std::set<DepotId> known_;
  std::map<DepotId, Depot> lost_;
  std::vector<Bytes> titles_;
};

std::string_view name_of(char kind) {
  switch (kind) {
    case 'd':
      return "the depot";
    case 'z':
      return "the deleted depot";
    case 'v':
      return "the tags of";
    case 'i':
      return "an import to";
    case 'h':
      return "a commit to";
    default:
      return "";
  }
}

}  // namespace

Result<std::vector<Depot>> find_depots_again(Store& store, const RealmId& realm) {
  return Finder(store.kv(), realm).run();
}

std::string record_in_words(ByteView key) {
  constexpr std::size_t kMost = 40;
  if (key.empty()) return "";
  const auto name = name_of(key.front());
  if (name.empty() || key.size() < 1 + 2 * kFoundIdBytes) {
    return fmt::format("the record {}", printable(key.substr(0, kMost)));
  }
  const auto depot = depot_in(key).render();
  if (!is_commit_record(key)) return fmt::format("{} {}", name, depot);
  std::uint64_t sequence = 0;
  for (const char c : key.substr(1 + 2 * kFoundIdBytes)) {
    sequence = sequence << 8 | static_cast<unsigned char>(c);
  }
  return fmt::format("commit #{} of {}", sequence, depot);
}

}  // namespace cairn
