// Limits that several layers keep to.
#pragma once

#include <cstddef>

namespace cairn {

// The largest text that is edited by replacement, before and after, wherever it lies: edits hold
// the whole of it in memory, several times.
inline constexpr std::size_t kMaxEditedSize = std::size_t{64} << 20;

}  // namespace cairn
