// The ways in of a server, by the path of a request: MCP at /mcp and /api/mcp, REST elsewhere.
#pragma once

#include "exposure/agent/agent_service.h"
#include "exposure/mcp/http.h"
#include "exposure/rest/rest.h"

namespace cairn {

// Whoever holds the bearer token of a request, with the tools that its headers and query select.
Result<mcp::PrincipalPtr> admit(agent::AgentService& agent, const http::Request& request);

class WaysIn final : public http::Handler {
 public:
  struct Parts {
    Executor& executor;
    agent::AgentService& agent;
    mcp::Server& mcp;
    const Clock& clock;
    Random& random;
  };
  // REQUIRES: the parts outlive it.
  WaysIn(const Parts& parts, rest::RestOptions rest, mcp::HostRule hosts);

  http::Plan begin(const http::Request& request) override;
  // /readyz says no from now on, and streams end.
  void stopping();

 private:
  rest::RestHandler rest_;
  mcp::HttpHandler mcp_;
};

}  // namespace cairn
