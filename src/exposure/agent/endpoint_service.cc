#include "exposure/agent/endpoint_service.h"

namespace cairn::agent {
namespace {

std::string topic_of(const RealmId& realm) { return "endpoints:" + realm.render(); }

mcp::Offer endpoint_offer(std::string version) {
  auto out = tools_offer("cairn-endpoint", "Cairn endpoint", std::move(version));
  out.tools_change = true;
  return out;
}

}  // namespace

EndpointService::EndpointService(BoundCalls& calls, std::string version)
    : ToolService(endpoint_offer(std::move(version))), calls_(calls) {
  watching_ = calls_.observer().watch_endpoints([this](const RealmId& realm) {
    auto changes = changes_.lock();
    if (*changes != nullptr) (*changes)->changed(topic_of(realm));
  });
}

void EndpointService::announce_to(mcp::Changes* changes) { *changes_.lock() = changes; }

Result<mcp::PrincipalPtr> EndpointService::admit(std::string_view key, Address address,
                                                 std::string_view request) const {
  const auto open = TRY(calls_.open(key, Entrance::kMcp));
  const auto& endpoint = open->endpoint();
  const bool served =
      address == Address::kV1 ? endpoint.legacy : !endpoint.legacy || endpoint.upgraded;
  if (!served) {
    return fail(Code::kEndpointNotFound, "this key is served at {}",
                address == Address::kV1 ? "/api/v2/mcp/server/{key}"
                                        : "/api/mcp/server/{key}, until it is upgraded");
  }
  return std::make_shared<const EndpointPrincipal>(calls_, std::string(key), std::string(request),
                                                   endpoint);
}

mcp::Rpc<mcp::Watched> EndpointService::watch(const mcp::Principal& principal,
                                              const mcp::Subject& subject) {
  const auto* kind = std::get_if<mcp::ListKind>(&subject);
  if (kind == nullptr || *kind != mcp::ListKind::kTools) return not_here();
  const auto& ours = static_cast<const EndpointPrincipal&>(principal);
  const auto open = ours.open();
  if (!open) return mcp::rpc_fail(mcp::rpc_code::kInvalidParams, open.error().message);
  return mcp::Watched{topic_of(ours.realm()), (*open)->stamp()};
}

}  // namespace cairn::agent
