// Courier: carries a request of the client's to the server and its answer back, whatever happens to
// the way.
//
// Threads  any; one for each request.
#pragma once

#include <optional>
#include <string_view>

#include "exposure/mcp/bridge/forwarded.h"
#include "exposure/mcp/bridge/link.h"
#include "exposure/mcp/bridge/relay.h"

namespace cairn::mcp {

class Courier final {
 public:
  Courier(Links& links, Relay& relay, Channel& out) : links_(links), relay_(relay), out_(out) {}

  // Returns when it is answered, or cancelled.
  void carry_out(Forwarded& call);

 private:
  // Why there is no answer, and what can be done about it.
  struct Trouble {
    RpcError error;
    bool again = false;  // it may be sent again
    std::optional<Links::Trouble> repair = std::nullopt;
  };
  using Sent = std::expected<Upstream::Outcome, Upstream::Failed>;

  std::optional<Trouble> try_once(Forwarded& call, const LinkPtr& link);
  Sent fetch_rest(Forwarded& call, const LinkPtr& link, Sent sent);
  Trouble explain(const Forwarded& call, const LinkPtr& link, const Sent& sent) const;
  bool pass_on_refusal(Forwarded& call, const Upstream::Outcome& outcome);
  // A listen goes on after its connection has ended. False: it is over.
  bool come_back(Forwarded& call, int quick_ends);

  void take(Forwarded& call, const LinkPtr& link, std::string_view text);
  void take_answer(Forwarded& call, const LinkPtr& link, std::string_view text,
                   json::Object& message);
  void take_acknowledgement(Forwarded& call, std::string_view text, const json::Object& message);
  void answer(Forwarded& call, std::string line);

  Links& links_;
  Relay& relay_;
  Channel& out_;
};

}  // namespace cairn::mcp
