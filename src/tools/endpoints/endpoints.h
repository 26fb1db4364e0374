// Shared by the tools that manage tools, endpoints and bindings.
#pragma once

#include "tools/endpoints/bound_calls.h"
#include "tools/executor/shape.h"

namespace cairn::endpoints {

// Those of the caller and of delegates below it; any other does not exist for it.
Result<ContextTool> own_tool(Call& call, const Arguments& arguments);
Result<Endpoint> own_endpoint(Call& call, const Arguments& arguments);
// Whether the caller sees what the delegate owns.
Result<bool> sees(Call& call, const DelegateId& owner);

// A tool from its definition: checked, with its context; not stored.
Result<ContextTool> draft_tool(Call& call, const Arguments& definition, const DelegateId& owner);
// Changes what the arguments name.
Result<void> apply(Call& call, const Arguments& definition, ContextTool& tool);

// Bindings from their definitions, for an endpoint of that owner: checked, not stored. Tools that
// are defined in them are added to `new_tools`. The detail `argument` names the wrong one.
Result<std::vector<Binding>> draft_bindings(Call& call, const json::Value& definitions,
                                            const DelegateId& owner,
                                            std::vector<ContextTool>& new_tools);

// As a client of the endpoint will list them. Fails when one cannot be bound.
Result<json::Array> definitions(Call& call, const std::vector<Binding>& bindings,
                                const RealmId& realm, const std::vector<ContextTool>& new_tools);

json::Object render(const ContextTool& tool);
json::Object render(const Binding& binding);
json::Object render(const Endpoint& endpoint);
// With the key, this once.
json::Object render_made(const MadeEndpoint& made);

shape::Field tool_id();
shape::Field endpoint_id();
// The members of a tool's definition.
std::vector<shape::Field> tool_fields(shape::Need need);
json::Value bindings_shape();
// How arguments look through a binding.
json::Value rules_shape();
json::Value tool_shape();
json::Value endpoint_shape();
json::Value made_shape();

}  // namespace cairn::endpoints
