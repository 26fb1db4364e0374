// Files and directories that are on the disk, with their names, when a call returns.
//
// Threads     may be called from any thread, for different files.
// Fails with  IO_ERROR
#pragma once

#include <filesystem>

#include "base/os/system.h"
#include "base/result.h"

namespace cairn::os {

// Puts a content in the place of a file, or makes the file, with a mode as open(2) takes it: it is
// written to `<path>.new`, forced to the disk and renamed. Whoever reads sees the old content or
// the new one, and so does everybody after a crash. When it fails the old one is there still,
// unless only the last step failed, which forces the new name to the disk.
//
// REQUIRES: one at a time replaces this file. What one that was killed left at `<path>.new` goes.
Result<void> replace_file(const std::filesystem::path& path, ByteView content, mode_t mode,
                          const Kernel& kernel = {});

// The whole of a small file, links followed. EFBIG when it has more than `most` bytes.
Outcome<std::string> read_file(const std::filesystem::path& path,
                               std::size_t most = std::size_t{64} << 20, const Kernel& kernel = {});
// Its first line, without the end: how a secret stands in a file.
Outcome<std::string> read_line(const std::filesystem::path& path, const Kernel& kernel = {});

// Gives a file or directory another name, in the place of what has it: a file, or an empty
// directory.
Result<void> rename_path(const std::filesystem::path& from, const std::filesystem::path& to,
                         const Kernel& kernel = {});

// A file or a directory, not what is in it.
Result<void> sync_path(const std::filesystem::path& path, const Kernel& kernel = {});

// Makes a directory and those above it that are missing.
Result<void> make_directories(const std::filesystem::path& path, const Kernel& kernel = {});

// Copies the files in a directory, not its directories, to a new one; never as links.
Result<void> copy_files(const std::filesystem::path& from, const std::filesystem::path& to,
                        const Kernel& kernel = {});

}  // namespace cairn::os
