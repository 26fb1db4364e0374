// Handle: a file descriptor that closes itself.
//
// Threads     as an int: one at a time, unless nobody moves it.
#pragma once

#include <utility>

#include <unistd.h>

namespace cairn::os {

class Handle final {
 public:
  Handle() = default;
  explicit Handle(int fd) : fd_(fd) {}
  Handle(Handle&& other) noexcept : fd_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Handle() {
    if (valid()) ::close(fd_);
  }

  int fd() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  // Gives it away; whoever has it now closes it.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace cairn::os
