// Guarded<T>: a value that can only be reached while its mutex is held.
#pragma once

#include <mutex>
#include <utility>

namespace cairn {

template <typename T>
class Guarded final {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  class Access final {
   public:
    explicit Access(Guarded& owner) : lock_(owner.mutex_), value_(owner.value_) {}
    T& operator*() { return value_; }
    T* operator->() { return &value_; }
    // For condition variables.
    std::unique_lock<std::mutex>& mutex() { return lock_; }

   private:
    std::unique_lock<std::mutex> lock_;
    T& value_;
  };

  Access lock() { return Access(*this); }

 private:
  std::mutex mutex_;
  T value_{};
};

}  // namespace cairn
