// Channel: where messages to a client go. Each is one JSON text.
// Threads  any.
#pragma once

#include <string>

namespace cairn::mcp {

class Channel {
 public:
  virtual ~Channel() = default;
  // False: it will not arrive.
  virtual bool send(std::string message) = 0;
};

// Where nothing can be said before the answer.
class NoChannel final : public Channel {
 public:
  bool send(std::string /*message*/) override { return false; }
};

}  // namespace cairn::mcp
