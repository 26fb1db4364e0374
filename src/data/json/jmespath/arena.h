// The resources that a search spends, and the memory it builds its values in; private to the
// module's own sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/budget.h"

namespace cairn::jmespath {

// Spends a budget in batches: an atomic and a clock for every value would cost more than the value.
// Once it said no it says no for ever.
class Meter final {
 public:
  explicit Meter(Budget& budget) : budget_(budget) {}
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  bool step() { return spend(1); }
  bool spend(std::uint64_t steps) {
    steps_ += steps;
    return steps_ < kBatch || flush();
  }
  // As many steps as it takes to look at so many bytes.
  bool look(std::size_t bytes) { return spend(bytes / 64); }
  bool take(std::uint64_t bytes) {
    bytes_ += bytes;
    return bytes_ < kByteBatch || flush();
  }
  // Pays what is left of the batches; for that, no clock is asked. Call it when all is done.
  bool finish();
  bool stopped() const { return stopped_; }

 private:
  bool flush();
  bool pay();

  static constexpr std::uint64_t kBatch = 4096;
  static constexpr std::uint64_t kByteBatch = 64 << 10;

  Budget& budget_;
  std::uint64_t steps_ = 0;
  std::uint64_t bytes_ = 0;
  bool stopped_ = false;
};

// Memory for values without destructors that all go at once.
class Arena final {
 public:
  using Mark = std::byte*;

  explicit Arena(Meter& meter) : meter_(meter) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Not initialised; nullptr when it is over the budget.
  template <typename T>
  T* make(std::size_t count) {
    static_assert(alignof(T) <= kAlignment && std::is_trivially_destructible_v<T>);
    if (count > kLargest / sizeof(T)) return nullptr;
    return static_cast<T*>(allocate((count * sizeof(T) + kAlignment - 1) & ~(kAlignment - 1)));
  }

  // For rewind(): where the next value goes.
  Mark mark() const { return at_; }
  // Drops what was made since the mark, unless more memory was taken since. REQUIRES: nothing
  // refers to it.
  void rewind(Mark mark) {
    if (mark < begin_ || mark > at_) return;
    left_ += static_cast<std::size_t>(at_ - mark);
    at_ = mark;
  }

 private:
  static constexpr std::size_t kAlignment = 8;
  static constexpr std::size_t kLargest = 0xffff'ffff;  // sizes of items have 32 bits

  void* allocate(std::size_t bytes) {
    if (bytes > left_ && !grow(bytes)) return nullptr;
    auto* at = at_;
    at_ += bytes;
    left_ -= bytes;
    return at;
  }
  bool grow(std::size_t bytes);

  Meter& meter_;
  alignas(kAlignment) std::byte first_[1024];
  std::byte* begin_ = first_;  // of what at_ is in
  std::byte* at_ = first_;
  std::size_t left_ = sizeof first_;
  std::size_t next_ = 8 << 10;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
};

}  // namespace cairn::jmespath
