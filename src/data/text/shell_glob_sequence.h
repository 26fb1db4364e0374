// Reads one segment of a ShellGlob: literals, wildcards, sets and ext globs such as `+(a|b)`.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "data/text/shell_glob_machine.h"

namespace cairn::shell_glob {

struct SegmentRead {
  Sequence sequence;
  bool unicode = false;  // has a set for which names are matched by code points
};

// What the segments of one pattern have in common while they are read.
struct Reading {
  NamedClasses classes;
  std::size_t repeated = 0;  // characters that were written again after a `!(…)`
};

// Fails with INVALID_PATTERN: more repeated characters than ShellGlob::kMaxRepeatedCharacters, or
// groups nested deeper than ShellGlob::kMaxGroupDepth.
Result<SegmentRead> read_segment(std::u32string_view text, Reading& reading);

}  // namespace cairn::shell_glob
