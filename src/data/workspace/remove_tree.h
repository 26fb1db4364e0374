// Removes what has a name in a directory, with all in it, through handles: no link is followed.
#pragma once

#include <string>

#include "data/workspace/temporary.h"

namespace cairn {

// Anything but a directory, or a directory with all in it. On failure some of it may be gone.
// Cost: a fixed number of handles, however deep it is.
os::Outcome<void> remove_tree(int directory, const std::string& name, TemporaryNames& names);

}  // namespace cairn
