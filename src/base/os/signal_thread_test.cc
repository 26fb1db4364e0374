#include "base/os/signal_thread.h"

#include <future>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/guarded.h"

namespace cairn::os {
namespace {

// Signals that end the program unless somebody takes them: none may be left when a test is over.
class SignalThreadTest : public testing::Test {
 protected:
  SignalThreadTest() { pthread_sigmask(SIG_SETMASK, nullptr, &before_); }
  ~SignalThreadTest() override {
    for (const int signal : {SIGUSR2, SIGHUP}) take_pending(signal);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  static bool is_blocked(int signal) {
    sigset_t now{};
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    return sigismember(&now, signal) == 1;
  }
  // Whether it was waiting to be taken.
  static bool take_pending(int signal) {
    sigset_t wanted{};
    sigemptyset(&wanted);
    sigaddset(&wanted, signal);
    const timespec at_once{};
    return is_blocked(signal) && sigtimedwait(&wanted, nullptr, &at_once) == signal;
  }
  static void block(int signal) {
    sigset_t set{};
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
  }

 private:
  sigset_t before_{};
};

TEST_F(SignalThreadTest, AThreadOfItsOwnTakesASignalOfTheProcess) {
  std::promise<std::pair<int, std::thread::id>> taken;
  const SignalThread signals(
      {SIGUSR2}, [&](int signal) { taken.set_value({signal, std::this_thread::get_id()}); });
  ::kill(::getpid(), SIGUSR2);
  const auto [signal, thread] = taken.get_future().get();
  EXPECT_EQ(signal, SIGUSR2);
  EXPECT_NE(thread, std::this_thread::get_id());
}

TEST_F(SignalThreadTest, TakesEachSignalThatItWasMadeFor) {
  Guarded<std::vector<int>> taken;
  std::promise<void> both;
  const SignalThread signals({SIGUSR2, SIGHUP}, [&](int signal) {
    auto all = taken.lock();
    all->push_back(signal);
    if (all->size() == 2) both.set_value();
  });
  ::kill(::getpid(), SIGUSR2);
  ::kill(::getpid(), SIGHUP);
  both.get_future().get();
  EXPECT_THAT(*taken.lock(), testing::UnorderedElementsAre(SIGUSR2, SIGHUP));
}

TEST_F(SignalThreadTest, TakesASignalThatCameBeforeIt) {
  block(SIGUSR2);
  ::kill(::getpid(), SIGUSR2);
  std::promise<int> taken;
  const SignalThread signals({SIGUSR2}, [&](int signal) { taken.set_value(signal); });
  EXPECT_EQ(taken.get_future().get(), SIGUSR2);
}

TEST_F(SignalThreadTest, ItsSignalsStayBlockedAndNoOthersBecomeSo) {
  ASSERT_FALSE(is_blocked(SIGUSR2));
  ASSERT_FALSE(is_blocked(SIGUSR1));
  {
    const SignalThread signals({SIGUSR2}, [](int) {});
    EXPECT_TRUE(is_blocked(SIGUSR2));
    // What ends its thread others may have a use of their own for.
    EXPECT_FALSE(is_blocked(SIGUSR1));
  }
  EXPECT_TRUE(is_blocked(SIGUSR2));
  EXPECT_FALSE(is_blocked(SIGUSR1));
}

TEST_F(SignalThreadTest, TakesNothingOnceItIsGone) {
  int taken = 0;
  {
    const SignalThread signals({SIGUSR2}, [&](int) { taken += 1; });
  }
  ::kill(::getpid(), SIGUSR2);
  EXPECT_TRUE(take_pending(SIGUSR2));
  EXPECT_EQ(taken, 0);
}

}  // namespace
}  // namespace cairn::os
