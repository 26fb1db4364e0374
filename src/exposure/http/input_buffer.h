// Bytes that have come from a client and are not used up yet.
//
// Threads     its connection's io thread only.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace cairn::http {

class InputBuffer final {
 public:
  ByteView bytes() const { return {room_.data() + start_, end_ - start_}; }
  // Does not move the bytes: views into them stay valid.
  std::span<char> after(std::size_t offset) {
    return std::span(room_).subspan(start_ + offset, end_ - start_ - offset);
  }

  // Room to read into: at least one byte as long as there are fewer than `limit`. Moves the bytes.
  std::span<char> room(std::size_t limit) {
    if (start_ > 0 && end_ == room_.size()) compact();
    if (end_ == room_.size()) {
      room_.resize(std::min(std::max(room_.size() * 2, kFirstRoom), std::max(limit, end_)));
    }
    return std::span(room_).subspan(end_);
  }
  void commit(std::size_t count) { end_ += count; }

  void consume(std::size_t count) {
    start_ += count;
    if (start_ < end_) return;
    start_ = end_ = 0;
    if (room_.size() > kMostKept) room_ = {};
  }
  void append(ByteView bytes) {
    compact();
    room_.resize(std::max(room_.size(), end_ + bytes.size()));
    std::ranges::copy(bytes, room_.begin() + static_cast<std::ptrdiff_t>(end_));
    end_ += bytes.size();
  }

 private:
  static constexpr std::size_t kFirstRoom = 4096;
  static constexpr std::size_t kMostKept = 16 * 1024;

  void compact() {
    std::copy(room_.begin() + static_cast<std::ptrdiff_t>(start_),
              room_.begin() + static_cast<std::ptrdiff_t>(end_), room_.begin());
    end_ -= start_;
    start_ = 0;
  }

  std::vector<char> room_;
  std::size_t start_ = 0;
  std::size_t end_ = 0;
};

}  // namespace cairn::http
