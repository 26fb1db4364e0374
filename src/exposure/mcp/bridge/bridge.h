// The bridge: MCP over a pair of pipes on this side, a server's MCP over HTTP on the other.
//
// What the client sends goes to the server, each request on its own; what the server answers or
// says of its own accord comes back as lines. A server that restarts, or is replaced by another, is
// not noticed by the client: the bridge opens a new session in its name, with the same handshake
// and subscriptions, and tells it of everything it may have missed.
#pragma once

#include <chrono>
#include <functional>

#include "base/result.h"
#include "exposure/mcp/bridge/upstream.h"

namespace cairn::mcp {

struct BridgeOptions {
  Target target;
  Headers headers = {};  // sent with every request
  http::ClientOptions client = {};
  // Finds, or starts, the server to go on with when this one cannot be reached. Any thread, one at
  // a time. Nothing: the same one is tried again.
  std::function<Result<Target>()> reconnect = {};
  // How long a server that cannot be reached is waited for, before requests fail.
  std::chrono::milliseconds patience{10'000};
};

// Whether the server is there and lets us in: as Upstream fails, and what it says against it.
Result<void> knock(const BridgeOptions& options);

// Returns when `in` has ended and what was asked is answered, or nobody reads `out`. Writes nothing
// but messages: what goes wrong with a request is its answer.
// Fails with  INVALID_ARGUMENT for options of no use, IO_ERROR when `in` cannot be read.
Result<void> bridge(const BridgeOptions& options, int in, int out);

}  // namespace cairn::mcp
