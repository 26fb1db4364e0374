// Stamp: what tells whether a file is still the one that was seen, and was not written to since.
//
// A stamp of a file that was changed within the last moment tells nothing: the next change may have
// the same time (kStampSettles).
//
// Threads     a value.
#pragma once

#include <cstdint>

#include "base/os/system.h"

namespace cairn::os {

// File systems tell times as coarsely as this, in nanoseconds.
inline constexpr std::int64_t kStampSettles = 2'000'000'000;

struct Stamp {
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // nanoseconds
  std::int64_t changed = 0;   // nanoseconds; of its inode too: mode, owner, name
  std::uint64_t inode = 0;
  std::uint64_t device = 0;

  // As it is kept in a file: without the device, whose number may be another after a restart.
  Stamp kept() const;
  // A rename changes the time of the inode, and nothing else.
  bool is_renamed(const Stamp& before) const;
  // Whether a change after `now` will show.
  bool is_settled(std::int64_t now) const;

  bool operator==(const Stamp&) const = default;
};

Stamp stamp_of(const Stat& stat);

}  // namespace cairn::os
