// Turn: one thread at a time has it, and the others wait for it, up to a time.
//
// For work that several at once would do in vain. It guards no data, so clang's analysis does not
// follow it: for data there is Guarded, and Mutex for what has to be done one at a time.
// Threads  any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>

#include "base/guarded.h"

namespace cairn {

class Turn final {
 public:
  Turn() = default;
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  struct GiveBack {
    void operator()(Turn* turn) const { turn->give_back(); }
  };
  // Given back when it ends.
  using Held = std::unique_ptr<Turn, GiveBack>;

  // Null when it was not free in time.
  Held take(std::chrono::nanoseconds most);

 private:
  void give_back();

  Guarded<bool> taken_;
  std::condition_variable free_;
};

}  // namespace cairn
