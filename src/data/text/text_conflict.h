// Where two changes of one text do not fit together, line by line, and the text in which all the
// rest of both is merged.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/bytes.h"

namespace cairn {

struct LineSpan {
  std::size_t first = 1;  // counted from 1; of an empty span, the line it stands before
  std::size_t count = 0;

  bool operator==(const LineSpan&) const = default;
};

// One place where both sides changed the same or adjacent lines, differently.
struct TextHunk {
  LineSpan base;
  LineSpan ours;
  LineSpan theirs;
  LineSpan merged;  // where their lines stand in the merged text

  bool operator==(const TextHunk&) const = default;
};

struct TextConflict {
  Bytes merged;  // both sides' changes; in a hunk, theirs
  std::vector<TextHunk> hunks;
};

// REQUIRES  texts of at most 4 MiB.
// Costs     as diffing each side with the base.
TextConflict text_conflict(ByteView base, ByteView ours, ByteView theirs);

// The lines of a span, joined.
Bytes lines_of(ByteView text, const LineSpan& span);

}  // namespace cairn
