#include "tools/executor/sign_in_limits.h"

#include <algorithm>
#include <cmath>

#include "base/network.h"
#include "base/sha256.h"

namespace cairn {
namespace {

// Names may be long, and are not kept.
std::string key_of(std::string_view name, std::string_view address) {
  const auto digest = sha256(fmt::format("{}\n{}", address, name));
  return {reinterpret_cast<const char*>(digest.data()), 16};
}

Failure too_often(double missing, double per_second) {
  const auto wait = static_cast<std::int64_t>(std::ceil(missing / per_second * 1000));
  return Failure(Error(Code::kRateLimited,
                       fmt::format("too many passwords were wrong; try again in {} ms", wait))
                     .with("retryAfterMs", wait));
}

}  // namespace

SignInLimits::Bucket& SignInLimits::filled(Buckets& buckets, const std::string& key,
                                           const Rule& rule) const {
  if (buckets.size() >= kMaxBuckets) forget_full(buckets, rule);
  const auto now = clock_.monotonic();
  auto& bucket = buckets.try_emplace(key, Bucket{rule.burst, now}).first->second;
  const std::chrono::duration<double> passed = now - bucket.at;
  bucket.level = std::min(rule.burst, bucket.level + passed.count() * rule.per_second);
  bucket.at = now;
  return bucket;
}

// A full one is as good as none. Where that is not enough, those go that were used longest ago.
void SignInLimits::forget_full(Buckets& buckets, const Rule& rule) const {
  const auto now = clock_.monotonic();
  const std::chrono::duration<double> to_fill(rule.burst / rule.per_second);
  std::erase_if(buckets, [&](const auto& entry) { return now - entry.second.at >= to_fill; });
  if (buckets.size() < kMaxBuckets) return;
  const auto oldest =
      std::ranges::min_element(buckets, {}, [](const auto& entry) { return entry.second.at; });
  buckets.erase(oldest);
}

Result<void> SignInLimits::begin(std::string_view name, std::string_view address, bool known) {
  const auto network = network_of(address);
  auto state = state_.lock();
  auto& of_address = filled(state->addresses, network, kOfAddress);
  if (of_address.level < 1 && !known) {
    return too_often(1 - of_address.level, kOfAddress.per_second);
  }
  auto& of_name = filled(state->names, key_of(name, network), kOfName);
  if (of_name.level < 1) return too_often(1 - of_name.level, kOfName.per_second);
  of_name.level -= 1;
  of_address.level = std::max(0.0, of_address.level - 1);
  return {};
}

void SignInLimits::succeeded(std::string_view name, std::string_view address) {
  const auto network = network_of(address);
  auto state = state_.lock();
  auto& of_name = filled(state->names, key_of(name, network), kOfName);
  of_name.level = kOfName.burst;
  auto& of_address = filled(state->addresses, network, kOfAddress);
  of_address.level = std::min(kOfAddress.burst, of_address.level + 1);
}

}  // namespace cairn
