#include "tools/endpoints/endpoints.h"

#include <algorithm>

#include "base/explain.h"
#include "base/quote.h"
#include "tools/executor/definition.h"

namespace cairn::endpoints {
namespace {

// An error about one of several.
Failure at(Error error, std::string_view place) {
  return Failure(explained(std::move(error), place).with("binding", std::string(place)));
}

std::map<std::string, ArgumentRule> rules_of(const json::Object& given) {
  std::map<std::string, ArgumentRule> out;
  for (const auto& member : given) {
    const Arguments fields(member.value().get_object());
    ArgumentRule rule;
    if (auto name = fields.maybe_text("name")) rule.name = std::string(*name);
    if (auto text = fields.maybe_text("description")) rule.description = std::string(*text);
    if (const auto* value = json::find(fields.object(), "value")) rule.value = *value;
    rule.hidden = fields.flag("hidden");
    out.emplace(member.key(), std::move(rule));
  }
  return out;
}

Result<ContextTool> tool_of(Call& call, const Arguments& given, const DelegateId& owner,
                            std::vector<ContextTool>& new_tools) {
  const auto* inline_tool = json::find(given.object(), "tool");
  if ((inline_tool != nullptr) == given.has("toolId")) {
    return fail(Code::kInvalidArgument,
                "give either toolId, of a tool that exists, or tool, the definition of a new one");
  }
  if (inline_tool != nullptr) {
    auto made = TRY(draft_tool(call, Arguments(inline_tool->get_object()), owner));
    new_tools.push_back(made);
    return made;
  }
  auto tool = TRY(own_tool(call, given));
  // A tool acts as its owner. Bound to somebody else's endpoint it would lend that owner's rights.
  if (tool.owner == owner) return tool;
  return fail(Code::kToolNotFound, "the endpoint's owner has no tool {}", tool.id.render());
}

Result<Binding> draft_binding(Call& call, const Arguments& given, const DelegateId& owner,
                              std::vector<ContextTool>& new_tools) {
  const auto tool = TRY(tool_of(call, given, owner, new_tools));
  Binding out;
  out.id = call.services().endpoints.draft_binding();
  out.tool = tool.id;
  out.name = given.maybe_text("toolName").value_or("");
  if (!given.has("toolName")) out.name = default_name(tool);
  if (auto text = given.maybe_text("description")) out.description = std::string(*text);
  if (const auto* input = json::find(given.object(), "inputSchema")) {
    if (json::write(*input).size() > Binding::kMaxSchemaBytes) {
      return fail(Code::kInvalidArgument, "inputSchema has more than {} bytes",
                  Binding::kMaxSchemaBytes);
    }
    out.input = *input;
  }
  if (const auto* rules = json::find(given.object(), "arguments")) {
    out.arguments = rules_of(rules->get_object());
  }
  // Tried out now, so that a binding which cannot work is refused before it is stored.
  TRY(bind(call.table(), tool, out));
  return out;
}

}  // namespace

Result<bool> sees(Call& call, const DelegateId& owner) {
  // The realm's owner sees everything in it.
  if (owner == call.session().who().id || !call.session().who().parent) return true;
  auto below = call.services().delegates.get(call.session(), owner);
  if (!below && below.error().code != Code::kDelegateNotFound) return Failure(below.error());
  return below.has_value();
}

Result<ContextTool> own_tool(Call& call, const Arguments& arguments) {
  const auto id = TRY(ToolId::parse(arguments.text("toolId")));
  auto tool = TRY(call.services().endpoints.tool(call.session().realm, id));
  // The same as for a tool that does not exist.
  if (TRY(sees(call, tool.owner))) return tool;
  return fail(Code::kToolNotFound, "there is no tool {}; list the tools to see their ids",
              id.render());
}

Result<Endpoint> own_endpoint(Call& call, const Arguments& arguments) {
  const auto id = TRY(EndpointId::parse(arguments.text("endpointId")));
  auto endpoint = TRY(call.services().endpoints.endpoint(call.session().realm, id));
  if (TRY(sees(call, endpoint.owner))) return endpoint;
  return fail(Code::kEndpointNotFound,
              "there is no endpoint {}; list the endpoints to see their ids", id.render());
}

namespace {

// A context as a definition has it.
struct ContextTexts {
  std::string depot;
  std::string path;
  std::string pointer;
};

ContextTexts texts_of(const std::optional<Context>& context) {
  if (!context) return {};
  return {context->depot.render(), context->path.render(), context->pointer.render()};
}

}  // namespace

Result<void> apply(Call& call, const Arguments& definition, ContextTool& tool) {
  auto set = [&](std::string_view name, std::string& out) {
    if (auto text = definition.maybe_text(name)) out = std::string(*text);
  };
  set("name", tool.name);
  set("description", tool.description);
  set("operationType", tool.operation);
  // The parts of a context may be changed one by one, so all three are read before they are parsed.
  auto texts = texts_of(tool.context);
  set("depotId", texts.depot);
  set("path", texts.path);
  set("jsonPath", texts.pointer);
  if (const auto* config = json::find(definition.object(), "config")) {
    if (json::write(*config).size() > ContextTool::kMaxConfigBytes) {
      return fail(Code::kInvalidArgument, "config has more than {} bytes",
                  ContextTool::kMaxConfigBytes);
    }
    tool.config = config->get_object();
  }
  const auto& operation = *TRY(find_operation(tool.operation));
  tool.operation = operation.name;
  const bool custom = operation.kind == Operation::Kind::kCustom;
  if (custom && !texts.depot.empty()) {
    return fail(Code::kInvalidArgument,
                "a custom tool has its contexts in config.contexts; leave out depotId");
  }
  if (!custom && texts.depot.empty()) {
    return fail(Code::kInvalidArgument, "depotId is required: the depot that the tool works on");
  }
  if (operation.kind != Operation::Kind::kJson && !texts.pointer.empty()) {
    return fail(Code::kInvalidArgument, "jsonPath is for JSON operations; {} has none",
                operation.name);
  }
  tool.context.reset();
  if (!custom) tool.context = TRY(Context::parse(texts.depot, texts.path, texts.pointer));
  // Tried out: a definition that cannot be called is refused here.
  TRY(form_of(call.table(), tool));
  constexpr std::string_view kWhatItDoes[] = {"operationType", "depotId", "path", "jsonPath",
                                              "config"};
  const bool asks =
      std::ranges::any_of(kWhatItDoes, [&](std::string_view name) { return definition.has(name); });
  // A new name needs no look at the data, which may be gone by now.
  if (!asks) return {};
  if (tool.owner == call.session().who().id) return check_context(call, tool);
  // It will act as its owner, and see what its owner sees.
  auto owner = TRY(call.services().delegates.act_as(tool.realm, tool.owner));
  auto as_owner = call.as(std::move(owner));
  return check_context(as_owner, tool);
}

Result<ContextTool> draft_tool(Call& call, const Arguments& definition, const DelegateId& owner) {
  auto tool = call.services().endpoints.draft_tool(call.session().realm, owner);
  TRY(apply(call, definition, tool));
  return tool;
}

Result<std::vector<Binding>> draft_bindings(Call& call, const json::Value& definitions,
                                            const DelegateId& owner,
                                            std::vector<ContextTool>& new_tools) {
  std::vector<Binding> out;
  for (std::size_t i = 0; i < definitions.get_array().size(); ++i) {
    const Arguments given(definitions.get_array()[i].get_object());
    auto binding = draft_binding(call, given, owner, new_tools);
    if (!binding) return at(std::move(binding).error(), fmt::format("bindings[{}]", i));
    out.push_back(std::move(*binding));
  }
  return out;
}

Result<json::Array> definitions(Call& call, const std::vector<Binding>& bindings,
                                const RealmId& realm, const std::vector<ContextTool>& new_tools) {
  json::Array out;
  for (const auto& binding : bindings) {
    const auto made = std::ranges::find(new_tools, binding.tool, &ContextTool::id);
    auto tool = made == new_tools.end() ? call.services().endpoints.tool(realm, binding.tool)
                                        : Result<ContextTool>(*made);
    out.emplace_back(definition(TRY(bind(call.table(), TRY(std::move(tool)), binding)).tool));
  }
  return out;
}

json::Object render(const ContextTool& tool) {
  json::Object out;
  out["toolId"] = tool.id.render();
  out["owner"] = tool.owner.render();
  out["name"] = tool.name;
  out["description"] = tool.description;
  out["operationType"] = tool.operation;
  if (tool.context) {
    const auto texts = texts_of(tool.context);
    out["depotId"] = texts.depot;
    out["path"] = texts.path;
    out["jsonPath"] = texts.pointer;
  }
  out["config"] = tool.config;
  out["createdAt"] = tool.created_at;
  out["updatedAt"] = tool.updated_at;
  return out;
}

json::Object render(const Binding& binding) {
  json::Object out;
  out["bindingId"] = binding.id.render();
  out["toolId"] = binding.tool.render();
  out["toolName"] = binding.name;
  if (binding.description) out["description"] = *binding.description;
  if (binding.input) out["inputSchema"] = *binding.input;
  json::Object rules;
  for (const auto& [name, rule] : binding.arguments) {
    json::Object one;
    if (rule.name) one["name"] = *rule.name;
    if (rule.value) one["value"] = *rule.value;
    if (rule.description) one["description"] = *rule.description;
    if (rule.hidden) one["hidden"] = true;
    rules[name] = std::move(one);
  }
  if (!rules.empty()) out["arguments"] = std::move(rules);
  return out;
}

json::Object render(const Endpoint& endpoint) {
  json::Object out;
  out["endpointId"] = endpoint.id.render();
  out["owner"] = endpoint.owner.render();
  out["type"] = name(endpoint.type);
  out["name"] = endpoint.name;
  out["description"] = endpoint.description;
  out["status"] = name(endpoint.status);
  if (endpoint.legacy) out["version"] = endpoint.upgraded ? 2 : 1;
  if (endpoint.expires_at) out["expiresAt"] = *endpoint.expires_at;
  out["createdAt"] = endpoint.created_at;
  out["updatedAt"] = endpoint.updated_at;
  out["keyMadeAt"] = endpoint.key_made_at;
  json::Array bindings;
  for (const auto& binding : endpoint.bindings) {
    auto one = render(binding);
    one["endpointId"] = endpoint.id.render();
    bindings.emplace_back(std::move(one));
  }
  out["bindings"] = std::move(bindings);
  return out;
}

// The only time the key is shown: what is stored is its hash.
json::Object render_made(const MadeEndpoint& made) {
  auto out = render(made.endpoint);
  const auto& key = made.key.text();
  out["apiKey"] = key;
  const bool old = made.endpoint.legacy && !made.endpoint.upgraded;
  switch (made.endpoint.type) {
    case EndpointType::kMcp:
      out["url"] = (old ? "/api/mcp/server/" : "/api/v2/mcp/server/") + key;
      break;
    case EndpointType::kRest:
    case EndpointType::kCli:
    case EndpointType::kSkill:
      out["url"] = "/api/v2/rest/" + key;
      break;
  }
  return out;
}

shape::Field tool_id() { return {"toolId", shape::text("A tool (adi_…)", 100)}; }
shape::Field endpoint_id() { return {"endpointId", shape::text("An endpoint (aei_…)", 100)}; }

std::vector<shape::Field> tool_fields(shape::Need need) {
  return {
      {"operationType",
       shape::text("get_schema, get_all, query, preview, select, create, update, delete, move, "
                   "copy; fs_ls, fs_read, fs_write, …; or custom",
                   100),
       need},
      {"depotId", shape::text("The depot of its context (dpt_…); not for custom", 5000),
       shape::kOptional},
      {"path",
       shape::text("The JSON file, or for fs_* the directory that is all it sees", Path::kMaxBytes),
       shape::kOptional},
      {"jsonPath", shape::text("JSON pointer to the value it works on", 5000), shape::kOptional},
      {"name", shape::text("For people", ContextTool::kMaxNameBytes), shape::kOptional},
      {"description",
       shape::text("For whoever calls it; default: the operation's",
                   ContextTool::kMaxDescriptionBytes),
       shape::kOptional},
      {"config",
       shape::map_of(shape::anything(),
                     "fixed, defaults: {argument: value}; preview_keys; acrossFiles. For custom: "
                     "script, inputSchema, outputSchema, contexts: {name: {depotId, path, "
                     "jsonPath, operations}}, limits"),
       shape::kOptional}};
}

json::Value rules_shape() {
  auto rule = shape::object(
      {{"name", shape::text("What callers call it", 200), shape::kOptional},
       {"value", shape::anything("Always this; callers do not see it"), shape::kOptional},
       {"description", shape::text("", 1000), shape::kOptional},
       {"hidden", shape::flag("Callers cannot give it"), shape::kOptional}});
  return shape::map_of(std::move(rule), "By the tool's own names");
}

json::Value bindings_shape() {
  return shape::list_of(
      shape::object(
          {{"toolId", shape::text("A tool that exists (adi_…)", 100), shape::kOptional},
           {"tool", shape::object(tool_fields(shape::Need::kRequired), "Or a new one"),
            shape::kOptional},
           {"toolName",
            shape::text("[A-Za-z0-9_.-]{1,64}, unique in the endpoint; default "
                        "{operation}_{hash}",
                        1000),
            shape::kOptional},
           {"description", shape::text("", Binding::kMaxDescriptionBytes), shape::kOptional},
           {"inputSchema", shape::map_of(shape::anything(), "Narrower than the tool's own"),
            shape::kOptional},
           {"arguments", rules_shape(), shape::kOptional}}),
      "The tools it shows", Endpoint::kMaxBindings);
}

json::Value tool_shape() {
  auto fields = tool_fields(shape::Need::kRequired);
  fields.insert(fields.begin(), {"toolId", shape::text()});
  fields.push_back({"owner", shape::text()});
  fields.push_back({"createdAt", shape::integer()});
  fields.push_back({"updatedAt", shape::integer()});
  return shape::object(std::move(fields));
}

namespace {

std::vector<shape::Field> endpoint_fields() {
  return {
      {"endpointId", shape::text()},
      {"owner", shape::text()},
      {"type", shape::choice({"mcp", "rest", "cli", "skill"})},
      {"name", shape::text()},
      {"description", shape::text()},
      {"status", shape::choice({"active", "disabled", "revoked"})},
      {"version", shape::integer("1: a single-context key of old; 2: upgraded"), shape::kOptional},
      {"expiresAt", shape::integer("Milliseconds since 1970"), shape::kOptional},
      {"createdAt", shape::integer()},
      {"updatedAt", shape::integer()},
      {"keyMadeAt", shape::integer()},
      {"bindings", shape::list_of(shape::anything("bindingId, endpointId, toolId, toolName, …"))}};
}

}  // namespace

json::Value endpoint_shape() { return shape::object(endpoint_fields()); }

json::Value made_shape() {
  auto fields = endpoint_fields();
  fields.push_back({"apiKey", shape::text("The key: shown this once")});
  fields.push_back({"url", shape::text("Where it is served, below the server's address")});
  return shape::object(std::move(fields));
}

}  // namespace cairn::endpoints
