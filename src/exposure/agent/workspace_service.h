// The file tools of a workspace over MCP: who uses them, on a depot or on directories of this
// machine.
#pragma once

#include "exposure/agent/tool_service.h"
#include "tools/workspace/depot_toolbox.h"
#include "tools/workspace/directory_toolbox.h"
#include "tools/workspace/served_directories.h"

namespace cairn::agent {

std::unique_ptr<ToolService> workspace_service(std::string version);

// A delegate at a depot.
//
// Threads  immutable.
class DepotPrincipal final : public ToolPrincipal {
 public:
  explicit DepotPrincipal(std::shared_ptr<const work::DepotToolbox> toolbox)
      : toolbox_(std::move(toolbox)) {}

  std::string_view id() const override { return toolbox_->id(); }
  Share share() const override { return toolbox_->share(); }
  Result<ToolboxPtr> toolbox() const override { return ToolboxPtr(toolbox_); }

 private:
  std::shared_ptr<const work::DepotToolbox> toolbox_;
};

// A delegate at a directory of the server's.
//
// Threads  immutable.
class ServedDirectoryPrincipal final : public ToolPrincipal {
 public:
  explicit ServedDirectoryPrincipal(std::shared_ptr<const work::ServedDirectoryToolbox> toolbox)
      : toolbox_(std::move(toolbox)) {}

  std::string_view id() const override { return toolbox_->id(); }
  Share share() const override { return toolbox_->share(); }
  Result<ToolboxPtr> toolbox() const override { return ToolboxPtr(toolbox_); }

 private:
  std::shared_ptr<const work::ServedDirectoryToolbox> toolbox_;
};

// Whoever started the program on directories. Where none was named they are the client's roots,
// which are asked for when first needed.
//
// Threads  every function may be called from any thread.
class DirectoryPrincipal final : public ToolPrincipal {
 public:
  explicit DirectoryPrincipal(std::shared_ptr<const work::DirectoryToolbox> toolbox)
      : toolbox_(std::move(toolbox)) {}

  std::string_view id() const override { return "directories"; }
  Result<ToolboxPtr> toolbox() const override { return ToolboxPtr(toolbox_); }
  mcp::Rpc<bool> ready(mcp::Exchange& exchange) const override;
  void roots_changed() const override { toolbox_->roots_changed(); }

 private:
  std::shared_ptr<const work::DirectoryToolbox> toolbox_;
};

// The directories among a client's roots that can be opened.
std::vector<std::string> root_directories(const json::Object& roots);

}  // namespace cairn::agent
