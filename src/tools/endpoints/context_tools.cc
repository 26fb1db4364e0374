// Tools on contexts (ADI): create, list, get, update, delete.
#include "base/explain.h"
#include "tools/depots/depots.h"
#include "tools/depots/record_quota.h"
#include "tools/endpoints/endpoints.h"
#include "tools/endpoints/tools.h"
#include "tools/executor/page.h"
#include "tools/executor/render.h"

namespace cairn {
namespace {

using endpoints::own_tool;
using endpoints::render;

Result<Reply> run_create(Call& call, const Arguments& arguments) {
  const auto tool = TRY(endpoints::draft_tool(call, arguments, call.session().who().id));
  TRY(depots::check_record_quota(call));
  TRY(call.services().endpoints.add(tool));
  return Reply(render(tool));
}

// Scripts are long; get_tool has them.
json::Object without_script(const ContextTool& tool) {
  auto out = render(tool);
  auto& config = out["config"].get_object();
  if (config.contains("script")) config["script"] = "…";
  return out;
}

Result<Reply> run_list(Call& call, const Arguments& arguments) {
  const auto visible = [&](const ContextTool& one) { return endpoints::sees(call, one.owner); };
  return list_page(call, arguments, "tools", [&](auto limit, auto cursor) -> Result<RowPage> {
    return rendered(
        TRY(call.services().endpoints.tools(call.session().realm, limit, cursor, visible)),
        &EndpointPage<ContextTool>::items, without_script);
  });
}

Result<Reply> run_get(Call& call, const Arguments& arguments) {
  return Reply(render(TRY(own_tool(call, arguments))));
}

Result<Reply> run_update(Call& call, const Arguments& arguments) {
  const auto known = TRY(own_tool(call, arguments));
  auto& store = call.services().endpoints;
  // The endpoints that show it must still be able to: a change may not take away what they promise.
  auto all = TRY(store.endpoints(known.realm, Endpoints::kMaxEndpoints, std::nullopt,
                                 [](const Endpoint&) { return Result<bool>(true); }));
  auto changed = TRY(store.change(known.realm, known.id, [&](ContextTool& tool) -> Result<void> {
    TRY(endpoints::apply(call, arguments, tool));
    for (const auto& endpoint : all.items) {
      for (const auto& binding : endpoint.bindings) {
        if (binding.tool != tool.id) continue;
        auto bound = bind(call.table(), tool, binding);
        if (bound) continue;
        return Failure(
            explained(std::move(bound).error(),
                      fmt::format("the endpoint {} shows it as '{}', which then would not fit",
                                  endpoint.id.render(), binding.name)));
      }
    }
    return {};
  }));
  return Reply(render(changed));
}

Result<Reply> run_delete(Call& call, const Arguments& arguments) {
  const auto tool = TRY(own_tool(call, arguments));
  TRY(call.services().endpoints.remove(tool.realm, tool.id));
  return Reply(json::Object{{"deleted", tool.id.render()}});
}

}  // namespace

Tool create_tool() {
  return {
      .name = "create_tool",
      .title = "Create a tool on a context",
      .description =
          "One operation on one context (a JSON file and a pointer into it, or a directory), or a "
          "custom script: what endpoints bind. It acts with the rights of whoever made it.",
      .input = shape::object(endpoints::tool_fields(shape::Need::kRequired)),
      .output = endpoints::tool_shape(),
      .annotations = {},
      .audience = Audience::kPrograms,
      .audited = {"depotId", "path", "jsonPath", "name"},
      .run = run_create,
  };
}

Tool list_tools() {
  return {
      .name = "list_tools",
      .title = "Tools on contexts",
      .description = "Your tools and those of delegates below you, oldest first.",
      .input = shape::object({depots::limit("Tools per page (default 100)"), depots::cursor()}),
      .output = shape::object({{"tools", shape::list_of(endpoints::tool_shape())},
                               {"nextCursor", shape::nullable(shape::text())}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audience = Audience::kPrograms,
      .run = run_list,
  };
}

Tool get_tool() {
  return {
      .name = "get_tool",
      .title = "One tool on a context",
      .description = "Its context, operation and config.",
      .input = shape::object({endpoints::tool_id()}),
      .output = endpoints::tool_shape(),
      .annotations = {.read_only = true, .idempotent = true},
      .audience = Audience::kPrograms,
      .audited = {"toolId"},
      .run = run_get,
  };
}

Tool update_tool() {
  auto fields = endpoints::tool_fields(shape::kOptional);
  fields.insert(fields.begin(), endpoints::tool_id());
  return {
      .name = "update_tool",
      .title = "Change a tool on a context",
      .description =
          "Changes what is given (config as a whole). In force for the next call of every endpoint "
          "that binds it.",
      .input = shape::object(std::move(fields)),
      .output = endpoints::tool_shape(),
      .annotations = {.destructive = true, .idempotent = true},
      .audience = Audience::kPrograms,
      .audited = {"depotId", "toolId", "path", "jsonPath", "name"},
      .run = run_update,
  };
}

Tool delete_tool() {
  return {
      .name = "delete_tool",
      .title = "Delete a tool on a context",
      .description = "TOOL_IN_USE while an endpoint binds it.",
      .input = shape::object({endpoints::tool_id()}),
      .output = shape::object({{"deleted", shape::text()}}),
      .annotations = {.destructive = true},
      .audience = Audience::kPrograms,
      .audited = {"toolId"},
      .run = run_delete,
  };
}

}  // namespace cairn
