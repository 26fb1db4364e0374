#include "tools/executor/rate_limit.h"

#include <algorithm>
#include <cmath>

namespace cairn {

RateLimit::RateLimit(const Clock& clock, RateLimitOptions options)
    : clock_(clock), options_(options) {
  if (options_.burst <= 0) options_.burst = std::max(1.0, 2 * options_.per_second);
}

Result<void> RateLimit::take(const DelegateId& delegate) {
  if (options_.per_second <= 0) return {};
  const auto now = clock_.monotonic();
  auto buckets = buckets_.lock();
  // A delegate that was forgotten starts with a full bucket: never worse off than before.
  if (buckets->size() >= kMaxBuckets) buckets->clear();
  auto [found, made] = buckets->try_emplace(delegate, Bucket{options_.burst, now});
  auto& bucket = found->second;
  const std::chrono::duration<double> passed = now - bucket.at;
  bucket.level = std::min(options_.burst, bucket.level + passed.count() * options_.per_second);
  bucket.at = now;
  if (bucket.level >= 1) {
    bucket.level -= 1;
    return {};
  }
  const auto wait =
      static_cast<std::int64_t>(std::ceil((1 - bucket.level) / options_.per_second * 1000));
  return Failure(
      Error(Code::kRateLimited, fmt::format("you may make {:g} calls a second; try again in {} ms",
                                            options_.per_second, wait))
          .with("retryAfterMs", wait));
}

}  // namespace cairn
