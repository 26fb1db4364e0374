#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/os/system.h"
#include "exposure/sandbox/program.h"

namespace cairn::sandbox {
namespace {

constexpr char kEndOfInput = 4;
// Ends hidden text, another screen and the like: what comes next is to be read.
constexpr std::string_view kReset = "\x1b[!p\x1b[?1049l\x1b[0m\r";

// This terminal, passing every key on, for as long as it lives.
class RawTerminal final {
 public:
  RawTerminal() {
    ::tcgetattr(STDIN_FILENO, &before_);
    auto raw = before_;
    ::cfmakeraw(&raw);
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  }
  ~RawTerminal() {
    const char* kind = std::getenv("TERM");
    const bool plain = kind == nullptr || std::string_view(kind) == "dumb";
    if (!plain) std::ignore = os::write_all(STDOUT_FILENO, kReset);
    // Nothing that was typed for the command, or that it made the terminal answer, answers what is
    // asked next.
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  termios before_{};
};

// Readable when this terminal's size has changed.
class SizeChanges final {
 public:
  SizeChanges() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGWINCH);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    file_ = os::Handle(::signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~SizeChanges() { pthread_sigmask(SIG_UNBLOCK, &set_, nullptr); }
  SizeChanges(const SizeChanges&) = delete;
  SizeChanges& operator=(const SizeChanges&) = delete;

  int file() const { return file_.fd(); }
  void pass_on(int other) const {
    signalfd_siginfo told{};
    while (::read(file_.fd(), &told, sizeof told) > 0) {
    }
    winsize size{};
    if (::ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0) ::ioctl(other, TIOCSWINSZ, &size);
  }

 private:
  sigset_t set_{};
  os::Handle file_;
};

// The next bytes of `from`, or nullopt at its end.
std::optional<std::string> read_some(int from) {
  std::string room(16384, '\0');
  const auto got = ::read(from, room.data(), room.size());
  const bool later = got < 0 && (errno == EINTR || errno == EAGAIN);
  if (got <= 0 && !later) return std::nullopt;
  room.resize(later ? 0 : static_cast<std::size_t>(got));
  return room;
}

// Keys on their way to a command that does not have to read them at once.
class Keys final {
 public:
  explicit Keys(int to) : to_(to) { ::fcntl(to_, F_SETFL, ::fcntl(to_, F_GETFL) | O_NONBLOCK); }
  bool waiting() const { return !left_.empty(); }
  void add(std::string_view keys) { left_ += keys; }
  void send() {
    const auto written = ::write(to_, left_.data(), left_.size());
    if (written > 0) left_.erase(0, static_cast<std::size_t>(written));
    if (written < 0 && errno != EAGAIN && errno != EINTR) left_.clear();
  }

 private:
  int to_;
  std::string left_;
};

}  // namespace

void relay_terminal(int other) {
  const SizeChanges sizes;
  const RawTerminal raw;
  Keys keys(other);
  bool more_keys = true;
  while (true) {
    const bool waiting = keys.waiting();
    pollfd files[] = {
        {other, static_cast<short>(waiting ? POLLIN | POLLOUT : POLLIN), 0},
        {more_keys && !waiting ? STDIN_FILENO : -1, POLLIN, 0},
        {sizes.file(), POLLIN, 0},
    };
    if (::poll(files, 3, -1) < 0 && errno != EINTR) return;
    if (files[2].revents != 0) sizes.pass_on(other);
    if (files[1].revents != 0) {
      const auto typed = read_some(STDIN_FILENO);
      more_keys = typed.has_value();
      keys.add(typed.value_or(std::string(1, kEndOfInput)));
    }
    if (keys.waiting()) keys.send();
    if ((files[0].revents & ~POLLOUT) != 0) {
      const auto said = read_some(other);
      if (!said) return;
      std::ignore = os::write_all(STDOUT_FILENO, *said);
    }
  }
}

}  // namespace cairn::sandbox
