// AgentPrincipal: who uses Cairn over MCP, and which tools it asked to be offered.
#pragma once

#include <string>
#include <utility>

#include "exposure/agent/tool_service.h"
#include "tools/executor/table_toolbox.h"

namespace cairn::agent {

// Threads  immutable.
class AgentPrincipal final : public ToolPrincipal {
 public:
  AgentPrincipal(Executor& executor, Caller caller, Selection selection)
      : toolbox_(std::make_shared<const TableToolbox>(executor, std::move(caller),
                                                      std::move(selection))),
        id_(toolbox_->caller().session().who().id.render()) {}

  // The delegate's id.
  std::string_view id() const override { return id_; }
  Result<ToolboxPtr> toolbox() const override { return ToolboxPtr(toolbox_); }
  const Toolbox* at_hand() const override { return toolbox_.get(); }
  const Caller& caller() const { return toolbox_->caller(); }

 private:
  std::shared_ptr<const TableToolbox> toolbox_;
  std::string id_;
};

}  // namespace cairn::agent
