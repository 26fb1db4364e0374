// Copies what has a name in one directory to a new name in another, through handles.
//
// Fails with  INVALID_ARGUMENT: a device, pipe or socket is in it, or it is nested too deeply.
//             TOO_MANY_ENTRIES: more than 100,000.
#pragma once

#include "base/os/temporary.h"
#include "data/workspace/beneath.h"

namespace cairn {

struct CopyOptions {
  // For a move to another file system: owners, times and all bits of the mode stay, as far as the
  // operating system lets it.
  bool keep_all = false;
};

// A file, a link as a link, a directory with all in it. On failure a part of it may be there: make
// it under a temporary name. The parent and name of a source that is a directory are not needed.
// REQUIRES: something is at the source.
Result<void> copy_tree(const Roots& roots, const Spot& source, int directory,
                       const std::string& name, const os::TemporaryNames& temporary,
                       CopyOptions options);

}  // namespace cairn
