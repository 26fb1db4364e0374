// Guarded<T>: a value that can only be reached while its mutex is held.
//
// clang's analysis (mutex.h) takes the whole for a mutex: to lock it again in the same function is
// an error, as is a reference to the value that outlives its Access, and functions may be marked
// REQUIRES(state_) or EXCLUDES(state_). Not seen: that an Access is used after unlock(), or given
// to another function to unlock.
//
// Threads  any. An Access belongs to the thread that took it.
#pragma once

#include <mutex>
#include <utility>

#include "base/mutex.h"

namespace cairn {

template <typename T>
class CAPABILITY("guarded value") Guarded final {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  class SCOPED_CAPABILITY Access final {
   public:
    explicit Access(Guarded& owner) ACQUIRE(owner)
        : lock_(locked(owner.mutex_), std::adopt_lock), value_(owner.value_) {}
    ~Access() RELEASE() = default;
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;

    T& operator*() LIFETIME_BOUND { return value_; }
    T* operator->() LIFETIME_BOUND { return &value_; }
    // To do something else meanwhile.
    void unlock() RELEASE() { lock_.unlock(); }
    void lock() ACQUIRE() { lock_.lock(); }
    // For condition variables.
    std::unique_lock<std::mutex>& mutex() { return lock_; }

   private:
    // A std::unique_lock that locks by itself first checks that it can.
    static std::mutex& locked(std::mutex& mutex) {
      mutex.lock();
      return mutex;
    }

    std::unique_lock<std::mutex> lock_;
    T& value_;
  };

  // Not analysed inside: there it seems that nobody unlocks what is returned.
  Access lock() ACQUIRE() NO_THREAD_SAFETY_ANALYSIS { return Access(*this); }

 private:
  std::mutex mutex_;
  T value_ GUARDED_BY(this){};
};

}  // namespace cairn
