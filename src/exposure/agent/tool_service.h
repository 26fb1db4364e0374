// ToolService: the tools of a toolbox as an MCP server offers them. Every MCP server of Cairn is
// one: for agents with more than tools (agent_service.h), for outsiders (endpoint_service.h), for
// the file tools of a workspace (workspace_service.h).
//
// Threads  every function may be called from any thread.
#pragma once

#include "exposure/mcp/tools_only.h"
#include "tools/executor/toolbox.h"

namespace cairn::agent {

// Whoever uses a toolbox over MCP.
class ToolPrincipal : public mcp::Principal {
 public:
  // The tools it may call now. Fails when it is no longer let in.
  virtual Result<ToolboxPtr> toolbox() const = 0;
  // The same when it takes no work to tell; nullptr: it does.
  virtual const Toolbox* at_hand() const { return nullptr; }
  // Whether everything is there to run a tool. False: the client was asked something, and will send
  // the request again.
  virtual mcp::Rpc<bool> ready(mcp::Exchange&) const { return true; }
  // The client's roots are others now.
  virtual void roots_changed() const {}
};

class ToolService : public mcp::ToolsOnlyService {
 public:
  explicit ToolService(mcp::Offer offer) : offer_(std::move(offer)) {}

  const mcp::Offer& offer() const override { return offer_; }
  std::string instructions(const mcp::Principal& principal) const override;

  mcp::Rpc<mcp::Page> list_tools(mcp::Exchange& exchange, std::string_view cursor) override;
  mcp::Manner manner(const mcp::Principal& principal, std::string_view tool,
                     const json::Object& arguments) const override;
  mcp::Rpc<mcp::ToolOutcome> call_tool(mcp::Exchange& exchange, std::string_view tool,
                                       json::Object&& arguments) override;

  mcp::Rpc<mcp::Watched> watch(const mcp::Principal& principal,
                               const mcp::Subject& subject) override;
  mcp::Rpc<void> take_turn(const mcp::Principal& principal) override;
  bool still_valid(const mcp::Principal& principal) const override;
  void roots_changed(const mcp::Principal& principal) override;
  void announce_to(mcp::Changes*) override {}

 protected:
  // Lists are short: one page.
  static constexpr std::size_t kPageSize = 100;

  // How long a list of tools is good.
  virtual mcp::Caching caching() const { return {}; }
  virtual json::Object definition_of(const Tool& tool) const;

 private:
  const mcp::Offer offer_;
};

// Of a server that offers tools only.
mcp::Offer tools_offer(std::string name, std::string title, std::string version);

}  // namespace cairn::agent
