// EndpointService: an endpoint as an MCP server offers it: the tools its bindings name, and word of
// every change of them.
//
// Every request opens the endpoint anew, so that what was changed is in force and what was taken
// away is gone.
// Threads  every function may be called from any thread.
#pragma once

#include "base/guarded.h"
#include "exposure/agent/tool_service.h"
#include "tools/endpoints/bound_calls.h"

namespace cairn::agent {

// Whoever holds an endpoint's key.
//
// Threads  immutable.
class EndpointPrincipal final : public ToolPrincipal {
 public:
  EndpointPrincipal(BoundCalls& calls, std::string key, std::string request,
                    const Endpoint& endpoint)
      : calls_(calls),
        key_(std::move(key)),
        request_(std::move(request)),
        id_(fmt::format("{}@{}", endpoint.id.render(), endpoint.key_made_at)),
        realm_(endpoint.realm),
        share_{std::string(endpoint.realm.bytes()), std::string(endpoint.id.bytes())} {}

  // Of the key, not of the endpoint alone: one that was replaced is somebody else's.
  std::string_view id() const override { return id_; }
  Share share() const override { return share_; }
  const RealmId& realm() const { return realm_; }
  Result<EndpointToolboxPtr> open() const { return calls_.open(key_, Entrance::kMcp, request_); }
  Result<ToolboxPtr> toolbox() const override { return ToolboxPtr(TRY(open())); }

 private:
  BoundCalls& calls_;
  std::string key_;
  std::string request_;
  std::string id_;
  RealmId realm_;
  Share share_;
};

class EndpointService final : public ToolService {
 public:
  // Where a key is used: single-context keys have an address of their own.
  enum class Address { kV1, kV2 };

  // REQUIRES: the calls outlive the service.
  EndpointService(BoundCalls& calls, std::string version);

  // ENDPOINT_NOT_FOUND unless the key opens an endpoint that is served there.
  // `request` is what the log calls the request.
  Result<mcp::PrincipalPtr> admit(std::string_view key, Address address,
                                  std::string_view request = {}) const;

  mcp::Rpc<mcp::Watched> watch(const mcp::Principal& principal,
                               const mcp::Subject& subject) override;
  void announce_to(mcp::Changes* changes) override;

 private:
  BoundCalls& calls_;
  Guarded<mcp::Changes*> changes_{nullptr};
  // Last: when it is gone, nothing above is used.
  std::unique_ptr<Subscription> watching_;
};

}  // namespace cairn::agent
