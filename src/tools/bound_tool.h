// BoundTool: a tool as one endpoint shows it, and how a call of it becomes a call of the tool's
// operation.
#pragma once

#include <map>

#include "data/json/schema.h"
#include "tools/operation.h"

namespace cairn {

struct BoundTool {
  Binding binding;
  ContextTool tool;
  OperationForm form;
  std::string title;
  std::string description;
  json::Value input;   // by the binding's names
  json::Schema check;  // the same, compiled
  json::Schema own;    // the operation's, by its own names

  // The arguments of the operation: checked, under its own names, with all that is fixed.
  // INVALID_ARGUMENT says which of the caller's is wrong.
  Result<json::Object> arguments(const json::Object& given) const;
};

// `{op}_{short_hash}`, the hash being of the tool's id.
std::string default_name(const ContextTool& tool);

// Fails with INVALID_ARGUMENT (a name, a rule of an argument, a schema that is none) and
// SCHEMA_TOO_WIDE, naming the place in the binding.
Result<BoundTool> bind(const ToolTable& table, const ContextTool& tool, const Binding& binding);

// As a client's list has it.
json::Object definition(const BoundTool& bound);

}  // namespace cairn
