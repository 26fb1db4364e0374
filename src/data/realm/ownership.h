// Records of which delegate wrote a node: it may name that node by its bare key.
//
// Owning is recorded for the nodes a caller was given, not for what lies below them: that is
// reached by path. It keeps no node alive; when a node is gone, so are its records.
// Threads     every function may be called from any thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "data/realm/records.h"
#include "data/store/store.h"

namespace cairn {

class Ownership final {
 public:
  Ownership(KeyValueStore& kv, const RealmId& realm, const Clock& clock)
      : kv_(kv), realm_(realm), clock_(clock) {}
  Ownership(const Ownership&) = delete;
  Ownership& operator=(const Ownership&) = delete;

  Result<bool> owns(const DelegateId& owner, const NodeKey& node) const;
  // Every owner owns every node from now on. Buffered. NODE_NOT_FOUND when one is not stored.
  Result<void> own(std::span<const DelegateId> owners, std::span<const NodeKey> nodes);
  // The same as a part of a batch, which stores or requires the nodes.
  void add_to(Batch& batch, std::span<const DelegateId> owners,
              std::span<const NodeKey> nodes) const;

  // The one owned node that a whole or abbreviated key names: INVALID_KEY, NODE_NOT_FOUND, or
  // AMBIGUOUS_KEY with the candidates. Nodes that are not owned play no part, nor do those that
  // were last written at `after` or before.
  Result<NodeKey> resolve(const DelegateId& owner, std::string_view key_or_prefix,
                          std::optional<Millis> after = std::nullopt) const;

 private:
  KeyValueStore& kv_;
  RealmId realm_;
  const Clock& clock_;
};

}  // namespace cairn
