// A depot's history on the command line.
//
// Threads     one at a time: the thread of the command.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace cairn::cli {

class Kit;

// The commits of `DEPOT[:PATH]`, newest first, a line for each; 0: all of them. Gives the exit
// code.
Result<int> print_history(Kit& kit, const std::string& where, std::size_t limit);

}  // namespace cairn::cli
