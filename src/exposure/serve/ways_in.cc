#include "exposure/serve/ways_in.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "data/endpoint/hidden_keys.h"
#include "exposure/http/uri.h"
#include "exposure/oauth/challenge.h"
#include "exposure/rest/respond.h"
#include "exposure/serve/server_file.h"

namespace cairn {
namespace {

constexpr std::string_view kWorkspaces = "/mcp/workspaces/";
constexpr std::string_view kDirectories = "/mcp/directories/";
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
  const auto id = request.header("x-request-id");
  if (request.path == kV2Bearer) {
    return endpoints.admit(TRY(rest::bearer(request)), Address::kV2, id);
  }
  const bool old = request.path.starts_with(kV1);
  return endpoints.admit(request.path.substr(old ? kV1.size() : kV2.size()),
                         old ? Address::kV1 : Address::kV2, id);
}

namespace {

// Where a key stands in a path; nothing: in none of its segments.
std::optional<std::size_t> place_of_key(std::span<const std::string> segments) {
  using Words = std::vector<std::string>;
  for (const auto& before : {Words{"api", "mcp", "server"}, Words{"api", "v2", "mcp", "server"},
                             Words{"api", "v2", "rest"}, Words{"internal", "aei", "mcp"},
                             Words{"internal", "mcp-instance"}}) {
    if (segments.size() <= before.size()) continue;
    if (std::ranges::equal(segments.first(before.size()), before)) return before.size();
  }
  return std::nullopt;
}

std::vector<pages::Provider> providers_of(const WaysIn::Parts& parts) {
  if (parts.provider == nullptr) return {};
  return {{.name = parts.provider->name(), .path = std::string(oidc::Handler::kLogin)}};
}

// Sessions with one token are told apart: each is held against what it has seen itself.
std::string_view desk_of(const http::Request& request) {
  const auto desk = request.header("x-cairn-desk");
  return desk.empty() ? request.header("mcp-session-id") : desk;
}

}  // namespace

std::string without_keys(std::string_view path) {
  auto segments = http::split_path(path);
  if (!segments) return "(not understood)";
  // Whatever stands in a key's place, also when it is none.
  const auto place = place_of_key(*segments);
  if (place && (*segments)[*place] != "-") (*segments)[*place] = "(key)";
  return with_keys_hidden(
      fmt::format("{}{}", path.starts_with('/') ? "/" : "", fmt::join(*segments, "/")));
}

Result<mcp::PrincipalPtr> admit(agent::AgentService& agent, Executor& executor,
                                const http::Request& request) {
  auto caller = TRY(rest::caller_of(executor, request, "me", Entrance::kMcp));
  const auto query = TRY(http::Query::parse(request.query));
  const auto selection =
      TRY(agent::selection_of([&](std::string_view name) { return request.header(name); }, query));
  return agent.admit(std::move(caller), selection, desk_of(request));
}

Result<mcp::PrincipalPtr> admit(const work::DepotWorkspaces& workspaces, Executor& executor,
                                const http::Request& request) {
  const auto caller = TRY(rest::caller_of(executor, request, "me", Entrance::kMcp));
  const auto query = TRY(http::Query::parse(request.query));
  const auto selection =
      TRY(agent::selection_of([&](std::string_view name) { return request.header(name); }, query));
  const auto depot = TRY(http::percent_decode(request.path.substr(kWorkspaces.size())));
  return std::make_shared<const agent::DepotPrincipal>(
      TRY(workspaces.open(caller, depot, desk_of(request), selection)));
}

Result<mcp::PrincipalPtr> admit(const work::ServedDirectories& directories, Executor& executor,
                                const http::Request& request) {
  const auto caller = TRY(rest::caller_of(executor, request, "me", Entrance::kMcp));
  const auto query = TRY(http::Query::parse(request.query));
  const auto selection =
      TRY(agent::selection_of([&](std::string_view name) { return request.header(name); }, query));
  const auto name = TRY(http::percent_decode(request.path.substr(kDirectories.size())));
  return std::make_shared<const agent::ServedDirectoryPrincipal>(
      TRY(directories.open(caller, name, selection)));
}

WaysIn::WaysIn(const Parts& parts, const rest::RestOptions& rest, mcp::HostRule hosts)
    : proof_secret_(parts.proof_secret),
      hosts_(hosts),
      provider_(parts.provider),
      oauth_(parts.oauth),
      mcp_workers_(mcp::mcp_workers()),
      rest_(parts.executor, rest),
      pages_(parts.executor, parts.clock,
             {.site = {.public_url = rest.public_url, .behind_proxy = rest.behind_proxy},
              .providers = providers_of(parts),
              .authorization = parts.authorization}),
      mcp_(parts.mcp, parts.clock, parts.random,
           {.admit = [&agent = parts.agent, &executor = parts.executor](
                         const http::Request& request) { return admit(agent, executor, request); },
            .hosts = hosts,
            .max_body_bytes = kMaxBodyBytes,
            .workers = mcp_workers_}),
      endpoint_rest_(parts.bound),
      endpoints_(parts.bound, rest.version),
      endpoint_server_(endpoints_, parts.clock, parts.random),
      endpoint_mcp_(
          endpoint_server_, parts.clock, parts.random,
          {.admit = [this](const http::Request& request) { return admit(endpoints_, request); },
           .hosts = hosts,
           .max_body_bytes = kMaxBodyBytes,
           .workers = mcp_workers_}),
      workspace_mcp_(
          parts.workspace_mcp, parts.clock, parts.random,
          {.admit =
               [&workspaces = parts.workspaces, &executor = parts.executor](
                   const http::Request& request) { return admit(workspaces, executor, request); },
           .hosts = hosts,
           .max_body_bytes = kMaxBodyBytes,
           .workers = mcp_workers_}),
      directory_mcp_(
          parts.workspace_mcp, parts.clock, parts.random,
          {.admit =
               [&directories = parts.directories, &executor = parts.executor](
                   const http::Request& request) { return admit(directories, executor, request); },
           .hosts = hosts,
           .max_body_bytes = kMaxBodyBytes,
           .workers = mcp_workers_}) {}

http::Plan WaysIn::begin(const http::Request& request) {
  if (oauth_ == nullptr) return route(request);
  if (oauth::OAuthEndpoints::is_here(request.path)) {
    // Pages of any site may call: nothing there goes by a cookie. But a name that is rebound to
    // this machine is refused as everywhere.
    if (auto fits = mcp::check_host(request, hosts_); !fits) return rest::respond(fits.error());
    return oauth_->begin(request);
  }
  // Keys of endpoints are no tokens of OAuth.
  const bool keys = is_endpoint_mcp(request.path) || rest::EndpointRest::is_here(request.path);
  if (keys) return route(request);
  if (auto refused = oauth::refuse_token_in_address(request)) return *std::move(refused);
  auto plan = route(request);
  // Tokens are looked at before anything is read, so a 401 is there at once.
  if (auto* now = std::get_if<http::Response>(&plan)) {
    oauth::add_challenge(oauth_->origins(), request, *now);
  }
  return plan;
}

http::Plan WaysIn::route(const http::Request& request) {
  if (request.path == "/mcp" || request.path == "/api/mcp") return mcp_.begin(request);
  if (request.path.starts_with(kWorkspaces)) return workspace_mcp_.begin(request);
  if (request.path.starts_with(kDirectories)) return directory_mcp_.begin(request);
  if (is_endpoint_mcp(request.path)) return endpoint_mcp_.begin(request);
  if (pages::Pages::is_here(request.path)) {
    // Where a form comes from is looked at there, and more closely.
    if (auto fits = mcp::check_host(request, hosts_); !fits) return rest::respond(fits.error());
    return pages_.begin(request);
  }
  if (provider_ != nullptr && oidc::Handler::is_here(request.path)) {
    if (auto fits = mcp::check_host(request, hosts_); !fits) return rest::respond(fits.error());
    return provider_->handler().begin(request);
  }
  // As MCP does by itself: a page that rebinds DNS must neither read the metrics nor try passwords.
  if (auto fits = mcp::check_origin(request, hosts_); !fits) return rest::respond(fits.error());
  if (rest::EndpointRest::is_here(request.path)) return endpoint_rest_.begin(request);
  if (request.path == kProofPath && !proof_secret_.empty()) {
    auto proved = prove(request);
    return proved ? *std::move(proved) : http::error_response(proved.error());
  }
  return rest_.begin(request);
}

Result<http::Response> WaysIn::prove(const http::Request& request) const {
  constexpr std::size_t kLeast = 16;
  constexpr std::size_t kMost = 256;
  const auto query = TRY(http::Query::parse(request.query));
  const auto challenge = query.get("challenge").value_or("");
  if (challenge.size() < kLeast || challenge.size() > kMost) {
    return fail(Code::kInvalidArgument, "challenge should have {} to {} characters", kLeast, kMost);
  }
  return http::Response{
      .content_type = "application/json",
      .headers = {{"Cache-Control", "no-store"}},
      .body = json::write(json::Object{{"proof", proof_of(proof_secret_, challenge)}})};
}

void WaysIn::stopping() {
  rest_.stopping();
  mcp_.stop();
  endpoint_mcp_.stop();
  workspace_mcp_.stop();
  directory_mcp_.stop();
}

}  // namespace cairn
