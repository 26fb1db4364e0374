// The shortest difference of two texts by line, chosen and written as clients of the reference
// server see it, and what it leaves as it was.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace cairn::work {

struct LineStep {
  enum class Kind : std::uint8_t { kSame, kRemoved, kAdded };
  Kind kind;
  std::size_t line;  // of the new text when added, else of the old one
};

// From the lines of one text to those of another. Of equally short ways the one that removes
// first; removed lines come before added ones. Beyond some thousand changed lines, everything
// between what both begin and end with counts as changed.
std::vector<LineStep> line_steps(std::span<const ByteView> before, std::span<const ByteView> after);

// As a patch with four lines around each change, under a heading with the name; only the heading
// when nothing changed.
std::string patch_of(std::string_view name, std::span<const ByteView> before,
                     std::span<const ByteView> after, std::span<const LineStep> steps);

}  // namespace cairn::work
