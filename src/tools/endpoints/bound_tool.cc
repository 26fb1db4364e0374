#include "tools/endpoints/bound_tool.h"

#include <algorithm>
#include <map>
#include <memory>

#include "base/ascii.h"
#include "base/quote.h"
#include "data/json/schema_narrower.h"
#include "tools/executor/call.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

constexpr std::size_t kHashDigits = 8;

Failure bad_rule(std::string_view argument, std::string_view why) {
  return Failure(Error(Code::kInvalidArgument, fmt::format("arguments.{} {}", shown(argument), why))
                     .with("argument", fmt::format("arguments.{}", shown(argument))));
}

Result<void> check_tool_name(std::string_view name) {
  const bool plain = std::ranges::all_of(
      name, [](char c) { return is_alphanumeric(c) || std::string_view("_.-").contains(c); });
  if (!name.empty() && name.size() <= Binding::kMaxNameBytes && plain) return {};
  return fail(Code::kInvalidArgument,
              "the tool name '{}' should be 1 to {} letters, digits or any of _ . -", shown(name),
              Binding::kMaxNameBytes);
}

Result<void> check_fixed(std::string_view name, const json::Value& schema,
                         const json::Value& value) {
  auto compiled = json::Schema::compile(schema);
  if (!compiled) return bad_rule(name, "cannot be fixed: its schema refers to others");
  auto fits = compiled->check(value);
  if (fits) return {};
  return bad_rule(name, fmt::format(".value does not fit: {}", fits.error().message));
}

// The operation's schema under the binding's names, without what is hidden or fixed.
Result<json::Object> public_schema(const OperationForm& form, const Binding& binding) {
  json::Object out = form.input;
  const auto own = out["properties"].as_object();
  for (const auto& [name, rule] : binding.arguments) {
    if (!own.contains(name)) {
      std::string all;
      for (const auto& member : own) {
        all += (all.empty() ? "" : ", ") + std::string(std::string_view(member.key()));
      }
      return bad_rule(name, fmt::format("is no argument of the tool; there are: {}",
                                        all.empty() ? "none" : all));
    }
  }
  json::Object properties;
  json::Array required;
  for (const auto& member : own) {
    const std::string_view name = member.key();
    const auto found = binding.arguments.find(std::string(name));
    const ArgumentRule rule = found == binding.arguments.end() ? ArgumentRule() : found->second;
    if (rule.value) TRY(check_fixed(name, member.value(), *rule.value));
    if (rule.value && name == form.rehearsal) {
      return bad_rule(name, "cannot be fixed: whoever calls says whether it is a dry run");
    }
    const bool needed = shape::is_required(out, name);
    if (rule.value || rule.hidden) {
      if (needed && !rule.value) {
        return bad_rule(name, "is hidden, but the tool requires it: give it a value");
      }
      if (rule.name) return bad_rule(name, "is hidden and renamed; choose one");
      continue;
    }
    const auto shown_as = rule.name.value_or(std::string(name));
    if (shown_as.empty() || shown_as.size() > 200) {
      return bad_rule(name, ".name should have 1 to 200 bytes");
    }
    if (properties.contains(shown_as)) {
      return bad_rule(name, fmt::format("is called '{}', as another argument is", shown(shown_as)));
    }
    auto schema = member.value();
    if (rule.description && schema.is_object()) {
      schema.as_object()["description"] = *rule.description;
    }
    properties.emplace(shown_as, std::move(schema));
    if (needed) required.emplace_back(shown_as);
  }
  out["properties"] = std::move(properties);
  out.erase("required");
  if (!required.empty()) out["required"] = std::move(required);
  return out;
}

// The binding's own schema, closed: what it does not name it does not take.
Result<json::Value> narrowed(const json::Value& input, const json::Object& wide) {
  if (!input.is_object()) {
    return fail(Code::kInvalidArgument,
                "inputSchema should be the schema of an object: {{\"type\": \"object\", …}}");
  }
  auto schema = input.get_object();
  if (!schema.contains("type")) schema["type"] = "object";
  if (!schema.contains("additionalProperties") && !schema.contains("unevaluatedProperties")) {
    schema["additionalProperties"] = false;
  }
  if (auto compiled = json::Schema::compile(schema); !compiled) {
    return fail(Code::kInvalidArgument, "inputSchema is wrong: {}", compiled.error().message);
  }
  TRY(json::check_narrower(schema, wide));
  return schema;
}

// Whether an argument with a rule keeps its name.
bool is_shown(const Binding& binding, std::string_view name) {
  const auto found = binding.arguments.find(std::string(name));
  return found != binding.arguments.end() && !found->second.hidden && !found->second.value &&
         !found->second.name;
}

std::string description_of(const ContextTool& tool, const Binding& binding,
                           const OperationForm& form) {
  if (binding.description) return *binding.description;
  if (!tool.description.empty()) return tool.description;
  return std::string(form.operation->description);
}

}  // namespace

std::string default_name(const ContextTool& tool) {
  const auto hash = sha256(tool.id.render());
  std::string out = tool.operation + "_";
  for (std::size_t i = 0; i < kHashDigits / 2; ++i) out += fmt::format("{:02x}", hash[i]);
  return out;
}

namespace {

// Where it works, for the audit log.
std::string audited_place(const Context& context) {
  auto out = context.depot.render();
  if (!context.path.is_root()) out += " " + shown(context.path.render(), 200);
  if (!context.pointer.tokens().empty()) out += " " + shown(context.pointer.render(), 200);
  return out;
}

// The operation's audited arguments under the names that callers give them.
std::vector<std::string> audited(const OperationForm& form, const Binding& binding) {
  std::vector<std::string> out;
  if (form.tool == nullptr) return out;
  for (const auto& name : form.tool->audited) {
    const auto rule = binding.arguments.find(name);
    const bool renamed = rule != binding.arguments.end() && rule->second.name;
    out.push_back(renamed ? *rule->second.name : name);
  }
  return out;
}

// A tool of the table on a context, or a script, with these arguments.
Tool made_tool(std::string name, const OperationForm& form, const std::optional<Context>& context,
               json::Value input) {
  const bool script = form.tool == nullptr;
  Tool out{.name = std::move(name),
           .title = {},
           .description = std::string(form.operation->description),
           .input = std::move(input),
           .output = form.output};
  out.annotations = form.annotations;
  out.right = script ? Right::kRead : form.tool->right;
  out.voice = Voice::kOutsider;
  out.audited_place = context ? audited_place(*context) : std::string();
  out.made_from = script ? form.operation->name : form.operation->tool;
  return out;
}

Result<std::vector<ScriptHandle>> handles_of(const ToolTable& table, const ContextTool& script) {
  std::vector<ScriptHandle> out;
  for (const auto& context : script_contexts(script)) {
    ScriptHandle handle{context.name, {}};
    for (const auto& granted : context.operations) {
      auto source = script;
      source.operation = granted;
      source.context = context.context;
      source.config = {};
      auto form = std::make_shared<const OperationForm>(TRY(form_of(table, source)));
      auto tool = made_tool(granted, *form, source.context, form->input);
      tool.audited = form->tool->audited;
      tool.rehearsal = form->rehearsal;
      tool.run = [form, context = *source.context, id = script.id](Call& call, Arguments& given) {
        return run_on_context(call, context, *form, id, given.take());
      };
      handle.tools.push_back(std::move(tool));
    }
    out.push_back(std::move(handle));
  }
  return out;
}

bool renames(const Binding& binding) {
  return std::ranges::any_of(binding.arguments,
                             [](const auto& rule) { return rule.second.name.has_value(); });
}

}  // namespace

Result<BoundTool> bind(const ToolTable& table, const ContextTool& tool, const Binding& binding) {
  TRY(check_tool_name(binding.name));
  auto form = TRY(form_of(table, tool));
  auto schema = TRY(public_schema(form, binding));
  json::Value input = schema;
  if (binding.input) input = TRY(narrowed(*binding.input, schema));
  const bool script = form.tool == nullptr;
  std::optional<json::Schema> own;
  if (script && renames(binding)) own = TRY(json::Schema::compile(form.input));
  auto made = made_tool(binding.name, form, tool.context, std::move(input));
  made.title = tool.name;
  made.description = description_of(tool, binding, form);
  made.audited = audited(form, binding);
  std::vector<ScriptHandle> handles;
  std::optional<json::Schema> promised;
  if (script) {
    handles = TRY(handles_of(table, tool));
    const auto* output = json::find(tool.config, "outputSchema");
    if (output != nullptr) promised = TRY(json::Schema::compile(*output));
  }
  return BoundTool{binding,         tool,           std::move(form),    std::move(handles),
                   std::move(made), std::move(own), std::move(promised)};
}

namespace {

// What leaves a part of the values; a text that may be shorter is no part of this.
constexpr std::string_view kNarrowing[] = {
    "enum",     "const", "maximum",          "minimum",          "pattern",   "maxItems",
    "minItems", "items", "exclusiveMaximum", "exclusiveMinimum", "multipleOf"};

bool is_narrower(const json::Object& schema, const json::Value* wide) {
  return std::ranges::any_of(kNarrowing, [&](std::string_view keyword) {
    const auto* own = json::find(schema, keyword);
    if (own == nullptr) return false;
    const auto* before =
        wide != nullptr && wide->is_object() ? json::find(wide->get_object(), keyword) : nullptr;
    return before == nullptr || *before != *own;
  });
}

// The value that stands for one that was left out, of those that the schema has.
std::optional<json::Value> one_of(const json::Object& schema) {
  for (const auto* keyword : {"default", "const", "maximum", "minimum"}) {
    if (const auto* value = json::find(schema, keyword)) return *value;
  }
  const auto* choices = json::find(schema, "enum");
  if (choices == nullptr || !choices->is_array() || choices->get_array().empty()) {
    return std::nullopt;
  }
  return choices->get_array().front();
}

bool accepts(const json::Object& schema, const json::Value& value) {
  const auto compiled = json::Schema::compile(schema);
  return compiled && compiled->check(value);
}

// An argument that a binding narrows, and a caller leaves out, would be the tool's own default,
// which may be more than the binding leaves.
Result<void> fill_in(const json::Object& schema, std::string_view shown_as, std::string_view name,
                     const OperationForm& form, json::Object& out) {
  const auto* wide = json::find(form.input.at("properties").get_object(), name);
  if (!is_narrower(schema, wide)) return {};
  const auto* known = json::find(out, name);
  if (known == nullptr && wide != nullptr && wide->is_object()) {
    known = json::find(wide->get_object(), "default");
  }
  if (known != nullptr && accepts(schema, *known)) return {};
  auto value = one_of(schema);
  if (value && accepts(schema, *value)) {
    out[name] = std::move(*value);
    return {};
  }
  return fail(Code::kInvalidArgument,
              "'{}' has to be given: of what it could be this tool takes only a part",
              shown(shown_as));
}

}  // namespace

std::string_view BoundTool::rehearsal() const {
  const auto rule = binding.arguments.find(std::string(form.rehearsal));
  if (form.rehearsal.empty() || rule == binding.arguments.end()) return form.rehearsal;
  if (rule->second.hidden) return {};
  return rule->second.name ? std::string_view(*rule->second.name) : form.rehearsal;
}

Result<json::Object> BoundTool::arguments(json::Object given) const {
  json::Object out = form.defaults;
  std::map<std::string_view, std::string_view> own_names;
  for (const auto& [name, rule] : binding.arguments) {
    if (rule.name) own_names[*rule.name] = name;
  }
  const auto* narrowed = binding.input && binding.input->is_object()
                             ? json::find(binding.input->get_object(), "properties")
                             : nullptr;
  if (narrowed != nullptr && narrowed->is_object()) {
    for (const auto& member : narrowed->get_object()) {
      if (given.contains(member.key()) || !member.value().is_object()) continue;
      const auto renamed = own_names.find(member.key());
      const std::string_view own_name =
          renamed == own_names.end() ? std::string_view(member.key()) : renamed->second;
      TRY(fill_in(member.value().get_object(), member.key(), own_name, form, out));
    }
  }
  for (auto& member : given) {
    const auto renamed = own_names.find(member.key());
    // A schema may be open to names it does not know; those that were taken away stay away.
    const bool taken_away = renamed == own_names.end() &&
                            (binding.arguments.contains(std::string(member.key())) ||
                             form.fixed.contains(member.key())) &&
                            !is_shown(binding, member.key());
    if (taken_away) {
      return fail(Code::kInvalidArgument, "'{}' is not an argument of {}",
                  shown(std::string_view(member.key())), binding.name);
    }
    out[renamed == own_names.end() ? std::string_view(member.key()) : renamed->second] =
        std::move(member.value());
  }
  for (const auto& [name, rule] : binding.arguments) {
    if (rule.value) out[name] = *rule.value;
  }
  if (own) TRY(own->check(out));
  for (const auto& member : form.fixed) out[member.key()] = member.value();
  return out;
}

}  // namespace cairn
