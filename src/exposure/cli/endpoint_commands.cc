// cairn endpoint …: ways in for outsiders.
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/os/disk_files.h"
#include "base/quote.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/json_argument.h"
#include "exposure/cli/kit.h"
#include "exposure/cli/skill.h"
#include "exposure/client/address.h"
#include "exposure/client/pages.h"
#include "exposure/serve/serve.h"

namespace cairn::cli {
namespace {

struct EndpointArguments {
  std::string id;
  std::string binding;
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::string type;
  std::string expires;
  std::string status;
  std::vector<std::string> binds;
  std::string bindings;
  std::string depot;
  std::string path;
  std::string json_path;
  std::string directory;
  std::string url;
  std::string arguments;
  std::string schema;
  std::optional<std::string> tool_name;
  bool read_only = false;
};

// `adi_…` or `adi_…=name`, and what --bindings has.
Result<json::Array> bindings_of(const EndpointArguments& given) {
  json::Array out;
  for (const auto& text : given.binds) {
    const auto equals = text.find('=');
    json::Object binding{{"toolId", text.substr(0, equals)}};
    if (equals != std::string::npos) binding["toolName"] = text.substr(equals + 1);
    out.emplace_back(std::move(binding));
  }
  if (given.bindings.empty()) return out;
  auto more = TRY(json_argument(given.bindings, "--bindings"));
  if (!more.is_array()) {
    return fail(Code::kInvalidArgument, "--bindings should be a JSON list of bindings");
  }
  for (auto& binding : more.get_array()) out.push_back(std::move(binding));
  return out;
}

Result<json::Object> arguments_of(const EndpointArguments& given) {
  json::Object out;
  if (!given.id.empty()) out["endpointId"] = given.id;
  if (given.name) out["name"] = *given.name;
  if (given.description) out["description"] = *given.description;
  if (!given.type.empty()) out["type"] = given.type;
  if (!given.status.empty()) out["status"] = given.status;
  if (given.expires == "never") {
    out["expiresIn"] = nullptr;
  } else if (!given.expires.empty()) {
    out["expiresIn"] = TRY(parse_duration(given.expires)).count();
  }
  auto bindings = TRY(bindings_of(given));
  if (!bindings.empty()) out["bindings"] = std::move(bindings);
  return out;
}

std::string state(const Arguments& endpoint) {
  auto out = std::string(endpoint.text("status"));
  if (auto expires = endpoint.maybe_number("expiresAt")) {
    out += ", expires " + human_time(*expires);
  }
  return out;
}

void show_endpoint(Kit& kit, const json::Value& answer) {
  if (kit.options.json) {
    kit.out.print_json(answer);
    return;
  }
  const Arguments endpoint(answer.as_object());
  auto& out = kit.out;
  out.print("{}  {}\n", out.paint(Style::kBold, endpoint.text("endpointId")),
            out.safe(endpoint.text("name")));
  out.print("  type     {}\n", endpoint.text("type"));
  out.print("  status   {}\n", state(endpoint));
  if (auto key = endpoint.maybe_text("apiKey")) {
    out.print("  key      {}\n", *key);
    out.print("  address  {}\n", endpoint.text("url"));
    note("the key is shown this once");
  }
  Table table({{"  BINDING"}, {"TOOL"}, {"NAME"}});
  for (const auto& item : client::rows_of(endpoint.object(), "bindings")) {
    const Arguments row(item.as_object());
    table.add({{"  " + std::string(row.text("bindingId")), Style::kCyan},
               std::string(row.text("toolId")),
               out.safe(row.text("toolName"))});
  }
  if (!table.empty()) table.print(out);
}

Result<int> run_one(Kit& kit, const EndpointArguments& given, std::string_view tool) {
  auto& client = *TRY(kit.client());
  show_endpoint(kit, TRY(client.call(tool, TRY(arguments_of(given)))));
  return 0;
}

Result<int> run_status(Kit& kit, EndpointArguments given, std::string_view status) {
  given.status = status;
  return run_one(kit, given, "update_endpoint");
}

Result<int> run_instance(Kit& kit, const EndpointArguments& given) {
  auto& client = *TRY(kit.client());
  auto arguments = TRY(arguments_of(given));
  arguments["depotId"] = TRY(resolve_depot(client, given.depot));
  arguments["path"] = given.path;
  if (!given.json_path.empty()) arguments["jsonPath"] = given.json_path;
  if (given.read_only) arguments["readOnly"] = true;
  show_endpoint(kit, TRY(client.call("create_mcp_instance", arguments)));
  return 0;
}

Result<int> run_rebind(Kit& kit, const EndpointArguments& given) {
  json::Object arguments{{"endpointId", given.id}, {"bindingId", given.binding}};
  if (given.tool_name) arguments["toolName"] = *given.tool_name;
  if (given.description) arguments["description"] = *given.description;
  if (!given.schema.empty()) {
    arguments["inputSchema"] = TRY(json_argument(given.schema, "--input-schema"));
  }
  if (!given.arguments.empty()) {
    arguments["arguments"] = TRY(json_argument(given.arguments, "--arguments"));
  }
  auto& client = *TRY(kit.client());
  show_endpoint(kit, TRY(client.call("update_binding", arguments)));
  return 0;
}

Result<int> run_unbind(Kit& kit, const EndpointArguments& given) {
  auto& client = *TRY(kit.client());
  show_endpoint(kit, TRY(client.call("unbind_tool",
                                     {{"endpointId", given.id}, {"bindingId", given.binding}})));
  return 0;
}

Result<int> run_list(Kit& kit) {
  auto& client = *TRY(kit.client());
  const auto answer = TRY(collect(client, "list_endpoints", {{"limit", 1000}}, "endpoints"));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  Table table({{"ENDPOINT"}, {"TYPE"}, {"STATUS"}, {"TOOLS", Table::Align::kRight}, {"NAME"}});
  for (const auto& item : client::rows_of(answer.as_object(), "endpoints")) {
    const Arguments row(item.as_object());
    table.add({{std::string(row.text("endpointId")), Style::kCyan},
               std::string(row.text("type")),
               state(row),
               std::to_string(client::rows_of(row.object(), "bindings").size()),
               kit.out.safe(row.text("name"))});
  }
  if (table.empty()) {
    note("there are none; 'cairn endpoint create' makes one");
  } else {
    table.print(kit.out);
  }
  return 0;
}

Result<int> run_preview(Kit& kit, const EndpointArguments& given) {
  auto& client = *TRY(kit.client());
  const auto answer = TRY(client.call("preview_endpoint", TRY(arguments_of(given))));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  for (const auto& item : client::rows_of(answer.as_object(), "tools")) {
    const Arguments tool(item.as_object());
    kit.out.print("{}\n  {}\n  {}\n", kit.out.paint(Style::kBold, tool.text("name")),
                  kit.out.safe(tool.text("description")),
                  kit.out.safe(json::write(tool.object().at("inputSchema"))));
  }
  return 0;
}

Result<int> run_delete(Kit& kit, const EndpointArguments& given) {
  auto& client = *TRY(kit.client());
  const auto answer = TRY(client.call("delete_endpoint", {{"endpointId", given.id}}));
  if (kit.options.json) {
    kit.out.print_json(answer);
  } else {
    kit.out.print("deleted {}\n", given.id);
  }
  return 0;
}

Result<void> write_file(const std::filesystem::path& file, const std::string& content,
                        bool executable) {
  TRY(os::make_directories(file.parent_path()));
  return os::replace_file(file, content, executable ? 0777 : 0666);
}

// The server that a skill's script will call: the named one, or the one that runs.
Result<std::string> server_of(Kit& kit, const EndpointArguments& given) {
  if (!given.url.empty()) return given.url;
  auto named = TRY(named_server(kit.options));
  if (!named.empty()) return named;
  return running_server(data_directory(kit.options)).value_or("http://127.0.0.1:8765");
}

Result<int> run_export(Kit& kit, const EndpointArguments& given) {
  auto& client = *TRY(kit.client());
  const json::Object one{{"endpointId", given.id}};
  const auto endpoint = TRY(client.call("get_endpoint", one));
  const auto preview = TRY(client.call("preview_endpoint", one));
  const Arguments about(endpoint.as_object());
  SkillSource source;
  source.name = about.text("name");
  source.description = about.text("description");
  source.url = TRY(server_of(kit, given));
  while (source.url.ends_with('/')) source.url.pop_back();
  source.tools = client::rows_of(preview.as_object(), "tools");
  const auto folder = std::filesystem::path(given.directory) / skill_name(source.name);
  if (std::filesystem::exists(folder / "SKILL.md")) {
    note(fmt::format("{} is written anew", folder.string()));
  }
  for (const auto& [path, content] : make_skill(source)) {
    TRY(write_file(folder / path, content, path.ends_with(".sh")));
  }
  if (kit.options.json) {
    kit.out.print_json(
        json::Object{{"directory", folder.string()}, {"tools", source.tools.size()}});
  } else {
    kit.out.print("{}\n", folder.string());
    note("give the endpoint's key in CAIRN_ENDPOINT_KEY, or in the file .key of the folder");
  }
  return 0;
}

using Runner = std::function<Result<int>(Kit& kit, const EndpointArguments& given)>;

class Group final {
 public:
  explicit Group(Commands& commands)
      : commands_(commands),
        group_(commands.add_group({.name = "endpoint",
                                   .description = "Ways in for outsiders, each with its own key",
                                   .example = "cairn endpoint list",
                                   .group = "Endpoints"})) {}

  std::pair<Command, std::shared_ptr<EndpointArguments>> add(const Commands::About& about,
                                                             const Runner& run) {
    auto given = std::make_shared<EndpointArguments>();
    auto command =
        commands_.add(group_, about, [given, run](Kit& kit) { return run(kit, *given); });
    return {command, given};
  }
  std::pair<Command, std::shared_ptr<EndpointArguments>> add_for_one(const Commands::About& about,
                                                                     const Runner& run) {
    auto [command, given] = add(about, run);
    command.add_argument("ID", given->id, "aei_…");
    return {command, given};
  }

 private:
  Commands& commands_;
  Command group_;
};

Runner calls(std::string tool) {
  return [tool = std::move(tool)](Kit& kit, const EndpointArguments& given) {
    return run_one(kit, given, tool);
  };
}

void add_bindings(Command command, EndpointArguments& given) {
  command
      .add_value("--bind", given.binds, "TOOL[=NAME]",
                 "Show this tool (adi_…), under a name; may be repeated")
      .repeated();
  command.add_value("--bindings", given.bindings, "JSON",
                    "Bindings with all they can say; @FILE reads them from a file");
}

void add_about(Command command, EndpointArguments& given) {
  command.add_value("--name", given.name, "NAME", "For people");
  command.add_value("--description", given.description, "TEXT", "For its users");
  command.add_value("--expires-in", given.expires, "TIME", "Seconds, or 1h, 7d, never");
}

void add_making(Group& group) {
  {
    auto [command, given] =
        group.add({.name = "create",
                   .description = "Make an endpoint with its bindings, and print its key",
                   .example = "cairn endpoint create --name partners --bind adi_…=find_orders"},
                  calls("create_endpoint"));
    command.add_value("--type", given->type, "TYPE", "mcp, rest, cli or skill [mcp]")
        .one_of({"mcp", "rest", "cli", "skill"});
    add_about(command, *given);
    add_bindings(command, *given);
  }
  {
    auto [command, given] =
        group.add({.name = "instance",
                   .description = "One key for every operation on one JSON context",
                   .example = "cairn endpoint instance --depot shop --path orders.json"},
                  run_instance);
    command.add_value("--depot", given->depot, "DEPOT", "The depot").required();
    command.add_value("--path", given->path, "PATH", "The JSON file").required();
    command.add_value("--json-path", given->json_path, "POINTER", "Where in it");
    command.add_flag("--read-only", given->read_only, "Only operations that read");
    command.add_value("--name", given->name, "NAME", "For people");
    command.add_value("--expires-in", given->expires, "TIME", "Seconds, or 1h, 7d [never]");
  }
  {
    auto [command, given] =
        group.add({.name = "preview",
                   .description = "The tools exactly as a client will see them",
                   .example = "cairn endpoint preview aei_…",
                   .more = "With --bind, as it would be with those; without ID, of a new endpoint. "
                           "Nothing is stored."},
                  run_preview);
    command.add_argument("ID", given->id, "aei_…").required(false);
    add_bindings(command, *given);
  }
}

void add_changing(Group& group) {
  {
    auto [command, given] =
        group.add_for_one({.name = "update",
                           .description = "Change its name, description or expiry",
                           .example = "cairn endpoint update aei_… --expires-in 30d"},
                          calls("update_endpoint"));
    add_about(command, *given);
  }
  constexpr std::pair<const char*, const char*> kStatuses[] = {
      {"disable", "disabled"}, {"enable", "active"}, {"revoke", "revoked"}};
  for (const auto& [word, status] : kStatuses) {
    group.add_for_one(
        {.name = word,
         .description = fmt::format("Make it {}, at once{}", status,
                                    word == std::string_view("revoke") ? " and for good" : ""),
         .example = fmt::format("cairn endpoint {} aei_…", word)},
        [made = std::string(status)](Kit& kit, const EndpointArguments& given) {
          return run_status(kit, given, made);
        });
  }
  group.add_for_one({.name = "rotate",
                     .description = "Replace its key; the old one is void at once",
                     .example = "cairn endpoint rotate aei_…"},
                    calls("rotate_endpoint_key"));
  group.add_for_one({.name = "upgrade",
                     .description = "Make a single-context key a v2 endpoint, with the same key",
                     .example = "cairn endpoint upgrade aei_…"},
                    calls("upgrade_endpoint"));
  group.add_for_one({.name = "delete",
                     .description = "Delete it with its bindings; the tools stay",
                     .example = "cairn endpoint delete aei_…"},
                    run_delete);
  {
    auto [command, given] =
        group.add_for_one({.name = "bind",
                           .description = "Show more tools, all or nothing",
                           .example = "cairn endpoint bind aei_… --bind adi_…=add_order"},
                          calls("bind_tools"));
    add_bindings(command, *given);
  }
  {
    auto [command, given] =
        group.add_for_one({.name = "rebind",
                           .description = "Change a binding: name, schema, arguments",
                           .example = "cairn endpoint rebind aei_… bnd_… --tool-name find_orders"},
                          run_rebind);
    command.add_argument("BINDING", given->binding, "bnd_…");
    command.add_value("--tool-name", given->tool_name, "NAME", "What clients call it");
    command.add_value("--description", given->description, "TEXT", "What clients read");
    command.add_value("--input-schema", given->schema, "JSON",
                      "Narrower than the tool's; null: the tool's own");
    command.add_value("--arguments", given->arguments, "JSON",
                      "{argument: {name, value, hidden, description}}; null: none");
  }
  {
    auto [command, given] = group.add_for_one({.name = "unbind",
                                               .description = "Stop showing a tool",
                                               .example = "cairn endpoint unbind aei_… bnd_…"},
                                              run_unbind);
    command.add_argument("BINDING", given->binding, "bnd_…");
  }
}

}  // namespace

void add_endpoint_commands(Commands& commands) {
  Group group(commands);
  add_making(group);
  group.add({.name = "list",
             .description = "Your endpoints and those of delegates below you",
             .example = "cairn endpoint list"},
            [](Kit& kit, const EndpointArguments&) { return run_list(kit); });
  group.add_for_one({.name = "show",
                     .description = "One endpoint with its bindings",
                     .example = "cairn endpoint show aei_…"},
                    calls("get_endpoint"));
  add_changing(group);
  auto [command, given] = group.add_for_one(
      {.name = "export-skill",
       .description = "Write a skill folder: SKILL.md, and a script that calls the tools",
       .example = "cairn endpoint export-skill aei_… --to skills --url http://127.0.0.1:8765"},
      run_export);
  command.add_value("--to", given->directory, "DIR", "Where the folder goes [.]");
  command.add_value("--url", given->url, "URL", "The server that the script calls");
}

}  // namespace cairn::cli
