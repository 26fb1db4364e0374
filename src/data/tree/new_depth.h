// How deep directories are nested that a change brings into a tree.
#pragma once

#include "data/cas/dict.h"

namespace cairn {

// INVALID_PATH when a directory that is in `after`, and not at the same place in `before`, is
// nested deeper than a path can name (Path::kMaxSegments): nobody could open it, and whoever
// searches the tree would stumble over it. Reads only directories that the two do not share, each
// once for each depth that it is found deeper at, and at most some hundred thousand: what is behind
// those is taken as it is.
Result<void> check_new_depth(const NodeReader& nodes, const NodePtr& before, const NodePtr& after);

}  // namespace cairn
