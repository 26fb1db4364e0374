// RateLimit: how many calls each delegate may make, as a bucket that fills with time.
//
// Threads     take() may be called from any thread.
#pragma once

#include <map>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/id.h"
#include "base/result.h"

namespace cairn {

struct RateLimitOptions {
  double per_second = 0;  // 0: no limit
  double burst = 0;       // 0: two seconds' worth
};

class RateLimit final {
 public:
  RateLimit(const Clock& clock, RateLimitOptions options);

  // RATE_LIMITED with `retryAfterMs` when the bucket is empty.
  Result<void> take(const DelegateId& delegate);

 private:
  static constexpr std::size_t kMaxBuckets = 100'000;
  struct Bucket {
    double level = 0;
    std::chrono::nanoseconds at{};
  };

  const Clock& clock_;
  RateLimitOptions options_;
  Guarded<std::map<DelegateId, Bucket>> buckets_;
};

}  // namespace cairn
