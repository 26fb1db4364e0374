// Rows on their way out, gathered to a portion that is worth sending.
//
// Threads     one at a time.
#pragma once

#include <utility>

#include "data/json/json.h"

namespace cairn::fs {

class Portion final {
 public:
  // `bytes` is about what the row takes as JSON.
  void add(json::Object row, std::size_t bytes) {
    rows_.emplace_back(std::move(row));
    bytes_ += bytes;
  }
  bool full() const { return bytes_ >= kBytes; }
  bool empty() const { return rows_.empty(); }
  json::Array take() { return std::move(rows_); }

 private:
  static constexpr std::size_t kBytes = 32 << 10;
  json::Array rows_;
  std::size_t bytes_ = 0;
};

}  // namespace cairn::fs
