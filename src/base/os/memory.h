// How much memory this process may have: the machine's, or what its control group is limited to.
//
// Threads     plain functions.
#pragma once

#include <cstddef>
#include <filesystem>

namespace cairn::os {

// The smallest of the machine's memory and the limits of the control groups that the process is in,
// in version 2 and 1 of the interface. Where nothing can be read, a gibibyte. `root` is where /proc
// and /sys are.
std::size_t available_memory(const std::filesystem::path& root = "/");

}  // namespace cairn::os
