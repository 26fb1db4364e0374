// Marker: the set of nodes reachable from roots.
//
// Reads directories and the inner nodes of large files; what cannot have children is only noted.
// Threads     one at a time.
// Costs       some 42 bytes for each node that is marked, and as many again when it is marked late.
// Fails with  NODE_NOT_FOUND and CORRUPT_NODE for a node in use that cannot be read: below it,
//             nothing can be told from garbage.
#pragma once

#include <vector>

#include "data/cas/chunker.h"
#include "data/cas/key_set.h"
#include "data/cas/node_io.h"

namespace cairn {

class Marker final {
 public:
  explicit Marker(const NodeReader& nodes) : nodes_(nodes) {}

  bool contains(const NodeKey& key) const { return marked_.contains(key); }
  std::size_t size() const { return marked_.size(); }

  // From here on, what is marked and was not before is marked late.
  void begin_late() { late_begun_ = true; }
  bool is_late(const NodeKey& key) const { return late_.contains(key); }

  Result<void> mark(const NodeKey& root) {
    if (!insert(root)) return {};
    std::vector<NodeKey> open{root};
    while (!open.empty()) {
      auto key = open.back();
      open.pop_back();
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
    if (insert(key) && may_have_children) open.push_back(key);
  }
  bool insert(const NodeKey& key) {
    if (!marked_.insert(key)) return false;
    if (late_begun_) late_.insert(key);
    return true;
  }

  const NodeReader& nodes_;
  KeySet marked_;
  KeySet late_;
  bool late_begun_ = false;
};

}  // namespace cairn
