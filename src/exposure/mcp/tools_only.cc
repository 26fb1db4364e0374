#include "exposure/mcp/tools_only.h"

namespace cairn::mcp {

std::unexpected<RpcError> ToolsOnlyService::not_here() {
  return rpc_fail(rpc_code::kMethodNotFound, "there are tools here, and nothing else");
}

Manner ToolsOnlyService::manner(const Principal&, std::string_view, const json::Object&) const {
  return {};
}

std::span<const ParamHeader> ToolsOnlyService::param_headers(const Principal&,
                                                             std::string_view) const {
  return {};
}

Rpc<Page> ToolsOnlyService::list_resources(Exchange&, std::string_view) { return not_here(); }
Rpc<Page> ToolsOnlyService::list_templates(Exchange&, std::string_view) { return not_here(); }
Rpc<ResourceContents> ToolsOnlyService::read_resource(Exchange&, std::string_view) {
  return not_here();
}
Rpc<Page> ToolsOnlyService::list_prompts(Exchange&, std::string_view) { return not_here(); }
Rpc<json::Object> ToolsOnlyService::get_prompt(Exchange&, std::string_view, const json::Object&) {
  return not_here();
}
Rpc<Completion> ToolsOnlyService::complete(Exchange&, const CompletionRequest&) {
  return not_here();
}

}  // namespace cairn::mcp
