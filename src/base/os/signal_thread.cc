#include "base/os/signal_thread.h"

#include <utility>

#include <pthread.h>

namespace cairn::os {
namespace {

// Ends the thread.
constexpr int kWake = SIGUSR1;

}  // namespace

SignalThread::SignalThread(std::initializer_list<int> signals,
                           std::function<void(int signal)> on_signal)
    : on_signal_(std::move(on_signal)) {
  sigset_t blocked{};
  sigemptyset(&blocked);
  for (const int signal : signals) sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  waited_for_ = blocked;
  sigaddset(&waited_for_, kWake);
  // The thread begins with it blocked: one that comes before it waits is not lost. Others may have
  // a use of their own for it.
  sigset_t before{};
  pthread_sigmask(SIG_BLOCK, &waited_for_, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

SignalThread::~SignalThread() {
  pthread_kill(thread_.native_handle(), kWake);
  thread_.join();
}

void SignalThread::run() {
  while (true) {
    int signal = 0;
    sigwait(&waited_for_, &signal);
    if (signal == kWake) return;
    on_signal_(signal);
  }
}

}  // namespace cairn::os
