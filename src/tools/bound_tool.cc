#include "tools/bound_tool.h"

#include <algorithm>
#include <set>

#include "base/ascii.h"
#include "base/quote.h"
#include "data/json/schema_narrower.h"
#include "tools/shape.h"

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

Result<BoundTool> bind(const ToolTable& table, const ContextTool& tool, const Binding& binding) {
  TRY(check_tool_name(binding.name));
  auto form = TRY(form_of(table, tool));
  auto schema = TRY(public_schema(form, binding));
  json::Value input = schema;
  if (binding.input) input = TRY(narrowed(*binding.input, schema));
  auto compiled = TRY(json::Schema::compile(input));
  auto own = TRY(json::Schema::compile(form.input));
  std::string title = tool.name.empty() ? std::string() : tool.name;
  auto description = description_of(tool, binding, form);
  return BoundTool{binding,
                   tool,
                   std::move(form),
                   std::move(title),
                   std::move(description),
                   std::move(input),
                   std::move(compiled),
                   std::move(own)};
}

Result<json::Object> BoundTool::arguments(const json::Object& given) const {
  TRY(check.check(given));
  json::Object out = form.defaults;
  std::map<std::string_view, std::string_view> own_names;
  for (const auto& [name, rule] : binding.arguments) {
    if (rule.name) own_names[*rule.name] = name;
  }
  for (const auto& member : given) {
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
        member.value();
  }
  for (const auto& [name, rule] : binding.arguments) {
    if (rule.value) out[name] = *rule.value;
  }
  // What schemas say of names (patterns, dependencies) does not follow a renaming: the operation's
  // own has the last word.
  TRY(own.check(out));
  for (const auto& member : form.fixed) out[member.key()] = member.value();
  return out;
}

json::Object definition(const BoundTool& bound) {
  json::Object out;
  out["name"] = bound.binding.name;
  if (!bound.title.empty()) out["title"] = bound.title;
  out["description"] = bound.description;
  out["inputSchema"] = bound.input;
  out["outputSchema"] = bound.form.output;
  const auto& hints = bound.form.annotations;
  out["annotations"] = json::Object{{"readOnlyHint", hints.read_only},
                                    {"destructiveHint", hints.destructive},
                                    {"idempotentHint", hints.idempotent},
                                    {"openWorldHint", false}};
  return out;
}

}  // namespace cairn
