// Any bytes are refused with a message that can be shown, or are a node that is written again as
// exactly these bytes.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "data/cas/node.h"

namespace {

using cairn::Code;
using cairn::Kind;
using cairn::Node;
using cairn::NodePtr;

void require(bool condition) {
  if (!condition) std::abort();
}

NodePtr written_again(const Node& node) {
  const bool leaf = node.level() == 0;
  switch (node.kind()) {
    case Kind::kFile:
      return leaf ? cairn::make_file(node.type(), node.content())
                  : cairn::make_file(node.type(), node.level(), node.pieces());
    case Kind::kSuccessor:
      return leaf ? cairn::make_chunk(node.content())
                  : cairn::make_successor(node.level(), node.pieces());
    case Kind::kDict:
      return leaf ? cairn::make_dict(node.entries())
                  : cairn::make_dict(node.level(), node.branches());
  }
  std::unreachable();
}

// What the views of a node say lies in the node and within the limits.
void check_contents(const Node& node) {
  require(node.level() <= cairn::kMaxLevel);
  require(node.totals().plausible());
  for (const auto& entry : node.entries()) {
    require(cairn::check_name(entry.name).has_value());
    require(entry.is_dir() == entry.type.empty());
  }
  for (const auto& branch : node.branches()) require(cairn::check_name(branch.last).has_value());
  require(node.children().size() ==
          node.pieces().size() + node.entries().size() + node.branches().size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  auto node = Node::decode(bytes);
  if (!node) {
    require(node.error().code == Code::kCorruptNode || size > cairn::kMaxNodeBytes);
    require(cairn::valid_utf8(node.error().message));
    return 0;
  }
  require((*node)->bytes() == bytes);
  check_contents(**node);
  auto again = written_again(**node);
  require(again->bytes() == bytes);
  require(again->key() == (*node)->key());
  return 0;
}
