// Sizes, times and counts as people read them.
//
// Threads     plain functions of their arguments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace cairn::client {

// 512 B, 1.2 kB, 3.4 MB.
std::string human_size(std::int64_t bytes);
// 2026-11-16 01:02, in local time.
std::string human_time(Millis time);
// `1 file`, `2 files`.
std::string counted(std::int64_t count, std::string_view one, std::string_view many = {});

}  // namespace cairn::client
