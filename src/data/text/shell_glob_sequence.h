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

// `repeated` counts, over the whole pattern, the characters that are written again after a `!(…)`.
// Fails with INVALID_PATTERN: more of these than ShellGlob::kMaxRepeatedCharacters, or groups
// nested deeper than ShellGlob::kMaxGroupDepth.
Result<SegmentRead> read_segment(std::u32string_view text, std::size_t& repeated);

}  // namespace cairn::shell_glob
