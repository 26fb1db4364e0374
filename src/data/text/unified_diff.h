// The difference of two texts, by line. Through libgit2, whose heuristics avoid a quadratic worst
// case; the result is right but not always the shortest. Changes that span over kMaxComparedLines
// are shown as one.
//
// Texts may be any bytes, up to libgit2's limit of 512 MiB. Throws std::bad_alloc only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace cairn {

struct DiffOptions {
  std::string old_name;
  std::string new_name;
  unsigned context = 3;  // equal lines shown around a change
};

// A unified diff that `patch -p0` applies; empty when the texts are equal. Names that hold control
// characters, quotes or backslashes are written in quotes, as git does.
std::string unified_diff(ByteView before, ByteView after, const DiffOptions& options);

// One difference: lines before and after, counted from 0.
struct LinePatch {
  std::size_t at = 0;
  std::size_t removed = 0;
  std::size_t at_after = 0;
  std::size_t added = 0;

  bool operator==(const LinePatch&) const = default;
};

// All of them, in order.
std::vector<LinePatch> line_patches(ByteView before, ByteView after);

struct LineStats {
  std::size_t added = 0;
  std::size_t removed = 0;

  bool operator==(const LineStats&) const = default;
};

LineStats line_stats(ByteView before, ByteView after);

}  // namespace cairn
