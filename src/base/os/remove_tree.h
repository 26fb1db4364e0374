// Removes what has a name in a directory, with all in it, through handles: no link is followed.
//
// Threads     may be called from any thread.
// Fails with  the errno.
#pragma once

#include <string>

#include "base/os/temporary.h"

namespace cairn::os {

// Anything but a directory, or a directory with all in it. On failure some of it may be gone.
// Cost: a fixed number of handles, however deep it is.
Outcome<void> remove_tree(int directory, const std::string& name, TemporaryNames& names,
                          const Kernel& kernel = {});

}  // namespace cairn::os
