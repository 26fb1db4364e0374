// AgentPrincipal: who uses Cairn over MCP, and which tools it asked to be offered.
#pragma once

#include <string>
#include <utility>

#include "exposure/agent/tool_service.h"
#include "tools/executor/call.h"

namespace cairn::agent {

// Threads  immutable.
class AgentPrincipal final : public ToolPrincipal {
 public:
  AgentPrincipal(Caller caller, ToolboxPtr toolbox)
      : caller_(std::move(caller)),
        toolbox_(std::move(toolbox)),
        id_(caller_.session().who().id.render()) {}

  // The delegate's id.
  std::string_view id() const override { return id_; }
  Result<ToolboxPtr> toolbox() const override { return toolbox_; }
  Share share() const override { return toolbox_->share(); }
  const Toolbox* at_hand() const override { return toolbox_.get(); }
  const Caller& caller() const { return caller_; }

 private:
  Caller caller_;
  ToolboxPtr toolbox_;
  std::string id_;
};

}  // namespace cairn::agent
