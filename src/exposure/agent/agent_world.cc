#include "exposure/agent/agent_world.h"

#include <stdexcept>

#include "exposure/agent/resource_uri.h"
#include "tools/executor/definition.h"

namespace cairn::agent_testing {

using agent::ResourceUri;

std::string text_of(const json::Object& object, std::string_view name) {
  const auto* value = json::find(object, name);
  if (value == nullptr) throw std::runtime_error("no member " + std::string(name));
  return std::string(json::text(*value));
}

std::string text_of(const mcp::ToolOutcome& outcome) {
  return text_of(outcome.content.at(0).get_object(), "text");
}

std::string uri_of(const std::string& depot) {
  return ResourceUri{.kind = ResourceUri::Kind::kDepot, .key = depot, .path = std::nullopt}
      .render();
}

World::World(const EngineOptions& options) {
  engine_ = need(Engine::in_memory(clock, random_, meter_, options));
  service_ = std::make_unique<agent::AgentService>(engine_->executor(),
                                                   agent::AgentOptions{.version = "1.2.3"});
  owner = need(service_->trusted(engine_->owner(), {.toolsets = "all"}));
}

mcp::PrincipalPtr World::as(const std::string& token, const SelectionRequest& request) {
  return need(service_->admit(token, request));
}

mcp::ToolOutcome World::call(const mcp::PrincipalPtr& who, std::string_view tool,
                             const json::Object& arguments, std::stop_token stop) {
  FakeExchange exchange(who, std::move(stop));
  return need(service_->call_tool(exchange, tool, json::Object(arguments)));
}

json::Object World::must(const mcp::PrincipalPtr& who, std::string_view tool,
                         const json::Object& arguments) {
  auto outcome = call(who, tool, arguments);
  if (outcome.is_error) throw std::runtime_error(std::string(tool) + ": " + text_of(outcome));
  const auto* row = need(executor().table().find(tool));
  for (const auto& schema : {row->output, compact_output(row->output)}) {
    need(json::Schema::compile(schema)).check(*outcome.structured).value();
  }
  if (text_of(outcome) != json::write(*outcome.structured)) {
    throw std::runtime_error(std::string(tool) + ": the text is not the structured content");
  }
  return outcome.structured->get_object();
}

std::string World::depot(std::string_view title, const std::map<std::string, std::string>& files) {
  auto id = text_of(must("create_depot", {{"title", title}}), "depotId");
  if (!files.empty()) commit(id, files);
  return id;
}

std::string World::commit(const std::string& depot,
                          const std::map<std::string, std::string>& files) {
  auto at = depot;
  for (const auto& [path, content] : files) {
    at = text_of(must("fs_write", {{"nodeKey", at}, {"path", path}, {"content", content}}),
                 "newRoot");
  }
  return text_of(must("depot_commit", {{"depotId", depot}, {"root", at}}), "root");
}

std::string World::delegate(const json::Object& arguments) {
  return text_of(must("create_delegate", arguments), "accessToken");
}

mcp::Rpc<mcp::ResourceContents> World::read(const mcp::PrincipalPtr& who, const std::string& uri) {
  FakeExchange exchange(who);
  return service_->read_resource(exchange, uri);
}

json::Object World::item(const mcp::PrincipalPtr& who, const std::string& uri) {
  auto contents = need(read(who, uri)).contents;
  if (contents.size() != 1) throw std::runtime_error("not one item");
  return contents[0].get_object();
}

json::Array World::listed(const mcp::PrincipalPtr& who) {
  FakeExchange exchange(who);
  return need(service_->list_resources(exchange, "")).items;
}

}  // namespace cairn::agent_testing
