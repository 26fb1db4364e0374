// Randomness, passed in.
//
// Threads  any, also with one object.
#pragma once

#include <cstdint>
#include <random>

#include "base/bytes.h"
#include "base/guarded.h"

namespace cairn {

class Random {
 public:
  virtual ~Random() = default;
  virtual Bytes bytes(std::size_t count) = 0;
};

// The kernel's generator: for ids and secrets.
class SystemRandom final : public Random {
 public:
  Bytes bytes(std::size_t count) override;
};

// Repeatable; for tests.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : engine_(std::mt19937_64(seed)) {}
  Bytes bytes(std::size_t count) override;

 private:
  Guarded<std::mt19937_64> engine_;
};

}  // namespace cairn
