// EndpointService: an endpoint as an MCP server offers it: the tools its bindings name, and word of
// every change of them.
//
// Every call opens the endpoint anew, so that what was changed is in force and what was taken away
// is gone.
// Threads  every function may be called from any thread.
#pragma once

#include "exposure/mcp/tools_only.h"
#include "exposure/outside/endpoint_principal.h"

namespace cairn::outside {

class EndpointService final : public mcp::ToolsOnlyService {
 public:
  // Where a key is used: keys of old have an address of their own.
  enum class Address { kV1, kV2 };

  // REQUIRES: the calls outlive the service.
  EndpointService(BoundCalls& calls, std::string version);

  // ENDPOINT_NOT_FOUND unless the key opens an endpoint that is served there.
  Result<mcp::PrincipalPtr> admit(std::string_view key, Address address) const;

  const mcp::Offer& offer() const override { return offer_; }
  std::string instructions(const mcp::Principal& principal) const override;

  mcp::Rpc<mcp::Page> list_tools(mcp::Exchange& exchange, std::string_view cursor) override;
  mcp::Rpc<mcp::ToolOutcome> call_tool(mcp::Exchange& exchange, std::string_view tool,
                                       json::Object&& arguments) override;

  mcp::Rpc<mcp::Watched> watch(const mcp::Principal& principal,
                               const mcp::Subject& subject) override;
  bool still_valid(const mcp::Principal& principal) const override;
  void announce_to(mcp::Changes* changes) override;

 private:
  Result<OpenEndpointPtr> open(const mcp::Principal& principal) const;

  BoundCalls& calls_;
  mcp::Offer offer_;
  Guarded<mcp::Changes*> changes_{nullptr};
  // Last: when it is gone, nothing above is used any more.
  std::unique_ptr<Subscription> watching_;
};

}  // namespace cairn::outside
