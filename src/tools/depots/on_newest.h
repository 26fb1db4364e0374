// Changing a depot while others do: a change is made again, on what is there now, until nobody was
// faster.
#pragma once

#include <optional>
#include <type_traits>

#include "tools/executor/call.h"

namespace cairn {

// Calls `attempt` until it gives a value; nullopt says that somebody else was faster. Fails with
// what it fails with, and with CONFLICT when the call's time is up: nothing was changed then.
template <typename Attempt>
auto on_newest(Call& call, Attempt attempt)
    -> Result<typename std::invoke_result_t<Attempt>::value_type::value_type> {
  constexpr int kMaxAttempts = 1000;
  Budget budget(call.clock(), call.limits());
  for (int tries = 0; tries < kMaxAttempts && budget.in_time(); ++tries) {
    if (auto done = TRY(attempt())) return std::move(*done);
  }
  return fail(Code::kConflict,
              "others change the depot again and again; nothing was changed, try again");
}

}  // namespace cairn
