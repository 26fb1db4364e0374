// Buckets: how often somebody may do something, each name with a bucket of its own.
//
// Threads     every function may be called from any thread.
// Fails with  RATE_LIMITED with `retryAfterMs`.
#pragma once

#include <map>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"

namespace cairn::oauth {

class Buckets final {
 public:
  struct Rule {
    double burst;
    double per_second;
  };
  Buckets(const Clock& clock, const Rule& rule) : clock_(clock), rule_(rule) {}

  // One from the bucket; `what` is "too many registrations".
  Result<void> take(const std::string& name, std::string_view what);
  // Whether there is one, which stays there.
  Result<void> check(const std::string& name, std::string_view what);
  // One from it, if there is one.
  void spend(const std::string& name);

 private:
  static constexpr std::size_t kMost = 20'000;

  struct Bucket {
    double level = 0;
    std::chrono::nanoseconds at{};
  };
  using All = std::map<std::string, Bucket>;
  Bucket& filled(All& all, const std::string& name) const;
  void forget(All& all) const;
  Failure refused(const Bucket& bucket, std::string_view what) const;

  const Clock& clock_;
  Rule rule_;
  Guarded<All> all_;
};

}  // namespace cairn::oauth
