#include "data/realm/purge.h"

#include <set>
#include <utility>

#include "data/realm/gc.h"
#include "data/realm/import_index.h"
#include "data/realm/purge_plan.h"
#include "data/realm/reach.h"
#include "data/store/update.h"
#include "data/tree/editor.h"

namespace cairn {
namespace {

constexpr std::size_t kVersionsAtATime = 100;
constexpr std::size_t kRecordsAtATime = 5000;
constexpr std::size_t kAll = SIZE_MAX;
// The value of a note: the node is what was to be purged, and not only a root that had it.
constexpr ByteView kContent = "c";

// A depot as it is stored, deleted or not.
struct StoredDepot {
  Bytes key;
  Bytes value;
  DeletedDepot record;
  bool deleted = false;

  Bytes encode() const { return deleted ? records::encode(record) : records::encode(record.depot); }
};

Result<std::optional<StoredDepot>> load(const Realm& realm, const KeyValueStore& kv,
                                        const DepotId& id) {
  StoredDepot out{records::depot_key(realm.id(), id), {}, {}};
  if (auto value = TRY(kv.get(out.key))) {
    out.value = std::move(*value);
    out.record.depot = TRY(records::decode_depot(out.key, out.value));
    return out;
  }
  out.key = records::deleted_key(realm.id(), id);
  auto value = TRY(kv.get(out.key));
  if (!value) return std::nullopt;
  out.value = std::move(*value);
  out.record = TRY(records::decode_deleted(out.key, out.value));
  out.deleted = true;
  return out;
}

class Purger final {
 public:
  Purger(Realm& realm, const PurgeTarget& target, const PurgeOptions& options)
      : realm_(realm),
        kv_(realm.store().kv()),
        options_(options),
        place_(std::get_if<Place>(&target)),
        node_(std::get_if<NodeKey>(&target)),
        by_key_(options.everywhere || node_ != nullptr),
        stage_(realm.nodes()) {}

  Result<PurgeReport> run() {
    TRY(find_pending());
    TRY(place_ != nullptr ? find_at_place() : find_node());
    for (const auto& depot : TRY(depots())) {
      // Before the versions too: while these have the content, whoever runs it again finds it.
      TRY(forget_imports(depot));
      TRY(rewrite(depot));
      TRY(forget_imports(depot));
    }
    TRY(look_at_drafts());
    plan_.content.insert(content_.begin(), content_.end());
    plan_.content.insert(pending_.begin(), pending_.end());
    plan_.seeds.insert(content_.begin(), content_.end());
    TRY(plan_.measure(realm_, stage_, options_.frozen));
    if (options_.dry_run) {
      TRY(plan_.simulate(realm_, stage_, options_.frozen));
    } else {
      TRY(note_rest());
      std::vector<NodeKey> keep;
      for (const auto& scope : options_.frozen) keep.push_back(scope.root);
      // Takes what is noted, whatever its age.
      TRY(collect_garbage(realm_, keep));
      TRY(plan_.look_again(realm_));
    }
    report_.content.assign(plan_.content.begin(), plan_.content.end());
    TRY(plan_.report(realm_, stage_, options_.frozen, report_));
    return std::move(report_);
  }

 private:
  // Of a purge that was broken off.
  Result<void> find_pending() {
    return scan_records(kv_, records::purges(realm_.id()),
                        [&](ByteView key, ByteView value) -> Result<void> {
                          const auto node = TRY(records::decode_purge(key));
                          plan_.seeds.insert(node);
                          if (value == kContent) pending_.insert(node);
                          return {};
                        });
  }

  Batch::Put note_of(const NodeKey& key) const {
    const bool named = content_.contains(key) || pending_.contains(key);
    return {records::purge_key(realm_.id(), key), Bytes(named ? kContent : "")};
  }

  Result<void> find_at_place() {
    if (place_->path.is_root()) {
      return fail(Code::kInvalidArgument,
                  "no path is named; to remove a whole depot, delete it and collect garbage "
                  "without a grace time");
    }
    TRY(check_place(place_->path));
    TRY(realm_.get_depot(place_->depot));
    std::set<NodeKey> seen;
    TRY(for_each_version(place_->depot, [&](const HistoryEntry& entry) -> Result<void> {
      if (!seen.insert(entry.root).second) return {};
      const auto found = TRY(find_place(realm_.nodes(), entry.root, place_->path));
      if (found) content_.insert(found->key);
      return {};
    }));
    if (!content_.empty() || !plan_.seeds.empty()) return {};
    return fail(Code::kPathNotFound,
                "nothing is at '{}', and nothing was in any version that is kept",
                place_->path.render());
  }

  Result<void> find_node() {
    content_.insert(*node_);
    auto node = realm_.nodes().get(*node_);
    // Begun before, and gone since.
    if (!node && plan_.seeds.contains(*node_)) return {};
    const auto found = TRY(std::move(node));
    if (!found->is_root()) {
      return fail(Code::kInvalidArgument,
                  "{} is a piece of a file or directory; name the whole of it", node_->render());
    }
    if (found->key() == empty_dict()->key()) {
      return fail(Code::kInvalidArgument, "{} is the empty directory; there is nothing in it",
                  node_->render());
    }
    return {};
  }

  Result<void> for_each_version(const DepotId& depot,
                                const std::function<Result<void>(const HistoryEntry&)>& visit) {
    return scan_records(kv_, records::history(realm_.id(), depot),
                        [&](ByteView key, ByteView value) -> Result<void> {
                          return visit(TRY(records::decode_history(key, value)));
                        });
  }

  // Those whose versions may have to be written anew.
  Result<std::vector<DepotId>> depots() {
    if (!by_key_) return std::vector<DepotId>{place_->depot};
    std::vector<DepotId> out;
    TRY(scan_records(kv_, records::depots(realm_.id()),
                     [&](ByteView key, ByteView value) -> Result<void> {
                       out.push_back(TRY(records::decode_depot(key, value)).id);
                       return {};
                     }));
    for (const auto& deleted : TRY(realm_.deleted_depots())) out.push_back(deleted.depot.id);
    return out;
  }

  // One version of a depot, with its record as it was read.
  struct Version {
    Bytes key;
    Bytes value;
    HistoryEntry entry;
    NodeKey root = {};  // without what is purged
  };

  // Until a look at the history finds nothing: others may commit meanwhile. What was looked at and
  // has nothing of it is not looked at again, so that a look takes no longer than one commit when
  // it comes to the last ones.
  Result<void> rewrite(const DepotId& depot) {
    clean_.clear();
    looked_to_ = 0;
    bool any = false;
    std::optional<std::uint64_t> began;
    for (int attempt = 0; attempt < kMaxUpdates;) {
      const auto found = load(realm_, kv_, depot);
      const auto stored = TRY(found);
      if (!stored) return {};
      if (!began) began = stored->record.depot.sequence;
      const auto count = TRY(rewrite_some(*stored));
      any = any || count.value_or(0) > 0;
      if (count == 0 || options_.dry_run) {
        report_.depots += any ? 1 : 0;
        return {};
      }
      // There may be any number of versions: what counts is a step in vain, and one that was for
      // those who write the content again and again.
      if (!count || looked_to_ > *began) ++attempt;
    }
    return fail(Code::kConflict, "the depot {} is changing too fast; run it again", depot.render());
  }

  Result<std::vector<Version>> versions_to_look_at(const DepotId& depot) {
    auto range = records::history(realm_.id(), depot);
    range.begin = records::history_key(realm_.id(), depot, looked_to_);
    std::vector<Version> out;
    TRY(scan_records(kv_, range, [&](ByteView key, ByteView value) -> Result<void> {
      out.push_back({Bytes(key), Bytes(value), TRY(records::decode_history(key, value))});
      return {};
    }));
    return out;
  }

  // Up to kVersionsAtATime in one step; how many. Nullopt when somebody was faster.
  //
  // A version before the last rests on its own record alone, which no commit touches: however
  // quickly others commit, this goes on. Only the last one is the depot's root as well, and has a
  // step of its own, which is short.
  Result<std::optional<std::size_t>> rewrite_some(const StoredDepot& stored) {
    const auto& depot = stored.record.depot;
    Stage own(realm_.nodes());
    auto& stage = options_.dry_run ? stage_ : own;
    const auto most = options_.dry_run ? kAll : kVersionsAtATime;
    std::vector<Version> unclean;
    bool all_clean = true;  // so far
    bool newer = false;     // one that came since the depot was read, for the next look
    for (auto& version : TRY(versions_to_look_at(depot.id))) {
      if (unclean.size() == most || newer) break;
      version.root = TRY(without(stage, depot.id, version.entry.root));
      const bool is_clean = version.root == version.entry.root;
      all_clean = all_clean && is_clean;
      if (all_clean) looked_to_ = version.entry.sequence + 1;
      newer = !is_clean && version.entry.sequence > depot.sequence && !options_.dry_run;
      if (is_clean || newer) continue;
      const bool is_last = version.entry.sequence == depot.sequence;
      if (is_last && !unclean.empty() && !options_.dry_run) break;
      unclean.push_back(std::move(version));
    }
    if (!unclean.empty() && !options_.dry_run) return write_anew(stored, unclean, stage);
    if (newer) return std::nullopt;
    for (const auto& version : unclean) {
      note_moved(depot.id, version.entry.root, version.root);
    }
    report_.versions += unclean.size();
    return unclean.size();
  }

  void note_moved(const DepotId& depot, const NodeKey& old, const NodeKey& root) {
    plan_.moved[depot].insert_or_assign(old, root);
    plan_.seeds.insert(old);
    fresh_.insert(root);
  }

  Result<std::optional<std::size_t>> write_anew(StoredDepot stored,
                                                const std::vector<Version>& versions,
                                                Stage& stage) {
    const auto& depot = stored.record.depot;
    Batch batch;
    batch.realm = realm_.id();
    batch.growth = Growth::kFrees;
    std::set<NodeKey> made;
    for (const auto& version : versions) {
      auto entry = version.entry;
      entry.root = version.root;
      entry.purged = true;
      batch.conditions.push_back({version.key, version.value});
      TRY(replace(batch, depot.id, version.entry.root, entry));
      made.insert(entry.root);
      if (entry.sequence != depot.sequence) continue;
      batch.conditions.push_back({stored.key, stored.value});
      stored.record.depot.root = entry.root;
      batch.puts.push_back({stored.key, stored.encode()});
    }
    // With the first version that loses it: should this be broken off, it is known what to take.
    for (const auto& key : content_) batch.puts.push_back(note_of(key));
    std::set<NodeKey> added;
    for (const auto& root : made) {
      for (auto& node : stage.reachable(root)) {
        if (added.insert(node->key()).second) batch.nodes.push_back(std::move(node));
      }
    }
    auto done = kv_.commit(std::move(batch));
    if (!done && done.error().code == Code::kConflict) return std::nullopt;
    TRY(std::move(done));
    report_.versions += versions.size();
    return versions.size();
  }

  // The version's record with its new root. What is known of the old one stays until it is garbage:
  // of a root that nothing is known of, a commit would put all of it back.
  Result<void> replace(Batch& batch, const DepotId& depot, const NodeKey& old,
                       const HistoryEntry& entry) {
    note_moved(depot, old, entry.root);
    batch.required.push_back(old);
    batch.puts.push_back(
        {records::history_key(realm_.id(), depot, entry.sequence), records::encode(entry)});
    batch.puts.push_back(note_of(old));
    const auto origin = records::origin_key(realm_.id(), entry.root, depot);
    if (!TRY(kv_.get(origin))) {
      batch.puts.push_back({origin, records::encode(Origin{depot, entry.root, entry.time})});
    }
    return {};
  }

  // The root without what is purged; the same when it has none of it.
  Result<NodeKey> without(Stage& stage, const DepotId& depot, const NodeKey& root) {
    if (clean_.contains(root)) return root;
    std::set<Path> gone;
    if (place_ != nullptr && depot == place_->depot) {
      if (const auto found = TRY(find_place(stage, root, place_->path))) {
        gone.insert(place_->path);
        // A version that came since: what it has is looked for everywhere, from the beginning.
        if (content_.insert(found->key).second) {
          reach_.reset();
          clean_.clear();
          looked_to_ = 0;
        }
      }
    }
    if (by_key_) {
      if (node_ != nullptr && root == *node_) {
        TRY(stage.add(empty_dict()));
        return empty_dict()->key();
      }
      for (auto& path : TRY(reach().paths(root, kAll))) gone.insert(std::move(path));
    }
    if (gone.empty()) {
      clean_.insert(root);
      return root;
    }
    TreeEditor editor(stage, TRY(dict_open(stage, root)));
    for (const auto& path : gone) TRY(editor.remove(path));
    return TRY(editor.finish())->key();
  }

  // For the content itself. The empty directory is in many trees and says nothing.
  Reach& reach() {
    if (!reach_) {
      wanted_ = content_;
      wanted_.erase(empty_dict()->key());
      reach_.emplace(realm_.nodes(), wanted_);
    }
    return *reach_;
  }

  // What the last import of a directory read: the next one begins anew, as if it were the first.
  Result<void> forget_imports(const DepotId& depot) {
    std::vector<Batch::Condition> old;
    TRY(scan_records(kv_, records::imports(realm_.id(), depot),
                     [&](ByteView key, ByteView value) -> Result<void> {
                       const auto record = ImportRecord::decode(value);
                       if (!record || !TRY(reach().holds(record->root))) return {};
                       plan_.seeds.insert(record->root);
                       if (record->index) plan_.seeds.insert(*record->index);
                       old.push_back({Bytes(key), Bytes(value)});
                       return {};
                     }));
    report_.imports += old.size();
    if (options_.dry_run) return {};
    for (auto& condition : old) {
      Batch batch;
      batch.growth = Growth::kFrees;
      const auto record = ImportRecord::decode(*condition.expected);
      batch.puts.push_back(note_of(record->root));
      if (record->index) batch.puts.push_back(note_of(*record->index));
      batch.deletes.push_back(condition.key);
      batch.conditions.push_back(std::move(condition));
      auto done = kv_.commit(std::move(batch));
      // Somebody has imported again: it is reported as what holds the content, if it does.
      if (!done && done.error().code != Code::kConflict) return done;
    }
    return {};
  }

  // Roots that are not in a history, and what they grew from.
  Result<void> look_at_drafts() {
    struct Change {
      Bytes key;
      Bytes stored;
      Bytes value;
    };
    std::vector<Change> changes;
    TRY(scan_records(
        kv_, records::origins(realm_.id()), [&](ByteView key, ByteView value) -> Result<void> {
          auto found = TRY(records::decode_origin(key, value));
          const auto moved = plan_.moved.find(found.origin.place.depot);
          if (moved == plan_.moved.end() && !by_key_) return {};
          const bool holds = TRY(reach().holds(found.root));
          // What was committed is in the history, as far as it is kept; only its key is left.
          const bool committed = found.origin.grew_from(found.root);
          if (holds && !fresh_.contains(found.root) && (committed || by_key_)) {
            plan_.seeds.insert(found.root);
            report_.drafts += committed ? 0 : 1;
            return {};
          }
          auto bases = found.origin.others;
          bases.push_back(found.origin.base);
          for (const auto& base : bases) {
            if (TRY(reach().holds(base))) plan_.seeds.insert(base);
          }
          // A draft with the content in it cannot be merged any more, which would bring it back;
          // another goes on from what its base became.
          if (holds || moved == plan_.moved.end() || !found.origin.place.path.is_root()) return {};
          auto origin = found.origin;
          auto follow = [&](NodeKey& base) {
            if (auto at = moved->second.find(base); at != moved->second.end()) base = at->second;
          };
          follow(origin.base);
          for (auto& other : origin.others) follow(other);
          if (origin == found.origin) return {};
          changes.push_back({Bytes(key), Bytes(value), records::encode(origin)});
          return {};
        }));
    if (options_.dry_run) return {};
    for (auto& change : changes) {
      Batch batch;
      batch.durability = Durability::kBuffered;
      batch.growth = Growth::kFrees;
      batch.conditions.push_back({change.key, change.stored});
      batch.puts.push_back({change.key, std::move(change.value)});
      auto done = kv_.commit(std::move(batch));
      // Somebody has made the same root again: it is reported as what holds the content.
      if (!done && done.error().code != Code::kConflict) return Failure(std::move(done).error());
    }
    return {};
  }

  // Every node that is to go, so that a sweep that is broken off can be finished.
  Result<void> note_rest() {
    Batch batch;
    auto commit = [&]() -> Result<void> {
      if (batch.puts.empty()) return {};
      batch.growth = Growth::kFrees;
      return kv_.commit(std::exchange(batch, {}));
    };
    auto note = [&](const NodeKey& key) -> Result<void> {
      batch.puts.push_back(note_of(key));
      return batch.puts.size() < kRecordsAtATime ? Result<void>() : commit();
    };
    for (const auto& key : plan_.seeds) TRY(note(key));
    for (const auto& [key, bytes] : plan_.doomed) {
      if (!plan_.seeds.contains(key)) TRY(note(key));
    }
    return commit();
  }

  Realm& realm_;
  KeyValueStore& kv_;
  const PurgeOptions& options_;
  const Place* place_;
  const NodeKey* node_;
  bool by_key_;
  Stage stage_;  // what a dry run makes
  std::unordered_set<NodeKey> content_;
  // What one that was broken off had named, wherever that was: it is collected and reported on, and
  // taken from no version but by whoever names it again.
  std::unordered_set<NodeKey> pending_;
  std::unordered_set<NodeKey> wanted_;
  std::optional<Reach> reach_;
  std::unordered_set<NodeKey> clean_;  // roots of the depot in hand that have nothing of it
  std::uint64_t looked_to_ = 0;        // versions of it before this one have nothing of it
  std::unordered_set<NodeKey> fresh_;  // new roots
  PurgePlan plan_;
  PurgeReport report_;
};

}  // namespace

std::string_view name(PurgeHolder::Kind kind) {
  switch (kind) {
    case PurgeHolder::Kind::kDepot:
      return "depot";
    case PurgeHolder::Kind::kDeletedDepot:
      return "deleted depot";
    case PurgeHolder::Kind::kDraft:
      return "draft";
    case PurgeHolder::Kind::kScope:
      return "scope";
    case PurgeHolder::Kind::kImport:
      return "import";
    case PurgeHolder::Kind::kUpload:
      return "upload";
  }
  std::unreachable();
}

Result<PurgeReport> purge(Realm& realm, const PurgeTarget& target, const PurgeOptions& options) {
  return Purger(realm, target, options).run();
}

}  // namespace cairn
