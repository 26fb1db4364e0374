// Shared by the tests of text.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace cairn {

// Another one each time; the one of a failure again with CAIRN_SEED.
inline std::uint64_t a_seed() {
  const char* given = std::getenv("CAIRN_SEED");
  return given == nullptr ? std::random_device{}() : std::strtoull(given, nullptr, 10);
}

}  // namespace cairn
