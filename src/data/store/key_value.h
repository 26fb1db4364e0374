// The ordered key-value store under Cairn's pointers and records.
//
// Keys and values are bytes; keys are ordered bytewise. All changes go through commit(), which is
// atomic, conditional and, unless told otherwise, durable when it returns. Keys that begin with the
// byte 0x01 belong to the store: commit() refuses them, get() and scan() do not show them.
// Threads     every function may be called from any thread; commits are linearizable.
// Fails with  CONFLICT from commit() when a condition does not hold (nothing was changed),
//             QUOTA_EXCEEDED and NODE_NOT_FOUND for its nodes (nothing was changed), STORAGE_FULL
//             while the disk has no room, STORE_READ_ONLY, IO_ERROR.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "data/cas/node.h"

namespace cairn {

enum class Durability {
  kSynced,    // on disk when commit returns, with everything committed before it
  kBuffered,  // survives the end of the process; reaches the disk with the next synced commit
};

// What a change is for when the disk is full or the quota used up: only what makes room is written
// then.
enum class Growth { kGrows, kFrees };

// One atomic change.
struct Batch {
  struct Condition {
    Bytes key;
    std::optional<Bytes> expected;  // nothing: the key must be absent
  };
  struct Put {
    Bytes key;
    Bytes value;
  };

  std::vector<Condition> conditions;
  std::vector<Put> puts;
  std::vector<Bytes> deletes;

  // Nodes stored before, or atomically with, the rest.
  RealmId realm;
  std::vector<NodePtr> nodes;
  // Nodes of the realm that must be there already; they count as stored now for the garbage
  // collector's grace time.
  std::vector<NodeKey> required;

  Durability durability = Durability::kSynced;
  Growth growth = Growth::kGrows;
};

// Keys from `begin` (included) to `end` (not included; empty: no end).
struct KeyRange {
  Bytes begin;
  Bytes end;

  // All keys that begin with `prefix`.
  static KeyRange prefix(ByteView prefix);
};

enum class Scan { kContinue, kStop };
enum class Direction { kForward, kBackward };

// While it lives, the watcher is called; when it is gone, it is not and will not be.
class Subscription {
 public:
  virtual ~Subscription() = default;
};

class KeyValueStore {
 public:
  using Visitor = std::function<Scan(ByteView key, ByteView value)>;
  // Called after a commit that put or deleted a key of the watched range, with the keys that
  // changed, in commit order, on the committing thread: be quick and do not commit from it.
  using Watcher = std::function<void(const std::vector<Bytes>& keys)>;

  virtual ~KeyValueStore() = default;

  virtual Result<std::optional<Bytes>> get(ByteView key) const = 0;
  // Visits a consistent snapshot of the range.
  virtual Result<void> scan(const KeyRange& range, Direction direction,
                            const Visitor& visit) const = 0;
  virtual Result<void> commit(Batch batch) = 0;
  virtual std::unique_ptr<Subscription> watch(KeyRange range, Watcher watcher) = 0;
};

}  // namespace cairn
