// How a realm's records lie in the key-value store.
//
//   d realm depot               a depot
//   h realm depot sequence      one commit of it, oldest first
//   v realm depot               its tags: versions with names
//   o realm root depot          the origin of a root: which root of the depot it grew from
//   o realm root depot hash     the same for a place in the depot; the hash is of its path
//   w realm delegate node       the delegate wrote the node
//   l realm delegate depot root a root that the delegate made and has not committed
//   L realm delegate depot root the same, when the delegate was told of it (leaves.cc)
//   f realm                     physical bytes removed as garbage and not yet given back
//   i realm depot hash          what the last import of a directory to a place saw
//   (import_index.h);
//                               the hash is of both. Without it: of the depot's last import, as
//                               they were kept once
//   y realm title               the depot that has the title; without a title: that all are there
//   z realm depot               a depot that was deleted and can be restored
//   p realm node                a node that is being purged (purge.h)
//
// Ids and keys are their bytes, the sequence eight bytes big-endian. Values start with a version.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/id.h"
#include "base/result.h"
#include "data/cas/node_key.h"
#include "data/realm/keep.h"
#include "data/realm/origin.h"
#include "data/realm/place.h"
#include "data/store/key_value.h"

namespace cairn {

struct Depot {
  DepotId id;
  std::string title;
  NodeKey root;
  std::uint64_t max_history = 0;  // how many earlier roots are shown with the depot
  std::uint64_t sequence = 0;     // of the commit that set the root
  Millis created_at = 0;
  Millis updated_at = 0;
  Keep keep = {};  // how much of the history is kept
  // How many commits the history has lost so far; nothing: nobody has counted yet.
  std::optional<std::uint64_t> dropped = 0;

  bool operator==(const Depot&) const = default;
};

// Commits from one to another, by their numbers, both included.
struct ChangeRange {
  std::uint64_t from = 0;
  std::uint64_t to = 0;

  // `#14`, or `#14..#16`.
  std::string render() const;

  bool operator==(const ChangeRange&) const = default;
};

// One commit: what the depot's root became. Its sequence is its number, the same for everybody.
struct HistoryEntry {
  std::uint64_t sequence = 0;
  NodeKey root;
  std::optional<DelegateId> author;
  Millis time = 0;
  std::string message;
  bool merged = false;
  bool purged = false;                              // something was taken out of the root since
  std::optional<ChangeRange> undid = std::nullopt;  // what it took back

  bool operator==(const HistoryEntry&) const = default;
};

// A depot out of sight: its record as it was, and since when.
struct DeletedDepot {
  Depot depot;
  Millis deleted_at = 0;

  bool operator==(const DeletedDepot&) const = default;
};

// A version with a name, which stays in the history for as long as it has one.
struct Tag {
  std::string name;
  std::uint64_t sequence = 0;
  Millis time = 0;  // when it was set

  bool operator==(const Tag&) const = default;
};

// A delegate wrote a node, the last time then.
struct Owned {
  DelegateId owner;
  NodeKey node;
  Millis time = 0;

  bool operator==(const Owned&) const = default;
};

// A root that a delegate has made and not committed, at the end of what it made: a change that is
// made on it takes its place.
struct Leaf {
  DelegateId author;
  Place place;
  NodeKey root;
  NodeKey base;  // what stood at the place when the author began
  Millis time = 0;

  bool operator==(const Leaf&) const = default;
};

namespace records {

Bytes depot_key(const RealmId& realm, const DepotId& depot);
KeyRange depots(const RealmId& realm);
Bytes history_key(const RealmId& realm, const DepotId& depot, std::uint64_t sequence);
KeyRange history(const RealmId& realm, const DepotId& depot);
Bytes tags_key(const RealmId& realm, const DepotId& depot);
Bytes origin_key(const RealmId& realm, const NodeKey& root, const Place& place);
KeyRange origins(const RealmId& realm);
KeyRange origins(const RealmId& realm, const NodeKey& root);
Bytes owned_key(const RealmId& realm, const DelegateId& owner, const NodeKey& node);
KeyRange owned(const RealmId& realm);
Bytes leaf_key(const RealmId& realm, const DelegateId& author, const DepotId& depot,
               const NodeKey& root);
KeyRange leaves(const RealmId& realm);
KeyRange leaves(const RealmId& realm, const DelegateId& author, const DepotId& depot);
Bytes freed_key(const RealmId& realm);
Bytes import_key(const RealmId& realm, const Place& place, std::string_view source);
KeyRange imports(const RealmId& realm, const DepotId& depot);
Bytes title_key(const RealmId& realm, std::string_view title);
Bytes deleted_key(const RealmId& realm, const DepotId& depot);
KeyRange deleted(const RealmId& realm);
Bytes purge_key(const RealmId& realm, const NodeKey& node);
KeyRange purges(const RealmId& realm);

// Everything above that is of the realm.
std::vector<KeyRange> all(const RealmId& realm);

using RecordVisitor = std::function<Result<void>(ByteView key, ByteView value)>;

Bytes encode(const Depot& depot);
Bytes encode(const HistoryEntry& entry);
Bytes encode(const std::vector<Tag>& tags);
Bytes encode(const Origin& origin);
Bytes encode(const Owned& owned);
Bytes encode(const Leaf& leaf);
Bytes encode(const DeletedDepot& deleted);
Bytes encode_title(std::span<const DepotId> depots);

// The parts that are in the key are taken from it. A record that does not decode is IO_ERROR.
Result<Depot> decode_depot(ByteView key, ByteView value);
Result<HistoryEntry> decode_history(ByteView key, ByteView value);
Result<std::vector<Tag>> decode_tags(ByteView value);
struct RootOrigin {
  NodeKey root;
  Origin origin;
};
Result<RootOrigin> decode_origin(ByteView key, ByteView value);
Result<Owned> decode_owned(ByteView key, ByteView value);
Result<Leaf> decode_leaf(ByteView key, ByteView value);
Result<DeletedDepot> decode_deleted(ByteView key, ByteView value);
Result<std::vector<DepotId>> decode_title(ByteView value);
Result<NodeKey> decode_purge(ByteView key);

}  // namespace records

// Visits a range forwards; the first failure of the visitor ends the scan and is its result.
Result<void> scan_records(const KeyValueStore& kv, const KeyRange& range,
                          const records::RecordVisitor& visit);

}  // namespace cairn
