// AgentPrincipal: who uses Cairn over MCP, and which tools it asked to be offered.
#pragma once

#include <string>
#include <utility>

#include "exposure/agent/toolset.h"
#include "exposure/mcp/service.h"
#include "tools/executor.h"

namespace cairn::agent {

class AgentPrincipal final : public mcp::Principal {
 public:
  AgentPrincipal(Caller who, Selection selection)
      : caller(std::move(who)),
        tools(std::move(selection)),
        id_(caller.session().who().id.render()) {}

  // The delegate's id.
  std::string_view id() const override { return id_; }

  const Caller caller;
  const Selection tools;

 private:
  std::string id_;
};

}  // namespace cairn::agent
