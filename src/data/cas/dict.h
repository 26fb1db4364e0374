// Directories: one node when small, a Merkle search tree of nodes when large.
//
// Invariants  the key of a directory depends on its entries only, never on how it got them: nodes
//             are cut where boundary.h says, the root is the lowest level with a single node.
// Threads     reading is thread-safe if the reader is.
// Cost        find, at, and one edit touch one node per level; diff reads only what differs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/cas/node_io.h"

namespace cairn {

// An entry, together with the node that holds its bytes.
struct FoundEntry {
  NodePtr holder;
  Entry entry;
};

// The part of a large directory that `branch` of `node` names; CORRUPT_NODE when what is there is
// anything else.
Result<NodePtr> dict_child(const NodeReader& nodes, const Node& node, const Branch& branch);

// The directory with this key; CORRUPT_NODE when what is there is anything else.
Result<NodePtr> dict_open(const NodeReader& nodes, const NodeKey& key);

// The entry with this name.
Result<std::optional<FoundEntry>> dict_find(const NodeReader& nodes, const NodePtr& dict,
                                            std::string_view name);
// The entry at this index in name order.
Result<std::optional<FoundEntry>> dict_at(const NodeReader& nodes, const NodePtr& dict,
                                          std::uint64_t index);
// How many entries have a smaller name.
Result<std::uint64_t> dict_rank(const NodeReader& nodes, const NodePtr& dict,
                                std::string_view name);

// Walks the entries of a directory in name order.
//
//   DictCursor cursor(nodes, dict);
//   TRY(cursor.seek_index(0));
//   while (const Entry* entry = cursor.entry()) { …; TRY(cursor.next()); }
class DictCursor final {
 public:
  DictCursor(const NodeReader& nodes, NodePtr dict) : nodes_(nodes), root_(std::move(dict)) {}

  Result<void> seek_index(std::uint64_t index);
  // To the first entry whose name is not smaller.
  Result<void> seek_name(std::string_view name);

  // The entry here, or null at the end and after a failure; its views hold until the cursor moves.
  const Entry* entry() const;
  // Keeps the bytes of entry() alive.
  const NodePtr& holder() const { return path_.back().node; }
  Result<void> next();

 private:
  struct Step {
    NodePtr node;
    std::size_t index;
  };

  Result<void> descend_first();

  const NodeReader& nodes_;
  NodePtr root_;
  std::vector<Step> path_;  // from the root down to level 0; empty before a seek and at the end
};

// A change of one entry: set to a value, or removed (also when it is not there).
struct EntryValue {
  Kind kind = Kind::kFile;
  NodeKey key;
  std::uint64_t bytes = 0;
  std::string type;
  std::uint64_t children = 0;
  std::uint64_t files = 0;

  static EntryValue of(const Entry& entry);
  Entry named(std::string_view name) const;

  bool operator==(const EntryValue&) const = default;
};

struct DictEdit {
  std::string name;
  std::optional<EntryValue> value;
};

// The directory with the edits applied; new nodes go to `stage`.
// NODE_TOO_LARGE when it would hold more than 2^50 files or bytes, as copies of copies can.
// REQUIRES: edits are sorted by name, without duplicates; names are valid.
Result<NodePtr> dict_apply(Stage& stage, const NodePtr& dict, std::span<const DictEdit> edits);

// Calls `visit` for every name whose entry is only in `before`, only in `after`, or differs, in
// name order, reading only the nodes the two do not share and few next to them. Stops when visit
// fails.
using DictDiffVisitor = std::function<Result<void>(const Entry* before, const Entry* after)>;
Result<void> dict_diff(const NodeReader& nodes, const NodePtr& before, const NodePtr& after,
                       const DictDiffVisitor& visit);

}  // namespace cairn
