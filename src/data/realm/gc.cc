#include "data/realm/gc.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_set>
#include <utility>

#include "data/cas/key_set.h"
#include "data/realm/import_commit.h"
#include "data/realm/marker.h"
#include "data/realm/retention.h"

namespace cairn {
namespace {

// When the garbage of all realms was last collected: a varint, in milliseconds.
constexpr std::string_view kCollectedKey = "q";

class Collector final {
 public:
  Collector(Realm& realm, std::span<const NodeKey> keep, const GcOptions& options)
      : keep_(keep),
        realm_(realm),
        kv_(realm.store().kv()),
        options_(options),
        grace_(options.grace.value_or(realm.options().grace).count()),
        // Without a grace time nothing's age is asked for.
        now_((grace_ == 0 ? realm.clock() : realm.settled_clock()).now()),
        marker_(realm.nodes()) {
    origins_since_ = now_ - grace_;
    const auto upload = realm.oldest_upload();
    if (upload) origins_since_ = std::min(origins_since_, *upload);
    nodes_since_ = origins_since_ - kStampSlack;
    // Without any grace time, nothing is young; a stamp of this very minute neither.
    if (grace_ == 0 && !upload) origins_since_ = nodes_since_ = now_ + kStampSlack;
  }

  Result<GcReport> run() {
    TRY(look_at_deleted());
    TRY(find_purged());
    TRY(thin_histories());
    // From here on the store notes what others store or require; only then is marking safe.
    auto sweep = TRY(realm_.nodes().begin_sweep());
    TRY(mark_roots());
    TRY(mark_young());
    report_.marked = marker_.size();
    if (options_.dry_run) return std::move(report_);
    report_.removed = report_.freed_bytes = 0;
    const auto order = in_order_of_removal();
    // In slices, because commits wait while one is removed.
    for (std::size_t begin = 0; begin < order.size(); begin += kSlice) {
      auto slice = std::span(order).subspan(begin, std::min(kSlice, order.size() - begin));
      auto removed = TRY(remove(*sweep, slice));
      report_.removed += removed.nodes;
      report_.freed_bytes += removed.physical_bytes;
    }
    TRY(kv_.commit({}));  // synced, and with it what was removed
    report_.forgotten = TRY(forget_records());
    report_.marked = marker_.size();
    TRY(reclaim(*sweep, report_.freed_bytes));
    TRY(forget_purged());
    return std::move(report_);
  }

 private:
  // Removes the depots whose time is over, with their histories.
  Result<void> look_at_deleted() {
    for (const auto& deleted : TRY(realm_.deleted_depots())) {
      // What was promised when it was deleted stands, unless everything is to go at once.
      const auto until = grace_ == 0 ? deleted.deleted_at : realm_.restorable_until(deleted);
      if (until > now_) {
        report_.restorable += 1;
        report_.restorable_until = std::max(report_.restorable_until.value_or(until), until);
        continue;
      }
      report_.depots += 1;
      gone_.insert(deleted.depot.id);
      if (!options_.dry_run) TRY(remove(deleted));
    }
    return {};
  }

  Result<void> remove(const DeletedDepot& deleted) {
    const auto& depot = deleted.depot.id;
    const auto key = records::deleted_key(realm_.id(), depot);
    const auto stored = TRY(kv_.get(key));
    // Unless somebody restores it just now.
    if (!stored || TRY(records::decode_deleted(key, *stored)) != deleted) {
      gone_.erase(depot);
      report_.depots -= 1;
      return {};
    }
    Batch batch;
    batch.conditions.push_back({key, stored});
    batch.deletes.push_back(key);
    // Origins stay until their roots are found to be gone: they are keyed by root, and finding
    // those of one depot would mean reading all of them.
    const auto remove_all = [&](ByteView at, ByteView) {
      batch.deletes.emplace_back(at);
      return Scan::kContinue;
    };
    batch.deletes.push_back(records::tags_key(realm_.id(), depot));
    TRY(kv_.scan(records::imports(realm_.id(), depot), Direction::kForward, remove_all));
    TRY(kv_.scan(records::history(realm_.id(), depot), Direction::kForward, remove_all));
    auto done = kv_.commit(std::move(batch));
    if (done || done.error().code != Code::kConflict) return done;
    gone_.erase(depot);
    report_.depots -= 1;
    return {};
  }

  // What a purge has noted, with all below it.
  Result<void> find_purged() {
    std::vector<NodeKey> open;
    TRY(scan_records(kv_, records::purges(realm_.id()),
                     [&](ByteView key, ByteView) -> Result<void> {
                       open.push_back(TRY(records::decode_purge(key)));
                       return {};
                     }));
    purging_.insert(open.begin(), open.end());
    while (!open.empty()) {
      const auto key = open.back();
      open.pop_back();
      if (!purged_.insert(key)) continue;
      const auto node = realm_.nodes().get(key);
      if (!node) continue;  // gone already, or damaged: it goes like the rest
      for (const auto& child : (*node)->children()) open.push_back(child);
    }
    return {};
  }

  // Last of all, when the bytes have left the disk too: until then it is to be done again.
  Result<void> forget_purged() {
    Batch batch;
    for (const auto& key : purging_) batch.deletes.push_back(records::purge_key(realm_.id(), key));
    if (batch.deletes.empty()) return {};
    return kv_.commit(std::move(batch));
  }

  Result<void> thin_histories() {
    std::vector<DepotId> depots;
    TRY(scan_records(kv_, records::depots(realm_.id()),
                     [&](ByteView key, ByteView value) -> Result<void> {
                       depots.push_back(TRY(records::decode_depot(key, value)).id);
                       return {};
                     }));
    for (const auto& depot : depots) {
      if (!options_.dry_run) {
        report_.thinned += TRY(thin_history(realm_, depot));
        continue;
      }
      for (auto& key : TRY(to_be_thinned(realm_, depot))) thinned_.insert(std::move(key));
    }
    if (options_.dry_run) report_.thinned = thinned_.size();
    return {};
  }

  // First what depots, deleted ones and delegates hold, then what only the grace time keeps: so
  // that the latter can be told apart.
  Result<void> mark_roots() {
    for (const auto& key : keep_) TRY(mark_if_stored(key));
    for (const auto& depot : TRY(keys_of_depots())) {
      TRY(scan_records(kv_, records::history(realm_.id(), depot),
                       [&](ByteView key, ByteView value) -> Result<void> {
                         if (thinned_.contains(Bytes(key))) return {};
                         auto entry = TRY(records::decode_history(key, value));
                         return marker_.mark(entry.root);
                       }));
      // The next import of a directory begins with what the last one read.
      TRY(for_each_import(realm_, depot, [&](const ImportRecord& record) -> Result<void> {
        TRY(mark_if_stored(record.root));
        return record.index ? mark_if_stored(*record.index) : Result<void>();
      }));
    }
    marker_.begin_late();
    return scan_records(kv_, records::origins(realm_.id()),
                        [&](ByteView key, ByteView value) -> Result<void> {
                          return spare_young(TRY(records::decode_origin(key, value)));
                        });
  }

  Result<void> spare_young(const records::RootOrigin& found) {
    if (found.origin.time < origins_since_) return {};
    TRY(spare(found.root));
    if (marker_.is_late(found.root)) spare_until(found.origin.time + grace_);
    for (const auto& other : found.origin.others) TRY(spare(other));
    return spare(found.origin.base);
  }

  Result<void> spare(const NodeKey& key) {
    return purging_.contains(key) ? Result<void>() : mark_if_stored(key);
  }

  void spare_until(Millis time) {
    report_.spared_until = std::max(report_.spared_until.value_or(time), time);
  }

  // An origin outlives what it names when somebody goes on from a root whose base was taken, or
  // when the clock is set back.
  Result<void> mark_if_stored(const NodeKey& key) {
    if (!marker_.contains(key) && !TRY(realm_.nodes().has(key))) return {};
    return marker_.mark(key);
  }

  Result<std::vector<DepotId>> keys_of_depots() {
    std::vector<DepotId> depots;
    const auto add = [&](const Depot& depot) -> Result<void> {
      if (gone_.contains(depot.id)) return {};
      depots.push_back(depot.id);
      return marker_.mark(depot.root);
    };
    TRY(scan_records(kv_, records::depots(realm_.id()),
                     [&](ByteView key, ByteView value) -> Result<void> {
                       return add(TRY(records::decode_depot(key, value)));
                     }));
    for (const auto& deleted : TRY(realm_.deleted_depots())) TRY(add(deleted.depot));
    return depots;
  }

  // Nodes in the order of their keys. There may be millions: so the sizes lie apart, in half the
  // room.
  struct Listed {
    std::vector<NodeKey> keys;
    std::vector<std::uint32_t> sizes;  // physical; no node is as large

    // So many at most, as far as is known: growing would take the room twice.
    void reserve(std::size_t most) {
      keys.reserve(most);
      sizes.reserve(most);
    }
    void add(const NodeInfo& node) {
      keys.push_back(node.key);
      sizes.push_back(static_cast<std::uint32_t>(node.physical_bytes));
    }
  };

  // Nodes of uploads and edits that no root holds yet; the rest is what may go.
  Result<void> mark_young() {
    Listed young;
    Listed rest;
    const auto most = at_most_unmarked();
    young.reserve(most);
    rest.reserve(most);
    TRY(realm_.nodes().for_each([&](const NodeInfo& node) {
      if (marker_.contains(node.key)) {
        if (marker_.is_late(node.key)) count_spared(node.physical_bytes);
      } else if (node.stored_at >= nodes_since_ && !purged_.contains(node.key)) {
        young.add(node);
        spare_until(node.stored_at + grace_ + kStampSlack);
      } else {
        rest.add(node);
      }
      return true;
    }));
    for (std::size_t i = 0; i < young.keys.size(); ++i) {
      TRY(marker_.mark(young.keys[i]));
      count_spared(young.sizes[i]);
    }
    candidates_ = take_unmarked(std::move(rest));
    return {};
  }

  // As the counts say. They may be damaged, so not any number.
  std::size_t at_most_unmarked() const {
    constexpr std::uint64_t kMost = 1 << 24;
    const auto usage = realm_.usage();
    const auto stored = usage ? usage->node_count : 0;
    return std::min(kMost, stored - std::min<std::uint64_t>(stored, marker_.size()));
  }

  // In the room that they are in; counts both kinds.
  std::vector<NodeKey> take_unmarked(Listed listed) {
    std::size_t taken = 0;
    for (std::size_t i = 0; i < listed.keys.size(); ++i) {
      if (marker_.contains(listed.keys[i])) {
        count_spared(listed.sizes[i]);
      } else {
        listed.keys[taken++] = listed.keys[i];
        report_.removed += 1;
        report_.freed_bytes += listed.sizes[i];
      }
    }
    listed.keys.resize(taken);
    return std::move(listed.keys);
  }

  void count_spared(std::uint64_t bytes) {
    report_.spared += 1;
    report_.spared_bytes += bytes;
  }

  // The candidate with this key, by its number; nothing when it is none.
  std::optional<std::uint32_t> candidate(const NodeKey& key) const {
    const auto found = std::ranges::lower_bound(candidates_, key);
    if (found == candidates_.end() || *found != key) return std::nullopt;
    return static_cast<std::uint32_t>(found - candidates_.begin());
  }

  // Parents before their children: so whatever is still there when a slice has been removed has
  // all its children, and somebody may go on to use it. Numbers of candidates.
  std::vector<std::uint32_t> in_order_of_removal() {
    std::vector<std::uint32_t> ordered(candidates_.size());
    std::iota(ordered.begin(), ordered.end(), 0U);
    // One slice is one atomic step; inside it no order is needed.
    if (candidates_.size() <= kSlice) return ordered;
    const auto for_each_child = [&](std::uint32_t number, auto&& visit) {
      const auto node = realm_.nodes().get_uncached(candidates_[number]);
      if (!node) return;  // damaged garbage is removed like any other
      for (const auto& key : (*node)->children()) {
        if (const auto child = candidate(key)) visit(*child);
      }
    };
    std::vector<std::uint32_t> parents(candidates_.size());
    for (const auto number : ordered) {
      for_each_child(number, [&](std::uint32_t child) { parents[child] += 1; });
    }
    std::erase_if(ordered, [&](std::uint32_t number) { return parents[number] > 0; });
    ordered.reserve(candidates_.size());
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      for_each_child(ordered[i], [&](std::uint32_t child) {
        if (--parents[child] == 0) ordered.push_back(child);
      });
    }
    return ordered;
  }

  // Whoever begins to hold a root stores or requires it in the same step, so what was noted is all
  // that came since the slice before, or since the roots were read. What a new root grew from is
  // spared with it.
  Result<void> mark_noted(std::span<const NodeKey> noted) {
    for (const auto& key : noted) {
      TRY(marker_.mark(key));
      TRY(scan_records(kv_, records::origins(realm_.id(), key),
                       [&](ByteView at, ByteView value) -> Result<void> {
                         return spare_young(TRY(records::decode_origin(at, value)));
                       }));
    }
    return {};
  }

  // What came since is marked with commits held back only where it is little: of what came while
  // the whole store was marked there may be thousands.
  Result<Sweep::Removed> remove(Sweep& sweep, std::span<const std::uint32_t> slice) {
    constexpr int kTries = 16;  // whoever writes without a pause waits in the end
    for (int i = 0;; ++i) {
      std::vector<NodeKey> many;
      auto removed = TRY(sweep.run([&](auto noted) -> Result<std::vector<NodeKey>> {
        if (noted.size() <= kSlice || i == kTries) return choose(noted, slice);
        many.assign(noted.begin(), noted.end());
        return std::vector<NodeKey>();
      }));
      if (many.empty()) return removed;
      TRY(mark_noted(many));
    }
  }

  // Called with commits held back: marks what came since, and takes what is still not marked.
  Result<std::vector<NodeKey>> choose(std::span<const NodeKey> noted,
                                      std::span<const std::uint32_t> slice) {
    TRY(mark_noted(noted));
    std::vector<NodeKey> garbage;
    for (const auto number : slice) {
      const auto& key = candidates_[number];
      if (!marker_.contains(key)) garbage.push_back(key);
    }
    return garbage;
  }

  // Gives space back when what was removed since the last time is worth copying the rest.
  Result<void> reclaim(Sweep& sweep, std::uint64_t freed) {
    if (freed == 0 && purging_.empty()) return {};
    auto key = records::freed_key(realm_.id());
    auto before = TRY(kv_.get(key));
    auto total = freed + (before ? ByteReader(*before).varint() : 0);
    // Compacting rewrites the realm, so it waits until a quarter as much was freed as is left; what
    // was purged leaves the disk at once.
    if (!purging_.empty() || total >= TRY(realm_.usage()).physical_bytes / 4) {
      auto done = sweep.reclaim();
      // Somebody looks at how it was. The bytes of what was purged must go; the rest can wait.
      const bool later = !done && done.error().code == Code::kUnavailable && purging_.empty();
      if (!done && !later) return done;
      if (!later) total = 0;
    }
    Batch batch;
    batch.durability = Durability::kBuffered;
    batch.growth = Growth::kFrees;
    Bytes value;
    put_varint(value, total);
    batch.puts.push_back({key, std::move(value)});
    return kv_.commit(std::move(batch));
  }

  // Records nobody can need: too old, and what they are about is gone. Of a root that is still
  // there, an origin is needed: without it, the root would overwrite what others committed since.
  Result<std::uint64_t> forget_records() {
    std::uint64_t forgotten = 0;
    std::vector<Batch::Condition> old;
    // Some at a time: there is a record for every root that anybody made.
    const auto add = [&](ByteView key, ByteView value) -> Result<void> {
      old.push_back({Bytes(key), Bytes(value)});
      if (old.size() == kForgottenAtATime) forgotten += TRY(forget(old));
      return {};
    };
    auto note = [&](ByteView key, ByteView value, Millis time,
                    const NodeKey& node) -> Result<void> {
      const bool young = time >= origins_since_ && !purged_.contains(node);
      return young || TRY(realm_.nodes().has(node)) ? Result<void>() : add(key, value);
    };
    TRY(scan_records(kv_, records::origins(realm_.id()),
                     [&](ByteView key, ByteView value) -> Result<void> {
                       auto found = TRY(records::decode_origin(key, value));
                       return note(key, value, found.origin.time, found.root);
                     }));
    TRY(scan_records(kv_, records::owned(realm_.id()),
                     [&](ByteView key, ByteView value) -> Result<void> {
                       auto found = TRY(records::decode_owned(key, value));
                       return note(key, value, found.time, found.node);
                     }));
    // A leaf is only told of; its root and all else about it are kept or not without it.
    const auto leaf_is_old = [&](ByteView key, ByteView value) -> Result<void> {
      const auto leaf = TRY(records::decode_leaf(key, value));
      const bool purged = purged_.contains(leaf.root) && !TRY(realm_.nodes().has(leaf.root));
      return leaf.time < origins_since_ || purged ? add(key, value) : Result<void>();
    };
    TRY(scan_records(kv_, records::leaves(realm_.id()), leaf_is_old));
    // Those that their author was told of.
    auto told = records::leaves(realm_.id());
    told.begin.front() = told.end.front() = 'L';
    TRY(scan_records(kv_, told, leaf_is_old));
    return forgotten + TRY(forget(old));
  }

  // Those that nobody has renewed meanwhile: where one was, each by itself. Leaves none in `old`.
  Result<std::uint64_t> forget(std::vector<Batch::Condition>& old) {
    std::uint64_t forgotten = 0;
    if (TRY(forget_all(old))) {
      forgotten = old.size();
    } else {
      for (const auto& one : old) forgotten += TRY(forget_all({&one, 1})) ? 1 : 0;
    }
    old.clear();
    return forgotten;
  }

  // Or none.
  Result<bool> forget_all(std::span<const Batch::Condition> old) {
    Batch batch;
    batch.durability = Durability::kBuffered;
    for (const auto& condition : old) batch.deletes.push_back(condition.key);
    batch.conditions.assign(old.begin(), old.end());
    auto done = kv_.commit(std::move(batch));
    if (!done && done.error().code != Code::kConflict) return Failure(std::move(done).error());
    return done.has_value();
  }

  // How many nodes are removed at a time, while commits wait: for less than a millisecond, because
  // a write with its commit meets several.
  static constexpr std::size_t kSlice = 32;
  static constexpr std::size_t kForgottenAtATime = 500;

  std::span<const NodeKey> keep_;
  Realm& realm_;
  KeyValueStore& kv_;
  const GcOptions& options_;
  Millis grace_;
  Millis now_;
  Marker marker_;
  std::set<DepotId> gone_;
  std::set<Bytes> thinned_;              // by a dry run: history records that would go
  std::unordered_set<NodeKey> purging_;  // as noted
  KeySet purged_;                        // with all below
  std::vector<NodeKey> candidates_;      // in the order of their keys
  GcReport report_;
  Millis origins_since_ = 0;
  Millis nodes_since_ = 0;
};

}  // namespace

Result<bool> is_collection_due(const KeyValueStore& kv, Millis now,
                               std::chrono::milliseconds every) {
  const auto stored = TRY(kv.get(kCollectedKey));
  if (!stored) return true;
  const auto last = static_cast<Millis>(ByteReader(*stored).varint());
  // A time that is still to come is of a clock that was wrong.
  return now < last || now - last >= every.count();
}

Result<void> note_collection(KeyValueStore& kv, Millis now) {
  Batch batch;
  batch.growth = Growth::kFrees;
  Bytes value;
  put_varint(value, static_cast<std::uint64_t>(now));
  batch.puts.push_back({Bytes(kCollectedKey), std::move(value)});
  batch.durability = Durability::kBuffered;
  return kv.commit(std::move(batch));
}

Result<GcReport> collect_garbage(Realm& realm, std::span<const NodeKey> keep,
                                 const GcOptions& options) {
  return Collector(realm, keep, options).run();
}

}  // namespace cairn
