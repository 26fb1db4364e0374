#include "exposure/serve/ways_in.h"

#include <utility>

#include "base/base32.h"
#include "exposure/http/uri.h"

namespace cairn {
namespace {

constexpr std::string_view kWorkspaces = "/mcp/workspaces/";
constexpr std::string_view kV1 = "/api/mcp/server/";
constexpr std::string_view kV2 = "/api/v2/mcp/server/";
constexpr std::string_view kV2Bearer = "/api/v2/mcp";

}  // namespace

bool is_endpoint_mcp(std::string_view path) {
  return path == kV2Bearer || path.starts_with(kV2) || path.starts_with(kV1);
}

Result<mcp::PrincipalPtr> admit(const agent::EndpointService& endpoints,
                                const http::Request& request) {
  using Address = agent::EndpointService::Address;
  if (request.path == kV2Bearer) return endpoints.admit(TRY(rest::bearer(request)), Address::kV2);
  const bool old = request.path.starts_with(kV1);
  return endpoints.admit(request.path.substr(old ? kV1.size() : kV2.size()),
                         old ? Address::kV1 : Address::kV2);
}

namespace {

// Everything that looks like a key, wherever it stands: a mistyped address has one, too.
std::string without_likely_keys(std::string path) {
  for (auto at = path.find(EndpointKey::kPrefix); at != std::string::npos;
       at = path.find(EndpointKey::kPrefix, at)) {
    auto end = at + EndpointKey::kPrefix.size();
    while (end < path.size() && (base32_digit(path[end]) || path[end] == '_')) ++end;
    path.replace(at, end - at, "(key)");
  }
  return path;
}

}  // namespace

std::string without_keys(std::string_view path) {
  for (std::string_view before :
       {kV1, kV2, std::string_view("/api/v2/rest/"), std::string_view("/internal/aei/mcp/")}) {
    if (!path.starts_with(before)) continue;
    const auto rest = path.substr(before.size());
    const auto end = rest.find('/');
    if (rest.substr(0, end) == "-") break;
    return without_likely_keys(
        std::string(before) + "(key)" +
        std::string(end == std::string_view::npos ? std::string_view() : rest.substr(end)));
  }
  return without_likely_keys(http::percent_decode(path).value_or("(not understood)"));
}

Result<mcp::PrincipalPtr> admit(agent::AgentService& agent, const http::Request& request) {
  const auto token = TRY(rest::bearer(request));
  const auto query = TRY(http::Query::parse(request.query));
  const auto selection =
      TRY(agent::selection_of([&](std::string_view name) { return request.header(name); }, query));
  return agent.admit(token, selection);
}

Result<mcp::PrincipalPtr> admit(const work::DepotWorkspaces& workspaces, Executor& executor,
                                const http::Request& request) {
  const auto caller = TRY(executor.authenticate(TRY(rest::bearer(request)), "me", Entrance::kMcp));
  const auto query = TRY(http::Query::parse(request.query));
  const auto selection =
      TRY(agent::selection_of([&](std::string_view name) { return request.header(name); }, query));
  // Sessions with one token are told apart: each is held against what it has seen itself.
  auto desk = request.header("x-cairn-desk");
  if (desk.empty()) desk = request.header("mcp-session-id");
  const auto depot = TRY(http::percent_decode(request.path.substr(kWorkspaces.size())));
  return std::make_shared<const agent::DepotPrincipal>(
      TRY(workspaces.open(caller, depot, desk, selection)));
}

WaysIn::WaysIn(const Parts& parts, const rest::RestOptions& rest, mcp::HostRule hosts)
    : rest_(parts.executor, rest),
      mcp_(parts.mcp, parts.clock, parts.random,
           {.admit = [&agent = parts.agent](
                         const http::Request& request) { return admit(agent, request); },
            .hosts = hosts,
            .max_body_bytes = kMaxBodyBytes}),
      endpoint_rest_(parts.bound),
      endpoints_(parts.bound, rest.version),
      endpoint_server_(endpoints_, parts.clock, parts.random),
      endpoint_mcp_(
          endpoint_server_, parts.clock, parts.random,
          {.admit = [this](const http::Request& request) { return admit(endpoints_, request); },
           .hosts = hosts,
           .max_body_bytes = kMaxBodyBytes}),
      workspace_mcp_(
          parts.workspace_mcp, parts.clock, parts.random,
          {.admit =
               [&workspaces = parts.workspaces, &executor = parts.executor](
                   const http::Request& request) { return admit(workspaces, executor, request); },
           .hosts = hosts,
           .max_body_bytes = kMaxBodyBytes}) {}

http::Plan WaysIn::begin(const http::Request& request) {
  if (request.path == "/mcp" || request.path == "/api/mcp") return mcp_.begin(request);
  if (request.path.starts_with(kWorkspaces)) return workspace_mcp_.begin(request);
  if (is_endpoint_mcp(request.path)) return endpoint_mcp_.begin(request);
  if (rest::EndpointRest::is_here(request.path)) return endpoint_rest_.begin(request);
  return rest_.begin(request);
}

void WaysIn::stopping() {
  rest_.stopping();
  mcp_.stop();
  endpoint_mcp_.stop();
  workspace_mcp_.stop();
}

}  // namespace cairn
