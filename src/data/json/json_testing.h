// Shared by the tests of JSON.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace cairn::json {

// The one that CAIRN_SEED asks for.
inline std::uint64_t seed_or(std::uint64_t otherwise) {
  const char* given = std::getenv("CAIRN_SEED");
  return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
}

// Another one each time; the one of a failure again with CAIRN_SEED.
inline std::uint64_t a_seed() { return seed_or(std::random_device{}()); }

}  // namespace cairn::json
