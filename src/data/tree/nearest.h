// The name in a directory that comes nearest to one that is not there, for error messages.
#pragma once

#include <string>
#include <string_view>

#include "data/cas/node_io.h"

namespace cairn {

// Empty when nothing is near. Looks at a bounded number of entries around the name.
Result<std::string> nearest_name(const NodeReader& nodes, const NodePtr& dict,
                                 std::string_view name);

}  // namespace cairn
