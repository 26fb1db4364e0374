// cairn tool create, list, show, update, delete.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "exposure/cli/commands.h"
#include "exposure/cli/json_argument.h"
#include "exposure/cli/kit.h"
#include "exposure/client/address.h"
#include "exposure/client/pages.h"

namespace cairn::cli {
namespace {

struct ToolArguments {
  std::string id;
  std::string operation;
  std::string depot;
  std::optional<std::string> path;
  std::optional<std::string> json_path;
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::string config;
  std::string script;
};

Result<json::Object> arguments_of(client::Client& client, const ToolArguments& given) {
  json::Object out;
  if (!given.id.empty()) out["toolId"] = given.id;
  if (!given.operation.empty()) out["operationType"] = given.operation;
  if (!given.depot.empty()) out["depotId"] = TRY(resolve_depot(client, given.depot));
  if (given.path) out["path"] = *given.path;
  if (given.json_path) out["jsonPath"] = *given.json_path;
  if (given.name) out["name"] = *given.name;
  if (given.description) out["description"] = *given.description;
  if (!given.config.empty()) out["config"] = TRY(json_argument(given.config, "--config"));
  if (!given.script.empty()) {
    auto config = out.contains("config") ? out["config"].as_object() : json::Object();
    config["script"] = TRY(read_whole(given.script));
    out["config"] = std::move(config);
  }
  return out;
}

std::string context_of(const Arguments& tool) {
  auto out = std::string(tool.text("depotId"));
  if (!tool.text("path").empty()) out += ":" + std::string(tool.text("path"));
  if (!tool.text("jsonPath").empty()) out += "#" + std::string(tool.text("jsonPath"));
  return out.empty() ? "its own contexts" : out;
}

void show_tool(Kit& kit, const json::Value& answer) {
  if (kit.options.json) {
    kit.out.print_json(answer);
    return;
  }
  const Arguments tool(answer.as_object());
  auto& out = kit.out;
  out.print("{}  {}\n", out.paint(Style::kBold, tool.text("toolId")), out.safe(tool.text("name")));
  out.print("  operation  {}\n", tool.text("operationType"));
  out.print("  context    {}\n", out.safe(context_of(tool)));
  if (!tool.text("description").empty()) {
    out.print("  says       {}\n", out.safe(tool.text("description")));
  }
  const auto& config = client::object_of(tool.object(), "config");
  if (!config.empty()) out.print("  config     {}\n", out.safe(json::write(json::Value(config))));
  out.print("  owner      {}\n", tool.text("owner"));
}

Result<int> run_one(Kit& kit, const ToolArguments& given, std::string_view tool) {
  auto& client = *TRY(kit.client());
  show_tool(kit, TRY(client.call(tool, TRY(arguments_of(client, given)))));
  return 0;
}

Result<int> run_delete(Kit& kit, const ToolArguments& given) {
  auto& client = *TRY(kit.client());
  const auto answer = TRY(client.call("delete_tool", {{"toolId", given.id}}));
  if (kit.options.json) {
    kit.out.print_json(answer);
  } else {
    kit.out.print("deleted {}\n", given.id);
  }
  return 0;
}

Result<int> run_list(Kit& kit) {
  auto& client = *TRY(kit.client());
  const auto answer = TRY(collect(client, "list_tools", {{"limit", 1000}}, "tools"));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  Table table({{"TOOL"}, {"OPERATION"}, {"CONTEXT"}, {"NAME"}});
  for (const auto& item : client::rows_of(answer.as_object(), "tools")) {
    const Arguments row(item.as_object());
    table.add({{std::string(row.text("toolId")), Style::kCyan},
               std::string(row.text("operationType")),
               kit.out.safe(context_of(row)),
               kit.out.safe(row.text("name"))});
  }
  if (table.empty()) {
    note("there are none; 'cairn tool create' makes one");
  } else {
    table.print(kit.out);
  }
  return 0;
}

void add_definition(Command command, ToolArguments& given, bool needed) {
  command
      .add_value("--op", given.operation, "OPERATION",
                 "get_schema, get_all, query, preview, select, create, update, delete, move, copy; "
                 "fs_ls, fs_read, fs_write, …; custom")
      .required(needed);
  command.add_value("--depot", given.depot, "DEPOT", "The depot it works on");
  command.add_value("--path", given.path, "PATH", "The JSON file, or the directory for fs_…");
  command.add_value("--json-path", given.json_path, "POINTER", "Where in the file: /orders");
  command.add_value("--name", given.name, "NAME", "For people");
  command.add_value("--description", given.description, "TEXT", "For whoever calls it");
  command.add_value("--config", given.config, "JSON",
                    "fixed, defaults, …; @FILE reads it from a file");
  command.add_value("--script", given.script, "FILE", "The Lua script of a custom tool");
}

}  // namespace

void add_context_tool_commands(Commands& commands) {
  auto group =
      commands.add_group({.name = "tool",
                          .description = "Tools on contexts: one operation on one piece of data",
                          .example = "cairn tool list",
                          .group = "Endpoints"});
  {
    auto given = std::make_shared<ToolArguments>();
    auto command = commands.add(
        group,
        {.name = "create",
         .description = "Make a tool that endpoints can bind",
         .example = "cairn tool create --op query --depot shop --path orders.json",
         .more = "It acts with your rights, on its context only. The context must exist."},
        [given](Kit& kit) { return run_one(kit, *given, "create_tool"); });
    add_definition(command, *given, true);
  }
  commands.add(group,
               {.name = "list",
                .description = "Your tools and those of delegates below you",
                .example = "cairn tool list"},
               [](Kit& kit) { return run_list(kit); });
  {
    auto given = std::make_shared<ToolArguments>();
    auto command = commands.add(
        group, {.name = "show", .description = "One tool", .example = "cairn tool show adi_…"},
        [given](Kit& kit) { return run_one(kit, *given, "get_tool"); });
    command.add_argument("ID", given->id, "adi_…");
  }
  {
    auto given = std::make_shared<ToolArguments>();
    auto command =
        commands.add(group,
                     {.name = "update",
                      .description = "Change a tool; in force for the next call",
                      .example = "cairn tool update adi_… --description 'Orders of this year'"},
                     [given](Kit& kit) { return run_one(kit, *given, "update_tool"); });
    command.add_argument("ID", given->id, "adi_…");
    add_definition(command, *given, false);
  }
  {
    auto given = std::make_shared<ToolArguments>();
    auto command = commands.add(group,
                                {.name = "delete",
                                 .description = "Delete a tool that no endpoint binds",
                                 .example = "cairn tool delete adi_…"},
                                [given](Kit& kit) { return run_delete(kit, *given); });
    command.add_argument("ID", given->id, "adi_…");
  }
}

}  // namespace cairn::cli
