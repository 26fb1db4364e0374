#include "base/os/stop_signals.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace cairn::os {
namespace {

// Interrupts a read.
constexpr int kInterrupt = SIGUSR1;

void nothing(int /*signal*/) {}

// This thread, which kInterrupt does nothing else to.
pthread_t interruptible_self() {
  struct sigaction action{};
  action.sa_handler = nothing;
  ::sigaction(kInterrupt, &action, nullptr);
  return pthread_self();
}

// A request to end may never be carried out: nobody reads, say. A second one ends the process.
void end_at_once_if(bool already_ending, int signal) {
  if (already_ending) ::_exit(128 + signal);
}

}  // namespace

InputEndsOnSignal::InputEndsOnSignal()
    : reader_(interruptible_self()), signals_({SIGTERM, SIGINT}, [this](int signal) {
        end_at_once_if(std::exchange(ending_, true), signal);
        end_input();
      }) {}

void InputEndsOnSignal::end_input() {
  // Whoever reads on finds the end.
  const Handle end(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (end.valid()) ::dup2(end.fd(), STDIN_FILENO);
  pthread_kill(reader_, kInterrupt);
}

StopSignal::StopSignal()
    : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      signals_({SIGTERM, SIGINT}, [this](int signal) {
        end_at_once_if(std::exchange(ending_, true), signal);
        ::eventfd_write(event_.fd(), 1);
      }) {}

void StopSignal::wait() const {
  pollfd waited{.fd = event_.fd(), .events = POLLIN, .revents = 0};
  while (::poll(&waited, 1, -1) < 0 && errno == EINTR) {
  }
}

}  // namespace cairn::os
