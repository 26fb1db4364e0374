// How many files and connections this process may have open.
//
// Threads     plain functions; raising is for the start of a program.
#pragma once

#include <cstddef>

namespace cairn::os {

// As much as the operating system lets it have. Returns what it is then.
std::size_t raise_descriptor_limit();
std::size_t descriptor_limit();

// How the limit is shared out: what the store may hold open, what connections may, and the rest is
// for whatever else opens files. Connections never take what the store needs.
struct DescriptorShares {
  std::size_t store = 0;
  std::size_t connections = 0;

  static DescriptorShares of(std::size_t limit);
  bool operator==(const DescriptorShares&) const = default;
};

}  // namespace cairn::os
