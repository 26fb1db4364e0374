// Shared by the tools for raw nodes.
#pragma once

#include "tools/executor/call.h"
#include "tools/executor/shape.h"
#include "tools/executor/tool.h"

namespace cairn::nodes {

// The node that `~0/~1` leads to from another. Empty: the node itself.
Result<NodePtr> navigate(Call& call, NodePtr from, std::string_view navigation);

// A whole key; abbreviations name nothing here.
Result<NodeKey> key_of(const Arguments& arguments);

}  // namespace cairn::nodes
