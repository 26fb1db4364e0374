// Puts the nodes of a program together and keeps it within its depth; private to the module's own
// sources.
#pragma once

#include <vector>

#include "base/result.h"
#include "data/json/jmespath/program.h"

namespace cairn::jmespath {

// Fails with INVALID_QUERY when a node would be too deep.
class Builder final {
 public:
  explicit Builder(Program& program) : program_(program) {}

  // REQUIRES: its children are in the program.
  Result<NodeId> add(const Node& node);

  // Children of nodes that are not complete yet: put aside one by one, then taken by their node.
  std::size_t mark() const { return aside_.size(); }
  void put_aside(NodeId child) { aside_.push_back(child); }
  Result<NodeId> add_with_children(Node node, std::size_t mark);

  Result<NodeId> add_record(Node node, const std::vector<Entry>& entries);
  // `left`, then `right` on its outcome.
  Result<NodeId> chained(NodeId left, NodeId right, std::uint32_t offset);
  // A path with one more step: the same node when it is one already.
  Result<NodeId> member(NodeId left, std::string_view name, std::uint32_t offset);
  Result<NodeId> element(NodeId left, std::int64_t index, std::uint32_t offset);

  Failure too_deep(std::size_t offset) const;

 private:
  Result<NodeId> extended(NodeId left, std::uint32_t offset);
  unsigned depth(NodeId id) const { return id == kCurrent ? 0 : program_.nodes[id].depth; }
  unsigned depth_below(const Node& node) const;
  unsigned deepest_child(const Node& node) const;
  unsigned sum_of_children(const Node& node) const;

  Program& program_;
  std::vector<NodeId> aside_;
};

}  // namespace cairn::jmespath
