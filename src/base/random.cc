#include "base/random.h"

#include <cerrno>
#include <system_error>

#include <sys/random.h>

namespace cairn {

Bytes SystemRandom::bytes(std::size_t count) {
  Bytes out(count, '\0');
  std::size_t filled = 0;
  while (filled < count) {
    auto got = getrandom(out.data() + filled, count - filled, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw std::system_error(errno, std::generic_category(), "getrandom");
    filled += static_cast<std::size_t>(got);
  }
  return out;
}

Bytes SeededRandom::bytes(std::size_t count) {
  Bytes out(count, '\0');
  auto engine = engine_.lock();
  for (auto& c : out) c = static_cast<char>((*engine)());
  return out;
}

}  // namespace cairn
