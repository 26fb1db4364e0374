#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "base/quote.h"
#include "data/json/compare.h"
#include "data/json/pointer.h"
#include "data/json/schema.h"
#include "data/json/schema_message.h"
#include "data/json/schema_rules.h"

namespace cairn::json {
namespace {

// The compiler recurses, and schemas come from clients.
constexpr std::size_t kMaxNesting = 500;

template <typename Field>
struct Keyword {
  std::string_view name;
  Field Rule::* field;
};

constexpr Keyword<Rule::Count> kCounts[] = {
    {"minLength", &Rule::min_length},         {"maxLength", &Rule::max_length},
    {"minItems", &Rule::min_items},           {"maxItems", &Rule::max_items},
    {"minContains", &Rule::min_contains},     {"maxContains", &Rule::max_contains},
    {"minProperties", &Rule::min_properties}, {"maxProperties", &Rule::max_properties},
};

constexpr Keyword<Rule::Number> kNumbers[] = {
    {"minimum", &Rule::minimum},
    {"maximum", &Rule::maximum},
    {"exclusiveMinimum", &Rule::exclusive_minimum},
    {"exclusiveMaximum", &Rule::exclusive_maximum},
    {"multipleOf", &Rule::multiple_of},
};

constexpr Keyword<Rule::One> kSchemas[] = {
    {"items", &Rule::items},
    {"contains", &Rule::contains},
    {"unevaluatedItems", &Rule::unevaluated_items},
    {"additionalProperties", &Rule::additional_properties},
    {"propertyNames", &Rule::property_names},
    {"unevaluatedProperties", &Rule::unevaluated_properties},
    {"not", &Rule::negated},
    {"if", &Rule::condition},
    {"then", &Rule::consequence},
    {"else", &Rule::alternative},
};

constexpr Keyword<Rule::List> kSchemaLists[] = {
    {"prefixItems", &Rule::prefix_items},
    {"allOf", &Rule::all_of},
    {"anyOf", &Rule::any_of},
    {"oneOf", &Rule::one_of},
};

constexpr Keyword<Rule::Named> kSchemaMaps[] = {
    {"properties", &Rule::properties},
    {"dependentSchemas", &Rule::dependent_schemas},
};

template <typename Field, std::size_t kSize>
Field Rule::* lookup(const Keyword<Field> (&table)[kSize], std::string_view name) {
  const auto* found = std::ranges::find(table, name, &Keyword<Field>::name);
  return found == std::end(table) ? nullptr : found->field;
}

Failure refused(const Pointer& at, std::string_view why) {
  auto place = "#" + at.render();
  auto message = fmt::format("the schema at '{}' {}", shown(place, 200), why);
  return Failure(Error(Code::kInvalidArgument, std::move(message)).with("schema", place));
}

Failure wrong(const Pointer& at, const Value& value, std::string_view expected) {
  return refused(at, fmt::format("is {}; it should be {}", brief(value), expected));
}

// Few are compared one by one.
void index_values(Rule& rule) {
  constexpr std::size_t kFew = 16;
  if (rule.one_of_values->size() <= kFew) return;
  for (const auto& allowed : *rule.one_of_values) {
    std::string spelled;
    write_canonical(spelled, allowed);
    rule.spelled_values.insert(std::move(spelled));
  }
}

Result<std::string_view> string_of(const Pointer& at, const Value& value) {
  if (!value.is_string()) return wrong(at, value, "a string");
  return text(value);
}

Result<const Object*> object_of(const Pointer& at, const Value& value) {
  if (!value.is_object()) return wrong(at, value, "an object");
  return &value.get_object();
}

Result<Rule::Names> names_of(const Pointer& at, const Value& value) {
  if (!value.is_array()) return wrong(at, value, "an array of strings");
  Rule::Names names;
  for (const auto& name : value.get_array()) names.emplace_back(TRY(string_of(at, name)));
  return names;
}

Result<std::uint64_t> count_of(const Pointer& at, const Value& value) {
  if (!is_integer(value) || compare_numbers(value, Value(0)) < 0) {
    return wrong(at, value, "an integer from 0");
  }
  // More than any value has: no limit.
  if (compare_numbers(value, Value(UINT64_MAX)) >= 0) return UINT64_MAX;
  return value.is_double() ? static_cast<std::uint64_t>(value.get_double())
                           : value.to_number<std::uint64_t>();
}

Result<Value> number_of(const Pointer& at, const Value& value) {
  if (!value.is_number()) return wrong(at, value, "a number");
  if (at.tokens().back() == "multipleOf" && compare_numbers(value, Value(0)) <= 0) {
    return wrong(at, value, "a number above 0");
  }
  return value;
}

Result<std::uint8_t> type_of(const Pointer& at, const Value& value) {
  const auto* found = std::ranges::find(kTypeNames, text(value), &TypeName::name);
  if (found == std::end(kTypeNames)) {
    return wrong(at, value, "one of string, integer, number, boolean, array, object, null");
  }
  return found->bit;
}

Result<std::uint8_t> types_of(const Pointer& at, const Value& value) {
  if (!value.is_array()) return type_of(at, value);
  std::uint8_t types = 0;
  for (const auto& name : value.get_array()) types |= TRY(type_of(at, name));
  if (types == 0) return wrong(at, value, "a type or a list of types");
  return types;
}

Result<std::unique_ptr<const re2::RE2>> pattern_of(const Pointer& at, std::string_view pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto compiled =
      std::make_unique<const re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!compiled->ok()) {
    return refused(at, fmt::format("has the pattern '{}', which RE2 refuses: {}", shown(pattern),
                                   shown(compiled->error())));
  }
  return compiled;
}

// `%25` is `%` in the fragment of a reference.
Result<std::string> percent_decoded(const Pointer& at, std::string_view fragment) {
  std::string out;
  for (std::size_t i = 0; i < fragment.size(); ++i) {
    if (fragment[i] != '%') {
      out += fragment[i];
      continue;
    }
    std::uint8_t byte = 0;
    const auto digits = fragment.substr(i + 1, 2);
    const auto* const end = digits.data() + digits.size();
    if (digits.size() != 2 || std::from_chars(digits.data(), end, byte, 16).ptr != end) {
      return refused(at,
                     "is a reference with a '%' that is not followed by two hexadecimal digits");
    }
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

// Walks a schema from its root; references are followed when all anchors are known.
class Compiler {
 public:
  explicit Compiler(const Value& root) : root_(root), rules_(std::make_unique<SchemaRules>()) {}

  Result<std::unique_ptr<const SchemaRules>> compile() {
    TRY(add(root_, {}));
    // Following one may find more.
    for (std::size_t i = 0; i < references_.size(); ++i) {
      const auto reference = references_[i];
      reference.from->refs.push_back(TRY(resolve(reference)));
    }
    return std::move(rules_);
  }

 private:
  struct Reference {
    Rule* from;
    std::string target;
    Pointer at;
  };

  Result<RuleId> add(const Value& schema, const Pointer& at) {
    // By address: the same place of the document is one rule, also when references lead to it. So
    // references in a circle end.
    const auto [known, is_new] = ids_.try_emplace(&schema, rules_->rules.size());
    const auto id = known->second;
    if (!is_new) return id;
    if (at.tokens().size() > kMaxNesting) return refused(at, "is nested too deep");
    auto& rule = rules_->rules.emplace_back();
    rule.place = at.render();
    if (const auto* always = schema.if_bool()) {
      rule.always = *always;
      return id;
    }
    if (!schema.is_object()) return wrong(at, schema, "an object, true or false");
    for (const auto& [name, value] : schema.get_object()) {
      TRY(keyword(rule, id, name, value, at.child(name)));
    }
    return id;
  }

  Result<void> keyword(Rule& rule, RuleId id, std::string_view name, const Value& value,
                       const Pointer& at) {
    if (const auto count = lookup(kCounts, name)) {
      rule.*count = TRY(count_of(at, value));
    } else if (const auto number = lookup(kNumbers, name)) {
      rule.*number = TRY(number_of(at, value));
    } else if (const auto schema = lookup(kSchemas, name)) {
      rule.*schema = TRY(add(value, at));
    } else if (const auto list = lookup(kSchemaLists, name)) {
      TRY(add_list(rule.*list, value, at));
    } else if (const auto map = lookup(kSchemaMaps, name)) {
      TRY(add_map(rule.*map, value, at));
    } else if (name.starts_with('$')) {
      TRY(core_keyword(rule, id, name, value, at));
      // Unknown keywords are ignored, as the standard has it.
    } else {
      TRY(other_keyword(rule, name, value, at));
    }
    return {};
  }

  Result<void> core_keyword(Rule& rule, RuleId id, std::string_view name, const Value& value,
                            const Pointer& at) {
    if (name == "$ref" || name == "$dynamicRef") {
      // Within one document a dynamic reference has only one target to choose from.
      references_.push_back({&rule, std::string(TRY(string_of(at, value))), at});
    } else if (name == "$anchor" || name == "$dynamicAnchor") {
      anchors_.insert_or_assign(std::string(TRY(string_of(at, value))), id);
    } else if (name == "$id") {
      id_ = TRY(string_of(at, value));
      if (id != 0) return refused(at, "is an $id below the root, which is not supported");
      if (id_.ends_with('#')) id_.pop_back();
    } else if (name == "$defs") {
      // Compiled though nothing refers to it yet: it may hold anchors, and mistakes in it should
      // show.
      Rule::Named definitions;
      TRY(add_map(definitions, value, at));
    }
    return {};
  }

  Result<void> other_keyword(Rule& rule, std::string_view name, const Value& value,
                             const Pointer& at) {
    if (name == "type") {
      rule.types = TRY(types_of(at, value));
    } else if (name == "enum") {
      if (!value.is_array()) return wrong(at, value, "an array of values");
      rule.one_of_values = value.get_array();
      index_values(rule);
    } else if (name == "const") {
      rule.constant = value;
    } else if (name == "pattern") {
      rule.pattern = TRY(pattern_of(at, TRY(string_of(at, value))));
    } else if (name == "uniqueItems") {
      if (!value.is_bool()) return wrong(at, value, "true or false");
      rule.unique_items = value.get_bool();
    } else if (name == "required") {
      rule.required = TRY(names_of(at, value));
    } else if (name == "dependentRequired") {
      for (const auto& [when, names] : *TRY(object_of(at, value))) {
        rule.dependent_required[when] = TRY(names_of(at.child(when), names));
      }
    } else if (name == "patternProperties") {
      for (const auto& [pattern, schema] : *TRY(object_of(at, value))) {
        auto compiled = TRY(pattern_of(at, pattern));
        rule.pattern_properties.push_back(
            {std::move(compiled), TRY(add(schema, at.child(pattern)))});
      }
    }
    return {};
  }

  Result<void> add_list(Rule::List& list, const Value& value, const Pointer& at) {
    if (!value.is_array() || value.get_array().empty()) {
      return wrong(at, value, "an array of at least one schema");
    }
    for (const auto& schema : value.get_array()) {
      list.push_back(TRY(add(schema, at.child(std::to_string(list.size())))));
    }
    return {};
  }

  Result<void> add_map(Rule::Named& map, const Value& value, const Pointer& at) {
    for (const auto& [name, schema] : *TRY(object_of(at, value))) {
      map[name] = TRY(add(schema, at.child(name)));
    }
    return {};
  }

  Result<RuleId> resolve(const Reference& reference) {
    std::string_view target = reference.target;
    // A reference by the schema's own $id is one within it.
    if (target.starts_with(id_)) target.remove_prefix(id_.size());
    if (!target.empty() && target.front() != '#') {
      return refused(reference.at, fmt::format("refers to '{}'; only references within the schema, "
                                               "which begin with '#', are supported",
                                               shown(reference.target)));
    }
    const auto fragment =
        TRY(percent_decoded(reference.at, target.empty() ? target : target.substr(1)));
    if (!fragment.empty() && fragment.front() != '/') {
      const auto anchor = anchors_.find(fragment);
      if (anchor != anchors_.end()) return anchor->second;
    } else if (const auto pointer = Pointer::parse(fragment)) {
      // It may be a place that no keyword has led to, so it is compiled now.
      if (const auto* schema = get(root_, *pointer)) return add(*schema, *pointer);
    }
    return refused(reference.at,
                   fmt::format("refers to '{}', which is not in it", shown(reference.target)));
  }

  const Value& root_;
  std::unique_ptr<SchemaRules> rules_;
  std::unordered_map<const Value*, RuleId> ids_;
  std::unordered_map<std::string, RuleId> anchors_;
  std::vector<Reference> references_;
  std::string id_;
};

}  // namespace

Schema::Schema(std::unique_ptr<const SchemaRules> rules) : rules_(std::move(rules)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Result<Schema> Schema::compile(const Value& schema) {
  return Schema(TRY(Compiler(schema).compile()));
}

}  // namespace cairn::json
