// Operations: what a tool on a context can do. Each is a tool of the table whose place in the data
// is fixed, or a script of the owner's.
#pragma once

#include <span>
#include <string_view>

#include "data/endpoint/endpoint.h"
#include "tools/executor/table.h"

namespace cairn {

struct Operation {
  enum class Kind {
    kJson,    // on a JSON file, from a pointer on
    kFiles,   // on a directory, which is all it sees; a change is committed
    kCustom,  // a script, with contexts of its own
  };

  std::string_view name;  // `query`, `fs_read`, `custom`
  std::string_view tool;  // of the table; empty for a script
  Kind kind;
  std::string_view description;  // as outsiders read it
};

std::span<const Operation> operations();
// INVALID_ARGUMENT with the nearest name.
Result<const Operation*> find_operation(std::string_view name);

// A tool as it can be called, its context and config applied: the arguments that are left, and
// those that are added to them.
struct OperationForm {
  const Operation* operation = nullptr;
  const Tool* tool = nullptr;  // nothing for a script
  json::Object input;          // a schema, of an object
  json::Value output;
  Annotations annotations;
  json::Object fixed;
  json::Object defaults;
  // Of the arguments, the flag with which the executor lets the tool run where nothing of it lasts
  // (executor/rehearsal.h); empty: it has none.
  std::string_view rehearsal = {};
};

// Fails with INVALID_ARGUMENT for a config that does not fit the operation, naming the place in it,
// and with what script::check fails with.
Result<OperationForm> form_of(const ToolTable& table, const ContextTool& tool);

// One context that a script may use.
struct ScriptContext {
  std::string name;
  Context context;
  std::vector<std::string> operations;
};
// REQUIRES: form_of() was content with the tool.
std::vector<ScriptContext> script_contexts(const ContextTool& tool);

}  // namespace cairn
