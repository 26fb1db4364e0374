// The resources that one call may still spend: entries it visits or returns, bytes it renders,
// time.
//
// Whatever walks, searches, parses or renders takes a Budget& and stops when a `take` says no; it
// then says what it left out, with stopped_by() as the reason.
// Threads   take functions may be called from any number of threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/clock.h"

namespace cairn {

class Budget final {
 public:
  enum class Limit { kEntries, kBytes, kTime, kCancelled };

  struct Limits {
    std::int64_t entries = std::numeric_limits<std::int64_t>::max();
    std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
    std::chrono::nanoseconds time = std::chrono::nanoseconds::max();
    // Asked to stop by whoever waits for the outcome.
    std::stop_token stop = {};
  };

  Budget(const Clock& clock, Limits limits);
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // Spends `count`, or spends nothing and says no.
  bool take_entries(std::int64_t count = 1);
  bool take_bytes(std::int64_t count);
  // False once the deadline has passed, or the call was cancelled.
  bool in_time();

  std::int64_t entries_left() const { return entries_; }
  std::int64_t bytes_left() const { return bytes_; }
  // The first limit that said no.
  std::optional<Limit> stopped_by() const;

 private:
  bool take(std::atomic<std::int64_t>& left, std::int64_t count, Limit limit);
  bool stop(Limit limit);

  const Clock& clock_;
  std::atomic<std::int64_t> entries_;
  std::atomic<std::int64_t> bytes_;
  std::chrono::nanoseconds deadline_;
  std::stop_token stop_;
  std::atomic<int> stopped_{-1};
};

std::string_view name(Budget::Limit limit);

}  // namespace cairn
