#include "data/store/realm_ledger.h"

#include "data/store/node_codec.h"

namespace cairn {

Result<RealmLedger> RealmLedger::open(Overlay& overlay, const RealmId& realm, Millis now) {
  auto record = TRY(overlay.get(Table::kPointers, usage_key(realm)));
  return RealmLedger(overlay, realm, now, TRY(decode_usage(record, realm)));
}

Result<std::optional<StoredInfo>> RealmLedger::info(const NodeKey& key) const {
  auto record = TRY(overlay_.get(Table::kNodeInfo, NodeRow(realm_, key)));
  if (!record) return std::nullopt;
  auto info = StoredInfo::decode(*record);
  if (!info) {
    return fail(Code::kCorruptNode, "the record of {} is damaged; run `cairn fsck`", key.render());
  }
  return info;
}

void RealmLedger::stamp(const NodeKey& key, StoredInfo info) {
  // A stamp from the future is from before the clock was set back.
  const bool fresh = info.minute <= minute_ && minute_ - info.minute < kRestampAfter.count();
  if (fresh) return;
  info.minute = minute_;
  overlay_.put(Table::kNodeInfo, NodeRow(realm_, key).bytes(), info.encode());
}

Result<void> RealmLedger::store(NewNode node) {
  const NodeKey& key = node.node->key();
  auto known = info(key);
  if (!known && !node.heals) return Failure(std::move(known).error());
  if (known && *known) {
    if (!node.heals) {
      // Storing again renews the grace time; the bytes are the same by definition.
      stamp(key, **known);
      return {};
    }
    forget(**known);
  }
  // Prepared outside the queue, unless the node was there then and has been swept since.
  Bytes data = node.packed ? std::move(*node.packed) : pack_node(node.node->bytes());
  const StoredInfo info{minute_, data.size(), node.node->bytes().size()};
  // A record that cannot be read is written anew with its node, which is in the account already.
  if (known) {
    usage_.physical_bytes += info.physical_bytes;
    usage_.logical_bytes += info.logical_bytes;
    usage_.node_count += 1;
  }
  const NodeRow row(realm_, key);
  overlay_.put(Table::kNodeInfo, row.bytes(), info.encode());
  overlay_.put(Table::kNodeData, row.bytes(), std::move(data));
  return {};
}

// By its record, not by the node: the account goes down by exactly what it went up by.
void RealmLedger::forget(const StoredInfo& info) {
  usage_.physical_bytes -= info.physical_bytes;
  usage_.logical_bytes -= info.logical_bytes;
  usage_.node_count -= 1;
}

Result<void> RealmLedger::require(const NodeKey& key) {
  auto known = TRY(info(key));
  if (!known) {
    return fail(Code::kNodeNotFound, "the node {} is not stored; upload it first", key.render());
  }
  stamp(key, *known);
  return {};
}

Result<std::optional<StoredInfo>> RealmLedger::remove(const NodeKey& key) {
  auto known = TRY(info(key));
  if (!known) return std::nullopt;
  forget(*known);
  const NodeRow row(realm_, key);
  overlay_.erase(Table::kNodeInfo, row.bytes());
  overlay_.erase(Table::kNodeData, row.bytes());
  return known;
}

Result<void> RealmLedger::close(Growth growth) {
  // Only growth is refused, and not of what makes room in the end: a realm over its quota can still
  // be cleaned up.
  const bool grew = growth == Growth::kGrows && usage_.physical_bytes > before_.physical_bytes;
  if (grew && usage_.quota_limit != 0 && usage_.physical_bytes > usage_.quota_limit) {
    const std::uint64_t needed = usage_.physical_bytes - before_.physical_bytes;
    Error error(Code::kQuotaExceeded,
                fmt::format("{} bytes more would be stored, but {} of the {} bytes of the quota "
                            "are used; delete what is not needed, or raise the quota",
                            needed, before_.physical_bytes, usage_.quota_limit));
    return Failure(std::move(error)
                       .with("usage", static_cast<std::int64_t>(before_.physical_bytes))
                       .with("quota", static_cast<std::int64_t>(usage_.quota_limit))
                       .with("needed", static_cast<std::int64_t>(needed)));
  }
  if (usage_ != before_) overlay_.put(Table::kPointers, usage_key(realm_), encode_usage(usage_));
  return {};
}

}  // namespace cairn
