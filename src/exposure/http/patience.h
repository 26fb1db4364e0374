// Patience: how long a client is waited for while it sends or takes bytes. Between two of them
// there is a limit, and on the average they have to come at a rate; the time in which it was not
// the client who was waited for does not count.
//
// Threads  one at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace cairn::http {

class Patience final {
 public:
  using Time = std::chrono::nanoseconds;

  // `least_rate` is in bytes a second; 0: any.
  Patience(std::chrono::milliseconds between, std::size_t least_rate)
      : between_(between), least_rate_(least_rate) {}

  // All of it has to come within this time, and at this rate.
  void at_most(std::chrono::milliseconds all, std::size_t least_rate) {
    all_ = all;
    least_rate_ = least_rate;
  }

  // From now on the client is waited for, who has sent or taken so many bytes: for how long?
  Time left(std::uint64_t bytes) {
    began_ = std::chrono::steady_clock::now();
    return std::max(Time(1), std::min({Time(between_), Time(all_) - waited_, earned(bytes)}));
  }
  // It came.
  void waited() { waited_ += std::chrono::steady_clock::now() - began_; }

 private:
  Time earned(std::uint64_t bytes) const {
    if (least_rate_ == 0) return between_;
    const auto seconds = std::chrono::seconds(bytes / least_rate_);
    return between_ + std::min<std::chrono::seconds>(seconds, std::chrono::hours(24 * 365)) -
           waited_;
  }

  const std::chrono::milliseconds between_;
  std::size_t least_rate_;
  std::chrono::milliseconds all_ = std::chrono::hours(24 * 365);
  Time waited_{0};
  std::chrono::steady_clock::time_point began_;
};

}  // namespace cairn::http
