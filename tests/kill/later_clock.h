// The time of day, moved on by whole days: so that every round of the kill test is past the garbage
// collector's grace time of the round before.
#pragma once

#include "base/clock.h"

namespace cairn {

class LaterClock final : public Clock {
 public:
  explicit LaterClock(std::uint64_t days) : shift_(std::chrono::hours(24 * days)) {}

  Millis now() const override { return system_.now() + shift_.count(); }
  std::chrono::nanoseconds monotonic() const override { return system_.monotonic(); }

 private:
  SystemClock system_;
  std::chrono::milliseconds shift_;
};

}  // namespace cairn
