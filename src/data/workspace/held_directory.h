// Files and directories of this machine that are held by their handles, as WorkFile and
// WorkDirectory.
#pragma once

#include <memory>

#include "base/os/temporary.h"
#include "data/workspace/beneath.h"
#include "data/workspace/workspace.h"

namespace cairn {

WorkKind kind_of(const os::Stat& stat);
WorkInfo info_of(const os::Stat& stat);

WorkFilePtr held_file(const os::Kernel& kernel, OpenFile file, std::string place);

// NOT_A_DIRECTORY, FORBIDDEN. REQUIRES: the roots and names outlive it.
Result<WorkDirectoryPtr> held_directory(const Roots& roots, const os::TemporaryNames& temporary,
                                        Found found);

}  // namespace cairn
