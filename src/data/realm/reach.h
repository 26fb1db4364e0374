// Reach: whether trees hold any of some files and directories, and where.
//
// Reads every directory once, whatever number of trees it is in.
// Threads     one at a time.
// Fails with  what the reader fails with; a node that is not stored holds nothing.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "data/cas/node_io.h"
#include "data/tree/path.h"

namespace cairn {

class Reach final {
 public:
  // REQUIRES: both outlive it, and nothing is added to `wanted` while it is used.
  Reach(const NodeReader& nodes, const std::unordered_set<NodeKey>& wanted)
      : nodes_(nodes), wanted_(wanted) {}

  // Whether it is a wanted one itself, or one is below it.
  Result<bool> holds(const NodeKey& root);
  // Where the wanted ones are below a directory, at most so many, not looking into those found.
  Result<std::vector<Path>> paths(const NodeKey& root, std::size_t most);

 private:
  struct Frame {
    NodeKey key;
    std::vector<NodeKey> open;  // directories in it that are not known yet
    bool found = false;
  };

  Result<Frame> look_at(const NodeKey& key);
  Result<void> walk(const NodeKey& key, const Path& path, std::size_t most, std::vector<Path>& out);

  const NodeReader& nodes_;
  const std::unordered_set<NodeKey>& wanted_;
  std::unordered_map<NodeKey, bool> known_;
};

}  // namespace cairn
