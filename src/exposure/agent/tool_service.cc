#include "exposure/agent/tool_service.h"

#include "exposure/agent/outcome.h"
#include "exposure/mcp/exchange.h"
#include "tools/executor/definition.h"

namespace cairn::agent {
namespace {

// Every principal that comes back was made for one of these services.
const ToolPrincipal& user_of(const mcp::Principal& principal) {
  return static_cast<const ToolPrincipal&>(principal);
}

std::unexpected<mcp::RpcError> refused(const Error& error) {
  return mcp::rpc_fail(mcp::rpc_code::kInvalidParams, error.message);
}

}  // namespace

std::string ToolService::instructions(const mcp::Principal& principal) const {
  const auto box = user_of(principal).toolbox();
  auto introduction = box ? (*box)->introduction() : std::string();
  return introduction.empty() ? offer_.instructions : introduction;
}

json::Object ToolService::definition_of(const Tool& tool) const { return definition(tool); }

mcp::Rpc<mcp::Page> ToolService::list_tools(mcp::Exchange& exchange, std::string_view cursor) {
  const auto box = user_of(*exchange.principal()).toolbox();
  if (!box) return refused(box.error());
  json::Array tools;
  for (const auto* tool : (*box)->offered()) tools.emplace_back(definition_of(*tool));
  return mcp::page_of(tools, cursor, kPageSize, caching());
}

mcp::Manner ToolService::manner(const mcp::Principal& principal, std::string_view tool,
                                const json::Object& arguments) const {
  const auto* box = user_of(principal).at_hand();
  if (box == nullptr) return {};
  const auto known = box->find(tool);
  // To say that there is no such tool takes no time either.
  return {.quick = !known || box->is_quick(**known, arguments), .talks = false};
}

mcp::Rpc<mcp::ToolOutcome> ToolService::call_tool(mcp::Exchange& exchange, std::string_view name,
                                                  json::Object&& arguments) {
  const auto& principal = user_of(*exchange.principal());
  const auto box = principal.toolbox();
  if (!box) return refused(box.error());
  const auto tool = (*box)->find(name);
  if (!tool) {
    // The executor, which counts calls, never hears of this one.
    TRY(take_turn(principal));
    return refused(tool.error());
  }
  const auto ready = principal.ready(exchange);
  if (!ready) return std::unexpected(ready.error());
  if (!*ready) return mcp::ToolOutcome{};
  return outcome_of(**tool, (*box)->run(**tool, std::move(arguments), exchange.stopping()));
}

mcp::Rpc<mcp::Watched> ToolService::watch(const mcp::Principal&, const mcp::Subject&) {
  return not_here();
}

mcp::Rpc<void> ToolService::take_turn(const mcp::Principal& principal) {
  const auto box = user_of(principal).toolbox();
  if (!box) return refused(box.error());
  const auto turn = (*box)->take_turn();
  if (turn) return {};
  auto error = rpc_error(turn.error(), render_details(turn.error()));
  error.code = mcp::rpc_code::kRateLimited;
  return std::unexpected(std::move(error));
}

bool ToolService::still_valid(const mcp::Principal& principal) const {
  const auto box = user_of(principal).toolbox();
  return box && (*box)->still_valid();
}

void ToolService::roots_changed(const mcp::Principal& principal) {
  user_of(principal).roots_changed();
}

mcp::Offer tools_offer(std::string name, std::string title, std::string version) {
  mcp::Offer out;
  out.name = std::move(name);
  out.title = std::move(title);
  out.version = std::move(version);
  out.resources = false;
  out.prompts = false;
  out.completions = false;
  out.personal = true;
  return out;
}

}  // namespace cairn::agent
