// ToolsOnlyService: a service that offers tools and nothing else.
//
// Threads     as Service: from any thread; it has no state of its own.
#pragma once

#include "exposure/mcp/service.h"

namespace cairn::mcp {

class ToolsOnlyService : public Service {
 public:
  // Tools that may take their time, and say nothing before their result.
  Manner manner(const Principal& principal, std::string_view tool,
                const json::Object& arguments) const override;
  std::span<const ParamHeader> param_headers(const Principal& principal,
                                             std::string_view tool) const override;

  Rpc<Page> list_resources(Exchange& exchange, std::string_view cursor) override;
  Rpc<Page> list_templates(Exchange& exchange, std::string_view cursor) override;
  Rpc<ResourceContents> read_resource(Exchange& exchange, std::string_view uri) override;
  Rpc<Page> list_prompts(Exchange& exchange, std::string_view cursor) override;
  Rpc<json::Object> get_prompt(Exchange& exchange, std::string_view name,
                               const json::Object& arguments) override;
  Rpc<Completion> complete(Exchange& exchange, const CompletionRequest& request) override;

 protected:
  // The answer to everything else that is asked of it.
  static std::unexpected<RpcError> not_here();
};

}  // namespace cairn::mcp
