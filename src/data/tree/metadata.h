// A node seen as a node: its kind and size and the keys of its children; and the step from it to
// its child number N, the `~N` of a navigation.
//
// A child of a directory is an entry of it, however many nodes the directory is made of; of a large
// file or a successor it is a piece.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/tree/view.h"

namespace cairn {

struct NodeMetadata {
  NodeKey key;
  Kind kind = Kind::kFile;
  std::uint64_t payload_size = 0;          // content in and below a file or successor
  std::string content_type;                // of a file
  std::uint64_t child_count = 0;           // entries or pieces
  std::vector<ListPage::Child> children;   // of a directory, by name: one page of them
  std::optional<std::string> next_cursor;  // when there are more
  std::vector<Piece> pieces;               // of a large file or successor, all of them, in order
};

Result<NodeMetadata> metadata(const NodeReader& nodes, const NodePtr& node,
                              const ListOptions& options, Budget& budget);

// The node's child number `index`, counted from 0. PATH_NOT_FOUND when it has not as many;
// CORRUPT_NODE when the child is not what the node says it is.
Result<NodePtr> step(const NodeReader& nodes, const NodePtr& node, std::uint64_t index);

}  // namespace cairn
