// What a request is called in its answer, in the log and by whoever asks about it: as the client
// says (X-Request-Id), or a name of the server's own.
//
// Threads  any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/ascii.h"

namespace cairn::http {

class RequestIds final {
 public:
  // Two servers, and one that is started anew, give other names.
  RequestIds() : start_((static_cast<std::uint64_t>(std::random_device{}()) << 32) | 1) {}

  std::string of(std::string_view given) {
    if (is_acceptable(given)) return std::string(given);
    return fmt::format("{:016x}", start_ + next_.fetch_add(1, std::memory_order_relaxed));
  }
  // What can stand in a line of a log as it is.
  static bool is_acceptable(std::string_view id) {
    constexpr std::size_t kMost = 64;
    return !id.empty() && id.size() <= kMost && std::ranges::all_of(id, [](char c) {
      return is_alphanumeric(c) || c == '.' || c == '_' || c == '-';
    });
  }

 private:
  const std::uint64_t start_;
  std::atomic<std::uint64_t> next_ = 0;
};

}  // namespace cairn::http
