// Lua's patterns (manual 6.4.1), matched within the meter. Private to the sandbox.
//
// Lua's own matcher goes back without end: `.-.-.-.-b` takes the fourth power of the subject's
// length. This one reads the same patterns and charges the meter for each character it looks at.
//
// Threads     one at a time: a run's own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cairn::script {

class Meter;

inline constexpr int kMaxCaptures = 32;

// One subject and one pattern.
//
// Invariants  has no destructor: it may stand in a frame that Lua leaves.
// Costs       within the meter; 200 frames of the stack.
class Matcher final {
 public:
  static constexpr std::size_t kNone = std::string_view::npos;

  struct Capture {
    enum class Kind { kOpen, kText, kPosition };
    std::size_t begin = 0;
    std::size_t size = 0;
    Kind kind = Kind::kOpen;
  };

  // The pattern without a leading `^`. REQUIRES: both texts outlive it.
  Matcher(std::string_view subject, std::string_view pattern, Meter& meter)
      : subject_(subject), pattern_(pattern), meter_(meter) {}

  // Where the match that begins there ends, or kNone. It is also kNone when the pattern is
  // malformed, or the meter stopped: see problem() and stopped().
  std::size_t match(std::size_t begin);
  // The first match from there on, and where it begins.
  std::size_t search(std::size_t from, std::size_t& begin);

  // The fault of the pattern, as far as it was read; nullptr: none.
  const char* problem() const { return problem_; }
  bool stopped() const { return stopped_; }

  // Of the last match.
  int captures() const { return captures_; }
  const Capture& capture(int i) const { return capture_[static_cast<std::size_t>(i)]; }

 private:
  std::size_t run(std::size_t s, std::size_t p);
  std::size_t item(std::size_t s, std::size_t p);
  std::size_t repeated_most(std::size_t s, std::size_t p, std::size_t end);
  std::size_t repeated_least(std::size_t s, std::size_t p, std::size_t end);
  std::size_t open_capture(std::size_t s, std::size_t p, Capture::Kind kind);
  std::size_t close_capture(std::size_t s, std::size_t p);
  std::size_t balanced(std::size_t s, std::size_t p);
  bool at_frontier(std::size_t s, std::size_t p, std::size_t end);
  std::size_t repeated_capture(std::size_t s, char digit);

  std::size_t item_end(std::size_t p);
  bool matches_one(std::size_t s, std::size_t p, std::size_t end);
  bool in_set(unsigned char c, std::size_t p, std::size_t end);
  char pattern_at(std::size_t p) const { return p < pattern_.size() ? pattern_[p] : '\0'; }

  // False when everything is to end.
  bool look_at(std::size_t characters);
  std::size_t fail(const char* problem);

  const std::string_view subject_;
  const std::string_view pattern_;
  Meter& meter_;
  std::array<Capture, kMaxCaptures> capture_{};
  int captures_ = 0;
  int depth_ = 0;
  std::size_t looked_at_ = 0;
  const char* problem_ = nullptr;
  bool stopped_ = false;
};

}  // namespace cairn::script
