#include "exposure/cli/stop_signals.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace cairn::cli {
namespace {

// Interrupts a read, and ends the thread that waits.
constexpr int kWake = SIGUSR1;

sigset_t ending() {
  sigset_t set{};
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

sigset_t only(int number) {
  sigset_t set{};
  sigemptyset(&set);
  sigaddset(&set, number);
  return set;
}

void nothing(int /*signal*/) {}

}  // namespace

InputEndsOnSignal::InputEndsOnSignal() {
  struct sigaction action{};
  action.sa_handler = nothing;
  ::sigaction(kWake, &action, nullptr);
  const sigset_t set = ending();
  const sigset_t wake = only(kWake);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // The thread begins with it blocked: one that comes before it waits is not lost.
  pthread_sigmask(SIG_BLOCK, &wake, nullptr);
  thread_ = std::thread([this, reader = pthread_self()] { wait(reader); });
  pthread_sigmask(SIG_UNBLOCK, &wake, nullptr);
}

InputEndsOnSignal::~InputEndsOnSignal() {
  pthread_kill(thread_.native_handle(), kWake);
  thread_.join();
}

void InputEndsOnSignal::wait(pthread_t reader) {
  sigset_t set = ending();
  sigaddset(&set, kWake);
  int number = 0;
  sigwait(&set, &number);
  if (number == kWake) return;
  // Whoever reads on finds the end.
  const int end = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(end, STDIN_FILENO);
  ::close(end);
  pthread_kill(reader, kWake);
  sigwait(&set, &number);
  // What was asked may never be answered: nobody reads, say.
  if (number != kWake) ::_exit(128 + number);
}

StopSignal::StopSignal() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  sigset_t set = ending();
  sigaddset(&set, kWake);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { wait(); });
}

StopSignal::~StopSignal() {
  pthread_kill(thread_.native_handle(), kWake);
  thread_.join();
  ::close(event_);
}

void StopSignal::wait() const {
  sigset_t set = ending();
  sigaddset(&set, kWake);
  int number = 0;
  sigwait(&set, &number);
  if (number == kWake) return;
  ::eventfd_write(event_, 1);
  sigwait(&set, &number);
  if (number != kWake) ::_exit(128 + number);
}

}  // namespace cairn::cli
