// Lines of a text, with the terminators (`\n` or `\r\n`) that end them. Pure functions, linear
// time.
//
// Threads     LineIndex is immutable; share it freely.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace cairn {

enum class LineEnding { kLf, kCrLf };

// The lines with their terminators: joined, they are the text again. The last one may have none;
// an empty text has no lines.
std::vector<ByteView> split_lines(ByteView text);

// A line without its terminator.
ByteView line_content(ByteView line);

// CRLF when more lines end in it than in a bare LF.
LineEnding dominant_line_ending(ByteView text);

// Every bare `\n` becomes `\r\n`.
Bytes lf_to_crlf(ByteView text);

// Space, tab, CR, LF, form feed, vertical tab.
bool is_space(char c);
ByteView trim_left(ByteView text);
ByteView trim_right(ByteView text);
ByteView trim(ByteView text);

// One line for a message: control characters and bytes that are not UTF-8 escaped, cut with `…`
// after about `limit` bytes. Always valid UTF-8.
std::string printable(ByteView line, std::size_t limit);

// The line that has most of the three-byte pieces of `probe`, at least half of them; the shortest
// of equals. Lines over 4 KiB do not count.
std::optional<std::size_t> most_similar_line(std::span<const ByteView> lines, ByteView probe);

// Two texts as one change: all lines between those they begin and those they end with in common.
struct LineChange {
  std::size_t first = 0;  // lines in common before it
  std::size_t removed = 0;
  std::size_t added = 0;
};

LineChange whole_change(std::span<const ByteView> before, std::span<const ByteView> after);

// Comparing texts line by line costs up to about n^1.5. Beyond this many changed lines, where that
// is more than a second, their difference is taken as one change.
inline constexpr std::size_t kMaxComparedLines = 300'000;

bool too_long_to_compare(ByteView before, ByteView after);

// Finds the line of an offset in logarithmic time. Views the text it was made from.
class LineIndex final {
 public:
  explicit LineIndex(ByteView text);

  // Counted from 1. REQUIRES: offset <= text.size().
  std::size_t line_of(std::size_t offset) const;
  // Counted from 1, in code points.
  std::size_t column_of(std::size_t offset) const;
  // The spaces and tabs that begin the line of `offset`, up to `offset`.
  ByteView indent_at(std::size_t offset) const;

 private:
  ByteView text_;
  std::vector<std::size_t> begins_;
};

}  // namespace cairn
