// SignInLimits: how often passwords may be tried, so that guessing is slow, hashing takes no more
// than a part of the machine, and nobody's right password is held up by the failures of others.
//
// A try takes from the bucket of its name at its address, and from that of its address (of IPv6: of
// its network, base/network.h); one that turns out right is given back. When an address's bucket is
// empty, names that nobody has are refused without a look; a name that there is is looked at all
// the same, as long as it has not failed too often itself from there.
//
// Threads  every function may be called from any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"

namespace cairn {

class SignInLimits final {
 public:
  explicit SignInLimits(const Clock& clock) : clock_(clock) {}

  // Before a password is looked at. `known`: there is a user of this name. RATE_LIMITED with
  // `retryAfterMs`.
  Result<void> begin(std::string_view name, std::string_view address, bool known);
  // It was right.
  void succeeded(std::string_view name, std::string_view address);

 private:
  struct Rule {
    double burst;
    double per_second;
  };
  static constexpr Rule kOfName{.burst = 5, .per_second = 0.5};
  static constexpr Rule kOfAddress{.burst = 10, .per_second = 5};
  static constexpr std::size_t kMaxBuckets = 20'000;

  struct Bucket {
    double level = 0;
    std::chrono::nanoseconds at{};
  };
  using Buckets = std::map<std::string, Bucket>;

  Bucket& filled(Buckets& buckets, const std::string& key, const Rule& rule) const;
  void forget_full(Buckets& buckets, const Rule& rule) const;

  const Clock& clock_;
  struct State {
    Buckets names;
    Buckets addresses;
  };
  Guarded<State> state_;
};

}  // namespace cairn
