#include "tools/executor/shape.h"

#include <algorithm>

namespace cairn::shape {
namespace {

json::Value typed(std::string_view type, std::string_view description) {
  json::Object out;
  out["type"] = type;
  if (!description.empty()) out["description"] = description;
  return out;
}

}  // namespace

json::Value object(std::vector<Field> fields, std::string_view description) {
  auto out = typed("object", description);
  json::Object properties;
  json::Array required;
  for (auto& field : fields) {
    if (field.need == Need::kRequired) required.emplace_back(field.name);
    properties.emplace(field.name, std::move(field.schema));
  }
  out.as_object()["properties"] = std::move(properties);
  if (!required.empty()) out.as_object()["required"] = std::move(required);
  out.as_object()["additionalProperties"] = false;
  return out;
}

json::Value map_of(json::Value schema, std::string_view description) {
  auto out = typed("object", description);
  out.as_object()["additionalProperties"] = std::move(schema);
  return out;
}

json::Value list_of(json::Value schema, std::string_view description, std::int64_t most) {
  auto out = typed("array", description);
  out.as_object()["items"] = std::move(schema);
  if (most != kNoLimit) out.as_object()["maxItems"] = most;
  return out;
}

json::Value text(std::string_view description, std::int64_t most_bytes) {
  auto out = typed("string", description);
  if (most_bytes != kNoLimit) out.as_object()["maxLength"] = most_bytes;
  return out;
}

json::Value choice(std::initializer_list<std::string_view> texts, std::string_view description) {
  auto out = typed("string", description);
  json::Array values;
  for (auto value : texts) values.emplace_back(value);
  out.as_object()["enum"] = std::move(values);
  return out;
}

json::Value integer(std::string_view description, std::int64_t least, std::int64_t most) {
  auto out = typed("integer", description);
  out.as_object()["minimum"] = least;
  if (most != kNoLimit) out.as_object()["maximum"] = most;
  return out;
}

json::Value flag(std::string_view description) { return typed("boolean", description); }

json::Value anything(std::string_view description) {
  json::Object out;
  if (!description.empty()) out["description"] = description;
  return out;
}

json::Value any_of(std::initializer_list<std::string_view> types, std::string_view description) {
  json::Object out;
  if (!description.empty()) out["description"] = description;
  // Not every client knows a list of types.
  json::Array choice;
  for (auto type : types) choice.emplace_back(json::Object{{"type", type}});
  out["anyOf"] = std::move(choice);
  return out;
}

json::Value any_json(std::string_view description) {
  return any_of({"object", "array", "string", "number", "boolean", "null"}, description);
}

bool is_required(const json::Object& schema, std::string_view name) {
  const auto* required = json::find(schema, "required");
  return required != nullptr && required->is_array() &&
         std::ranges::find(required->get_array(), json::Value(name)) != required->get_array().end();
}

json::Value nullable(json::Value schema) {
  auto& object = schema.as_object();
  json::Array types;
  types.emplace_back(object["type"]);
  types.emplace_back("null");
  object["type"] = std::move(types);
  return schema;
}

}  // namespace cairn::shape
