#include "base/turn.h"

namespace cairn {

Turn::Held Turn::take(std::chrono::nanoseconds most) {
  auto taken = taken_.lock();
  if (!free_.wait_for(taken.mutex(), most, [&] { return !*taken; })) return nullptr;
  *taken = true;
  return Held(this);
}

void Turn::give_back() {
  *taken_.lock() = false;
  free_.notify_one();
}

}  // namespace cairn
