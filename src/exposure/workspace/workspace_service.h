// WorkspaceService: the file tools as an MCP server offers them, one by one or as one tool
// `filesystem`, for whoever sits at a desk.
//
// Threads  every function may be called from any thread.
#pragma once

#include "exposure/mcp/tools_only.h"
#include "exposure/workspace/desk.h"

namespace cairn::workspaces {

class WorkspaceService final : public mcp::ToolsOnlyService {
 public:
  static Result<std::unique_ptr<WorkspaceService>> make(std::string version);

  const work::FileTools& tools() const { return tools_; }

  const mcp::Offer& offer() const override { return offer_; }
  std::string instructions(const mcp::Principal& principal) const override;

  mcp::Rpc<mcp::Page> list_tools(mcp::Exchange& exchange, std::string_view cursor) override;
  mcp::Rpc<mcp::ToolOutcome> call_tool(mcp::Exchange& exchange, std::string_view tool,
                                       json::Object&& arguments) override;

  mcp::Rpc<mcp::Watched> watch(const mcp::Principal& principal,
                               const mcp::Subject& subject) override;
  bool still_valid(const mcp::Principal& principal) const override;
  void roots_changed(const mcp::Principal& principal) override;
  void announce_to(mcp::Changes*) override {}

 private:
  WorkspaceService(work::FileTools tools, std::string version);

  mcp::ToolOutcome call_method(const Desk& desk, const json::Object& arguments,
                               const std::stop_token& stop) const;
  json::Object one_tool(const Desk& desk) const;

  work::FileTools tools_;
  mcp::Offer offer_;
};

}  // namespace cairn::workspaces
