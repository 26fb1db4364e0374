// SessionWatch: the stream beside a legacy session's requests, opened again whenever it ends.
//
// Threads     works on a thread of its own, which its destructor stops and joins.
#pragma once

#include <stop_token>
#include <thread>

#include "exposure/mcp/bridge/relay.h"

namespace cairn::mcp {

class SessionWatch final {
 public:
  SessionWatch(Links& links, Relay& relay) : links_(links), relay_(relay) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

 private:
  void run(const std::stop_token& stop);
  // Returns when there is another link, or nothing more to be had from this one.
  void follow(const LinkPtr& link, const std::stop_token& stop);
  void take(std::string_view text);

  Links& links_;
  Relay& relay_;
  std::jthread thread_;
};

}  // namespace cairn::mcp
