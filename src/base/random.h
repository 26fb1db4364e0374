// Randomness, passed in.
#pragma once

#include <cstdint>
#include <mutex>
#include <random>

#include "base/bytes.h"

namespace cairn {

class Random {
 public:
  virtual ~Random() = default;
  // Thread-safe.
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
  explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}
  Bytes bytes(std::size_t count) override;

 private:
  std::mutex mutex_;
  std::mt19937_64 engine_;
};

}  // namespace cairn
