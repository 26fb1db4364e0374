#include "data/realm/purge_plan.h"

#include <algorithm>
#include <set>

#include "data/realm/gc.h"
#include "data/realm/import_commit.h"
#include "data/realm/marker.h"
#include "data/realm/reach.h"

namespace cairn {
namespace {

// All stored nodes below some, and these. What is not stored, or damaged, has nothing below it.
Result<std::unordered_set<NodeKey>> below(const NodeStore& nodes,
                                          const std::unordered_set<NodeKey>& roots,
                                          bool whole_ones_only) {
  std::unordered_set<NodeKey> out;
  std::vector<NodeKey> open(roots.begin(), roots.end());
  while (!open.empty()) {
    const auto key = open.back();
    open.pop_back();
    if (out.contains(key)) continue;
    auto node = nodes.get(key);
    if (!node) {
      if (node.error().code == Code::kNodeNotFound) continue;
      if (node.error().code != Code::kCorruptNode) return Failure(std::move(node).error());
      out.insert(key);
      continue;
    }
    // Of the content, pieces are not what anybody names.
    if (!whole_ones_only || (*node)->is_root()) out.insert(key);
    if (whole_ones_only && (*node)->kind() != Kind::kDict) continue;
    for (const auto& child : (*node)->children()) open.push_back(child);
  }
  return out;
}

// A depot, its title, and whether it was deleted.
struct Seen {
  Depot depot;
  std::optional<Millis> until;
};

Result<std::vector<Seen>> all_depots(Realm& realm) {
  std::vector<Seen> out;
  TRY(scan_records(realm.store().kv(), records::depots(realm.id()),
                   [&](ByteView key, ByteView value) -> Result<void> {
                     out.push_back({TRY(records::decode_depot(key, value)), std::nullopt});
                     return {};
                   }));
  for (const auto& deleted : TRY(realm.deleted_depots())) {
    out.push_back({deleted.depot, realm.restorable_until(deleted)});
  }
  return out;
}

// Newest first.
Result<std::vector<HistoryEntry>> versions(Realm& realm, const DepotId& depot) {
  std::vector<HistoryEntry> out;
  TRY(scan_records(realm.store().kv(), records::history(realm.id(), depot),
                   [&](ByteView key, ByteView value) -> Result<void> {
                     out.push_back(TRY(records::decode_history(key, value)));
                     return {};
                   }));
  std::ranges::reverse(out);
  return out;
}

// Adds rows until there are enough.
class Holders final {
 public:
  Holders(Reach& reach, PurgeReport& report) : reach_(reach), report_(report) {}

  bool full() const { return report_.more_holders; }
  void add(PurgeHolder holder) {
    if (report_.holders.size() == PurgeReport::kMaxHolders) {
      report_.more_holders = true;
    } else {
      report_.holders.push_back(std::move(holder));
    }
  }

  // Each path of a depot once, with the newest version that has it.
  Result<void> add_version(const Seen& seen, const HistoryEntry& version, const NodeKey& root,
                           std::set<std::string>& paths) {
    for (const auto& path : TRY(reach_.paths(root, PurgeReport::kMaxHolders + 1))) {
      if (full()) return {};
      if (!paths.insert(path.render()).second) continue;
      const bool current = version.sequence == seen.depot.sequence;
      add({.kind = seen.until ? PurgeHolder::Kind::kDeletedDepot : PurgeHolder::Kind::kDepot,
           .depot = seen.depot.id,
           .title = seen.depot.title,
           .path = path.render(),
           .version = current ? std::nullopt : std::optional(version.sequence),
           .until = seen.until});
    }
    return {};
  }

 private:
  Reach& reach_;
  PurgeReport& report_;
};

}  // namespace

NodeKey PurgePlan::now(const DepotId& depot, const NodeKey& root) const {
  const auto of_depot = moved.find(depot);
  if (of_depot == moved.end()) return root;
  const auto found = of_depot->second.find(root);
  return found == of_depot->second.end() ? root : found->second;
}

Result<void> PurgePlan::measure(Realm& realm, const Stage& stage,
                                std::span<const FrozenScope> frozen) {
  parts_ = TRY(below(realm.nodes(), content, true));
  parts_.erase(empty_dict()->key());
  for (const auto& key : TRY(below(realm.nodes(), seeds, false))) doomed.emplace(key, 0);
  Reach reach(stage, parts_);
  std::unordered_set<NodeKey> loose;
  for (const auto& key : TRY(young(realm))) {
    if (TRY(reach.holds(key))) loose.insert(key);
  }
  if (!loose.empty()) {
    Marker marker(stage);
    TRY(mark_held(realm, frozen, marker));
    std::erase_if(loose, [&](const NodeKey& key) { return marker.contains(key); });
    seeds.insert(loose.begin(), loose.end());
    for (const auto& key : TRY(below(realm.nodes(), loose, false))) doomed.emplace(key, 0);
  }
  return realm.nodes().for_each([&](const NodeInfo& node) {
    if (auto found = doomed.find(node.key); found != doomed.end()) {
      found->second = node.physical_bytes;
    }
    return true;
  });
}

Result<std::vector<NodeKey>> PurgePlan::young(Realm& realm) const {
  const auto since = realm.settled_clock().now() - realm.options().grace.count() - kStampSlack;
  std::vector<NodeKey> out;
  TRY(realm.nodes().for_each([&](const NodeInfo& node) {
    if (node.stored_at >= since && !doomed.contains(node.key)) out.push_back(node.key);
    return true;
  }));
  return out;
}

Result<void> PurgePlan::mark_held(Realm& realm, std::span<const FrozenScope> frozen,
                                  Marker& marker) const {
  const auto mark_if_stored = [&](const NodeKey& key) -> Result<void> {
    if (seeds.contains(key) || !TRY(realm.nodes().has(key))) return {};
    return marker.mark(key);
  };
  for (const auto& seen : TRY(all_depots(realm))) {
    for (const auto& version : TRY(versions(realm, seen.depot.id))) {
      TRY(marker.mark(now(seen.depot.id, version.root)));
    }
    TRY(for_each_import(realm, seen.depot.id, [&](const ImportRecord& record) -> Result<void> {
      const bool forgotten = moved.contains(seen.depot.id) && seeds.contains(record.root);
      if (forgotten) return {};
      if (TRY(realm.nodes().has(record.root))) TRY(marker.mark(record.root));
      const bool indexed = record.index && TRY(realm.nodes().has(*record.index));
      return indexed ? marker.mark(*record.index) : Result<void>();
    }));
  }
  for (const auto& scope : frozen) {
    if (TRY(realm.nodes().has(scope.root))) TRY(marker.mark(scope.root));
  }
  const auto since = realm.settled_clock().now() - realm.options().grace.count();
  return scan_records(realm.store().kv(), records::origins(realm.id()),
                      [&](ByteView key, ByteView value) -> Result<void> {
                        const auto found = TRY(records::decode_origin(key, value));
                        if (found.origin.time < since) return {};
                        TRY(mark_if_stored(found.root));
                        for (const auto& other : found.origin.others) TRY(mark_if_stored(other));
                        return mark_if_stored(found.origin.base);
                      });
}

Result<void> PurgePlan::simulate(Realm& realm, const Stage& stage,
                                 std::span<const FrozenScope> frozen) {
  simulated_ = true;
  Marker marker(stage);
  TRY(mark_held(realm, frozen, marker));
  for (const auto& key : TRY(young(realm))) TRY(marker.mark(key));
  for (const auto& [key, bytes] : doomed) {
    if (marker.contains(key)) left_.insert(key);
  }
  return {};
}

Result<void> PurgePlan::look_again(Realm& realm) {
  for (const auto& [key, bytes] : doomed) {
    if (TRY(realm.nodes().has(key))) left_.insert(key);
  }
  return {};
}

Result<void> PurgePlan::report(Realm& realm, const Stage& stage,
                               std::span<const FrozenScope> frozen, PurgeReport& report) const {
  for (const auto& [key, bytes] : doomed) {
    if (left_.contains(key)) continue;
    report.removed += 1;
    report.freed_bytes += bytes;
  }
  std::unordered_set<NodeKey> kept;
  for (const auto& key : parts_) {
    if (left_.contains(key)) kept.insert(key);
  }
  report.kept = kept.size();
  if (kept.empty()) return {};
  Reach reach(stage, kept);
  Holders holders(reach, report);
  for (const auto& seen : TRY(all_depots(realm))) {
    std::set<std::string> paths;
    for (const auto& version : TRY(versions(realm, seen.depot.id))) {
      if (holders.full()) return {};
      TRY(holders.add_version(seen, version, now(seen.depot.id, version.root), paths));
    }
    TRY(for_each_import(realm, seen.depot.id, [&](const ImportRecord& record) -> Result<void> {
      const auto& root = record.root;
      const bool forgotten = simulated_ && moved.contains(seen.depot.id) && seeds.contains(root);
      if (forgotten || !TRY(reach.holds(root))) return {};
      holders.add({.kind = PurgeHolder::Kind::kImport,
                   .depot = seen.depot.id,
                   .title = seen.depot.title,
                   .root = root});
      return {};
    }));
  }
  for (const auto& scope : frozen) {
    if (!TRY(reach.holds(scope.root))) continue;
    holders.add({.kind = PurgeHolder::Kind::kScope,
                 .root = scope.root,
                 .delegate = scope.delegate,
                 .delegate_name = scope.name});
  }
  const auto grace = realm.options().grace.count();
  const auto since = realm.settled_clock().now() - grace;
  TRY(scan_records(realm.store().kv(), records::origins(realm.id()),
                   [&](ByteView key, ByteView value) -> Result<void> {
                     const auto found = TRY(records::decode_origin(key, value));
                     const bool draft = found.origin.time >= since &&
                                        !found.origin.grew_from(found.root) &&
                                        !seeds.contains(found.root);
                     if (!draft || !TRY(reach.holds(found.root))) return {};
                     holders.add({.kind = PurgeHolder::Kind::kDraft,
                                  .depot = found.origin.place.depot,
                                  .root = found.root,
                                  .until = found.origin.time + grace});
                     return {};
                   }));
  // Nothing that has a name: nodes that were uploaded and are part of nothing yet.
  if (report.holders.empty()) {
    holders.add(
        {.kind = PurgeHolder::Kind::kUpload, .until = realm.clock().now() + grace + kStampSlack});
  }
  return {};
}

}  // namespace cairn
