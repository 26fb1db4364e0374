// How many bytes of bodies and answers a server holds, within its memory.
#pragma once

#include <algorithm>

#include "base/limits.h"
#include "base/memory_budget.h"
#include "exposure/http/in_flight.h"

namespace cairn {

// Half of the share for work in flight; large JSON documents have the other. At least one body
// fits, and more than the usual limits nobody needs. One caller has a quarter, a realm half, or
// what one body takes.
inline http::InFlight::Limits in_flight_within(const MemoryBudget& memory) {
  constexpr std::size_t kOneBody = kMaxBodyBytes + (kMaxBodyBytes >> 4);
  constexpr http::InFlight::Limits kMost;
  const auto all = std::clamp(memory.in_flight / 2, kOneBody, kMost.all);
  return {.each = std::max(all / 4, kOneBody),
          .of_group = std::max(all / 2, kOneBody),
          .all = all,
          .beyond = std::max(all / 8, std::size_t{4} << 20)};
}

}  // namespace cairn
