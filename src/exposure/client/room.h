// Room for what is going to be written on this machine. A tree of a few nodes can stand for more
// files and bytes than any disk has, so both are looked at before the first is written.
//
// Threads     plain functions of their arguments.
// Fails with  STORAGE_FULL
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>

#include "base/result.h"

namespace cairn::client {

struct Amount {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

struct RoomLimits {
  std::uint64_t max_bytes = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_files = 10'000'000;
};

// Whether the limits allow it and the disk that the directory is on, or would be on, has room.
Result<void> check_room(const std::filesystem::path& directory, const Amount& wanted,
                        const RoomLimits& limits = {});

}  // namespace cairn::client
