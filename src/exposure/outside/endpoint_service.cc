#include "exposure/outside/endpoint_service.h"

#include "exposure/agent/outcome.h"
#include "exposure/mcp/exchange.h"

namespace cairn::outside {
namespace {

constexpr std::size_t kPageSize = 100;

std::string topic_of(const RealmId& realm) { return "endpoints:" + realm.render(); }

// Every principal that comes back is one of ours.
const EndpointPrincipal& ours(const mcp::Principal& principal) {
  return static_cast<const EndpointPrincipal&>(principal);
}

std::unexpected<mcp::RpcError> refused(const Error& error) {
  return mcp::rpc_fail(mcp::rpc_code::kInvalidParams, error.message);
}

}  // namespace

EndpointService::EndpointService(BoundCalls& calls, std::string version) : calls_(calls) {
  offer_.name = "cairn-endpoint";
  offer_.title = "Cairn endpoint";
  offer_.version = std::move(version);
  offer_.resources = false;
  offer_.prompts = false;
  offer_.completions = false;
  offer_.tools_change = true;
  offer_.personal = true;
  watching_ = calls_.executor().services().endpoints.watch([this](const RealmId& realm) {
    auto changes = changes_.lock();
    if (*changes != nullptr) (*changes)->changed(topic_of(realm));
  });
}

void EndpointService::announce_to(mcp::Changes* changes) { *changes_.lock() = changes; }

Result<OpenEndpointPtr> EndpointService::open(const mcp::Principal& principal) const {
  return calls_.open(ours(principal).key());
}

Result<mcp::PrincipalPtr> EndpointService::admit(std::string_view key, Address address) const {
  const auto open = TRY(calls_.open(key));
  const auto& endpoint = *open->endpoint;
  const bool served =
      address == Address::kV1 ? endpoint.legacy : !endpoint.legacy || endpoint.upgraded;
  if (!served) {
    return fail(Code::kEndpointNotFound, "this key is served at {}",
                address == Address::kV1 ? "/api/v2/mcp/server/{key}"
                                        : "/api/mcp/server/{key}, until it is upgraded");
  }
  return std::make_shared<const EndpointPrincipal>(std::string(key), endpoint);
}

std::string EndpointService::instructions(const mcp::Principal& principal) const {
  const auto known = open(principal);
  return known ? (*known)->endpoint->description : std::string();
}

mcp::Rpc<mcp::Page> EndpointService::list_tools(mcp::Exchange& exchange, std::string_view cursor) {
  const auto known = open(*exchange.principal());
  if (!known) return refused(known.error());
  json::Array tools;
  for (const auto& tool : (*known)->tools) tools.emplace_back(definition(tool));
  // They change whenever their owner likes.
  return mcp::page_of(tools, cursor, kPageSize, {});
}

mcp::Rpc<mcp::ToolOutcome> EndpointService::call_tool(mcp::Exchange& exchange,
                                                      std::string_view tool,
                                                      json::Object&& arguments) {
  const auto known = open(*exchange.principal());
  if (!known) return refused(known.error());
  if (auto found = (*known)->find(tool); !found) return refused(found.error());
  return agent::outcome_of(
      calls_.call(**known, tool, arguments, Entrance::kMcp, exchange.stopping()));
}

mcp::Rpc<mcp::Watched> EndpointService::watch(const mcp::Principal& principal,
                                              const mcp::Subject& subject) {
  const auto* kind = std::get_if<mcp::ListKind>(&subject);
  if (kind == nullptr || *kind != mcp::ListKind::kTools) return not_here();
  const auto known = open(principal);
  if (!known) return refused(known.error());
  return mcp::Watched{topic_of(ours(principal).realm()), (*known)->stamp};
}

bool EndpointService::still_valid(const mcp::Principal& principal) const {
  return open(principal).has_value();
}

}  // namespace cairn::outside
