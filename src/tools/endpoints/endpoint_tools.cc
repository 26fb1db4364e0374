// Endpoints (AEI): create, list, get, preview, update, rotate, delete; single-context keys.
#include <algorithm>

#include "base/quote.h"
#include "tools/depots/depots.h"
#include "tools/depots/record_quota.h"
#include "tools/endpoints/endpoints.h"
#include "tools/endpoints/tools.h"
#include "tools/executor/page.h"
#include "tools/executor/render.h"

namespace cairn {
namespace {

using endpoints::own_endpoint;
using endpoints::render;
using endpoints::render_made;

std::optional<Millis> expiry(Call& call, const Arguments& arguments) {
  auto seconds = arguments.maybe_number("expiresIn");
  if (!seconds) return std::nullopt;
  return call.clock().now() + *seconds * 1000;
}

EndpointType type_of(const Arguments& arguments) {
  for (auto type :
       {EndpointType::kMcp, EndpointType::kRest, EndpointType::kCli, EndpointType::kSkill}) {
    if (name(type) == arguments.text("type")) return type;
  }
  return EndpointType::kMcp;
}

Result<Reply> run_create(Call& call, const Arguments& arguments) {
  auto& store = call.services().endpoints;
  auto endpoint = store.draft_endpoint(call.session().realm, call.session().who().id);
  endpoint.type = type_of(arguments);
  endpoint.name = arguments.text("name");
  endpoint.description = arguments.text("description");
  endpoint.expires_at = expiry(call, arguments);
  std::vector<ContextTool> new_tools;
  if (const auto* bindings = json::find(arguments.object(), "bindings")) {
    endpoint.bindings = TRY(endpoints::draft_bindings(call, *bindings, endpoint.owner, new_tools));
  }
  TRY(depots::check_record_quota(call));
  return Reply(render_made(TRY(store.add(std::move(endpoint), new_tools))));
}

Result<Reply> run_list(Call& call, const Arguments& arguments) {
  const auto visible = [&](const Endpoint& one) { return endpoints::sees(call, one.owner); };
  return list_page(call, arguments, "endpoints", [&](auto limit, auto cursor) -> Result<RowPage> {
    return rendered(
        TRY(call.services().endpoints.endpoints(call.session().realm, limit, cursor, visible)),
        &EndpointPage<Endpoint>::items, [](const Endpoint& one) { return render(one); });
  });
}

Result<Reply> run_get(Call& call, const Arguments& arguments) {
  return Reply(render(TRY(own_endpoint(call, arguments))));
}

// The tools a client will list: of an endpoint as it is, of one with more bindings, or of one that
// is not there yet.
Result<Reply> run_preview(Call& call, const Arguments& arguments) {
  Endpoint endpoint;
  endpoint.realm = call.session().realm;
  endpoint.owner = call.session().who().id;
  if (arguments.has("endpointId")) endpoint = TRY(own_endpoint(call, arguments));
  std::vector<ContextTool> new_tools;
  if (const auto* bindings = json::find(arguments.object(), "bindings")) {
    auto more = TRY(endpoints::draft_bindings(call, *bindings, endpoint.owner, new_tools));
    std::ranges::move(more, std::back_inserter(endpoint.bindings));
  }
  TRY(check_names(endpoint));
  json::Object out;
  out["tools"] = TRY(endpoints::definitions(call, endpoint.bindings, endpoint.realm, new_tools));
  return Reply(std::move(out));
}

Result<Reply> run_update(Call& call, const Arguments& arguments) {
  const auto known = TRY(own_endpoint(call, arguments));
  auto changed = TRY(call.services().endpoints.change(
      known.realm, known.id, [&](Endpoint& endpoint) -> Result<void> {
        if (auto text = arguments.maybe_text("name")) endpoint.name = std::string(*text);
        if (auto text = arguments.maybe_text("description")) {
          endpoint.description = std::string(*text);
        }
        if (arguments.has("expiresIn")) endpoint.expires_at = expiry(call, arguments);  // or null
        const auto status = arguments.text("status");
        if (status.empty()) return {};
        if (endpoint.status == EndpointStatus::kRevoked && status != "revoked") {
          return fail(Code::kInvalidArgument, "the endpoint {} is revoked for good; make a new one",
                      endpoint.id.render());
        }
        endpoint.status = status == "revoked"    ? EndpointStatus::kRevoked
                          : status == "disabled" ? EndpointStatus::kDisabled
                                                 : EndpointStatus::kActive;
        return {};
      }));
  return Reply(render(changed));
}

Result<Reply> run_rotate(Call& call, const Arguments& arguments) {
  const auto known = TRY(own_endpoint(call, arguments));
  return Reply(render_made(TRY(call.services().endpoints.rotate(known.realm, known.id))));
}

Result<Reply> run_delete(Call& call, const Arguments& arguments) {
  const auto known = TRY(own_endpoint(call, arguments));
  TRY(call.services().endpoints.remove(known.realm, known.id));
  return Reply(json::Object{{"deleted", known.id.render()}});
}

// Every JSON operation on one context, behind one key.
Result<Reply> run_instance(Call& call, const Arguments& arguments) {
  auto& store = call.services().endpoints;
  auto endpoint = store.draft_endpoint(call.session().realm, call.session().who().id);
  endpoint.name = arguments.text("name");
  endpoint.legacy = true;
  endpoint.expires_at = expiry(call, arguments);
  std::vector<ContextTool> tools;
  for (const auto& operation : operations()) {
    if (operation.kind != Operation::Kind::kJson) continue;
    const auto& base = *TRY(call.table().find(operation.tool));
    // A read-only delegate's key reads.
    const bool changes = base.right == Right::kUpload;
    if (changes && (arguments.flag("readOnly") || !call.rights().can_upload())) continue;
    json::Object definition{{"operationType", operation.name},
                            {"depotId", arguments.text("depotId")},
                            {"path", arguments.text("path")},
                            {"jsonPath", arguments.text("jsonPath")},
                            {"name", arguments.text("name")}};
    if (const auto* keys = json::find(arguments.object(), "preview_keys");
        keys != nullptr && operation.name == "preview") {
      definition["config"] = json::Object{{"preview_keys", *keys}};
    }
    auto tool = TRY(endpoints::draft_tool(call, Arguments(definition), endpoint.owner));
    Binding binding;
    binding.id = store.draft_binding();
    binding.tool = tool.id;
    binding.name = operation.name;
    endpoint.bindings.push_back(std::move(binding));
    tools.push_back(std::move(tool));
  }
  TRY(depots::check_record_quota(call));
  return Reply(render_made(TRY(store.add(std::move(endpoint), tools))));
}

Result<Reply> run_upgrade(Call& call, const Arguments& arguments) {
  const auto known = TRY(own_endpoint(call, arguments));
  auto changed = TRY(call.services().endpoints.change(
      known.realm, known.id, [&](Endpoint& endpoint) -> Result<void> {
        if (!endpoint.legacy) {
          return fail(Code::kInvalidArgument, "{} is a v2 endpoint already; nothing to upgrade",
                      endpoint.id.render());
        }
        endpoint.upgraded = true;
        return {};
      }));
  return Reply(render(changed));
}

constexpr std::int64_t kMostSeconds = 100LL * 365 * 24 * 3600;

shape::Field expires_in() {
  return {"expiresIn", shape::integer("Seconds until its key stops working", 1, kMostSeconds),
          shape::kOptional};
}
shape::Field named(std::string_view what) {
  return {"name", shape::text(what, Endpoint::kMaxNameBytes), shape::kOptional};
}
shape::Field described() {
  return {"description", shape::text("For its users: instructions of an MCP server", 4000),
          shape::kOptional};
}

}  // namespace

Tool create_endpoint() {
  return {
      .name = "create_endpoint",
      .title = "Create an endpoint",
      .description =
          "A way in for outsiders, with a key of its own and the tools its bindings name, all or "
          "nothing. The key is shown this once.",
      .input =
          shape::object({{"type", shape::choice({"mcp", "rest", "cli", "skill"}, "Default mcp"),
                          shape::kOptional},
                         named("For people"),
                         described(),
                         expires_in(),
                         {"bindings", endpoints::bindings_shape(), shape::kOptional}}),
      .output = endpoints::made_shape(),
      .annotations = {},
      .audience = Audience::kPrograms,
      .audited = {"name"},
      .run = run_create,
  };
}

Tool list_endpoints() {
  return {
      .name = "list_endpoints",
      .title = "Endpoints",
      .description = "Your endpoints and those of delegates below you, oldest first.",
      .input = shape::object({depots::limit("Endpoints per page (default 100)"), depots::cursor()}),
      .output = shape::object({{"endpoints", shape::list_of(endpoints::endpoint_shape())},
                               {"nextCursor", shape::nullable(shape::text())}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audience = Audience::kPrograms,
      .run = run_list,
  };
}

Tool get_endpoint() {
  return {
      .name = "get_endpoint",
      .title = "One endpoint",
      .description = "Its status and bindings. Its key is not kept.",
      .input = shape::object({endpoints::endpoint_id()}),
      .output = endpoints::endpoint_shape(),
      .annotations = {.read_only = true, .idempotent = true},
      .audience = Audience::kPrograms,
      .audited = {"endpointId"},
      .run = run_get,
  };
}

Tool preview_endpoint() {
  return {
      .name = "preview_endpoint",
      .title = "Preview an endpoint",
      .description =
          "The tool list exactly as a client will see it, and nothing is stored: of an endpoint, "
          "with more bindings if given, or of one that does not exist yet.",
      .input =
          shape::object({{"endpointId", shape::text("An endpoint (aei_…)", 100), shape::kOptional},
                         {"bindings", endpoints::bindings_shape(), shape::kOptional}}),
      .output = shape::object({{"tools", shape::list_of(shape::anything("As MCP lists them"))}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audience = Audience::kPrograms,
      .audited = {"endpointId"},
      .run = run_preview,
  };
}

Tool update_endpoint() {
  return {
      .name = "update_endpoint",
      .title = "Change an endpoint",
      .description =
          "Its name, status or expiry. A disabled endpoint is not found until it is active again; "
          "a revoked one stays so.",
      .input = shape::object(
          {endpoints::endpoint_id(),
           named("For people"),
           described(),
           {"expiresIn",
            shape::nullable(shape::integer(
                "Seconds from now until its key stops working; null: never", 1, kMostSeconds)),
            shape::kOptional},
           {"status", shape::choice({"active", "disabled", "revoked"}), shape::kOptional}}),
      .output = endpoints::endpoint_shape(),
      .annotations = {.destructive = true, .idempotent = true},
      .audience = Audience::kPrograms,
      .audited = {"endpointId", "name"},
      .run = run_update,
  };
}

Tool rotate_endpoint_key() {
  return {
      .name = "rotate_endpoint_key",
      .title = "Replace an endpoint's key",
      .description = "A new key, shown this once; the old one is void at once.",
      .input = shape::object({endpoints::endpoint_id()}),
      .output = endpoints::made_shape(),
      .annotations = {.destructive = true},
      .audience = Audience::kPrograms,
      .audited = {"endpointId"},
      .run = run_rotate,
  };
}

Tool delete_endpoint() {
  return {
      .name = "delete_endpoint",
      .title = "Delete an endpoint",
      .description = "With its bindings; the tools they named stay.",
      .input = shape::object({endpoints::endpoint_id()}),
      .output = shape::object({{"deleted", shape::text()}}),
      .annotations = {.destructive = true},
      .audience = Audience::kPrograms,
      .audited = {"endpointId"},
      .run = run_delete,
  };
}

Tool create_mcp_instance() {
  return {
      .name = "create_mcp_instance",
      .title = "A key for one JSON context",
      .description =
          "One call makes an endpoint with every JSON operation on one context, served at "
          "/api/mcp/server/{key}. upgrade_endpoint turns it into one of version 2.",
      .input = shape::object(
          {{"depotId", shape::text("Depot (dpt_…)", 5000)},
           {"path", shape::text("The JSON file", Path::kMaxBytes)},
           {"jsonPath", shape::text("JSON pointer into it", 5000), shape::kOptional},
           named("For people"),
           expires_in(),
           {"readOnly", shape::flag("Only operations that read"), shape::kOptional},
           {"preview_keys", shape::list_of(shape::text("", 1000), "Fields that preview shows", 100),
            shape::kOptional}}),
      .output = endpoints::made_shape(),
      .annotations = {},
      .audience = Audience::kPrograms,
      .audited = {"depotId", "path", "jsonPath", "name"},
      .run = run_instance,
  };
}

Tool upgrade_endpoint() {
  return {
      .name = "upgrade_endpoint",
      .title = "Upgrade a single-context key",
      .description =
          "Makes an endpoint of create_mcp_instance one of version 2: served at "
          "/api/v2/mcp/server/{key} with the same key, at its old address too, and its bindings "
          "can be changed.",
      .input = shape::object({endpoints::endpoint_id()}),
      .output = endpoints::endpoint_shape(),
      .annotations = {.idempotent = true},
      .audience = Audience::kPrograms,
      .audited = {"endpointId"},
      .run = run_upgrade,
  };
}

}  // namespace cairn
