// Files that are written where they lie: logs, notes and reserves, of which no loss matters enough
// to write them beside and rename them (disk_files.h does that). Links are followed.
//
// Threads     plain functions of their arguments.
// Fails with  the errno. EINTR is retried.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/bytes.h"
#include "base/os/system.h"

namespace cairn::os {

enum class Writes { kInPlace, kAtTheEnd };

// To be written to, and made where there is none.
Outcome<Handle> open_to_write(const std::filesystem::path& path, Writes writes, mode_t mode,
                              const Kernel& kernel = {});
// In one call: all of it, part of it, or nothing is written.
Outcome<std::size_t> write_once(int fd, ByteView bytes, const Kernel& kernel = {});
Outcome<std::size_t> write_once_at(int fd, std::uint64_t offset, ByteView bytes,
                                   const Kernel& kernel = {});
// Blocks of its own for so many bytes, not a hole. ENOSPC.
Outcome<void> take_blocks(int fd, std::uint64_t bytes, const Kernel& kernel = {});

struct DiskSpace {
  std::uint64_t capacity = 0;
  std::uint64_t free = 0;  // for this user
};
// Of the file system that the path is on.
Outcome<DiskSpace> space_at(const std::filesystem::path& path, const Kernel& kernel = {});

}  // namespace cairn::os
