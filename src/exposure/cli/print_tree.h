// A tree as people see it.
#pragma once

#include "exposure/cli/output.h"

namespace cairn::cli {

// Prints the answer of fs_tree, with lines from each directory to what is in it. Returns whether
// some directories were left closed.
bool print_tree(Output& out, const json::Object& tree);

}  // namespace cairn::cli
