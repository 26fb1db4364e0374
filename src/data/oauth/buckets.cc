#include "data/oauth/buckets.h"

#include <algorithm>
#include <cmath>

namespace cairn::oauth {

void Buckets::forget(All& all) const {
  const auto now = clock_.monotonic();
  const std::chrono::duration<double> to_fill(rule_.burst / rule_.per_second);
  // A full one is as good as none.
  std::erase_if(all, [&](const auto& entry) { return now - entry.second.at >= to_fill; });
  if (all.size() < kMost) return;
  all.erase(std::ranges::min_element(all, {}, [](const auto& entry) { return entry.second.at; }));
}

Buckets::Bucket& Buckets::filled(All& all, const std::string& name) const {
  if (all.size() >= kMost && !all.contains(name)) forget(all);
  const auto now = clock_.monotonic();
  auto& bucket = all.try_emplace(name, Bucket{rule_.burst, now}).first->second;
  const std::chrono::duration<double> passed = now - bucket.at;
  bucket.level = std::min(rule_.burst, bucket.level + passed.count() * rule_.per_second);
  bucket.at = now;
  return bucket;
}

Failure Buckets::refused(const Bucket& bucket, std::string_view what) const {
  const auto wait =
      static_cast<std::int64_t>(std::ceil((1 - bucket.level) / rule_.per_second * 1000));
  return Failure(
      Error(Code::kRateLimited, fmt::format("{}; try again in {} s", what, (wait + 999) / 1000))
          .with("retryAfterMs", wait));
}

Result<void> Buckets::take(const std::string& name, std::string_view what) {
  auto all = all_.lock();
  auto& bucket = filled(*all, name);
  if (bucket.level < 1) return refused(bucket, what);
  bucket.level -= 1;
  return {};
}

Result<void> Buckets::check(const std::string& name, std::string_view what) {
  auto all = all_.lock();
  const auto& bucket = filled(*all, name);
  if (bucket.level < 1) return refused(bucket, what);
  return {};
}

void Buckets::spend(const std::string& name) {
  auto all = all_.lock();
  auto& bucket = filled(*all, name);
  bucket.level = std::max(0.0, bucket.level - 1);
}

}  // namespace cairn::oauth
