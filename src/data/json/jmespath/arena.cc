#include "data/json/jmespath/arena.h"

#include <algorithm>
#include <utility>

namespace cairn::jmespath {

bool Meter::pay() {
  const auto steps = static_cast<std::int64_t>(std::exchange(steps_, 0));
  const auto bytes = static_cast<std::int64_t>(std::exchange(bytes_, 0));
  return budget_.take_entries(steps) && budget_.take_bytes(bytes);
}

bool Meter::flush() {
  if (!stopped_) stopped_ = !pay() || !budget_.in_time();
  if (!stopped_) return true;
  // So that every call comes here.
  steps_ = kBatch;
  bytes_ = kByteBatch;
  return false;
}

bool Meter::finish() { return !stopped_ && pay(); }

bool Arena::grow(std::size_t bytes) {
  constexpr std::size_t kLargestStep = 1 << 20;
  const auto size = std::max(bytes, next_);
  if (!meter_.take(size)) return false;
  next_ = std::min(kLargestStep, next_ * 2);
  chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
  begin_ = chunks_.back().get();
  at_ = begin_;
  left_ = size;
  return true;
}

}  // namespace cairn::jmespath
