// MCP over a pair of pipes: one message a line.
#pragma once

#include "base/limits.h"
#include "base/result.h"
#include "exposure/mcp/server.h"

namespace cairn::mcp {

// A longer line is refused, and what follows it is read on.
inline constexpr std::size_t kMaxLineBytes = kMaxBodyBytes;

// Serves the client at the other end until its messages end, and what it asked for is answered.
// Writes nothing but messages. IO_ERROR when its messages cannot be read.
Result<void> serve_stdio(Server& server, PrincipalPtr principal, int in, int out);

}  // namespace cairn::mcp
