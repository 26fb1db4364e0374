#include "base/budget.h"

#include <utility>

namespace cairn {

Budget::Budget(const Clock& clock, Limits limits)
    : clock_(clock),
      entries_(limits.entries),
      bytes_(limits.bytes),
      deadline_(limits.time == std::chrono::nanoseconds::max() ? limits.time
                                                               : clock.monotonic() + limits.time),
      stop_(std::move(limits.stop)) {}

bool Budget::take_entries(std::int64_t count) { return take(entries_, count, Limit::kEntries); }

bool Budget::take_bytes(std::int64_t count) { return take(bytes_, count, Limit::kBytes); }

bool Budget::in_time() {
  if (stop_.stop_requested()) return stop(Limit::kCancelled);
  if (deadline_ == std::chrono::nanoseconds::max()) return true;
  return clock_.monotonic() < deadline_ || stop(Limit::kTime);
}

std::optional<Budget::Limit> Budget::stopped_by() const {
  int stopped = stopped_;
  if (stopped < 0) return std::nullopt;
  return static_cast<Limit>(stopped);
}

bool Budget::take(std::atomic<std::int64_t>& left, std::int64_t count, Limit limit) {
  auto now = left.load();
  do {
    if (now < count) return stop(limit);
  } while (!left.compare_exchange_weak(now, now - count));
  return true;
}

bool Budget::stop(Limit limit) {
  int none = -1;
  stopped_.compare_exchange_strong(none, static_cast<int>(limit));
  return false;
}

std::string_view name(Budget::Limit limit) {
  switch (limit) {
    case Budget::Limit::kEntries:
      return "entries";
    case Budget::Limit::kBytes:
      return "bytes";
    case Budget::Limit::kTime:
      return "time";
    case Budget::Limit::kCancelled:
      return "cancelled";
  }
  std::unreachable();
}

}  // namespace cairn
