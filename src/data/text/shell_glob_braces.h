// The braces of a ShellGlob.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::shell_glob {

// The expansion of `a{b,c}{1..3}`, written out in order. Braces that mean nothing stay as they are;
// a pattern without a pair of braces comes back unchanged, escapes and all.
// REQUIRES: whole characters.
Result<std::vector<std::string>> expand_braces(std::string_view pattern);

}  // namespace cairn::shell_glob
