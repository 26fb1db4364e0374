// Time, passed in. Wall time is for people and records; the monotonic clock is for deadlines.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include <time.h>

namespace cairn {

// Milliseconds since 1970, as every surface prints it.
using Millis = std::int64_t;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Millis now() const = 0;
  virtual std::chrono::nanoseconds monotonic() const = 0;
};

class SystemClock final : public Clock {
 public:
  Millis now() const override {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  }
  std::chrono::nanoseconds monotonic() const override {
    return std::chrono::steady_clock::now().time_since_epoch();
  }
};

// Runs only while the calling thread does: what a busy machine makes it wait for takes no time. For
// tests of how long work may take.
class WorkClock final : public Clock {
 public:
  Millis now() const override { return monotonic() / std::chrono::milliseconds(1); }
  std::chrono::nanoseconds monotonic() const override {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }
};

// Stands still until told otherwise; for tests.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Millis start = 1'700'000'000'000) : now_(start) {}
  Millis now() const override { return now_; }
  std::chrono::nanoseconds monotonic() const override { return std::chrono::milliseconds(now_); }
  void advance(std::chrono::milliseconds by) { now_ += by.count(); }

 private:
  std::atomic<Millis> now_;
};

}  // namespace cairn
