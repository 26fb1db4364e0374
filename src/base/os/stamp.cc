#include "base/os/stamp.h"

#include <algorithm>

namespace cairn::os {
namespace {

constexpr int kMinorBits = 32;

std::int64_t nanoseconds(const statx_timestamp& time) {
  return time.tv_sec * 1'000'000'000 + static_cast<std::int64_t>(time.tv_nsec);
}

}  // namespace

Stamp Stamp::kept() const {
  auto out = *this;
  out.device = 0;
  return out;
}

bool Stamp::is_renamed(const Stamp& before) const {
  auto expected = before;
  expected.changed = changed;
  return *this == expected;
}

bool Stamp::is_settled(std::int64_t now) const {
  return std::max(modified, changed) + kStampSettles < now;
}

Stamp stamp_of(const Stat& stat) {
  return {.size = stat.stx_size,
          .modified = nanoseconds(stat.stx_mtime),
          .changed = nanoseconds(stat.stx_ctime),
          .inode = stat.stx_ino,
          .device = std::uint64_t{stat.stx_dev_major} << kMinorBits | stat.stx_dev_minor};
}

}  // namespace cairn::os
