// Handle: a file descriptor that closes itself.
#pragma once

#include <utility>

#include <unistd.h>

namespace cairn {

class Handle final {
 public:
  Handle() = default;
  explicit Handle(int fd) : fd_(fd) {}
  Handle(Handle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Handle() {
    if (fd_ >= 0) ::close(fd_);
  }

  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

}  // namespace cairn
