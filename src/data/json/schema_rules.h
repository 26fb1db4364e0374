// The form a schema is compiled to; private to the schema's own sources.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <re2/re2.h>

#include "data/json/json.h"

namespace cairn::json {

using RuleId = std::size_t;

// Bits of Rule::types.
enum TypeBit : std::uint8_t {
  kNullBit = 1,
  kBooleanBit = 2,
  kIntegerBit = 4,
  kNumberBit = 8,  // integers too
  kStringBit = 16,
  kArrayBit = 32,
  kObjectBit = 64,
};

struct TypeName {
  TypeBit bit;
  std::string_view name;    // in a schema
  std::string_view phrase;  // in a message
};

inline constexpr TypeName kTypeNames[] = {
    {kStringBit, "string", "a string"}, {kIntegerBit, "integer", "an integer"},
    {kNumberBit, "number", "a number"}, {kBooleanBit, "boolean", "true or false"},
    {kArrayBit, "array", "an array"},   {kObjectBit, "object", "an object"},
    {kNullBit, "null", "null"},
};

struct PatternRule {
  std::unique_ptr<const re2::RE2> pattern;
  RuleId rule = 0;
};

// One (sub)schema: a field for each keyword, empty when the schema does not have it.
struct Rule {
  using Count = std::optional<std::uint64_t>;
  using Number = std::optional<Value>;
  using One = std::optional<RuleId>;
  using List = std::vector<RuleId>;
  using Named = std::map<std::string, RuleId, std::less<>>;
  using Names = std::vector<std::string>;

  std::string place;  // in the schema, as a JSON pointer

  std::optional<bool> always;  // a boolean schema
  std::uint8_t types = 0;
  std::optional<Array> one_of_values;  // enum
  // The canonical spellings of those, when there are many: a look instead of a comparison with
  // each.
  std::unordered_set<std::string> spelled_values;
  std::optional<Value> constant;

  Number minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of;

  Count min_length, max_length;
  std::unique_ptr<const re2::RE2> pattern;

  Count min_items, max_items, min_contains, max_contains;
  bool unique_items = false;
  List prefix_items;
  One items, contains, unevaluated_items;

  Count min_properties, max_properties;
  Names required;
  std::map<std::string, Names, std::less<>> dependent_required;
  Named properties, dependent_schemas;
  std::vector<PatternRule> pattern_properties;
  One additional_properties, property_names, unevaluated_properties;

  List refs;  // $ref and $dynamicRef
  List all_of, any_of, one_of;
  One negated;  // not
  One condition, consequence, alternative;
};

struct SchemaRules {
  std::deque<Rule> rules;  // the root first
};

enum class Fit { kYes, kNo, kUnknown };

// Whether the instance fits one rule; unknown when that takes more than `steps`, of which it
// takes away what it needed.
Fit fit(const SchemaRules& schema, RuleId id, const Value& instance, std::size_t& steps);

bool matches(const re2::RE2& pattern, std::string_view text);

}  // namespace cairn::json
