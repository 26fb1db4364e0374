// Writes the looser form of a pattern, in the dialect of one engine.
//
// Threads     one at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/pattern_charset.h"

namespace cairn {

enum class Dialect {
  kRe2,        // code points, under (?m)
  kHyperscan,  // bytes, with HS_FLAG_MULTILINE
};

// Takes a pattern piece by piece, each piece as exact as the caller knows it, and never makes it
// stricter: sets take any character beyond ASCII if they may take one, large repeat counts lose
// their bounds. Nothing it writes matches a newline, save the `$` at its end.
class CandidateWriter final {
 public:
  static constexpr int kUnbounded = -1;

  explicit CandidateWriter(Dialect dialect) : dialect_(dialect) {}

  void character(char32_t c);
  // In both cases.
  void folded_character(char32_t c);
  // False if no character of a line is in it: there is no way to write that.
  bool set(CharSet set);
  void any_byte();
  // `^`, `\b` or `\B`.
  void assertion(std::string_view text);
  // `last`: nothing follows it in its match, and it may consume the line's terminator. Elsewhere
  // that could make a later assertion fail, and it is left out.
  void line_end(bool last);
  void open_group();
  void close_group();
  void alternative();
  // Of the piece before; false if there is none.
  bool repeat(int least, int most);

  bool in_group() const { return !groups_.empty(); }
  // A last line without newline needs a look, for line_end() does not find it.
  bool needs_last_line() const { return needs_last_line_; }
  std::string finish() &&;

 private:
  enum class Kind { kNone, kText, kSet, kUnit, kAssertion };

  // The piece that a repeat would apply to: the end of out_, from `begin` on.
  struct Piece {
    Kind kind = Kind::kNone;
    std::size_t begin = 0;
    CharSet set;
  };

  void begin_piece(Kind kind) { piece_ = {.kind = kind, .begin = out_.size(), .set = {}}; }
  void text(char32_t c);
  // Of the letter whose bracket is open; true if it cannot be in there and is left for finish().
  bool third_case(char32_t c);

  Dialect dialect_;
  std::string out_;
  Piece piece_;
  std::vector<std::size_t> groups_;  // where each open one begins
  bool kelvin_sign_ = false;         // a folded k was written without it
  bool long_s_ = false;              // or an s
  bool needs_last_line_ = false;
};

// A code point as bytes.
std::string to_utf8(char32_t c);

}  // namespace cairn
