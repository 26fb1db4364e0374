// The tree of an import that stores nothing: its directories from memory, and a file of it, when
// somebody looks into one, from the disk again.
//
// Threads     any.
// Fails with  NODE_NOT_FOUND for what is in no tree; IO_ERROR when a file has changed since.
// Costs       the first file that is looked into, a walk through the new directories.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/guarded.h"
#include "data/realm/import_nodes.h"

namespace cairn {

class RehearsedFiles final : public NodeReader {
 public:
  // Reads a file by its path in the tree; its nodes go to the sink.
  using Read = std::function<Result<NodePtr>(const std::string& path, NodeSink& sink)>;

  // REQUIRES: the nodes outlive it.
  RehearsedFiles(const ImportNodes& nodes, const NodeKey& root, Read read);

  Result<NodePtr> get(const NodeKey& key) const override;

 private:
  using Paths = std::unordered_map<NodeKey, std::string>;
  struct State {
    explicit State(const NodeReader& below) : read(below) {}
    std::optional<Paths> paths;
    Stage read;
  };
  void find_paths(const NodeKey& directory, const std::string& prefix, Paths& out) const;

  const ImportNodes& nodes_;
  NodeKey root_;
  Read read_;
  mutable Mutex one_;  // reads a file at a time
  mutable State state_ GUARDED_BY(one_);
};

}  // namespace cairn
