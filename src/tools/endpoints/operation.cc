#include "tools/endpoints/operation.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "base/quote.h"
#include "base/similar.h"
#include "data/json/jmespath/jmespath.h"
#include "tools/executor/rehearsal.h"
#include "tools/executor/shape.h"
#include "tools/scripts/script.h"

namespace cairn {
namespace {

using enum Operation::Kind;

constexpr Operation kOperations[] = {
    {"get_schema", "json_get_schema", kJson,
     "The shape of the data: which keys, types and counts, before reading it. For an array the "
     "merged shape of its elements; sampled is true when not all were looked at."},
    {"get_all", "json_get_all", kJson,
     "All of the data. What is too large for one answer is cut (truncated: true); leftOut says "
     "where."},
    {"query", "json_query", kJson,
     "Evaluates a JMESPath expression on the data, e.g. \"[?total > `100`].{id: id}\", "
     "\"sort_by(@, &date)[-5:]\", \"length(@)\". null is a result: nothing matched."},
    {"preview", "json_preview", kJson,
     "The first elements or members of the data, with the total; keys picks some fields of each."},
    {"select", "json_select", kJson,
     "The elements whose field is one of keys, e.g. field 'id' and keys [17, 18]; missing are the "
     "keys that no element has."},
    {"create", "json_create", kJson,
     "Adds to the data: to an object new keys, items {key: value}; to a list items [value, …] at "
     "its end or before index. All or nothing; an existing key is KEY_EXISTS."},
    {"update", "json_update", kJson,
     "Changes existing elements: of an object items {key: value}, of a list [{index, value}]. "
     "Replaces each, or with merge: true merges objects (null removes a member). All or nothing."},
    {"delete", "json_delete", kJson,
     "Removes existing keys of an object, or indices of a list (as they are before the call; -1 is "
     "the last). All or nothing."},
    {"move", "json_move", kJson, "Takes a value of the data from one pointer to another."},
    {"copy", "json_copy", kJson, "Copies a value of the data from one pointer to another."},

    {"fs_ls", "fs_ls", kFiles, "What is in a directory."},
    {"fs_tree", "fs_tree", kFiles, "The directory tree; large directories are shown collapsed."},
    {"fs_stat", "fs_stat", kFiles, "What is known of a file or directory: type, size, key."},
    {"fs_read", "fs_read", kFiles,
     "The content of one text file. Long files come in parts of whole lines: when truncated is "
     "true, call again with startLine = lastLine + 1, or as hint says."},
    {"fs_read_many", "fs_read_many", kFiles, "The content of several text files at once."},
    {"fs_find", "fs_find", kFiles, "Files and directories by name (glob)."},
    {"fs_grep", "fs_grep", kFiles, "Lines of files that match a pattern."},
    {"fs_write", "fs_write", kFiles,
     "Creates or overwrites one text file; directories on the way are made. To change a part of a "
     "file use an edit."},
    {"fs_edit", "fs_edit", kFiles, "Replaces exact pieces of text in one file."},
    {"fs_mkdir", "fs_mkdir", kFiles, "Makes a directory, and those on the way."},
    {"fs_rm", "fs_rm", kFiles, "Removes a file or a directory with all that is in it."},
    {"fs_mv", "fs_mv", kFiles, "Moves or renames a file or directory."},
    {"fs_cp", "fs_cp", kFiles, "Copies a file or directory."},
    {"fs_rewrite", "fs_rewrite", kFiles,
     "Moves, copies, makes and deletes many files and directories in one step."},

    {"custom", "", kCustom, "A tool of its owner's."},
};

Failure bad_config(std::string_view place, std::string_view why) {
  return Failure(Error(Code::kInvalidArgument, fmt::format("config.{} {}", place, why))
                     .with("argument", fmt::format("config.{}", place)));
}

std::string listed(const json::Object& properties) {
  std::string out;
  for (const auto& member : properties) {
    out += (out.empty() ? "" : ", ") + std::string(std::string_view(member.key()));
  }
  return out.empty() ? "none" : out;
}

// A schema of an object, in parts that can be taken out.
struct Form {
  json::Object schema;

  json::Object& properties() { return schema["properties"].as_object(); }
  void not_required(std::string_view name) {
    auto* required = schema.if_contains("required");
    if (required == nullptr || !required->is_array()) return;
    auto& list = required->get_array();
    list.erase(std::remove(list.begin(), list.end(), json::Value(name)), list.end());
    if (list.empty()) schema.erase("required");
  }
  void take_out(std::string_view name) {
    auto& all = properties();
    // The others keep their order.
    if (auto at = all.find(name); at != all.end()) all.stable_erase(at);
    not_required(name);
  }
};

// Outsiders are not told about roots and depots, which they cannot use.
void redescribe(json::Value& schema, std::string_view name, std::string_view description) {
  auto& properties = schema.as_object()["properties"].as_object();
  if (auto* property = properties.if_contains(name)) {
    property->as_object()["description"] = description;
  }
}

Result<void> check_value(std::string_view place, const json::Value& schema,
                         const json::Value& value) {
  auto compiled = json::Schema::compile(schema);
  if (!compiled) return bad_config(place, "is for an argument whose schema cannot be used");
  auto fits = compiled->check(value);
  if (fits) return {};
  return bad_config(place, fmt::format("does not fit the argument: {}", fits.error().message));
}

// Takes `fixed` arguments out of the form, and makes those with `defaults` optional.
Result<void> apply_values(const json::Object& values, std::string_view place, bool fixed,
                          Form& form, json::Object& out) {
  for (const auto& member : values) {
    const std::string name(std::string_view(member.key()));
    const auto at = fmt::format("{}.{}", place, name);
    auto* property = form.properties().if_contains(name);
    if (property == nullptr) {
      return bad_config(at, fmt::format("names no argument of the operation; there are: {}",
                                        listed(form.properties())));
    }
    TRY(check_value(at, *property, member.value()));
    out[name] = member.value();
    if (fixed) {
      form.take_out(name);
    } else {
      form.not_required(name);
      property->as_object()["default"] = member.value();
    }
  }
  return {};
}

Result<json::Object> object_at(const json::Object& config, std::string_view name) {
  const auto* value = json::find(config, name);
  if (value == nullptr) return json::Object();
  if (!value->is_object()) return bad_config(name, "should be an object");
  return value->get_object();
}

Result<void> only(const json::Object& config, std::initializer_list<std::string_view> known) {
  for (const auto& member : config) {
    if (std::ranges::find(known, std::string_view(member.key())) != known.end()) continue;
    std::vector<std::string> names(known.begin(), known.end());
    std::string all;
    for (const auto& name : names) all += (all.empty() ? "" : ", ") + name;
    return bad_config(shown(std::string_view(member.key())),
                      fmt::format("is not known for this operation; use any of: {}", all));
  }
  return {};
}

Result<OperationForm> table_form(const ToolTable& table, const Operation& operation,
                                 const ContextTool& tool) {
  const auto& config = tool.config;
  TRY(only(config, {"fixed", "defaults", "preview_keys", "acrossFiles"}));
  const auto& base = *TRY(table.find(operation.tool));
  Form form{base.input.as_object()};
  OperationForm out{.operation = &operation,
                    .tool = &base,
                    .input = {},
                    .output = base.output,
                    .annotations = base.annotations,
                    .fixed = {},
                    .defaults = {},
                    .rehearsal = base.rehearsal};
  if (operation.kind == kFiles) {
    // The tree is the directory of the context.
    for (auto name : {"nodeKey", "toNodeKey"}) form.take_out(name);
    out.output.as_object()["properties"].as_object().erase("sourceRoot");
    redescribe(out.output, "newRoot", "What the directory is now");
  } else {
    redescribe(out.output, "root", "Which state has the change");
    for (auto name : {"depotId", "path", "jsonPath"}) form.take_out(name);
    bool across = false;
    if (const auto* given = json::find(config, "acrossFiles")) {
      if (!given->is_bool()) return bad_config("acrossFiles", "should be true or false");
      across = given->get_bool();
    }
    // Other files are outside of the context, unless the owner says otherwise.
    if (!across && form.properties().contains("toPath")) {
      form.take_out("toPath");
      json::Value input(std::move(form.schema));
      redescribe(input, "from", "Pointer to the value, e.g. '/todo/0'");
      redescribe(input, "to", "Pointer: a new key, an index, or '-' for the end of a list");
      form.schema = std::move(input.get_object());
    }
  }
  auto defaults = TRY(object_at(config, "defaults"));
  if (const auto* keys = json::find(config, "preview_keys")) {
    if (operation.name != "preview") {
      return bad_config("preview_keys", "is for the operation preview only");
    }
    defaults["keys"] = *keys;
  }
  TRY(apply_values(defaults, "defaults", false, form, out.defaults));
  TRY(apply_values(TRY(object_at(config, "fixed")), "fixed", true, form, out.fixed));
  for (const auto* values : {&out.fixed, &out.defaults}) {
    if (base.rehearsal.empty() || !values->contains(base.rehearsal)) continue;
    return bad_config(values == &out.fixed ? "fixed" : "defaults",
                      fmt::format("cannot say '{}': whoever calls does", base.rehearsal));
  }
  // Fixed wins: the argument is no longer there to have a default.
  for (const auto& member : out.fixed) out.defaults.erase(member.key());
  for (const auto* values : {&out.fixed, &out.defaults}) {
    const auto* expression = json::find(*values, "expression");
    // Compiled now, so that a wrong one is reported to the owner and not to every caller.
    if (expression != nullptr) TRY(jmespath::Expression::compile(json::text(*expression)));
  }
  out.input = std::move(form.schema);
  return out;
}

Result<ScriptContext> read_context(std::string_view name, const json::Value& value) {
  const auto at = fmt::format("contexts.{}", shown(name));
  static const auto kShape =
      shape::object({{"depotId", shape::text("", 5000)},
                     {"path", shape::text("", 5000), shape::kOptional},
                     {"jsonPath", shape::text("", 5000), shape::kOptional},
                     {"operations", shape::list_of(shape::text(), "", 100)}});
  TRY(check_value(at, kShape, value));
  const Arguments arguments(value.get_object());
  auto context =
      Context::parse(arguments.text("depotId"), arguments.text("path"), arguments.text("jsonPath"));
  if (!context) return bad_config(at, "is wrong: " + context.error().message);
  ScriptContext out{.name = std::string(name),
                    .context = std::move(*context),
                    .operations = *arguments.texts("operations")};
  for (auto& granted : out.operations) {
    auto operation = find_operation(granted);
    // A script that calls scripts could go on for ever.
    if (!operation || (*operation)->kind == kCustom) {
      return bad_config(at + ".operations",
                        operation ? "may not have 'custom' in it"
                                  : fmt::format("is wrong: {}", operation.error().message));
    }
    granted = (*operation)->name;
  }
  for (const auto& granted : out.operations) {
    if (std::ranges::count(out.operations, granted) == 1) continue;
    return bad_config(at + ".operations", fmt::format("has '{}' twice", shown(granted)));
  }
  return out;
}

// Names that can stand behind `contexts.` in a script.
bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && !(name[0] >= '0' && name[0] <= '9') &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

Result<json::Object> script_input(const json::Object& config) {
  auto schema = TRY(object_at(config, "inputSchema"));
  if (schema.empty()) schema["type"] = "object";
  const auto* type = json::find(schema, "type");
  if (type == nullptr || json::text(*type) != "object") {
    return bad_config("inputSchema",
                      "should be the schema of an object: {\"type\": \"object\", …}");
  }
  if (!schema.contains("properties")) schema["properties"] = json::Object();
  if (!schema["properties"].is_object()) {
    return bad_config("inputSchema.properties", "should be an object");
  }
  // Closed unless the author says otherwise: a misspelled argument is then an error and not
  // ignored.
  if (!schema.contains("additionalProperties")) schema["additionalProperties"] = false;
  auto compiled = json::Schema::compile(schema);
  if (!compiled) return bad_config("inputSchema", "is wrong: " + compiled.error().message);
  return schema;
}

json::Value limits_shape() {
  return shape::object({{"memoryBytes", shape::integer("", 1 << 20, 64 << 20), shape::kOptional},
                        {"instructions", shape::integer("", 1000, 1'000'000'000), shape::kOptional},
                        {"timeMs", shape::integer("", 1, 10'000), shape::kOptional},
                        {"outputBytes", shape::integer("", 100, 60'000), shape::kOptional}});
}

// Where the script has an argument of that name, or takes any, it is the script's.
void offer_rehearsal(OperationForm& form) {
  const auto* open = json::find(form.input, "additionalProperties");
  const bool closed = open != nullptr && open->is_bool() && !open->get_bool();
  // Adds it when there is none, which moves what was found above.
  auto& properties = form.input["properties"].as_object();
  if (form.annotations.read_only || !closed || properties.contains(kDryRun)) return;
  properties[kDryRun] = shape::flag("Only say what would happen");
  form.rehearsal = kDryRun;
}

Result<OperationForm> script_form(const ToolTable& table, const Operation& operation,
                                  const ContextTool& tool) {
  const auto& config = tool.config;
  TRY(only(config, {"script", "inputSchema", "outputSchema", "contexts", "limits"}));
  const auto* source = json::find(config, "script");
  if (source == nullptr || !source->is_string()) {
    return bad_config("script", "should be the text of a Lua 5.4 script");
  }
  TRY(script::check(json::text(*source)));
  OperationForm out{.operation = &operation,
                    .tool = nullptr,
                    .input = TRY(script_input(config)),
                    .output = {},
                    // Until one of the operations it is granted says otherwise.
                    .annotations = {.read_only = true},
                    .fixed = {},
                    .defaults = {}};
  for (const auto& member : TRY(object_at(config, "contexts"))) {
    const std::string_view name = member.key();
    if (!is_name(name)) {
      return bad_config("contexts",
                        fmt::format("has the name '{}'; use letters, digits and _", shown(name)));
    }
    for (const auto& granted : TRY(read_context(name, member.value())).operations) {
      const auto& used = *TRY(table.find(TRY(find_operation(granted))->tool));
      out.annotations.read_only = out.annotations.read_only && used.annotations.read_only;
      out.annotations.destructive = out.annotations.destructive || used.annotations.destructive;
    }
  }
  if (const auto* limits = json::find(config, "limits")) {
    TRY(check_value("limits", limits_shape(), *limits));
  }
  json::Value result = shape::any_json("What the script returned");
  if (const auto* schema = json::find(config, "outputSchema")) {
    if (auto compiled = json::Schema::compile(*schema); !compiled) {
      return bad_config("outputSchema", "is wrong: " + compiled.error().message);
    }
    result = *schema;
  }
  offer_rehearsal(out);
  out.output = shape::object(
      {{"result", std::move(result)},
       {"log", shape::list_of(shape::text(), "What the script printed"), shape::kOptional},
       {kDryRun, shape::flag("Nothing was changed"), shape::kOptional}});
  return out;
}

}  // namespace

std::span<const Operation> operations() { return kOperations; }

Result<const Operation*> find_operation(std::string_view name) {
  // What front ends of old call it.
  if (name == "query_data") name = "query";
  const auto found = std::ranges::find(kOperations, name, &Operation::name);
  if (found != std::end(kOperations)) return &*found;
  std::vector<std::string> names;
  for (const auto& operation : kOperations) names.emplace_back(operation.name);
  return fail(Code::kInvalidArgument, "there is no operation '{}'{}", shown(name),
              hint_for(name, names, fmt::format("; use one of: {}", fmt::join(names, ", "))));
}

Result<OperationForm> form_of(const ToolTable& table, const ContextTool& tool) {
  const auto& operation = *TRY(find_operation(tool.operation));
  return operation.kind == kCustom ? script_form(table, operation, tool)
                                   : table_form(table, operation, tool);
}

std::vector<ScriptContext> script_contexts(const ContextTool& tool) {
  std::vector<ScriptContext> out;
  const auto contexts = object_at(tool.config, "contexts");
  if (!contexts) return out;
  for (const auto& member : *contexts) {
    auto one = read_context(member.key(), member.value());
    if (one) out.push_back(std::move(*one));
  }
  return out;
}

}  // namespace cairn
