// Limits that several layers keep to.
#pragma once

#include <cstddef>

namespace cairn {

// The largest text that is edited by replacement, before and after, wherever it lies: edits hold
// the whole of it in memory, several times.
inline constexpr std::size_t kMaxEditedSize = std::size_t{64} << 20;

// The largest body of a request, on every surface: REST, endpoints, MCP over HTTP and on stdio. A
// file of 10 MB fits as text, escaped.
inline constexpr std::size_t kMaxBodyBytes = std::size_t{12} << 20;

}  // namespace cairn
