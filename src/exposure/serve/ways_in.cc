#include "exposure/serve/ways_in.h"

#include <utility>

namespace cairn {

Result<mcp::PrincipalPtr> admit(agent::AgentService& agent, const http::Request& request) {
  const auto token = TRY(rest::bearer(request));
  const auto query = TRY(http::Query::parse(request.query));
  const auto selection =
      TRY(agent::selection_of([&](std::string_view name) { return request.header(name); }, query));
  return agent.admit(token, selection);
}

WaysIn::WaysIn(const Parts& parts, rest::RestOptions rest, mcp::HostRule hosts)
    : rest_(parts.executor, std::move(rest)),
      mcp_(parts.mcp, parts.clock, parts.random,
           {.admit = [&agent = parts.agent](
                         const http::Request& request) { return admit(agent, request); },
            .hosts = hosts}) {}

http::Plan WaysIn::begin(const http::Request& request) {
  if (request.path == "/mcp" || request.path == "/api/mcp") return mcp_.begin(request);
  return rest_.begin(request);
}

void WaysIn::stopping() {
  rest_.stopping();
  mcp_.stop();
}

}  // namespace cairn
