// BoundTool: a tool made from another. Its context and configuration fix the place it works on and
// some of its arguments; a binding gives it a name, hides, renames or fixes others, and may narrow
// what is left. What comes out is a Tool like any other.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/json/schema.h"
#include "tools/endpoints/operation.h"

namespace cairn {

// A context of a script, with the tools that the script may use on it.
struct ScriptHandle {
  std::string name;
  std::vector<Tool> tools;  // by the names of their operations
};

// Threads  immutable once bound.
struct BoundTool {
  Binding binding;
  ContextTool source;
  OperationForm form;
  std::vector<ScriptHandle> handles;  // of a script
  // As callers see it. It runs once somebody has said how (BoundCalls).
  Tool tool;
  // The operation's own schema, where passing the tool's does not mean passing this one: what a
  // script's schema says of names (patterns, dependencies) does not follow a renaming.
  std::optional<json::Schema> own;
  // What a script's results fit, where its configuration says so.
  std::optional<json::Schema> promised;

  // The arguments of the operation, under its own names, with all that is fixed.
  // INVALID_ARGUMENT says which of the caller's is wrong.
  // REQUIRES: the tool's schema has accepted them.
  Result<json::Object> arguments(json::Object given) const;
  // What callers name the flag of a dry run by the executor; empty: they have none.
  std::string_view rehearsal() const;
};

// `{op}_{short_hash}`, the hash being of the tool's id.
std::string default_name(const ContextTool& tool);

// Fails with INVALID_ARGUMENT (a name, a rule of an argument, a wrong schema) and SCHEMA_TOO_WIDE,
// naming the place in the binding.
// REQUIRES: the table outlives it.
Result<BoundTool> bind(const ToolTable& table, const ContextTool& tool, const Binding& binding);

// An operation carried out on a context, in a call that was admitted. Errors are said as seen from
// inside the context. A file that was changed is committed.
Result<Reply> run_on_context(Call& call, const Context& context, const OperationForm& form,
                             const ToolId& stand_in, json::Object arguments);

}  // namespace cairn
