#include "exposure/sandbox/watchdog.h"

#include <array>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cairn::sandbox {
namespace {

constexpr std::size_t kMiB = 1024 * 1024;

// A process that has a child, which takes so much memory, starts so many others, and stays. It is
// there when this returns.
class Busy final {
 public:
  Busy(std::size_t memory, int others) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setpgid(0, 0);
      if (::fork() == 0) be_busy(memory, others, ends[1]);
      for (;;) ::pause();
    }
    char ready = 0;
    EXPECT_EQ(::read(ends[0], &ready, 1), 1);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Busy() {
    ::kill(-pid_, SIGKILL);
    while (::waitpid(-pid_, nullptr, 0) > 0) {
    }
  }
  pid_t pid() const { return pid_; }

 private:
  [[noreturn]] static void be_busy(std::size_t memory, int others, int ready) {
    std::vector<char> taken(memory);
    std::memset(taken.data(), 1, taken.size());
    for (int i = 0; i < others; ++i) {
      if (::fork() != 0) continue;
      for (;;) ::pause();
    }
    static_cast<void>(::write(ready, "!", 1));
    for (;;) ::pause();
  }

  pid_t pid_ = 0;
};

TEST(UsageBelow, CountsProcessesAndWhatTheyShareOnce) {
  const Busy busy(64 * kMiB, 5);
  const auto used = usage_below(busy.pid(), 0);
  EXPECT_EQ(used.processes, 6U);
  EXPECT_GE(used.memory, 64 * kMiB);
  EXPECT_LT(used.memory, 2 * 64 * kMiB);
}

Watchdog::Why ended_for(const Busy& busy, const Watchdog::Limits& limits) {
  const Watchdog watchdog(busy.pid(), limits);
  int status = 0;
  EXPECT_EQ(::waitpid(busy.pid(), &status, 0), busy.pid());
  EXPECT_TRUE(WIFSIGNALED(status));
  return watchdog.ended_for();
}

TEST(Watchdog, EndsWhatTakesMoreThanItWasGiven) {
  using Why = Watchdog::Why;
  EXPECT_EQ(ended_for(Busy(kMiB, 5), {.processes = 5}), Why::kProcesses);
  EXPECT_EQ(ended_for(Busy(64 * kMiB, 0), {.memory = 32 * kMiB}), Why::kMemory);
  EXPECT_EQ(ended_for(Busy(kMiB, 0),
                      {.time = std::chrono::seconds(1), .processes = 100, .memory = 1024 * kMiB}),
            Why::kTime);
}

}  // namespace
}  // namespace cairn::sandbox
