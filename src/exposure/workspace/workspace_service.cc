#include "exposure/workspace/workspace_service.h"

#include <algorithm>

#include "base/quote.h"
#include "base/similar.h"
#include "exposure/agent/tool_definition.h"
#include "exposure/mcp/exchange.h"
#include "tools/shape.h"
#include "tools/workspace/file_errors.h"

namespace cairn::workspaces {
namespace {

constexpr std::size_t kPageSize = 100;

// Every principal that comes back is one of ours.
const Desk& ours(const mcp::Principal& principal) { return static_cast<const Desk&>(principal); }

json::Object text_block(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

// What clients are told of a tool before they use it, as the reference server says it.
json::Object hints(const Annotations& marks) {
  json::Object out{{"readOnlyHint", marks.read_only}};
  if (!marks.read_only) {
    out["idempotentHint"] = marks.idempotent;
    out["destructiveHint"] = marks.destructive;
  }
  out["openWorldHint"] = false;
  return out;
}

// Notes come with some answers only, and clients of the reference server know of none.
json::Value answer_schema(const json::Value& output) {
  auto out = output.get_object();
  out.erase("additionalProperties");
  auto& members = out["properties"].get_object();
  members.erase("notes");
  return out;
}

json::Object definition(const work::FileTool& tool) {
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"inputSchema", agent::compact_input(tool.input)},
          {"outputSchema", answer_schema(tool.output)},
          {"annotations", hints(tool.annotations)}};
}

// An answer: its content as it is, a result as text or as JSON, and the notes after it.
mcp::ToolOutcome outcome_of(json::Object answer) {
  mcp::ToolOutcome out;
  const auto* content = json::find(answer, "content");
  const auto* result = json::find(answer, "result");
  if (content != nullptr && content->is_array()) {
    out.content = content->get_array();
  } else if (content != nullptr && content->is_string()) {
    out.content.emplace_back(text_block(json::text(*content)));
  } else if (result != nullptr) {
    out.content.emplace_back(
        text_block(result->is_string() ? json::text(*result) : json::write(*result)));
  } else {
    out.content.emplace_back(text_block(json::write(json::Value(answer))));
  }
  if (const auto* notes = json::find(answer, "notes")) {
    for (const auto& note : notes->get_array()) {
      out.content.emplace_back(text_block(json::text(note)));
    }
  }
  out.structured = std::move(answer);
  return out;
}

mcp::ToolOutcome failed(const Error& error) {
  mcp::ToolOutcome out;
  out.is_error = true;
  out.content.emplace_back(
      text_block(error.details.contains("told") ? error.message : error.render()));
  return out;
}

// As the manual has it.
mcp::ToolOutcome failed_method(const Error& error) {
  mcp::ToolOutcome out;
  out.is_error = true;
  json::Object told{{"success", false}, {"error", work::manual_error(error)}};
  out.content.emplace_back(text_block(json::write(json::Value(told))));
  out.structured = std::move(told);
  return out;
}

}  // namespace

WorkspaceService::WorkspaceService(work::FileTools tools, std::string version)
    : tools_(std::move(tools)) {
  offer_.name = "cairn-workspace";
  offer_.title = "Cairn workspace";
  offer_.version = std::move(version);
  offer_.resources = false;
  offer_.prompts = false;
  offer_.completions = false;
  offer_.personal = true;
}

Result<std::unique_ptr<WorkspaceService>> WorkspaceService::make(std::string version) {
  return std::unique_ptr<WorkspaceService>(
      new WorkspaceService(work::FileTools::make(), std::move(version)));
}

std::string WorkspaceService::instructions(const mcp::Principal& principal) const {
  return ours(principal).introduction();
}

json::Object WorkspaceService::one_tool(const Desk& desk) const {
  json::Array methods;
  json::Object properties{{"method", json::Object{{"type", "string"}}}};
  bool changes = false;
  for (const auto& row : tools_.rows()) {
    if (row.tool.needs_history && !desk.has_history()) continue;
    if (!desk.choice().has_method(row.tool)) continue;
    methods.emplace_back(row.tool.name);
    changes = changes || row.tool.changes();
    const auto input = agent::compact_input(row.tool.input);
    for (const auto& member : input.at("properties").get_object()) {
      if (!properties.contains(member.key())) properties.emplace(member.key(), member.value());
    }
  }
  properties["method"].get_object()["enum"] = std::move(methods);
  properties["method"].get_object()["description"] = "What to do; the other arguments are its own";
  return {{"name", kOneTool},
          {"title", "Filesystem"},
          {"description",
           "File operations in one directory and nowhere else: the method says which. Paths are "
           "relative to that directory. A failure is {success: false, error}."},
          {"inputSchema", json::Object{{"type", "object"},
                                       {"properties", std::move(properties)},
                                       {"required", json::Array{"method"}}}},
          {"outputSchema", json::Object{{"type", "object"}}},
          {"annotations", hints({.read_only = !changes, .destructive = changes})}};
}

mcp::Rpc<mcp::Page> WorkspaceService::list_tools(mcp::Exchange& exchange, std::string_view cursor) {
  const auto& desk = ours(*exchange.principal());
  json::Array tools;
  for (const auto& row : tools_.rows()) {
    if (row.tool.needs_history && !desk.has_history()) continue;
    if (desk.choice().offers(row.tool)) tools.emplace_back(definition(row.tool));
  }
  if (desk.choice().offers_one_tool()) tools.emplace_back(one_tool(desk));
  return mcp::page_of(tools, cursor, kPageSize, {});
}

mcp::ToolOutcome WorkspaceService::call_method(const Desk& desk, const json::Object& arguments,
                                               const std::stop_token& stop) const {
  const auto* method = json::find(arguments, "method");
  std::vector<std::string> known;
  for (const auto& row : tools_.rows()) {
    if (row.tool.needs_history && !desk.has_history()) continue;
    if (desk.choice().has_method(row.tool)) known.emplace_back(row.tool.name);
  }
  if (method == nullptr || !method->is_string()) {
    return failed_method(Error(Code::kInvalidArgument,
                               "'method' is missing: name what to do, such as read_text_file"));
  }
  const auto name = json::text(*method);
  if (std::ranges::find(known, name) == known.end()) {
    const auto near = most_similar(name, known);
    return failed_method(
        Error(Code::kToolNotFound,
              fmt::format("there is no method '{}'{}", shown(name),
                          near.empty() ? "" : fmt::format("; did you mean '{}'?", near))));
  }
  json::Object rest = arguments;
  rest.erase("method");
  auto answer =
      desk.run(*tools_.find(name), work::Style::kManual, json::Value(std::move(rest)), stop);
  return answer ? outcome_of(std::move(*answer)) : failed_method(answer.error());
}

mcp::Rpc<mcp::ToolOutcome> WorkspaceService::call_tool(mcp::Exchange& exchange,
                                                       std::string_view tool,
                                                       json::Object&& arguments) {
  const auto& desk = ours(*exchange.principal());
  const bool one = tool == kOneTool && desk.choice().offers_one_tool();
  const auto* row = tools_.find(tool);
  const bool offered = row != nullptr && desk.choice().offers(row->tool) &&
                       (!row->tool.needs_history || desk.has_history());
  if (!one && !offered) {
    return mcp::rpc_fail(mcp::rpc_code::kInvalidParams,
                         fmt::format("there is no tool '{}' here", shown(tool)));
  }
  const auto ready = desk.ready(exchange);
  if (!ready) return std::unexpected(ready.error());
  if (!*ready) return mcp::ToolOutcome{};
  if (one) return call_method(desk, arguments, exchange.stopping());
  auto answer =
      desk.run(*row, work::Style::kPlain, json::Value(std::move(arguments)), exchange.stopping());
  return answer ? outcome_of(std::move(*answer)) : failed(answer.error());
}

mcp::Rpc<mcp::Watched> WorkspaceService::watch(const mcp::Principal&, const mcp::Subject&) {
  return not_here();
}

bool WorkspaceService::still_valid(const mcp::Principal& principal) const {
  return ours(principal).still_valid();
}

void WorkspaceService::roots_changed(const mcp::Principal& principal) {
  ours(principal).roots_changed();
}

}  // namespace cairn::workspaces
