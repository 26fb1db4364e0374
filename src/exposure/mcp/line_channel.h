// LineChannel: a pipe to the client, one message a line.
//
// Threads     every function may be called from any thread; messages never mix.
#pragma once

#include <string>

#include "base/guarded.h"
#include "exposure/mcp/channel.h"
#include "exposure/mcp/lines.h"

namespace cairn::mcp {

class LineChannel final : public Channel {
 public:
  explicit LineChannel(int out) : out_(out) {}

  bool send(std::string message) override {
    message += '\n';
    auto open = open_.lock();
    if (*open) *open = write_all(out_, message);
    return *open;
  }
  // False: nobody reads the pipe now, as far as was noticed.
  bool open() { return *open_.lock(); }

 private:
  const int out_;
  Guarded<bool> open_{true};
};

}  // namespace cairn::mcp
