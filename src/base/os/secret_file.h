// Files that hold a secret, which nobody but their owner may read.
//
// Threads     plain functions of their arguments.
#pragma once

#include <filesystem>

#include <sys/types.h>

#include "base/result.h"

namespace cairn::os {

// FORBIDDEN, with the command that mends it, when the mode of a regular file lets others do any of
// this. What is no regular file (a pipe), or is not there, is none of its business.
Result<void> check_secret(const std::filesystem::path& file, mode_t refused = 0077);

}  // namespace cairn::os
