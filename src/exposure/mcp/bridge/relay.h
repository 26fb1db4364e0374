// Relay: what belongs to no request of the client's, both ways: notifications, and the questions a
// legacy server asks.
//
// Threads  any.
#pragma once

#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/guarded.h"
#include "base/workers.h"
#include "exposure/mcp/bridge/link.h"
#include "exposure/mcp/rpc.h"

namespace cairn::mcp {

class Relay final {
 public:
  Relay(Links& links, Channel& out, std::stop_token ending)
      : links_(links), out_(out), ending_(std::move(ending)) {}

  // A notification or a request of the server's; the text is the message's.
  void to_client(std::string_view text, const json::Object& message);
  // One after the other, in the order of the calls; nowhere without a session.
  void to_server(std::string message);
  // The client has answered one of the server's questions.
  void answered(const RpcId& id);
  // The client will answer no question: the server is told so, now and whenever it asks.
  void client_left();

  // Sends a notification or an answer, and again over a new link where this one failed.
  void deliver(std::string_view message);

 private:
  struct Questions {
    std::set<std::string> open;  // ids, as JSON
    bool over = false;
  };
  void refuse_question(std::string_view id);

  Links& links_;
  Channel& out_;
  const std::stop_token ending_;
  Guarded<Questions> questions_;
  Workers lane_{1, "mcp-relay"};
};

// The message without line feeds.
std::string one_line(std::string_view text, const json::Value& message);

}  // namespace cairn::mcp
