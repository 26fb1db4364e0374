// A tree as people see it.
#pragma once

#include "exposure/cli/output.h"

namespace cairn::cli {

// What fs_tree answered, with lines from each directory to what is in it. Whether some directories
// were left closed.
bool print_tree(Output& out, const json::Object& tree);

}  // namespace cairn::cli
