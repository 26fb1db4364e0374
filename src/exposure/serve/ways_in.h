// The ways in of a server, by the path of a request:
//
//   /mcp, /api/mcp                            MCP with a delegate's token
//   /mcp/workspaces/{depot}                   the same, with the file tools on a depot
//   /mcp/directories/{name}                   the same, on a directory of this machine
//   /api/v2/mcp/server/{key}, /api/v2/mcp     MCP with an endpoint's key, in the path or as bearer
//   /api/mcp/server/{key}                     the same for single-context keys
//   /api/v2/rest/{key}/…                      an endpoint's tools over REST
//   /, /sign-in, /oauth/…                     pages for people's browsers
//   /.well-known/…, /api/auth/token, …        OAuth for programs (exposure/oauth/endpoints.h)
//   /api/oauth/login, /api/oauth/callback     to a foreign provider and back, if there is one
//   /proof?challenge=…                        that this is the server of DIR/server.json
//   everything else                           REST with a delegate's token
//
// Threads     every function may be called from any thread.
#pragma once

#include "exposure/agent/agent_service.h"
#include "exposure/agent/endpoint_service.h"
#include "exposure/agent/workspace_service.h"
#include "exposure/mcp/http.h"
#include "exposure/oauth/endpoints.h"
#include "exposure/oidc/foreign_sign_in.h"
#include "exposure/pages/pages.h"
#include "exposure/rest/endpoint_rest.h"
#include "exposure/rest/rest.h"

namespace cairn {

// Whoever holds the bearer token of a request, with the tools that its headers and query select.
Result<mcp::PrincipalPtr> admit(agent::AgentService& agent, Executor& executor,
                                const http::Request& request);

// Whoever holds an endpoint's key.
Result<mcp::PrincipalPtr> admit(const agent::EndpointService& endpoints,
                                const http::Request& request);
// Whoever holds the bearer token of a request, at the depot that its path names.
Result<mcp::PrincipalPtr> admit(const work::DepotWorkspaces& workspaces, Executor& executor,
                                const http::Request& request);
// The same at the directory that its path names.
Result<mcp::PrincipalPtr> admit(const work::ServedDirectories& directories, Executor& executor,
                                const http::Request& request);
// Whether MCP of endpoints is served there.
bool is_endpoint_mcp(std::string_view path);

// A path as it may be shown in a log: what may be a key is left out.
std::string without_keys(std::string_view path);

class WaysIn final : public http::Handler {
 public:
  struct Parts {
    Executor& executor;
    agent::AgentService& agent;
    mcp::Server& mcp;
    BoundCalls& bound;
    work::DepotWorkspaces& workspaces;
    const work::ServedDirectories& directories;
    mcp::Server& workspace_mcp;
    const Clock& clock;
    Random& random;
    std::string proof_secret = {};  // server_file.h; empty: it proves nothing
    oidc::ForeignSignIn* provider = nullptr;
    oauth::OAuthEndpoints* oauth = nullptr;  // null: there are none
    oauth::Authorization* authorization = nullptr;
  };
  // REQUIRES: the parts outlive it.
  WaysIn(const Parts& parts, const rest::RestOptions& rest, mcp::HostRule hosts);

  // What a token opens says where one is had.
  http::Plan begin(const http::Request& request) override;
  // /readyz says no from now on, and streams end.
  void stopping();

 private:
  http::Plan route(const http::Request& request);
  Result<http::Response> prove(const http::Request& request) const;

  const std::string proof_secret_;
  const mcp::HostRule hosts_;
  oidc::ForeignSignIn* const provider_;
  oauth::OAuthEndpoints* const oauth_;
  const std::shared_ptr<Workers> mcp_workers_;
  rest::RestHandler rest_;
  pages::Pages pages_;
  mcp::HttpHandler mcp_;
  rest::EndpointRest endpoint_rest_;
  agent::EndpointService endpoints_;
  mcp::Server endpoint_server_;
  mcp::HttpHandler endpoint_mcp_;
  mcp::HttpHandler workspace_mcp_;
  mcp::HttpHandler directory_mcp_;
};

}  // namespace cairn
