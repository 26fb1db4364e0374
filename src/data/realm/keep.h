// Keep: how much of a depot's history is kept. Everything of the last days, then the last version
// of each day, and whatever their age the newest so many. A day is a day of UTC.
//
// For people `30d,daily=365d,last=100`, or `all`.
//
// Threads  a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace cairn {

struct Keep {
  static constexpr std::uint64_t kMaxDays = 36'500;
  static constexpr std::uint64_t kMaxLast = 1'000'000;

  bool everything = false;
  std::uint64_t days = 30;    // every version of the last so many days
  std::uint64_t daily = 365;  // the last version of each of the last so many days
  std::uint64_t last = 100;   // the newest, whatever their age

  static Keep all() { return {.everything = true, .days = 0, .daily = 0, .last = 0}; }
  // `all`, or any of `30d`, `daily=365d` and `last=100` with commas between them; what is not named
  // keeps nothing. Weeks (`4w`) and years (`1y`) are days. INVALID_ARGUMENT.
  static Result<Keep> parse(std::string_view text);
  // The inverse.
  std::string render() const;

  // Whether a version of this time is kept, by its age alone.
  bool by_age(Millis time, bool last_of_its_day, Millis now) const;

  bool operator==(const Keep&) const = default;
};

// Days since 1970, of UTC.
std::int64_t utc_day(Millis time);

}  // namespace cairn
