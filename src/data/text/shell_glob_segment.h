// One segment of a ShellGlob, between two '/', as regular expressions of RE2.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::shell_glob {

// Without a `!(…)` the segment is `begin`. With one it is what matches `begin`, then anything, then
// `end`, unless what follows `begin` matches `unless` and then `end`.
struct Segment {
  std::string begin;
  std::optional<std::string> unless = std::nullopt;
  std::string end = "";
};

// No expression matches a '/'.
// Fails with INVALID_PATTERN: a second `!(…)`, one in another group, or groups nested deeper than
// ShellGlob::kMaxGroupDepth.
// REQUIRES: whole characters without '/', not empty.
Result<Segment> translate_segment(std::string_view text);

// There is one `!(…)` too many.
Failure too_many_negations();

}  // namespace cairn::shell_glob
