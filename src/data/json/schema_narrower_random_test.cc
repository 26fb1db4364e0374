// Random pairs of small schemas: whatever is called narrower must be.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "data/json/json_testing.h"
#include "data/json/schema.h"
#include "data/json/schema_cycle.h"
#include "data/json/schema_narrower.h"

namespace cairn::json {
namespace {

constexpr unsigned kSeeds = 6'000;
constexpr int kValuesOfAPair = 60;

// Schemas and values over few names, strings and numbers, so that they meet.
class Grammar {
 public:
  explicit Grammar(std::uint64_t seed) : random_(seed) {}

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool chance(int percent) { return below(100) < percent; }

  Value document() {
    auto schema = this->schema(0);
    if (!schema.is_object()) return schema;
    schema.get_object()["$defs"] = Object{{"d", this->schema(1)}, {"e", this->schema(1)}};
    return schema;
  }

  Value value(int depth) {
    const int kind = below(depth > 2 ? 5 : 9);
    if (kind == 0) return nullptr;
    if (kind == 1) return chance(50);
    if (kind == 2) return below(7) - 1;
    if (kind == 3) return (below(12) - 2) / 2.0;
    if (kind == 4) return Value(string());
    if (kind < 7) {
      Array out;
      for (int i = below(4); i > 0; --i) out.push_back(value(depth + 1));
      return out;
    }
    Object out;
    for (int i = below(4); i > 0; --i) out[name()] = value(depth + 1);
    return out;
  }

  // The schema, with one thing changed somewhere: pairs that are close.
  Value changed(const Value& schema, int depth) {
    if (!schema.is_object() || schema.get_object().empty() || chance(20))
      return this->schema(depth);
    auto out = schema.get_object();
    auto& member = *(out.begin() + below(static_cast<int>(out.size())));
    const std::string key(member.key());
    if (key == "properties" || key == "$defs") {
      auto& inner = member.value().get_object();
      if (inner.empty()) return out;
      auto& one = *(inner.begin() + below(static_cast<int>(inner.size())));
      one.value() = changed(one.value(), depth + 1);
    } else if (chance(50)) {
      out.erase(key);
    } else {
      keyword(out, depth);
    }
    return out;
  }

 private:
  std::string name() { return std::string(1, static_cast<char>('a' + below(3))); }
  std::string string() {
    return std::string(static_cast<std::size_t>(below(3)), chance(70) ? 'a' : 'b');
  }
  std::string_view type() {
    constexpr std::string_view kTypes[] = {"null",   "boolean", "integer", "number",
                                           "string", "array",   "object",  "object"};
    return kTypes[below(8)];
  }
  Array list(int depth) {
    Array out;
    for (int i = 1 + below(2); i > 0; --i) out.push_back(schema(depth + 1));
    return out;
  }
  Array names() {
    Array out;
    for (int i = below(3); i > 0; --i) out.emplace_back(name());
    return out;
  }

  Value schema(int depth) {
    if (chance(6)) return true;
    if (chance(6)) return false;
    if (depth > 0 && chance(15)) return Object{{"$ref", reference()}};
    Object out;
    if (chance(60)) out["type"] = type();
    const int keywords = depth > 2 ? below(2) : below(4);
    for (int i = 0; i < keywords; ++i) keyword(out, depth);
    return out;
  }

  std::string_view reference() {
    constexpr std::string_view kTargets[] = {"#", "#/$defs/d", "#/$defs/e"};
    return kTargets[below(3)];
  }

  void keyword(Object& out, int depth) {
    switch (below(depth > 2 ? 14 : 36)) {
      case 0:
        out["type"] = Array{type(), type()};
        return;
      case 1:
        out["enum"] = Array{value(1), value(1), value(2)};
        return;
      case 2:
        out["const"] = value(1);
        return;
      case 3:
        out["minimum"] = below(5) - 1;
        return;
      case 4:
        out["maximum"] = below(9) / 2.0;
        return;
      case 5:
        out["exclusiveMinimum"] = below(5) / 2.0 - 1;
        return;
      case 6:
        out["exclusiveMaximum"] = below(5);
        return;
      case 7:
        out["multipleOf"] = (1 + below(4)) / 2.0;
        return;
      case 8:
        out["minLength"] = below(3);
        return;
      case 9:
        out["maxLength"] = below(3);
        return;
      case 10:
        out["pattern"] = chance(50) ? "^a" : "b";
        return;
      case 11:
        out["$ref"] = reference();
        return;
      case 12:
        out["required"] = names();
        return;
      case 13:
        out["type"] = type();
        return;
      case 14:
        out["minItems"] = below(3);
        return;
      case 15:
        out["maxItems"] = below(3);
        return;
      case 16:
        out["uniqueItems"] = chance(80);
        return;
      case 17:
        out["items"] = schema(depth + 1);
        return;
      case 18:
        out["prefixItems"] = list(depth);
        return;
      case 19:
        out["contains"] = schema(depth + 1);
        return;
      case 20:
        out["minContains"] = below(3);
        return;
      case 21:
        out["maxContains"] = below(3);
        return;
      case 22:
        out["unevaluatedItems"] = schema(depth + 1);
        return;
      case 23:
        out["minProperties"] = below(3);
        return;
      case 24:
        out["maxProperties"] = below(3);
        return;
      case 25:
        out["dependentRequired"] = Object{{name(), names()}};
        return;
      case 26:
        out["dependentSchemas"] = Object{{name(), schema(depth + 1)}};
        return;
      case 27:
        out["patternProperties"] = Object{{chance(50) ? "a" : "^[bc]", schema(depth + 1)}};
        return;
      case 28:
        out["propertyNames"] = schema(depth + 2);
        return;
      case 29:
        out["unevaluatedProperties"] = chance(60) ? Value(false) : schema(depth + 1);
        return;
      case 30:
        out["allOf"] = list(depth);
        return;
      case 31:
        out["anyOf"] = list(depth);
        return;
      case 32:
        out["oneOf"] = list(depth);
        return;
      case 33:
        out["not"] = schema(depth + 1);
        return;
      case 34:
        out["if"] = schema(depth + 1);
        out["then"] = schema(depth + 1);
        if (chance(50)) out["else"] = schema(depth + 1);
        return;
      default:
        out["properties"] = Object{{name(), schema(depth + 1)}, {"b", schema(depth + 1)}};
        if (chance(60)) out["additionalProperties"] = chance(70) ? Value(false) : schema(depth + 1);
        return;
    }
  }

  std::mt19937 random_;
};

struct Tally {
  int narrower = 0;
  int values = 0;
  int examples = 0;
};

void try_pair(Grammar& grammar, const Value& narrow, const Value& wide, Tally& tally) {
  const auto small = Schema::compile(narrow);
  const auto large = Schema::compile(wide);
  if (!small || !large) return;
  const auto outcome = check_narrower(narrow, wide);
  if (!outcome) {
    tally.examples += outcome.error().details.contains("example") ? 1 : 0;
    return;
  }
  tally.narrower += 1;
  for (int i = 0; i < kValuesOfAPair; ++i) {
    const auto value = grammar.value(0);
    if (!small->check(value)) continue;
    tally.values += 1;
    ASSERT_TRUE(large->check(value))
        << write(value) << "\n  fits  " << write(narrow) << "\n  not   " << write(wide);
  }
}

TEST(SchemaNarrowerRandom, NeverCallsAWiderSchemaNarrower) {
  Tally tally;
  const auto first = seed_or(1);
  for (auto seed = first; seed < first + kSeeds && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Grammar grammar(seed);
    const auto one = grammar.document();
    const auto near = grammar.changed(one, 0);
    try_pair(grammar, one, grammar.document(), tally);
    try_pair(grammar, one, near, tally);
    try_pair(grammar, near, one, tally);
  }
  fmt::print("{} pairs narrower, {} values tried in them, {} gaps with an example\n",
             tally.narrower, tally.values, tally.examples);
  // Or it would say nothing.
  EXPECT_GT(tally.narrower, 5'000);
  EXPECT_GT(tally.values, 80'000);
  EXPECT_GT(tally.examples, 3'000);
}

TEST(SchemaNarrowerRandom, EverySchemaIsNarrowerThanItself) {
  const auto first = seed_or(1);
  for (auto seed = first; seed < first + kSeeds; ++seed) {
    const auto document = Grammar(seed).document();
    const auto schema = Schema::compile(document);
    // The keywords that ask what others have looked at are followed only in simple cases.
    const bool supported = !write(document).contains("unevaluated");
    if (!supported || !schema || endless_rule(schema->rules())) continue;
    const auto outcome = check_narrower(document, document);
    EXPECT_TRUE(outcome) << "seed " << seed << ": " << outcome.error().message << "\n"
                         << write(document);
  }
}

}  // namespace
}  // namespace cairn::json
