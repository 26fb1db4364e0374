#include "data/cas/node_io.h"

namespace cairn {

Result<NodePtr> Stage::get(const NodeKey& key) const {
  auto found = nodes_.find(key);
  if (found != nodes_.end()) return found->second;
  return below_.get(key);
}

Result<void> Stage::add(NodePtr node) {
  nodes_.try_emplace(node->key(), node);
  return {};
}

std::vector<NodePtr> Stage::reachable(const NodeKey& root) const {
  std::vector<NodePtr> out;
  std::unordered_map<NodeKey, bool> seen;
  auto found = nodes_.find(root);
  if (found != nodes_.end()) collect(found->second, seen, out);
  return out;
}

void Stage::collect(const NodePtr& node, std::unordered_map<NodeKey, bool>& seen,
                    std::vector<NodePtr>& out) const {
  if (!seen.try_emplace(node->key(), true).second) return;
  for (const auto& child : node->children()) {
    auto found = nodes_.find(child);
    if (found != nodes_.end()) collect(found->second, seen, out);
  }
  out.push_back(node);
}

}  // namespace cairn
