// The claims a node makes about the nodes it refers to, and whether they are true.
//
// Decoding looks at one node. Here it is compared with its children, and the parts of a large
// directory or file with each other: what docs/node-format.md asks for between nodes. Where the
// content of a large file is cut into chunks is not checked: nothing but its key depends on it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/cas/node_io.h"

namespace cairn {

// An entry, branch or piece. Views point into the node it stands in.
struct Reference {
  NodeKey key;
  Kind kind = Kind::kFile;
  std::string_view name;          // of an entry; of a branch the last name below; of a piece none
  std::optional<unsigned> level;  // of branches and pieces; entries name whole files or directories
  Totals totals;                  // of files and pieces only the bytes
  std::string_view type;          // of an entry of a file

  bool is_entry() const { return !level; }
};

// All of a node's references, in order.
std::vector<Reference> references(const Node& node);

// The first claim of the reference that the node contradicts: `is 5 bytes long, and not 6`. Nullopt
// when all of it is true.
std::optional<std::string> contradiction(const Reference& reference, const Node& child);

// The first fault between the parts of a large directory or file: names that overlap, a part that
// ends before its cut; nullopt when there is none. Reads one node per level at the edges of each
// part.
// REQUIRES: no reference of the node contradicts its child, nor one below.
Result<std::optional<std::string>> wrong_between_parts(const NodeReader& nodes, const Node& node);

}  // namespace cairn
