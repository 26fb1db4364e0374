#include "data/store/writer.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "data/store/node_codec.h"

namespace cairn {
namespace {

Result<void> check_key(ByteView key) {
  if (!is_reserved(key)) return {};
  return fail(Code::kInvalidArgument, "the key '{}' begins with 0x01, which the store itself uses",
              printable(key));
}

Result<void> check_keys(const Batch& batch) {
  for (const auto& condition : batch.conditions) TRY(check_key(condition.key));
  for (const auto& put : batch.puts) TRY(check_key(put.key));
  for (const auto& key : batch.deletes) TRY(check_key(key));
  return {};
}

// Against the overlay: a request sees the changes of those before it in its group.
Result<void> check_conditions(const Overlay& overlay, const Batch& batch) {
  for (const auto& condition : batch.conditions) {
    auto current = TRY(overlay.get(Table::kPointers, condition.key));
    if (current == condition.expected) continue;
    const std::string key = printable(condition.key);
    return Failure(Error(Code::kConflict, fmt::format("the record '{}' was changed meanwhile; "
                                                      "read it again and repeat the change",
                                                      key))
                       .with("key", key));
  }
  return {};
}

// A change that only removes makes room, whether it says so or not.
Growth growth_of(const Batch& batch) {
  return batch.puts.empty() && batch.nodes.empty() ? Growth::kFrees : batch.growth;
}

std::vector<Bytes> changed_keys(const Batch& batch) {
  std::vector<Bytes> keys = batch.deletes;
  for (const auto& put : batch.puts) keys.push_back(put.key);
  return keys;
}

}  // namespace

Writer::Writer(Backend& backend, NodeCache& cache, Watchers& watchers, const Clock& clock)
    : backend_(backend),
      cache_(cache),
      watchers_(watchers),
      clock_(clock),
      queue_([this](WriteQueue::Group group) { write_group(group); }) {}

// Compresses what is not stored yet, or stored and damaged. Should one of the others be swept
// before the commit's turn, the ledger compresses it then.
Result<std::vector<NewNode>> Writer::prepare(const Batch& batch) const {
  std::vector<NewNode> nodes;
  nodes.reserve(batch.nodes.size());
  for (const auto& node : batch.nodes) {
    NewNode& added = nodes.emplace_back(node, std::nullopt);
    const NodeRow row(batch.realm, node->key());
    const auto record = TRY(backend_.get(Table::kNodeInfo, row));
    const bool stored = record.has_value();
    added.heals = stored && (!StoredInfo::decode(*record) || !is_sound(batch.realm, *node));
    if (!stored || added.heals) added.packed = pack_node(node->bytes());
  }
  return nodes;
}

// Whoever brings a node that is stored already relies on what is stored, so it is looked at.
bool Writer::is_sound(const RealmId& realm, const Node& node) const {
  bool same = false;
  const auto found =
      backend_.read(Table::kNodeData, NodeRow(realm, node.key()), [&](ByteView value) {
        const auto bytes = unpack_node(value);
        same = bytes && *bytes == node.bytes();
      });
  // Whatever it is that cannot be read, a lost file or a sector: written again, it can.
  return found && *found && same;
}

Result<void> Writer::apply(Overlay& overlay, const Batch& batch,
                           std::vector<NewNode>& nodes) const {
  TRY(check_conditions(overlay, batch));
  if (!nodes.empty() || !batch.required.empty()) {
    auto ledger = TRY(RealmLedger::open(overlay, batch.realm, clock_.now()));
    for (const auto& key : batch.required) TRY(ledger.require(key));
    for (auto& node : nodes) TRY(ledger.store(std::move(node)));
    TRY(ledger.close(batch.growth));
    // Within the queue, so that a sweep, which runs alone in it, misses none.
    note_nodes(batch);
  }
  // Deletes before puts: a key in both ends up with its value.
  for (const auto& key : batch.deletes) overlay.erase(Table::kPointers, key);
  for (const auto& put : batch.puts) overlay.put(Table::kPointers, put.key, put.value);
  return {};
}

Result<void> Writer::commit(const Batch& batch, Reread reread) {
  TRY(check_keys(batch));
  auto nodes = TRY(prepare(batch));
  WriteRequest request;
  request.durability = batch.durability;
  request.growth = growth_of(batch);
  request.changed_keys = changed_keys(batch);
  request.apply = [&](Overlay& overlay) { return apply(overlay, batch, nodes); };
  // File data was just in its writer's hands.
  request.written = [&] {
    if (reread == Reread::kNotSoon) return;
    for (const auto& node : batch.nodes) {
      if (node->kind() == Kind::kDict) cache_.insert(batch.realm, node);
    }
  };
  return queue_.run(request);
}

// Through the queue: when it returns, what earlier commits stored or stamped can be seen.
Result<void> Writer::note(const RealmId& realm) {
  WriteRequest request;
  request.alone = true;
  request.durability = Durability::kBuffered;
  request.growth = Growth::kFrees;
  request.apply = [&](Overlay&) -> Result<void> {
    if (noted_.lock()->try_emplace(realm).second) return {};
    return fail(Code::kConflict, "a sweep of {} is already running; wait for it", realm.render());
  };
  return queue_.run(request);
}

void Writer::forget(const RealmId& realm) { noted_.lock()->erase(realm); }

void Writer::note_nodes(const Batch& batch) const {
  auto noted = noted_.lock();
  auto list = noted->find(batch.realm);
  if (list == noted->end()) return;
  for (const auto& node : batch.nodes) list->second.push_back(node->key());
  for (const auto& key : batch.required) list->second.push_back(key);
}

Result<Sweep::Removed> Writer::sweep(const RealmId& realm, const Sweep::Choose& choose) {
  std::vector<NodeKey> keys;
  Sweep::Removed removed;
  WriteRequest request;
  request.alone = true;
  request.growth = Growth::kFrees;
  // Others would wait for the disk twice. Should the machine stop, what was removed last is garbage
  // again: the log has all before it.
  request.durability = Durability::kBuffered;
  request.apply = [&](Overlay& overlay) -> Result<void> {
    // Taken out, so that the lock is not held while choose() marks.
    const auto noted = std::exchange((*noted_.lock())[realm], {});
    keys = TRY(choose(noted));
    auto ledger = TRY(RealmLedger::open(overlay, realm, clock_.now()));
    for (const auto& key : keys) {
      if (auto info = TRY(ledger.remove(key))) {
        removed.nodes += 1;
        removed.physical_bytes += info->physical_bytes;
      }
    }
    return ledger.close();
  };
  // The cache forgets them when they are gone for good; should the write fail, they are still
  // there.
  request.written = [&] {
    for (const auto& key : keys) cache_.erase(realm, key);
  };
  TRY(queue_.run(request));
  return removed;
}

Result<void> Writer::set_quota(const RealmId& realm, std::uint64_t physical_bytes) {
  WriteRequest request;
  request.apply = [&](Overlay& overlay) -> Result<void> {
    auto ledger = TRY(RealmLedger::open(overlay, realm, clock_.now()));
    ledger.set_quota(physical_bytes);
    return ledger.close();
  };
  return queue_.run(request);
}

// Alone in the queue, so that nobody stores or removes anything while it counts.
Result<Usage> Writer::recount(const RealmId& realm) {
  Usage counted;
  WriteRequest request;
  request.alone = true;
  request.growth = Growth::kFrees;
  request.apply = [&](Overlay& overlay) -> Result<void> {
    std::optional<NodeKey> damaged;
    TRY(backend_.scan(Table::kNodeInfo, KeyRange::prefix(realm.bytes()), Direction::kForward,
                      [&](ByteView row, ByteView record) {
                        const auto info = StoredInfo::decode(record);
                        if (!info) {
                          damaged = NodeRow::key(row);
                          return Scan::kStop;
                        }
                        counted.physical_bytes += info->physical_bytes;
                        counted.logical_bytes += info->logical_bytes;
                        counted.node_count += 1;
                        return Scan::kContinue;
                      }));
    if (damaged) {
      return fail(Code::kCorruptNode, "the record of the node {} cannot be read",
                  damaged->render());
    }
    const auto before = decode_usage(TRY(overlay.get(Table::kPointers, usage_key(realm))), realm);
    if (before) counted.quota_limit = before->quota_limit;
    overlay.put(Table::kPointers, usage_key(realm), encode_usage(counted));
    return {};
  };
  TRY(queue_.run(request));
  return counted;
}

// Sets the results of refused requests; an error is everybody's.
Result<void> Writer::write(WriteQueue::Group group) {
  Overlay all(backend_);
  auto durability = Durability::kBuffered;
  std::optional<Result<void>> room;  // asked when somebody needs some
  for (WriteRequest* request : group) {
    if (request->growth == Growth::kGrows) {
      if (!room) room = backend_.room();
      request->result = *room;
      if (!request->result) continue;
    }
    // Of its own: a request that is refused halfway leaves nothing in the group.
    Overlay own(&all);
    request->result = request->apply(own);
    if (!request->result) continue;
    all.absorb(std::move(own));
    if (request->durability == Durability::kSynced) durability = Durability::kSynced;
  }
  if (all.changes().empty() && durability == Durability::kBuffered) return {};
  return backend_.write(all.changes(), durability);
}

void Writer::write_group(WriteQueue::Group group) {
  if (auto written = write(group); !written) {
    // The refused ones too: they may have been refused because of changes that are not there now.
    for (WriteRequest* request : group) request->result = Failure(written.error());
    return;
  }
  std::vector<Bytes> keys;
  for (WriteRequest* request : group) {
    if (!request->result) continue;
    request->written();
    std::ranges::move(request->changed_keys, std::back_inserter(keys));
  }
  try {
    watchers_.tell(keys);
  } catch (...) {
    // The commit is on disk; a watcher's exception does not undo it.
  }
}

}  // namespace cairn
