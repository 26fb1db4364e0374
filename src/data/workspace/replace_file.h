// Puts a content in the place of a file: written to a temporary file beside it, then renamed over
// it. A reader sees the old or the new; another hard link keeps the old.
#pragma once

#include "base/os/temporary.h"
#include "data/workspace/beneath.h"

namespace cairn {

// The spot's file, or a new one. Of one that is there the mode stays and, as far as the operating
// system lets it, the owner, the access list and the attributes `user.…`. With `only_if`, a file
// that is no longer the same as that is CONFLICT and stays.
// The bytes are not forced to the disk: after a crash of the machine the file may be the old one
// or, on some file systems, empty.
Result<void> replace_file(const Roots& roots, const Spot& spot, ByteView content,
                          os::TemporaryNames& names, const os::Stat* only_if = nullptr);

}  // namespace cairn
