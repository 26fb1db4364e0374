#include "tools/executor/definition.h"

namespace cairn {
namespace {

// Clients take a tool to be destructive, not idempotent and not read-only unless it says
// otherwise; what only reads is never destructive.
json::Object brief_hints(const Annotations& marks) {
  json::Object out;
  if (marks.read_only) {
    out["readOnlyHint"] = true;
  } else {
    out["destructiveHint"] = marks.destructive;
  }
  if (marks.idempotent) out["idempotentHint"] = true;
  out["openWorldHint"] = false;
  return out;
}

json::Object all_hints(const Annotations& marks) {
  return {{"readOnlyHint", marks.read_only},
          {"destructiveHint", marks.destructive},
          {"idempotentHint", marks.idempotent},
          {"openWorldHint", false}};
}

// As the reference server for files gives them.
json::Object reference_hints(const Annotations& marks) {
  json::Object out{{"readOnlyHint", marks.read_only}};
  if (!marks.read_only) {
    out["idempotentHint"] = marks.idempotent;
    out["destructiveHint"] = marks.destructive;
  }
  out["openWorldHint"] = false;
  return out;
}

// Notes come with some answers only, and clients of the reference server know of none.
json::Value without_notes(const json::Value& output) {
  auto out = output.get_object();
  out.erase("additionalProperties");
  if (auto* members = out.if_contains("properties")) members->get_object().erase("notes");
  return out;
}

// Everything but the members named.
json::Object without(const json::Object& object, std::initializer_list<std::string_view> names) {
  json::Object out;
  for (const auto& member : object) {
    bool dropped = false;
    for (const auto name : names) dropped = dropped || member.key() == name;
    if (!dropped) out.emplace(member.key(), member.value());
  }
  return out;
}

json::Object of_type(const json::Value& type, const json::Object& schema) {
  json::Object out{{"type", type}};
  const auto* items = json::find(schema, "items");
  if (items != nullptr && type == "array") {
    const auto* of_items = json::find(items->get_object(), "type");
    if (of_items != nullptr) out["items"] = json::Object{{"type", *of_items}};
  }
  return out;
}

// Every tool that changes something takes it: said once, in the instructions, it costs an agent
// less.
json::Value without_rehearsal(json::Value input, std::string_view flag) {
  if (!flag.empty()) input.as_object()["properties"].as_object().erase(flag);
  return input;
}

// Only the type, and of a list that of its items. What may be of two types is said as a choice:
// not every client knows a list of types.
json::Object bare(const json::Value& schema) {
  const auto& from = schema.get_object();
  const auto* type = json::find(from, "type");
  if (type == nullptr) {
    const auto* choice = json::find(from, "anyOf");
    return choice == nullptr ? json::Object() : json::Object{{"anyOf", *choice}};
  }
  if (!type->is_array()) return of_type(*type, from);
  json::Array choice;
  for (const auto& one : type->get_array()) choice.emplace_back(of_type(one, from));
  return {{"anyOf", std::move(choice)}};
}

}  // namespace

json::Value compact_input(const json::Value& schema) {
  if (!schema.is_object()) return schema;
  auto out = without(schema.get_object(), {"maxLength", "maxItems", "minimum", "maximum"});
  if (auto* properties = out.if_contains("properties")) {
    for (auto& member : properties->get_object()) member.value() = compact_input(member.value());
    // The executor says which name it does not know, and which was meant.
    out.erase("additionalProperties");
  }
  for (const auto* name : {"items", "additionalProperties"}) {
    if (auto* below = out.if_contains(name)) *below = compact_input(*below);
  }
  return out;
}

json::Value compact_output(const json::Value& schema) {
  const auto& from = schema.get_object();
  json::Object out{{"type", "object"}};
  const auto* required = json::find(from, "required");
  if (required == nullptr) return out;
  json::Object properties;
  const auto& members = from.at("properties").get_object();
  for (const auto& name : required->get_array()) {
    properties.emplace(json::text(name), bare(members.at(json::text(name))));
  }
  out["properties"] = std::move(properties);
  return out;
}

json::Object definition(const Tool& tool) {
  json::Object out;
  out["name"] = tool.name;
  if (!tool.title.empty()) out["title"] = tool.title;
  out["description"] = tool.description;
  switch (tool.voice) {
    case Voice::kCairn:
      out["inputSchema"] = without_rehearsal(compact_input(tool.input), tool.rehearsal);
      out["outputSchema"] = compact_output(tool.output);
      out["annotations"] = brief_hints(tool.annotations);
      break;
    case Voice::kOutsider:
      out["inputSchema"] = tool.input;
      out["outputSchema"] = tool.output;
      out["annotations"] = all_hints(tool.annotations);
      break;
    case Voice::kReference:
    case Voice::kManual:
      out["inputSchema"] = compact_input(tool.input);
      out["outputSchema"] = without_notes(tool.output);
      out["annotations"] = reference_hints(tool.annotations);
      break;
  }
  return out;
}

}  // namespace cairn
