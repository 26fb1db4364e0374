#include "base/pause.h"

#include <condition_variable>

#include "base/mutex.h"

namespace cairn {

bool pause(std::chrono::milliseconds time, const std::stop_token& stop) {
  Mutex mutex;  // guards nothing: a condition variable wants one
  std::condition_variable_any never;
  const MutexLock lock(mutex);
  never.wait_for(mutex, stop, time, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace cairn
