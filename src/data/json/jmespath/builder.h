// Puts the nodes of a program together and keeps it within its depth; private to the module's own
// sources.
//
// Threads     one at a time.
#pragma once

#include <optional>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "base/result.h"
#include "data/json/jmespath/jmespath.h"
#include "data/json/jmespath/program.h"

namespace cairn::jmespath {

// The first error is kept for finish(): a Result for every node would take longer than the node.
class Builder final {
 public:
  explicit Builder(Program& program) : program_(program) {}

  // Keeps an error and gives kCurrent, which can stand for any node.
  NodeId wrong(Kind kind, std::size_t offset, std::string_view what);
  NodeId too_deep(std::size_t offset);
  // Fails with INVALID_QUERY when something was wrong.
  Result<void> finish();

  // REQUIRES: its children are in the program.
  NodeId add(const Node& node);

  // Children of nodes that are not complete yet: put aside one by one, then taken by their node.
  std::size_t mark() const { return aside_.size(); }
  void put_aside(NodeId child) { aside_.push_back(child); }
  NodeId add_with_children(Node node, std::size_t mark);

  NodeId add_record(Node node, const std::vector<Entry>& entries);
  // `left`, then `right` on its outcome.
  NodeId chained(NodeId left, NodeId right, std::uint32_t offset);
  // A path with one more step: the same node when it is one already.
  NodeId member(NodeId left, std::string_view name, std::uint32_t offset);
  NodeId element(NodeId left, std::int64_t index, std::uint32_t offset);

 private:
  NodeId extended(NodeId left, std::uint32_t offset);
  NodeId append(const Node& node, unsigned below);
  unsigned depth(NodeId id) const { return id == kCurrent ? 0 : program_.nodes[id].depth; }
  unsigned depth_below(const Node& node) const;
  unsigned deepest_child(const Node& node) const;
  unsigned sum_of_children(const Node& node) const;

  Program& program_;
  boost::container::small_vector<NodeId, 32> aside_;
  std::optional<Error> error_;
};

}  // namespace cairn::jmespath
