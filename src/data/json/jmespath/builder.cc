#include "data/json/jmespath/builder.h"

#include <algorithm>
#include <utility>

#include "data/json/jmespath/problem.h"

namespace cairn::jmespath {

// Of a node's depth two things follow: how deep the evaluation recurses, and by how many levels the
// outcome can be nested deeper than the document. What works on another's outcome adds its levels
// to that one's.
unsigned Builder::depth_below(const Node& node) const {
  switch (node.op) {
    case Op::kLiteral:
      return 0;
    case Op::kNot:
    case Op::kCompare:
      return std::max(depth(node.source), depth(node.right));
    case Op::kPath:
    case Op::kProject:
    case Op::kFlatten:
    case Op::kValues:
    case Op::kSlice:
      return depth(node.source) + depth(node.right);
    case Op::kFilter:
      return std::max(depth(node.source) + depth(node.right), depth(node.condition));
    case Op::kAnd:
    case Op::kOr:
    case Op::kList:
    case Op::kRecord:
      return deepest_child(node);
    case Op::kChain:
      return sum_of_children(node);
    case Op::kCall:
      return signature(node.function).variadic ? deepest_child(node) : sum_of_children(node);
  }
  std::unreachable();
}

unsigned Builder::deepest_child(const Node& node) const {
  unsigned deepest = 0;
  for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
    const auto child = node.op == Op::kRecord ? program_.entries[i].value : program_.children[i];
    deepest = std::max(deepest, depth(child));
  }
  return deepest;
}

unsigned Builder::sum_of_children(const Node& node) const {
  unsigned sum = 0;
  for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
    sum += depth(program_.children[i]);
  }
  return sum;
}

NodeId Builder::add(const Node& node) { return append(node, depth_below(node)); }

NodeId Builder::append(const Node& node, unsigned below) {
  if (below >= kDeepestExpression) return too_deep(node.offset);
  // Field by field: a copy of the whole would wait for the stores of its fields.
  program_.nodes.emplace_back(node.op, node.comparison, node.function,
                              static_cast<std::uint16_t>(below + 1), node.offset, node.source,
                              node.right, node.condition, node.names, node.first, node.count);
  return static_cast<NodeId>(program_.nodes.size() - 1);
}

NodeId Builder::add_with_children(Node node, std::size_t mark) {
  const auto begin = aside_.begin() + static_cast<std::ptrdiff_t>(mark);
  node.first = static_cast<std::uint32_t>(program_.children.size());
  node.count = static_cast<std::uint32_t>(aside_.end() - begin);
  program_.children.insert(program_.children.end(), begin, aside_.end());
  aside_.erase(begin, aside_.end());
  return add(node);
}

NodeId Builder::add_record(Node node, const std::vector<Entry>& entries) {
  node.first = static_cast<std::uint32_t>(program_.entries.size());
  node.count = static_cast<std::uint32_t>(entries.size());
  program_.entries.insert(program_.entries.end(), entries.begin(), entries.end());
  return add(node);
}

NodeId Builder::chained(NodeId left, NodeId right, std::uint32_t offset) {
  if (left == kCurrent) return right;
  const auto before = mark();
  put_aside(left);
  put_aside(right);
  return add_with_children({.op = Op::kChain, .offset = offset}, before);
}

NodeId Builder::member(NodeId left, std::string_view name, std::uint32_t offset) {
  program_.steps.emplace_back(name.data(), static_cast<std::int64_t>(name.size()));
  return extended(left, offset);
}

NodeId Builder::element(NodeId left, std::int64_t index, std::uint32_t offset) {
  program_.steps.emplace_back(nullptr, index);
  return extended(left, offset);
}

// By the last step.
NodeId Builder::extended(NodeId left, std::uint32_t offset) {
  const auto last = static_cast<std::uint32_t>(program_.steps.size() - 1);
  if (left != kCurrent) {
    auto& node = program_.nodes[left];
    if (node.op == Op::kPath && node.first + node.count == last) {
      node.count += 1;
      return left;
    }
  }
  return append({.op = Op::kPath, .offset = offset, .source = left, .first = last, .count = 1},
                depth(left));
}

NodeId Builder::wrong(Kind kind, std::size_t offset, std::string_view what) {
  if (!error_) error_ = problem(kind, program_.text, offset, what);
  return kCurrent;
}

NodeId Builder::too_deep(std::size_t offset) {
  return wrong(Kind::kSyntax, offset,
               fmt::format("more than {} expressions are inside or after each other; cut the query "
                           "into several",
                           kDeepestExpression));
}

Result<void> Builder::finish() {
  if (error_) return Failure(std::move(*error_));
  return {};
}

}  // namespace cairn::jmespath
