#include "exposure/mirror/watch.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/os/os_error.h"

namespace cairn::mirror {
namespace {

constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE |
                                  IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF |
                                  IN_ONLYDIR | IN_EXCL_UNLINK;

std::string explain(int why) {
  if (why == ENOSPC) {
    return "the system watches as many directories as it is allowed to (raise "
           "fs.inotify.max_user_watches with sysctl, or exclude some)";
  }
  if (why == EMFILE) {
    return "too many programs watch directories (raise fs.inotify.max_user_instances with sysctl)";
  }
  return fmt::format("directories cannot be watched: {}", os::description(why));
}

}  // namespace

MirrorWatch::MirrorWatch(const Clock& clock, int stop)
    : clock_(clock), stop_(stop), inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  if (!inotify_.valid()) trouble_ = explain(errno);
}

void MirrorWatch::add(int directory) {
  if (!inotify_.valid()) return;
  // By its handle: the directory itself, whatever its path leads to by now.
  const auto path = fmt::format("/proc/self/fd/{}", directory);
  if (::inotify_add_watch(inotify_.fd(), path.c_str(), kEvents) < 0 && trouble_.empty()) {
    trouble_ = explain(errno);
  }
}

MirrorWatch::Woken MirrorWatch::wait(std::chrono::milliseconds at_most) {
  const auto first = next(at_most);
  if (first == Event::kStop) return Woken::kStop;
  if (first == Event::kNothing) return Woken::kTime;
  const auto until = clock_.monotonic() + kLongest;
  while (clock_.monotonic() < until) {
    const auto more = next(kQuiet);
    if (more == Event::kStop) return Woken::kStop;
    if (more == Event::kNothing) break;
  }
  return Woken::kChange;
}

MirrorWatch::Event MirrorWatch::next(std::chrono::milliseconds at_most) {
  const auto until = clock_.monotonic() + at_most;
  std::array<pollfd, 2> waited{{{stop_, POLLIN, 0}, {inotify_.fd(), POLLIN, 0}}};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock_.monotonic());
    if (left.count() <= 0) return Event::kNothing;
    const int ready = ::poll(waited.data(), waited.size(), static_cast<int>(left.count()));
    if (ready <= 0) continue;
    if (waited[0].revents != 0) return Event::kStop;
    if (waited[1].revents != 0 && drain()) return Event::kChange;
  }
}

bool MirrorWatch::drain() const {
  bool matters = false;
  alignas(inotify_event) std::array<char, 16 * 1024> room;
  while (true) {
    const auto got = ::read(inotify_.fd(), room.data(), room.size());
    if (got <= 0) return matters;
    for (const char* at = room.data(); at < room.data() + got;) {
      inotify_event event;
      std::memcpy(&event, at, sizeof event);
      const std::string_view name = event.len == 0 ? "" : at + sizeof event;
      const bool ours = is_temporary(name) || (event.mask & IN_IGNORED) != 0;
      matters = matters || !ours;
      at += sizeof event + event.len;
    }
  }
}

}  // namespace cairn::mirror
