// The nodes of one realm within one change, and the account of what they take.
//
// Opened over the change's overlay, told of nodes, closed: only then is the account written. What
// is in the tables and what the account says change in one write and never differ.
// Threads     one at a time: it lives within one request of the write queue.
// Fails with  CORRUPT_NODE when the record of a node is damaged, IO_ERROR.
#pragma once

#include "data/store/layout.h"
#include "data/store/overlay.h"

namespace cairn {

struct NewNode {
  NodePtr node;
  std::optional<Bytes> packed;  // nothing: it seemed to be stored already
  bool heals = false;           // what is stored of it is damaged
};

class RealmLedger final {
 public:
  static Result<RealmLedger> open(Overlay& overlay, const RealmId& realm, Millis now);

  Result<void> store(NewNode node);
  // NODE_NOT_FOUND
  Result<void> require(const NodeKey& key);
  // The info of the removed node; nullopt when it was not there.
  Result<std::optional<StoredInfo>> remove(const NodeKey& key);
  void set_quota(std::uint64_t physical_bytes) { usage_.quota_limit = physical_bytes; }

  // QUOTA_EXCEEDED when what was stored is more than the realm has left.
  Result<void> close(Growth growth = Growth::kGrows);

 private:
  RealmLedger(Overlay& overlay, const RealmId& realm, Millis now, Usage usage)
      : overlay_(overlay),
        realm_(realm),
        minute_(StoredInfo::minute_of(now)),
        usage_(usage),
        before_(usage) {}

  Result<std::optional<StoredInfo>> info(const NodeKey& key) const;
  void stamp(const NodeKey& key, StoredInfo info);
  void forget(const StoredInfo& info);

  Overlay& overlay_;
  RealmId realm_;
  std::uint32_t minute_;
  Usage usage_;
  Usage before_;
};

}  // namespace cairn
