#include "data/realm/gc.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "data/cas/chunker.h"
#include "data/realm/import_commit.h"

namespace cairn {
namespace {

// The set of nodes reachable from roots. Reads directories and the inner nodes of large files;
// what cannot have children is only noted.
class Marker final {
 public:
  explicit Marker(const NodeReader& nodes) : nodes_(nodes) {}

  bool contains(const NodeKey& key) const { return marked_.contains(key); }
  std::size_t size() const { return marked_.size(); }

  Result<void> mark(const NodeKey& root) {
    if (!marked_.insert(root).second) return {};
    std::vector<NodeKey> open{root};
    while (!open.empty()) {
      auto key = open.back();
      open.pop_back();
      // A node in use that cannot be read ends the collection: below it, nothing can be told from
      // garbage.
      auto node = TRY(nodes_.get(key));
      for (const auto& branch : node->branches()) visit(branch.key, true, open);
      for (const auto& entry : node->entries()) {
        // Smaller files are one node. The entry says so, without reading it.
        visit(entry.key, entry.is_dir() || entry.bytes > kMaxInline, open);
      }
      for (const auto& piece : node->pieces()) visit(piece.key, node->level() > 1, open);
    }
    return {};
  }

 private:
  void visit(const NodeKey& key, bool may_have_children, std::vector<NodeKey>& open) {
    if (marked_.insert(key).second && may_have_children) open.push_back(key);
  }

  const NodeReader& nodes_;
  std::unordered_set<NodeKey> marked_;
};

class Collector final {
 public:
  Collector(Realm& realm, std::span<const NodeKey> keep)
      : keep_(keep), realm_(realm), kv_(realm.store().kv()), marker_(realm.nodes()) {
    auto now = realm.clock().now();
    origins_since_ = now - realm.options().grace.count();
    if (auto upload = realm.oldest_upload()) origins_since_ = std::min(origins_since_, *upload);
    // Stamps are lazy, and in whole minutes.
    using std::chrono::milliseconds;
    nodes_since_ = origins_since_ - milliseconds(kRestampAfter + std::chrono::minutes(1)).count();
  }

  Result<GcReport> run() {
    // From here on the store notes what others store or require; only then is marking safe.
    auto sweep = TRY(realm_.nodes().begin_sweep());
    TRY(mark_roots());
    TRY(mark_young());
    GcReport report;
    auto garbage = TRY(in_order_of_removal());
    // In slices, because commits wait while one is removed.
    for (std::size_t begin = 0; begin < garbage.size(); begin += kSlice) {
      auto slice = std::span(garbage).subspan(begin, std::min(kSlice, garbage.size() - begin));
      auto removed = TRY(sweep->run([&](auto noted) { return choose(noted, slice); }));
      report.removed += removed.nodes;
      report.freed_bytes += removed.physical_bytes;
    }
    report.forgotten = TRY(forget_records());
    report.marked = marker_.size();
    TRY(reclaim(*sweep, report.freed_bytes));
    return report;
  }

 private:
  Result<void> mark_roots() {
    for (const auto& key : keep_) TRY(mark_if_stored(key));
    auto depots = TRY(keys_of_depots());
    for (const auto& depot : depots) {
      TRY(scan_records(kv_, records::history(realm_.id(), depot),
                       [&](ByteView key, ByteView value) -> Result<void> {
                         auto entry = TRY(records::decode_history(key, value));
                         return marker_.mark(entry.root);
                       }));
      // The next import of a directory begins with what the last one read.
      TRY(for_each_import(realm_, depot,
                          [&](const NodeKey& root) { return mark_if_stored(root); }));
    }
    return scan_records(kv_, records::origins(realm_.id()),
                        [&](ByteView key, ByteView value) -> Result<void> {
                          auto found = TRY(records::decode_origin(key, value));
                          if (found.origin.time < origins_since_) return {};
                          TRY(mark_if_stored(found.root));
                          for (const auto& other : found.origin.others) TRY(mark_if_stored(other));
                          return mark_if_stored(found.origin.base);
                        });
  }

  // An origin outlives what it names when somebody goes on from a root whose base was taken, or
  // when the clock is set back.
  Result<void> mark_if_stored(const NodeKey& key) {
    if (!marker_.contains(key) && !TRY(realm_.nodes().has(key))) return {};
    return marker_.mark(key);
  }

  Result<std::vector<DepotId>> keys_of_depots() {
    std::vector<DepotId> depots;
    TRY(scan_records(kv_, records::depots(realm_.id()),
                     [&](ByteView key, ByteView value) -> Result<void> {
                       auto depot = TRY(records::decode_depot(key, value));
                       depots.push_back(depot.id);
                       return marker_.mark(depot.root);
                     }));
    return depots;
  }

  // Nodes of uploads and edits that no root holds yet; the rest is what may go.
  Result<void> mark_young() {
    std::vector<NodeKey> young;
    TRY(realm_.nodes().for_each([&](const NodeInfo& node) {
      if (marker_.contains(node.key)) return true;
      (node.stored_at >= nodes_since_ ? young : candidates_).push_back(node.key);
      return true;
    }));
    for (const auto& key : young) TRY(marker_.mark(key));
    return {};
  }

  // Parents before their children: so whatever is still there when a slice has been removed has
  // all its children, and somebody may go on to use it.
  Result<std::vector<NodeKey>> in_order_of_removal() {
    // One slice is one atomic step; inside it no order is needed.
    if (candidates_.size() <= kSlice) return std::move(candidates_);
    std::unordered_map<NodeKey, std::size_t> parents;
    for (const auto& key : candidates_) parents.emplace(key, 0);
    auto for_each_child = [&](const NodeKey& key, auto&& visit) {
      auto node = realm_.nodes().get_uncached(key);
      if (!node) return;  // damaged garbage is removed like any other
      for (const auto& child : (*node)->children()) {
        if (auto found = parents.find(child); found != parents.end()) visit(*found);
      }
    };
    for (const auto& key : candidates_) {
      for_each_child(key, [](auto& child) { child.second += 1; });
    }
    std::vector<NodeKey> ordered;
    ordered.reserve(candidates_.size());
    for (const auto& [key, count] : parents) {
      if (count == 0) ordered.push_back(key);
    }
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      // A copy: push_back below may move the vector's elements.
      for_each_child(NodeKey(ordered[i]), [&](auto& child) {
        if (--child.second == 0) ordered.push_back(child.first);
      });
    }
    return ordered;
  }

  // Called with commits held back: marks what came since, and takes what is still not marked.
  Result<std::vector<NodeKey>> choose(std::span<const NodeKey> noted,
                                      std::span<const NodeKey> slice) {
    TRY(mark_roots());
    for (const auto& key : noted) TRY(marker_.mark(key));
    std::vector<NodeKey> garbage;
    for (const auto& key : slice) {
      if (!marker_.contains(key)) garbage.push_back(key);
    }
    return garbage;
  }

  // Gives space back when what was removed since the last time is worth copying the rest.
  Result<void> reclaim(Sweep& sweep, std::uint64_t freed) {
    if (freed == 0) return {};
    auto key = records::freed_key(realm_.id());
    auto before = TRY(kv_.get(key));
    auto total = freed + (before ? ByteReader(*before).varint() : 0);
    // Compacting rewrites the realm, so it waits until a quarter as much was freed as is left.
    if (total >= TRY(realm_.usage()).physical_bytes / 4) {
      TRY(sweep.reclaim());
      total = 0;
    }
    Batch batch;
    batch.durability = Durability::kBuffered;
    Bytes value;
    put_varint(value, total);
    batch.puts.push_back({key, std::move(value)});
    return kv_.commit(std::move(batch));
  }

  // Records nobody can need: too old, and what they are about is gone. Of a root that is still
  // there, an origin is needed: without it, the root would overwrite what others committed since.
  Result<std::uint64_t> forget_records() {
    std::vector<Batch::Condition> old;
    auto note = [&](ByteView key, ByteView value, Millis time,
                    const NodeKey& node) -> Result<void> {
      if (time >= origins_since_ || TRY(realm_.nodes().has(node))) return {};
      old.push_back({Bytes(key), Bytes(value)});
      return {};
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
    TRY(scan_records(kv_, records::leaves(realm_.id()),
                     [&](ByteView key, ByteView value) -> Result<void> {
                       const auto leaf = TRY(records::decode_leaf(key, value));
                       if (leaf.time < origins_since_) old.push_back({Bytes(key), Bytes(value)});
                       return {};
                     }));
    return forget(std::move(old));
  }

  // Those that nobody has renewed meanwhile.
  Result<std::uint64_t> forget(std::vector<Batch::Condition> old) {
    std::uint64_t forgotten = 0;
    // One record per batch, so that one that was renewed does not keep the others.
    for (auto& condition : old) {
      Batch batch;
      batch.durability = Durability::kBuffered;
      batch.deletes.push_back(condition.key);
      batch.conditions.push_back(std::move(condition));
      auto done = kv_.commit(std::move(batch));
      if (done) forgotten += 1;
      if (!done && done.error().code != Code::kConflict) return Failure(std::move(done).error());
    }
    return forgotten;
  }

  // How many nodes are removed at a time, while commits wait: some tenth of a second.
  static constexpr std::size_t kSlice = 10'000;

  std::span<const NodeKey> keep_;
  Realm& realm_;
  KeyValueStore& kv_;
  Marker marker_;
  std::vector<NodeKey> candidates_;
  Millis origins_since_ = 0;
  Millis nodes_since_ = 0;
};

}  // namespace

Result<GcReport> collect_garbage(Realm& realm, std::span<const NodeKey> keep) {
  return Collector(realm, keep).run();
}

}  // namespace cairn
