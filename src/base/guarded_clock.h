// GuardedClock: the machine's time, held against what was seen of it before.
//
// A clock that is set wrong must not cost anybody what it kept, nor give anybody longer than he was
// given. So
//   * it never goes back: set back, it goes on from where it was, at the pace of the monotonic
//     clock, until the machine's time has caught up. Ids, histories and what expires stay in order.
//   * set ahead while it runs, it goes on as if nothing had happened, until the new time has stood
//     for kTrial. What is made meanwhile does not outlive its time when the clock is set right.
//   * what was last seen is remembered from one process to the next (Memory). A process that begins
//     long after takes the machine's time, since a store may lie unused for months; but what is
//     settled stays behind, again for kTrial.
// settled() is what the age of things is measured with that are removed when they are old: garbage,
// histories, the audit log.
//
// Threads  every function may be called from any thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"

namespace cairn {

// The machine's; its monotonic clock runs on while the machine sleeps.
class MachineClock final : public Clock {
 public:
  Millis now() const override { return SystemClock().now(); }
  std::chrono::nanoseconds monotonic() const override {
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }
};

class GuardedClock final : public Clock {
 public:
  // Less than this is no jump: clocks are put right all the time.
  static constexpr std::chrono::milliseconds kSlack = std::chrono::minutes(5);
  // A store may rest so long without anybody wondering.
  static constexpr std::chrono::milliseconds kRest = std::chrono::hours(24 * 31);
  // How long a new time has to stand before it is believed.
  static constexpr std::chrono::milliseconds kTrial = std::chrono::hours(24);

  // What one process leaves for the next.
  struct Memory {
    Millis seen = 0;     // the latest time
    Millis settled = 0;  // what of it is believed
    Millis since = 0;    // the first of the time that is not believed yet; 0: all is
    bool operator==(const Memory&) const = default;
  };

  // Told of every jump, in words for the log; it may use the clock. REQUIRES: `machine` outlives
  // it.
  using Tell = std::function<void(const std::string&)>;
  explicit GuardedClock(const Clock& machine, Tell tell = nullptr);

  // Goes on from what the process before has left.
  void remember(const Memory& memory);
  Memory memory() const;

  Millis now() const override;
  std::chrono::nanoseconds monotonic() const override { return machine_.monotonic(); }

  // The same clock, as far as it is believed.
  const Clock& settled() const { return settled_; }

 private:
  struct State {
    Millis time = 0;                    // what was said last
    std::chrono::nanoseconds pace{};    // the monotonic clock then
    std::optional<Millis> behind;       // settled at `pace`, while it is behind
    Millis since = 0;                   // of the time on trial
    std::optional<Millis> ahead_since;  // own time at which the machine's was found ahead
    bool back = false;                  // the machine's clock is behind
    std::vector<std::string> to_tell;
  };

  class Settled final : public Clock {
   public:
    explicit Settled(const GuardedClock& owner) : owner_(owner) {}
    Millis now() const override;
    std::chrono::nanoseconds monotonic() const override { return owner_.monotonic(); }

   private:
    const GuardedClock& owner_;
  };

  // Of the state as it is now; what there is to tell is told afterwards.
  template <typename T>
  T seen(T (*what)(const State& state)) const;
  void advance(State& state) const;

  const Clock& machine_;
  Tell tell_;
  mutable Guarded<State> state_;
  Settled settled_{*this};
};

}  // namespace cairn
