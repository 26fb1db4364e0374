// The name in a directory that comes nearest to one that is not there, for error messages.
#pragma once

#include <string>
#include <string_view>

#include "data/cas/node_io.h"

namespace cairn {

// Empty when nothing is near. Looks at a bounded number of entries around the name.
Result<std::string> nearest_name(const NodeReader& nodes, const NodePtr& dict,
                                 std::string_view name);

// Insertions, deletions and replacements between two texts; stops counting above `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

}  // namespace cairn
