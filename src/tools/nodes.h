// What the tools for raw nodes share.
#pragma once

#include "tools/call.h"
#include "tools/shape.h"
#include "tools/tool.h"

namespace cairn::nodes {

// The node that `~0/~1` leads to from another. Empty: the node itself.
Result<NodePtr> navigate(Call& call, NodePtr from, std::string_view navigation);

// A whole key; abbreviations name nothing here.
Result<NodeKey> key_of(const Arguments& arguments);

}  // namespace cairn::nodes
