#include "data/json/schema_narrower.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/quote.h"

namespace cairn::json {
namespace {

using testing::HasSubstr;

Value parsed(std::string_view source) {
  auto value = parse(source, {.max_depth = 1000});
  EXPECT_TRUE(value) << source << ": " << value.error().message;
  return value ? *value : Value();
}

std::string detail(const Error& error, const std::string& name) {
  const auto found = error.details.find(name);
  return found == error.details.end() ? "" : std::get<std::string>(found->second);
}

struct Pair {
  std::string_view narrow;
  std::string_view wide;
};

void expect_narrower(std::initializer_list<Pair> pairs) {
  for (const auto& [narrow, wide] : pairs) {
    const auto outcome = check_narrower(parsed(narrow), parsed(wide));
    EXPECT_TRUE(outcome) << narrow << "\n  in " << wide << "\n  " << outcome.error().message;
  }
}

struct WidePair {
  std::string_view narrow;
  std::string_view wide;
  std::string_view place;
  std::string_view example;
};

void expect_wider(std::initializer_list<WidePair> pairs) {
  for (const auto& [narrow, wide, place, example] : pairs) {
    const auto outcome = check_narrower(parsed(narrow), parsed(wide));
    ASSERT_FALSE(outcome) << narrow << "\n  in " << wide;
    EXPECT_EQ(outcome.error().code, Code::kSchemaTooWide);
    EXPECT_EQ(detail(outcome.error(), "schema"), place) << narrow << "\n  in " << wide;
    EXPECT_EQ(detail(outcome.error(), "example"), example)
        << narrow << "\n  in " << wide << "\n  " << outcome.error().message;
  }
}

TEST(SchemaNarrower, ShowsTypesAndValues) {
  expect_narrower({
      {R"({"type":"integer"})", R"({"type":"number"})"},
      {R"({"type":"string"})", R"({"type":["string","null"]})"},
      {R"({"type":"number","multipleOf":2})", R"({"type":"integer"})"},
      {R"({"enum":["a","b"]})", R"({"type":"string","maxLength":1})"},
      {R"({"const":{"a":1}})", R"({"type":"object","required":["a"]})"},
      {R"({"enum":["a",7],"type":"string"})", R"({"enum":["a","c"]})"},
      {R"({"type":"boolean"})", R"({"enum":[true,false,null]})"},
      {R"({"type":"integer","minimum":1,"maximum":3})", R"({"enum":[1,2,3,9]})"},
      {"false", "false"},
      {"{}", "true"},
      {R"({"type":"string","minLength":3,"maxLength":2})", "false"},
      {R"({"not":{}})", "false"},
  });
  expect_wider({
      {R"({"type":"number"})", R"({"type":"integer"})", "#/type", "0.5"},
      {R"({"type":["string","null"]})", R"({"type":"string"})", "#/type", "null"},
      {R"({"enum":["a","bb"]})", R"({"maxLength":1})", "#/enum", R"("bb")"},
      {R"({"const":3})", R"({"enum":[1,2]})", "#/const", "3"},
      {R"({"type":"string"})", R"({"type":"string","enum":["a"]})", "#", R"("")"},
      {"true", "false", "#", "null"},
      {R"({"type":"string"})", "false", "#", R"("")"},
  });
}

TEST(SchemaNarrower, ShowsBoundsOfNumbers) {
  expect_narrower({
      {R"({"type":"integer","minimum":1,"maximum":100})",
       R"({"type":"integer","minimum":1,"maximum":1000})"},
      {R"({"type":"integer","exclusiveMinimum":0})", R"({"minimum":1})"},
      {R"({"type":"integer","minimum":0.5})", R"({"minimum":1})"},
      {R"({"type":"integer","maximum":9.5})", R"({"exclusiveMaximum":10})"},
      {R"({"exclusiveMaximum":10})", R"({"maximum":10})"},
      {R"({"multipleOf":0.6})", R"({"multipleOf":0.3})"},
      {R"({"type":"integer"})", R"({"multipleOf":0.5})"},
      {R"({"allOf":[{"minimum":3},{"maximum":5}]})", R"({"minimum":2,"maximum":6})"},
      {R"({"minimum":-9223372036854775808})", R"({"minimum":-9223372036854775808})"},
  });
  expect_wider({
      {R"({"type":"number","exclusiveMinimum":0})", R"({"minimum":1})", "#", "0.5"},
      {R"({"type":"integer","maximum":5000})", R"({"maximum":1000})", "#/maximum", "5000"},
      {R"({"type":"integer","minimum":1})", R"({"maximum":1000})", "#", "1001"},
      {R"({"maximum":10,"type":"number"})", R"({"exclusiveMaximum":10})", "#/maximum", "10"},
      {R"({"type":"integer","multipleOf":3})", R"({"multipleOf":2})", "#/multipleOf", "3"},
      {R"({"type":"integer"})", R"({"multipleOf":2})", "#", "3"},
      {R"({"type":"integer","exclusiveMaximum":9223372036854775807,"minimum":0})",
       R"({"maximum":9223372036854775805})", "#", "9223372036854775806"},
  });
}

TEST(SchemaNarrower, ShowsLengthsAndPatterns) {
  expect_narrower({
      {R"({"type":"string","minLength":2,"maxLength":4})", R"({"minLength":1,"maxLength":5})"},
      {R"({"type":"string","pattern":"^a+$"})", R"({"pattern":"^a+$"})"},
      {R"({"type":"string","allOf":[{"pattern":"b"},{"pattern":"a"}]})", R"({"pattern":"a"})"},
      {R"({"type":"string","format":"email","title":"T","default":3,"examples":[1]})",
       R"({"type":"string","description":"any"})"},
      {R"({"type":"integer"})", R"({"pattern":"a"})"},
  });
  expect_wider({
      {R"({"type":"string","maxLength":9})", R"({"maxLength":5})", "#/maxLength", R"("aaaaaa")"},
      {R"({"type":"string"})", R"({"minLength":2})", "#", R"("a")"},
      {R"({"type":"string","pattern":"a"})", R"({"pattern":"b"})", "#/pattern", R"("a")"},
      {R"({"pattern":"a"})", R"({"type":"string"})", "#", "null"},
  });
}

TEST(SchemaNarrower, ShowsArrays) {
  expect_narrower({
      {R"({"type":"array","items":{"type":"integer"},"maxItems":3})",
       R"({"type":"array","items":{"type":"number"},"maxItems":4})"},
      {R"({"type":"array","prefixItems":[{"const":1}],"items":false})",
       R"({"items":{"type":"integer"}})"},
      {R"({"type":"array","maxItems":1})", R"({"uniqueItems":true})"},
      {R"({"type":"array","uniqueItems":true})", R"({"uniqueItems":true})"},
      {R"({"type":"array","maxItems":1,"items":{"type":"string"}})",
       R"({"prefixItems":[{"type":"string"},{"type":"null"}]})"},
      {R"({"type":"array","contains":{"const":1},"minContains":2})",
       R"({"contains":{"type":"integer"}})"},
      {R"({"type":"array","contains":{"type":"integer"},"maxContains":2})",
       R"({"contains":{"const":1},"minContains":0,"maxContains":3})"},
      {R"({"type":"array","items":{"const":1},"minItems":1})",
       R"({"contains":{"type":"integer"}})"},
      {R"({"type":"array","items":{"type":"string"}})",
       R"({"unevaluatedItems":{"type":"string"},"prefixItems":[true]})"},
  });
  expect_wider({
      {R"({"type":"array","items":{"type":"string","maxLength":3}})",
       R"({"items":{"type":"string","maxLength":2}})", "#/items/maxLength", R"(["aaa"])"},
      {R"({"type":"array"})", R"({"items":{"type":"string"}})", "#", "[null]"},
      {R"({"type":"array","prefixItems":[{"const":1}]})", R"({"items":{"type":"integer"}})", "#",
       "[1,null]"},
      {R"({"type":"array","items":{"const":1}})", R"({"maxItems":2})", "#", "[1,1,1]"},
      {R"({"type":"array"})", R"({"uniqueItems":true})", "#", R"(["",""])"},
      {R"({"type":"array","minItems":1})", R"({"minItems":2})", "#/minItems", R"([""])"},
      {R"({"type":"array"})", R"({"contains":{"const":1}})", "#", "[]"},
  });
}

TEST(SchemaNarrower, ShowsObjects) {
  expect_narrower({
      {R"({"type":"object","properties":{"a":{"const":1}},"additionalProperties":false})",
       R"({"type":"object","properties":{"a":{"type":"integer"},"b":{}},
           "additionalProperties":false})"},
      {R"({"type":"object","properties":{"a":true,"b":false},"required":["a"],
           "additionalProperties":false})",
       R"({"properties":{"a":true},"additionalProperties":false,"minProperties":1,
           "maxProperties":1})"},
      {R"({"type":"object","additionalProperties":{"type":"integer"}})",
       R"({"additionalProperties":{"type":"number"},"properties":{"x":{"type":"number"}}})"},
      {R"({"type":"object","patternProperties":{"^x-":{"type":"string"}},
           "additionalProperties":false})",
       R"({"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false})"},
      {R"({"type":"object","propertyNames":{"enum":["a","b"]}})",
       R"({"properties":{"a":{},"b":{}},"additionalProperties":false})"},
      {R"({"type":"object","properties":{"ab":{}},"additionalProperties":false})",
       R"({"propertyNames":{"minLength":2}})"},
      {R"({"type":"object","propertyNames":{"maxLength":3}})",
       R"({"propertyNames":{"maxLength":4}})"},
      {R"({"type":"object","dependentRequired":{"a":["b"],"b":["c"]}})",
       R"({"dependentRequired":{"a":["c"]}})"},
      {R"({"type":"object","dependentSchemas":{"a":{"required":["b"]}}})",
       R"({"dependentSchemas":{"a":{"required":["b"]}}})"},
      {R"({"type":"object","required":["a"],"dependentRequired":{"a":["b"]}})",
       R"({"required":["b"]})"},
      {R"({"type":"object","allOf":[{"properties":{"a":{"type":"string"}}},
           {"properties":{"b":{"type":"string"}}}],"unevaluatedProperties":false})",
       R"({"properties":{"a":{"type":"string"},"b":{"type":"string"}},
           "additionalProperties":false})"},
      {R"({"type":"object","properties":{"a":{}},"additionalProperties":false})",
       R"({"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false})"},
  });
}

TEST(SchemaNarrower, TellsWhereAnObjectIsTooWide) {
  expect_wider({
      {R"({"type":"object","properties":{"limit":{"type":"integer","maximum":5000}},
           "additionalProperties":false})",
       R"({"type":"object","properties":{"limit":{"type":"integer","maximum":1000}},
           "additionalProperties":false})",
       "#/properties/limit/maximum", R"({"limit":5000})"},
      {R"({"type":"object","properties":{"a":{}}})",
       R"({"type":"object","properties":{"a":{}},"additionalProperties":false})", "#",
       R"({"other":""})"},
      {R"({"type":"object","properties":{"in":{"type":"object","additionalProperties":true}},
           "required":["in"],"additionalProperties":false})",
       R"({"properties":{"in":{"additionalProperties":false}}})",
       "#/properties/in/additionalProperties", R"({"in":{"other":""}})"},
      {R"({"type":"object","properties":{"a":{},"x":{"type":"string"}},
           "additionalProperties":false})",
       R"({"properties":{"a":{}},"additionalProperties":false})", "#/properties/x", R"({"x":""})"},
      {R"({"type":"object","required":["b"]})", R"({"required":["a","b"]})", "#/required",
       R"({"b":""})"},
      {R"({"type":"object"})", R"({"properties":{"a":{"type":"string"}}})", "#", R"({"a":null})"},
      {R"({"type":"object"})", R"({"minProperties":1})", "#", "{}"},
      {R"({"type":"object","maxProperties":3})", R"({"maxProperties":2})", "#/maxProperties", ""},
      {R"({"type":"object"})", R"({"dependentRequired":{"a":["b"]}})", "#", ""},
      {R"({"type":"object"})", R"({"propertyNames":{"maxLength":3}})", "#", ""},
      {R"({"type":"object","patternProperties":{"^y":{}},"additionalProperties":false})",
       R"({"patternProperties":{"^x":{}},"additionalProperties":false})", "#/additionalProperties",
       ""},
      {R"({"type":"object","anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}],
           "unevaluatedProperties":false})",
       R"({"properties":{"a":{}},"additionalProperties":false})", "#", R"({"b":null})"},
  });
}

TEST(SchemaNarrower, ShowsAlternatives) {
  expect_narrower({
      {R"({"type":["string","null"]})", R"({"anyOf":[{"type":"string"},{"type":"null"}]})"},
      {R"({"anyOf":[{"type":"string"},{"type":"null"}]})", R"({"type":["string","null"]})"},
      {R"({"type":["string","integer"]})", R"({"oneOf":[{"type":"string"},{"type":"number"}]})"},
      {R"({"oneOf":[{"required":["a"]},{"required":["b"]}]})",
       R"({"oneOf":[{"required":["a"]},{"required":["b"]}]})"},
      {R"({"type":"object","properties":{"k":{"const":"a"},"v":{"type":"string"}},
           "required":["k","v"]})",
       R"({"oneOf":[{"properties":{"k":{"const":"a"},"v":{"type":"string"}},"required":["k","v"]},
                    {"properties":{"k":{"const":"b"}},"required":["k"]}]})"},
      {R"({"type":"string","not":{"const":"x"}})", R"({"not":{"const":"x"}})"},
      {R"({"type":"string"})", R"({"not":{"type":"integer"}})"},
      {R"({"if":{"type":"string"},"then":{"maxLength":3},"else":{"type":"null"}})",
       R"({"if":{"type":"string"},"then":{"maxLength":4},"else":{"type":["null","integer"]}})"},
      {R"({"type":"string","maxLength":2})", R"({"if":{"type":"string"},"then":{"maxLength":4}})"},
      {R"({"type":"number"})", R"({"anyOf":[{"type":"integer"},{"type":"number"}]})"},
      {R"({"allOf":[{"anyOf":[{"const":1},{"const":2}]},{"anyOf":[{"const":2},{"const":3}]}]})",
       R"({"const":2})"},
  });
  expect_wider({
      {R"({"type":["string","integer"]})", R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "#",
       "0"},
      {R"({"anyOf":[{"type":"string"},{"type":"integer","maximum":9}]})",
       R"({"anyOf":[{"type":"string"},{"type":"integer","maximum":5}]})", "#/anyOf/1/maximum", "9"},
      {R"({"type":"integer"})", R"({"oneOf":[{"type":"integer"},{"type":"number"}]})", "#", "0"},
      {R"({"type":"string"})", R"({"not":{"const":""}})", "#/type", R"("")"},
      {R"({"type":"string"})", R"({"if":{"type":"string"},"then":{"maxLength":4}})", "#",
       R"("aaaaa")"},
  });
}

constexpr std::string_view kTree =
    R"({"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":{
        "v":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#/$defs/t"}}},
        "additionalProperties":false}}})";

TEST(SchemaNarrower, FollowsReferences) {
  expect_narrower({
      {kTree, kTree},
      {R"({"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":{
           "v":{"const":3},"kids":{"type":"array","maxItems":2,"items":{"$ref":"#/$defs/t"}}},
           "additionalProperties":false}}})",
       kTree},
      {R"({"$defs":{"id":{"$anchor":"id","type":"string","maxLength":3}},
           "type":"object","properties":{"a":{"$ref":"#id"}}})",
       R"({"properties":{"a":{"type":"string","maxLength":4}}})"},
  });
  expect_wider({
      {R"({"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":{
           "v":{"type":"number"},"kids":{"type":"array","items":{"$ref":"#/$defs/t"}}},
           "additionalProperties":false}}})",
       kTree, "#/$defs/t/properties/v/type", R"({"kids":[{"v":0.5}]})"},
      // Two levels accept what the third refuses.
      {R"({"type":"object","properties":{"n":{"type":"object","properties":{"n":{"type":"object"}}}}})",
       R"({"type":"object","properties":{"n":{"$ref":"#"}}})", "#/properties/n/properties/n",
       R"({"n":{"n":{"n":null}}})"},
      // Of a schema that only refers to itself nothing is known, and nothing fits it.
      {R"({"type":"string"})", R"({"$ref":"#"})", "#", ""},
      {R"({"type":"string"})", R"({"anyOf":[{"$ref":"#"}]})", "#", ""},
      {R"({"type":"string"})", R"({"not":{"$ref":"#"}})", "#", ""},
      {R"({"type":"string","allOf":[{"$ref":"#"}]})", "true", "#", ""},
  });
}

TEST(SchemaNarrower, SaysWhatToWriteInstead) {
  const auto outcome = check_narrower(
      parsed(R"({"type":"object","properties":{"limit":{"type":"integer","maximum":5000}}})"),
      parsed(R"({"type":"object","properties":{"limit":{"type":"integer","maximum":1000}}})"));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message,
            "the schema at '#/properties/limit/maximum' lets numbers above 1000 through, as in "
            "{\"limit\":5000}; give a \"maximum\" of 1000 or less");
}

TEST(SchemaNarrower, RefusesWhatIsNoSchema) {
  const auto outcome = check_narrower(parsed(R"({"type":"text"})"), true);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::kInvalidArgument);
}

std::string nested(int depth, std::string_view open, std::string_view close,
                   std::string_view core) {
  std::string out;
  for (int i = 0; i < depth; ++i) out += open;
  out += core;
  for (int i = 0; i < depth; ++i) out += close;
  return out;
}

// k alternatives that all go on to each other: 3^depth ways.
std::string maze(int size) {
  std::string defs;
  for (int i = 0; i < size; ++i) {
    const auto next = (i + 1) % size;
    defs += fmt::format(
        R"({}"d{}":{{"type":"object","anyOf":[{{"properties":{{"a":{{"$ref":"#/$defs/d{}"}}}}}},
            {{"properties":{{"b":{{"$ref":"#/$defs/d{}"}}}}}},{{"required":["x{}"]}}]}})",
        i == 0 ? "" : ",", i, next, (i * 7 + 3) % size, i);
  }
  return fmt::format(R"({{"$ref":"#/$defs/d0","$defs":{{{}}}}})", defs);
}

TEST(SchemaNarrower, IsBoundedForHostileSchemas) {
  std::string wide_choice = R"({"type":"object","allOf":[)";
  for (int i = 0; i < 24; ++i) {
    wide_choice += fmt::format(R"({}{{"anyOf":[{{"required":["a{}"]}},{{"required":["b{}"]}}]}})",
                               i == 0 ? "" : ",", i, i);
  }
  wide_choice += "]}";
  std::string many = R"({"enum":[)";
  for (int i = 0; i < 20'000; ++i) many += fmt::format("{}{}", i == 0 ? "" : ",", i);
  many += "]}";
  const std::string hostile[] = {
      nested(200, R"({"properties":{"a":)", "}}", "true"),
      nested(200, R"({"not":)", "}", "true"),
      nested(200, R"({"anyOf":[)", ",true]}", "true"),
      nested(100, R"({"if":)", R"(,"then":{"minLength":2},"else":false})", "true"),
      maze(40),
      wide_choice,
      many,
      R"({"items":{"$ref":"#"},"anyOf":[{"items":{"$ref":"#"}},{"contains":{"$ref":"#"}}]})",
  };
  for (const auto& narrow : hostile) {
    for (const auto& wide : hostile) {
      const auto begin = WorkClock().monotonic();
      static_cast<void>(check_narrower(parsed(narrow), parsed(wide)));
      const auto took = WorkClock().monotonic() - begin;
      EXPECT_LT(took, std::chrono::seconds(20)) << shown(narrow) << "\n  in " << shown(wide);
    }
  }
}

}  // namespace
}  // namespace cairn::json
