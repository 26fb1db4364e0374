// The text of an outcome while it is written; private to the module's own sources.
//
// Threads     one at a time.
#pragma once

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

#include "data/json/jmespath/arena.h"
#include "data/json/json.h"

namespace cairn::jmespath {

// Appends JSON, a few kilobytes at a time, because appending each token to a string would take
// longer than making it. Each of these pieces is paid for; the meter remembers when it said no.
class Text final {
 public:
  explicit Text(Meter& meter) : meter_(meter) {}
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  void put(char c) {
    *room(1) = c;
    used_ += 1;
  }
  // REQUIRES: no longer than kPiece.
  void put(std::string_view plain);
  // With quotes, and escapes where there have to be some.
  void put_string(std::string_view text);
  template <typename Integer>
  void put_integer(Integer number) {
    auto* const at = room(kLongestInteger);
    used_ += static_cast<std::size_t>(std::to_chars(at, at + kLongestInteger, number).ptr - at);
  }
  // As json::write() spells it.
  void put_double(double number);

  // All that was put. Call it once.
  std::string finish();

 private:
  static constexpr std::size_t kPiece = 4096;
  static constexpr std::size_t kLongestInteger = 24;
  // Of a string: with every byte escaped, it is still shorter than a piece.
  static constexpr std::size_t kSlice = 512;
  static_assert(kSlice * std::string_view("\\u0000").size() + 2 <= kPiece);

  char* room(std::size_t bytes) {
    if (bytes > kPiece - used_) flush();
    return piece_ + used_;
  }
  void put_inside(std::string_view slice);
  void flush();

  Meter& meter_;
  std::string out_;
  std::size_t used_ = 0;
  char piece_[kPiece];
};

}  // namespace cairn::jmespath
