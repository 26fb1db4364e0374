#include "fixture_service.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "fixture_resources.h"

namespace cairn::conformance {
namespace {

constexpr std::string_view kTools = "tools";
constexpr std::string_view kResources = "resources";
constexpr std::string_view kPrompts = "prompts";

constexpr std::size_t kPageSize = 100;  // the suite looks at first pages only
constexpr mcp::Caching kMayChange{.ttl_ms = 0, .for_all = true};
constexpr mcp::Caching kFixed{.ttl_ms = 60'000, .for_all = true};

mcp::Offer everything() {
  return {.name = "cairn-conformance-fixture",
          .title = "Conformance fixture",
          .version = "1.0.0",
          .instructions = "Offers what the conformance suite asks for.",
          .logging = true,
          .tools_change = true,
          .resources_change = true,
          .prompts_change = true,
          .subscriptions = true};
}

std::vector<mcp::ParamHeader> headers_of(const json::Object& schema) {
  std::vector<mcp::ParamHeader> headers;
  const auto* properties = json::find(schema, "properties");
  if (properties == nullptr) return headers;
  for (const auto& property : properties->as_object()) {
    const auto* header = json::find(property.value().as_object(), "x-mcp-header");
    if (header != nullptr) {
      headers.push_back({{std::string(property.key())}, std::string(json::text(*header))});
    }
  }
  return headers;
}

std::unexpected<mcp::RpcError> unknown(std::string_view what, std::string_view name) {
  return mcp::rpc_fail(mcp::rpc_code::kInvalidParams, fmt::format("there is no {} {}", what, name));
}

std::unexpected<mcp::RpcError> no_resource(std::string_view uri) {
  return mcp::rpc_fail(mcp::rpc_code::kResourceNotFound, "there is no such resource",
                       json::Object{{"uri", uri}});
}

std::string_view topic_of(mcp::ListKind list) {
  switch (list) {
    case mcp::ListKind::kTools:
      return kTools;
    case mcp::ListKind::kResources:
      return kResources;
    case mcp::ListKind::kPrompts:
      return kPrompts;
  }
  std::unreachable();
}

}  // namespace

FixtureService::FixtureService() : offer_(everything()), prompts_(fixture_prompts()) {
  add(content_tools());
  add(talking_tools());
  add(asking_tools());
  add(round_trip_tools());
  add(changing_tools());
  prompts_.push_back({"test_changing_prompt",
                      "There in every other version of the list",
                      {},
                      prompts_.front().messages});
}

void FixtureService::add(std::vector<FixtureTool> tools) {
  for (auto& tool : tools) {
    auto schema = json::Schema::compile(tool.input_schema);
    if (!schema) throw std::logic_error(schema.error().render());
    auto headers = headers_of(tool.input_schema);
    tools_.push_back({std::move(tool), std::move(*schema), std::move(headers)});
  }
}

std::vector<FixtureTool> FixtureService::changing_tools() {
  return {
      trigger("test_trigger_tool_change", "Changes the list of tools", std::string(kTools)),
      trigger("test_trigger_prompt_change", "Changes the list of prompts", std::string(kPrompts)),
      trigger("test_trigger_resource_change", "Changes the watched resource",
              std::string(kWatchedResource)),
      {"test_changing_tool", "There in every other version of the list", no_arguments(), kQuick,
       [](mcp::Exchange&, const json::Object&) { return says("Here, for now."); }}};
}

FixtureTool FixtureService::trigger(std::string name, std::string description, std::string topic) {
  return {std::move(name), std::move(description), no_arguments(), kQuick,
          [this, topic = std::move(topic)](mcp::Exchange&, const json::Object&) {
            change(topic);
            return says("Changed: " + topic);
          }};
}

mcp::Rpc<mcp::Page> FixtureService::list_tools(mcp::Exchange&, std::string_view cursor) {
  json::Array items;
  for (const auto& [tool, input, headers] : tools_) {
    items.emplace_back(json::Object{{"name", tool.name},
                                    {"description", tool.description},
                                    {"inputSchema", tool.input_schema}});
  }
  if (!has_last(kTools)) items.pop_back();
  return mcp::page_of(items, cursor, kPageSize, kMayChange);
}

mcp::Manner FixtureService::manner(const mcp::Principal&, std::string_view tool,
                                   const json::Object&) const {
  const auto* found = find_tool(tool);
  return found == nullptr ? kQuick : found->tool.manner;
}

std::span<const mcp::ParamHeader> FixtureService::param_headers(const mcp::Principal&,
                                                                std::string_view tool) const {
  const auto* found = find_tool(tool);
  if (found == nullptr) return {};
  return found->headers;
}

mcp::Rpc<mcp::ToolOutcome> FixtureService::call_tool(mcp::Exchange& exchange, std::string_view tool,
                                                     json::Object&& arguments) {
  const auto* found = find_tool(tool);
  if (found == nullptr) return unknown("tool", tool);
  if (const auto fits = found->input.check(arguments); !fits) {
    auto outcome = says(fits.error().render());
    outcome.is_error = true;
    return outcome;
  }
  return found->tool.call(exchange, arguments);
}

mcp::Rpc<mcp::Page> FixtureService::list_resources(mcp::Exchange&, std::string_view cursor) {
  return mcp::page_of(resource_list(), cursor, kPageSize, kMayChange);
}

mcp::Rpc<mcp::Page> FixtureService::list_templates(mcp::Exchange&, std::string_view cursor) {
  return mcp::page_of(template_list(), cursor, kPageSize, kFixed);
}

mcp::Rpc<mcp::ResourceContents> FixtureService::read_resource(mcp::Exchange&,
                                                              std::string_view uri) {
  auto contents = conformance::read_resource(uri, version(kWatchedResource));
  if (!contents) return no_resource(uri);
  return mcp::ResourceContents{json::Array{std::move(*contents)},
                               uri == kWatchedResource ? kMayChange : kFixed};
}

mcp::Rpc<mcp::Page> FixtureService::list_prompts(mcp::Exchange&, std::string_view cursor) {
  json::Array items;
  for (const auto& prompt : prompts_) items.emplace_back(listing(prompt));
  if (!has_last(kPrompts)) items.pop_back();
  return mcp::page_of(items, cursor, kPageSize, kMayChange);
}

mcp::Rpc<json::Object> FixtureService::get_prompt(mcp::Exchange& exchange, std::string_view name,
                                                  const json::Object& arguments) {
  const auto* prompt = find_prompt(name);
  if (prompt == nullptr) return unknown("prompt", name);
  return get(*prompt, exchange, arguments);
}

mcp::Rpc<mcp::Completion> FixtureService::complete(mcp::Exchange&,
                                                   const mcp::CompletionRequest& request) {
  if (request.prompt && find_prompt(request.of) == nullptr) return unknown("prompt", request.of);
  static constexpr std::array<std::string_view, 5> kWords = {"paris", "park", "party", "test",
                                                             "tested"};
  mcp::Completion completion;
  for (const auto word : kWords) {
    if (word.starts_with(request.value)) completion.values.emplace_back(word);
  }
  completion.total = std::ssize(completion.values);
  return completion;
}

mcp::Rpc<mcp::Watched> FixtureService::watch(const mcp::Principal&, const mcp::Subject& subject) {
  std::string topic;
  if (const auto* list = std::get_if<mcp::ListKind>(&subject)) {
    topic = topic_of(*list);
  } else {
    topic = std::get<std::string>(subject);
    if (!conformance::read_resource(topic, 0)) return no_resource(topic);
  }
  auto stamp = std::to_string(version(topic));
  return mcp::Watched{std::move(topic), std::move(stamp)};
}

void FixtureService::announce_to(mcp::Changes* changes) { state_.lock()->changes = changes; }

const FixtureService::Tool* FixtureService::find_tool(std::string_view name) const {
  const auto found =
      std::ranges::find_if(tools_, [&](const Tool& row) { return row.tool.name == name; });
  if (found == tools_.end()) return nullptr;
  return &*found == &tools_.back() && !has_last(kTools) ? nullptr : &*found;
}

const FixturePrompt* FixtureService::find_prompt(std::string_view name) const {
  const auto found = std::ranges::find(prompts_, name, &FixturePrompt::name);
  if (found == prompts_.end()) return nullptr;
  return &*found == &prompts_.back() && !has_last(kPrompts) ? nullptr : &*found;
}

int FixtureService::version(std::string_view topic) const {
  auto state = state_.lock();
  const auto found = state->versions.find(topic);
  return found == state->versions.end() ? 0 : found->second;
}

void FixtureService::change(std::string_view topic) {
  auto state = state_.lock();
  ++state->versions[std::string(topic)];
  if (state->changes != nullptr) state->changes->changed(std::string(topic));
}

}  // namespace cairn::conformance
