// AgentService: Cairn as an MCP server offers it: the tools a caller may use, its depots as
// resources, prompts, completion, and word of every commit.
//
// Everything goes through the executor, so rights, limits and audit are those of every surface.
// Threads  every function may be called from any thread.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "exposure/agent/change_watch.h"
#include "exposure/agent/principal.h"
#include "exposure/agent/resources.h"
#include "exposure/agent/selection_request.h"
#include "exposure/agent/tool_service.h"
#include "tools/executor/executor.h"
#include "tools/workspace/served_directories.h"

namespace cairn::agent {

struct AgentOptions {
  std::string version;
  // Those that the server was started with, for the tool `filesystem`; nullptr: none. They outlive
  // the service.
  const work::ServedDirectories* directories = nullptr;
};

class AgentService final : public ToolService {
 public:
  // REQUIRES: the executor outlives the service.
  AgentService(Executor& executor, AgentOptions options);

  // Whoever holds a token. Fails as the executor does, and with INVALID_ARGUMENT for a selection
  // that names what there is not. `desk` tells apart those who share a token: each is held against
  // what it has read itself.
  Result<mcp::PrincipalPtr> admit(std::string_view token, const SelectionRequest& request,
                                  std::string_view desk = {}) const;
  // The same for a caller that was let in already.
  Result<mcp::PrincipalPtr> admit(Caller caller, const SelectionRequest& request,
                                  std::string_view desk) const;
  // A realm's owner, for whoever holds the data directory.
  Result<mcp::PrincipalPtr> trusted(const RealmId& realm, const SelectionRequest& request) const;

  mcp::Rpc<mcp::Page> list_resources(mcp::Exchange& exchange, std::string_view cursor) override;
  mcp::Rpc<mcp::Page> list_templates(mcp::Exchange& exchange, std::string_view cursor) override;
  mcp::Rpc<mcp::ResourceContents> read_resource(mcp::Exchange& exchange,
                                                std::string_view uri) override;

  mcp::Rpc<mcp::Page> list_prompts(mcp::Exchange& exchange, std::string_view cursor) override;
  mcp::Rpc<json::Object> get_prompt(mcp::Exchange& exchange, std::string_view name,
                                    const json::Object& arguments) override;

  mcp::Rpc<mcp::Completion> complete(mcp::Exchange& exchange,
                                     const mcp::CompletionRequest& request) override;

  mcp::Rpc<mcp::Watched> watch(const mcp::Principal& principal,
                               const mcp::Subject& subject) override;
  void announce_to(mcp::Changes* changes) override { changes_.announce_to(changes); }

 protected:
  mcp::Caching caching() const override;
  json::Object definition_of(const Tool& tool) const override;

 private:
  Result<mcp::PrincipalPtr> principal(Caller caller, const SelectionRequest& request) const;
  mcp::Rpc<mcp::Watched> watch_tools(const Session& session, const AgentPrincipal& principal);
  mcp::Rpc<mcp::Watched> watch_list(const Session& session, const AgentPrincipal& principal,
                                    mcp::ListKind kind);
  mcp::Rpc<mcp::Watched> watch_resource(const Session& session, const std::string& uri);

  Executor& executor_;
  const work::ServedDirectories* directories_;
  // Of every tool for agents, made once.
  std::unordered_map<const Tool*, json::Object> definitions_;
  Selection default_;
  Resources resources_;
  ChangeWatch changes_;
};

}  // namespace cairn::agent
