// Shapes: JSON Schemas written short.
//
//   shape::object({{"path", shape::text("File path")},
//                  {"limit", shape::integer("Max children", 1, 1000), shape::kOptional}})
//
// Objects take nothing they do not name, so that a misspelt argument is an error and not a
// surprise.
#pragma once

#include <initializer_list>
#include <limits>
#include <string_view>
#include <vector>

#include "data/json/json.h"

namespace cairn::shape {

enum class Need { kRequired, kOptional };
inline constexpr Need kOptional = Need::kOptional;

struct Field {
  std::string_view name;
  json::Value schema;
  Need need = Need::kRequired;
};

inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

json::Value object(std::vector<Field> fields, std::string_view description = {});
// An object whose members all have one shape.
json::Value map_of(json::Value schema, std::string_view description = {});
json::Value list_of(json::Value schema, std::string_view description = {},
                    std::int64_t most = kNoLimit);
json::Value text(std::string_view description = {}, std::int64_t most_bytes = kNoLimit);
json::Value choice(std::initializer_list<std::string_view> texts,
                   std::string_view description = {});
json::Value integer(std::string_view description = {}, std::int64_t least = 0,
                    std::int64_t most = kNoLimit);
json::Value flag(std::string_view description = {});
json::Value anything(std::string_view description = {});
// Any JSON value, said type by type: some clients take a schema without a type for a mistake.
json::Value any_json(std::string_view description = {});
json::Value any_of(std::initializer_list<std::string_view> types,
                   std::string_view description = {});
// Whether a schema of an object requires the member.
bool is_required(const json::Object& schema, std::string_view name);
// The shape, or null.
json::Value nullable(json::Value schema);

}  // namespace cairn::shape
