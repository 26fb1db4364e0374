// Bindings: bind tools to an endpoint, change a binding, unbind.
#include <algorithm>

#include "base/quote.h"
#include "tools/endpoints/endpoints.h"
#include "tools/endpoints/tools.h"

namespace cairn {
namespace {

using endpoints::own_endpoint;
using endpoints::render;

// Endpoints with single-context keys have the operations of one context, and those only.
Result<void> check_changeable(const Endpoint& endpoint) {
  if (!endpoint.legacy || endpoint.upgraded) return {};
  return fail(Code::kInvalidArgument,
              "{} is a single-context key, whose tools are fixed; upgrade_endpoint makes it one "
              "that can be changed",
              endpoint.id.render());
}

Result<std::size_t> index_of(const Endpoint& endpoint, std::string_view text) {
  const auto id = TRY(BindingId::parse(text));
  for (std::size_t i = 0; i < endpoint.bindings.size(); ++i) {
    if (endpoint.bindings[i].id == id) return i;
  }
  return fail(Code::kBindingNotFound, "the endpoint {} has no binding {}", endpoint.id.render(),
              id.render());
}

Result<Reply> run_bind(Call& call, const Arguments& arguments) {
  const auto known = TRY(own_endpoint(call, arguments));
  TRY(check_changeable(known));
  std::vector<ContextTool> new_tools;
  const auto bindings = TRY(
      endpoints::draft_bindings(call, arguments.object().at("bindings"), known.owner, new_tools));
  auto& store = call.services().endpoints;
  auto changed = TRY(store.change(
      known.realm, known.id,
      [&](Endpoint& endpoint) -> Result<void> {
        std::ranges::copy(bindings, std::back_inserter(endpoint.bindings));
        return {};
      },
      new_tools));
  return Reply(render(changed));
}

Result<Reply> run_update(Call& call, const Arguments& arguments) {
  const auto known = TRY(own_endpoint(call, arguments));
  TRY(check_changeable(known));
  auto& store = call.services().endpoints;
  auto changed = TRY(store.change(known.realm, known.id, [&](Endpoint& endpoint) -> Result<void> {
    const auto i = TRY(index_of(endpoint, arguments.text("bindingId")));
    auto& binding = endpoint.bindings[i];
    // The whole definition again, for what is given; the rest stays.
    auto definition = render(binding);
    definition.erase("bindingId");
    for (const auto& member : arguments.object()) {
      if (member.key() == "endpointId" || member.key() == "bindingId") continue;
      definition[member.key()] = member.value();
      if (member.value().is_null()) definition.erase(member.key());
    }
    std::vector<ContextTool> none;
    auto drafted = TRY(endpoints::draft_bindings(
        call, json::Array{json::Value(std::move(definition))}, endpoint.owner, none));
    drafted.front().id = binding.id;
    binding = std::move(drafted.front());
    return {};
  }));
  return Reply(render(changed));
}

Result<Reply> run_unbind(Call& call, const Arguments& arguments) {
  const auto known = TRY(own_endpoint(call, arguments));
  TRY(check_changeable(known));
  auto changed = TRY(call.services().endpoints.change(
      known.realm, known.id, [&](Endpoint& endpoint) -> Result<void> {
        const auto i = TRY(index_of(endpoint, arguments.text("bindingId")));
        endpoint.bindings.erase(endpoint.bindings.begin() + static_cast<std::ptrdiff_t>(i));
        return {};
      }));
  return Reply(render(changed));
}

shape::Field binding_id() { return {"bindingId", shape::text("A binding (bnd_…)", 100)}; }

}  // namespace

Tool bind_tools() {
  return {
      .name = "bind_tools",
      .title = "Bind tools to an endpoint",
      .description = "Adds bindings, all or nothing. Connected clients are told.",
      .input = shape::object({endpoints::endpoint_id(), {"bindings", endpoints::bindings_shape()}}),
      .output = endpoints::endpoint_shape(),
      .annotations = {},
      .audience = Audience::kPrograms,
      .audited = {"endpointId"},
      .run = run_bind,
  };
}

Tool update_binding() {
  return {
      .name = "update_binding",
      .title = "Change a binding",
      .description =
          "Its name, description, schema or argument rules: what is given replaces what was, null "
          "goes back to the tool's own.",
      .input = shape::object(
          {endpoints::endpoint_id(),
           binding_id(),
           {"toolName", shape::text("", 1000), shape::kOptional},
           {"description", shape::nullable(shape::text("", Binding::kMaxDescriptionBytes)),
            shape::kOptional},
           {"inputSchema", shape::nullable(shape::map_of(shape::anything())), shape::kOptional},
           {"arguments", shape::nullable(endpoints::rules_shape()), shape::kOptional}}),
      .output = endpoints::endpoint_shape(),
      .annotations = {.destructive = true, .idempotent = true},
      .audience = Audience::kPrograms,
      .audited = {"endpointId", "bindingId"},
      .run = run_update,
  };
}

Tool unbind_tool() {
  return {
      .name = "unbind_tool",
      .title = "Unbind a tool",
      .description = "The endpoint does not show it any more; the tool stays.",
      .input = shape::object({endpoints::endpoint_id(), binding_id()}),
      .output = endpoints::endpoint_shape(),
      .annotations = {.destructive = true},
      .audience = Audience::kPrograms,
      .audited = {"endpointId", "bindingId"},
      .run = run_unbind,
  };
}

}  // namespace cairn
