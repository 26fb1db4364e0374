// Watchdog: ends a program when its time is over, or when it and all that it has started take more
// of this machine than they were given. The kernel holds each process to some of these limits, but
// not all of them together, and not those that root started to their number.
//
// Threads     one at a time; it looks on a thread of its own, some times a second.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include <sys/types.h>

#include "base/os/handle.h"

namespace cairn::sandbox {

// What processes take together.
struct Usage {
  std::size_t processes = 0;
  std::uint64_t memory = 0;  // bytes of their own; what several share is counted once
};
// Of a process and all below it, without itself. More memory than `enough` need not be exact.
Usage usage_below(pid_t process, std::uint64_t enough);

class Watchdog final {
 public:
  struct Limits {
    std::chrono::seconds time{0};  // 0: any
    std::size_t processes = 0;     // 0: any
    std::uint64_t memory = 0;      // of all together; 0: any
  };
  enum class Why : std::uint8_t { kNothing, kTime, kProcesses, kMemory };

  // REQUIRES: the child is one that nobody has waited for.
  Watchdog(pid_t child, const Limits& limits);

  // What it was ended for.
  Why ended_for() const { return why_; }

 private:
  void watch(const std::stop_token& stop);
  Why look() const;

  const pid_t child_;
  const Limits limits_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  os::Handle handle_;
  std::atomic<Why> why_ = Why::kNothing;
  std::jthread thread_;
};

}  // namespace cairn::sandbox
