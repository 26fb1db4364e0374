// Where nodes come from and go to: the seams between trees and stores.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "data/cas/node.h"

namespace cairn {

class NodeReader {
 public:
  virtual ~NodeReader() = default;
  // NODE_NOT_FOUND, CORRUPT_NODE, IO_ERROR. Thread-safe.
  virtual Result<NodePtr> get(const NodeKey& key) const = 0;
};

class NodeSink {
 public:
  virtual ~NodeSink() = default;
  virtual Result<void> add(NodePtr node) = 0;
};

// New nodes in memory over a reader: what an operation has made and not stored yet.
// Threads  one at a time for add(); the reader below may be shared.
class Stage final : public NodeReader, public NodeSink {
 public:
  explicit Stage(const NodeReader& below) : below_(below) {}
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  Result<NodePtr> get(const NodeKey& key) const override;
  Result<void> add(NodePtr node) override;

  // The new nodes reachable from `root`, children first: intermediate trees that a later step
  // replaced are left behind.
  std::vector<NodePtr> reachable(const NodeKey& root) const;

 private:
  void collect(const NodePtr& node, std::unordered_map<NodeKey, bool>& seen,
               std::vector<NodePtr>& out) const;

  const NodeReader& below_;
  std::unordered_map<NodeKey, NodePtr> nodes_;
};

}  // namespace cairn
