#include "data/store/realm_nodes.h"

#include "data/store/layout.h"
#include "data/store/node_codec.h"
#include "data/store/recount.h"

namespace cairn {

Failure RealmNodes::corrupt(const NodeKey& key, std::string_view why) const {
  constexpr std::size_t kMost = 1000;
  if (auto met = damage_met_.lock(); met->size() < kMost) met->insert(key);
  return fail(Code::kCorruptNode, "the stored node {} is damaged: {}; run `cairn fsck`",
              key.render(), why);
}

Result<NodePtr> RealmNodes::decode(const NodeKey& key, std::optional<Bytes> bytes) const {
  if (!bytes) return corrupt(key, "it cannot be unpacked");
  // Checked on every read from the backend: a damaged disk shows up here, and never as wrong
  // content.
  if (NodeKey::of(*bytes) != key) return corrupt(key, "its bytes have another hash");
  auto node = Node::decode(std::move(*bytes), key);
  if (!node) return corrupt(key, node.error().message);
  return node;
}

Result<NodePtr> RealmNodes::get(const NodeKey& key) const {
  if (auto node = cache_.find(realm_, key)) return node;
  // Before the read: a node that is swept while it is read must not come back through the cache.
  const std::uint64_t erasures = cache_.erasures();
  auto node = get_uncached(key);
  if (node) cache_.insert(realm_, *node, erasures);
  return node;
}

Result<NodePtr> RealmNodes::get_uncached(const NodeKey& key) const {
  std::optional<Bytes> bytes;
  auto found = backend_.read(Table::kNodeData, NodeRow(realm_, key),
                             [&bytes](ByteView value) { bytes = unpack_node(value); });
  if (!found && found.error().code == Code::kCorruptNode) {
    return corrupt(key, found.error().message);
  }
  if (!TRY(std::move(found))) {
    return fail(Code::kNodeNotFound, "the node {} is not stored", key.render());
  }
  return decode(key, std::move(bytes));
}

Result<bool> RealmNodes::has(const NodeKey& key) const {
  // The info table: small rows, and a filter for keys that are not there.
  return backend_.has(Table::kNodeInfo, NodeRow(realm_, key));
}

Result<void> RealmNodes::put(std::span<const NodePtr> nodes) {
  if (nodes.empty()) return {};
  Batch batch;
  batch.realm = realm_;
  batch.nodes.assign(nodes.begin(), nodes.end());
  batch.durability = Durability::kBuffered;
  // An upload or an import, which may be larger than any memory.
  return writer_.commit(batch, Writer::Reread::kNotSoon);
}

Result<std::vector<NodeKey>> RealmNodes::find(const NodeKey& low, const NodeKey& high,
                                              std::size_t limit) const {
  std::vector<NodeKey> keys;
  if (limit == 0) return keys;
  KeyRange range{NodeRow(realm_, low).bytes(), NodeRow(realm_, high).bytes()};
  range.end += '\0';  // the end itself is included
  TRY(backend_.scan(Table::kNodeInfo, range, Direction::kForward, [&](ByteView row, ByteView) {
    keys.push_back(NodeRow::key(row));
    return keys.size() < limit ? Scan::kContinue : Scan::kStop;
  }));
  return keys;
}

Result<void> RealmNodes::for_each(const std::function<bool(const NodeInfo&)>& visit) const {
  std::optional<NodeKey> damaged;
  TRY(backend_.scan(Table::kNodeInfo, KeyRange::prefix(realm_.bytes()), Direction::kForward,
                    [&](ByteView row, ByteView record) {
                      const NodeKey key = NodeRow::key(row);
                      const auto info = StoredInfo::decode(record);
                      if (!info) {
                        damaged = key;
                        return Scan::kStop;
                      }
                      const bool more = visit({.key = key,
                                               .stored_at = info->stored_at(),
                                               .physical_bytes = info->physical_bytes,
                                               .logical_bytes = info->logical_bytes});
                      return more ? Scan::kContinue : Scan::kStop;
                    }));
  if (damaged) return corrupt(*damaged, "its record cannot be read");
  return {};
}

namespace {

class RealmSweep final : public Sweep {
 public:
  RealmSweep(Backend& backend, Writer& writer, const RealmId& realm)
      : backend_(backend), writer_(writer), realm_(realm) {}
  ~RealmSweep() override { writer_.forget(realm_); }
  RealmSweep(const RealmSweep&) = delete;
  RealmSweep& operator=(const RealmSweep&) = delete;

  Result<Removed> run(const Choose& choose) override { return writer_.sweep(realm_, choose); }

  // Both tables: the data is in blob files, whose holes only a forced collection closes.
  Result<void> reclaim() override {
    const auto range = KeyRange::prefix(realm_.bytes());
    TRY(backend_.reclaim(Table::kNodeInfo, range));
    return backend_.reclaim(Table::kNodeData, range);
  }

 private:
  Backend& backend_;
  Writer& writer_;
  RealmId realm_;
};

}  // namespace

Result<std::unique_ptr<Sweep>> RealmNodes::begin_sweep() {
  TRY(writer_.note(realm_));
  return std::make_unique<RealmSweep>(backend_, writer_, realm_);
}

Result<Usage> RealmNodes::usage() const {
  return decode_usage(TRY(backend_.get(Table::kPointers, usage_key(realm_))), realm_);
}

Result<void> RealmNodes::set_quota(std::uint64_t physical_bytes) {
  return writer_.set_quota(realm_, physical_bytes);
}

Result<Usage> recount(NodeStore& nodes) {
  auto* of_a_store = dynamic_cast<RealmNodes*>(&nodes);
  if (of_a_store == nullptr) {
    return fail(Code::kInternal, "these nodes are not those of an open store");
  }
  return of_a_store->recount();
}

}  // namespace cairn
