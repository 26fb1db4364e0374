// Files and directories that are on the disk, with their names, when a call returns.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace cairn {

// A file or a directory, not what is in it. IO_ERROR
Result<void> sync_path(const std::filesystem::path& path);

// Makes a directory and those above it that are missing. IO_ERROR
Result<void> make_directory(const std::filesystem::path& path);

// Copies the files in a directory, not its directories, to a new one; never as links. IO_ERROR
Result<void> copy_files(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace cairn
