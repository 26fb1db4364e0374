// Schemas: their messages and their cost. Which values they accept is in tests/schema/cases.
#include "data/json/schema.h"

#include <chrono>
#include <ctime>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"

namespace cairn::json {
namespace {

using testing::HasSubstr;

Value parsed(std::string_view source) {
  auto value = parse(source);
  EXPECT_TRUE(value) << source << ": " << value.error().message;
  return value ? *value : Value();
}

Schema compiled(std::string_view source) {
  auto schema = Schema::compile(parsed(source));
  EXPECT_TRUE(schema) << schema.error().message;
  return schema ? std::move(*schema) : *Schema::compile(true);
}

std::string message(const Schema& schema, const Value& instance) {
  const auto checked = schema.check(instance);
  if (checked) return "fits";
  EXPECT_EQ(checked.error().code, Code::kInvalidArgument);
  return checked.error().message;
}

struct Case {
  std::string_view instance;
  std::string_view message;
  std::string_view argument;
};

void expect_messages(std::string_view source, std::initializer_list<Case> cases) {
  const auto schema = compiled(source);
  for (const auto& c : cases) {
    const auto instance = parsed(c.instance);
    EXPECT_EQ(message(schema, instance), c.message) << c.instance;
    const auto checked = schema.check(instance);
    if (checked) continue;
    EXPECT_EQ(std::get<std::string>(checked.error().details.at("argument")), c.argument)
        << c.instance;
  }
}

TEST(Schema, TellsACallerWhichArgumentIsWrong) {
  expect_messages(
      R"({"type":"object","required":["nodeKey"],"additionalProperties":false,"properties":{
            "nodeKey":{"type":"string","pattern":"^nod_"},
            "path":{"type":["string","null"],"minLength":2,"maxLength":4},
            "limit":{"type":"number","minimum":1,"maximum":1000},
            "mode":{"enum":["text","binary",3]},
            "kind":{"const":"file"},
            "even":{"multipleOf":2},
            "open":{"exclusiveMinimum":0,"exclusiveMaximum":1},
            "tags":{"type":"array","items":{"type":"string"},"uniqueItems":true,"maxItems":3},
            "flag":{"type":"boolean"},
            "old":false}})",
      {
          {R"({"nodeKey":"nod_1"})", "fits", ""},
          {"[]", "the value is an array; it should be an object", ""},
          {R"("x")", R"(the value is "x"; it should be an object)", ""},
          {"{}", "'nodeKey' is required", "nodeKey"},
          {R"({"nodeKey":"nod_1","pth":"a"})",
           "unknown argument 'pth'; did you mean 'path'? The arguments are: even, flag, kind, "
           "limit, mode, nodeKey, old, open, path, tags",
           "pth"},
          {R"({"pth":"a"})",
           "unknown argument 'pth'; did you mean 'path'? The arguments are: even, flag, kind, "
           "limit, mode, nodeKey, old, open, path, tags",
           "pth"},
          {R"({"nodeKey":"nod_1","content":"a"})",
           "unknown argument 'content'; the arguments are: even, flag, kind, limit, mode, "
           "nodeKey, old, open, path, tags",
           "content"},
          {R"({"nodeKey":7})", "'nodeKey' is 7; it should be a string", "nodeKey"},
          {R"({"nodeKey":"x"})", R"('nodeKey' is "x"; it should match the pattern ^nod_)",
           "nodeKey"},
          {R"({"path":true})", "'path' is true; it should be a string or null", "path"},
          {R"({"path":"ü"})", "'path' has 1 characters; it should have at least 2", "path"},
          {R"({"path":"12345"})", "'path' has 5 characters; it should have at most 4", "path"},
          {R"({"limit":"ten"})", R"('limit' is "ten"; it should be a number)", "limit"},
          {R"({"limit":{"a":1}})", "'limit' is an object; it should be a number", "limit"},
          {R"({"limit":5000})", "'limit' is 5000; it should be at most 1000", "limit"},
          {R"({"limit":0.5})", "'limit' is 0.5; it should be at least 1", "limit"},
          {R"({"mode":"txt"})",
           R"('mode' is "txt"; it should be one of "text", "binary", 3; did you mean "text"?)",
           "mode"},
          {R"({"mode":1})", R"('mode' is 1; it should be one of "text", "binary", 3)", "mode"},
          {R"({"kind":1})", R"('kind' is 1; it should be "file")", "kind"},
          {R"({"even":3})", "'even' is 3; it should be a multiple of 2", "even"},
          {R"({"open":0})", "'open' is 0; it should be more than 0", "open"},
          {R"({"open":1})", "'open' is 1; it should be less than 1", "open"},
          {R"({"tags":["a",2]})", "'tags[1]' is 2; it should be a string", "tags[1]"},
          {R"({"tags":["a","b","c","d"]})", "'tags' has 4 items; it should have at most 3", "tags"},
          {R"({"tags":["a","b","a"]})",
           "'tags' has the same item at [0] and [2]; it should have no item twice", "tags"},
          {R"({"flag":"yes"})", R"('flag' is "yes"; it should be true or false)", "flag"},
          {R"({"old":1})", "'old' is not allowed", "old"},
      });
}

TEST(Schema, NamesWhatIsInsideByItsPath) {
  expect_messages(
      R"({"properties":{"entries":{
            "propertyNames":{"maxLength":5},
            "dependentRequired":{"a":["b"]},
            "additionalProperties":{"$ref":"#/$defs/entry"}}},
          "$defs":{"entry":{"type":"object","minProperties":1,"required":["link"],
            "properties":{"link":{"type":"string"},"deep":{"items":{"contains":{"const":1}}}},
            "unevaluatedProperties":false}}})",
      {
          {R"({"entries":{"a/b":{"link":5}}})", "'entries.a/b.link' is 5; it should be a string",
           "entries.a/b.link"},
          {R"({"entries":{"x":{}}})", "'entries.x.link' is required", "entries.x.link"},
          {R"({"entries":{"x":{"link":"y","lnk":1}}})",
           "unknown field 'entries.x.lnk'; did you mean 'link'? The fields are: deep, link",
           "entries.x.lnk"},
          {R"({"entries":{"x":{"link":"y","deep":[[1],[2]]}}})",
           "'entries.x.deep[1]' has 0 items of the kind asked for; it should have at least 1",
           "entries.x.deep[1]"},
          {R"({"entries":{"too-long":{"link":"y"}}})",
           "the name of 'entries.too-long' has 8 characters; it should have at most 5",
           "entries.too-long"},
          {R"({"entries":{"a":{"link":"y"}}})", "'entries.b' is required when 'entries.a' is given",
           "entries.b"},
      });
}

TEST(Schema, TellsTheFormsAValueMayHave) {
  expect_messages(
      R"({"properties":{
            "at":{"anyOf":[{"type":"string"},{"type":"null"},{"type":"string"}]},
            "one":{"oneOf":[{"type":"integer"},{"minimum":2}]},
            "what":{"oneOf":[{"type":"object","required":["path"]},{"type":"string"}]},
            "not":{"not":{"const":1}},
            "single":{"anyOf":[{"type":"string"}]}},
          "anyOf":[{"not":{"required":["a"]}},{"required":["b"]}],
          "if":{"required":["c"]},"then":{"required":["d"]}})",
      {
          {R"({"at":5})", "'at' is 5; it should be a string, or be null", "at"},
          {R"({"one":3})",
           "'one' fits more than one of the forms it may have; it should fit exactly one", "one"},
          {R"({"what":{}})",
           "'what' fits none of the forms it may have: 'what.path' is required; or 'what' is an "
           "object; it should be a string",
           "what"},
          {R"({"not":1})", "'not' is 1, which is not allowed", "not"},
          {R"({"single":1})", "'single' is 1; it should be a string", "single"},
          {R"({"a":1})",
           "the value fits none of the forms it may have: the value is an object, which is not "
           "allowed; or 'b' is required",
           ""},
          {R"({"a":1,"b":1})", "fits", ""},
          {R"({"c":1})", "'d' is required", "d"},
      });
}

TEST(Schema, KeepsItsMessagesShortAndFitToShow) {
  const auto schema = compiled(R"({"additionalProperties":{"maximum":1,"type":"number"}})");
  const std::string large(100'000, 'x');
  EXPECT_LT(message(schema, Object{{"a", large}}).size(), 200U);
  EXPECT_LT(message(schema, Object{{large, 5}}).size(), 200U);
  EXPECT_EQ(message(schema, Object{{"a\n\x1b[0m", 5}}),
            "'a\uFFFD\uFFFD[0m' is 5; it should be at most 1");
  std::string many = R"({"additionalProperties":false,"properties":{"a":{})";
  for (int i = 0; i < 1000; ++i) many += fmt::format(",\"property{}\":{{}}", i);
  EXPECT_LT(message(compiled(many + "}}"), Object{{"zzz", 5}}).size(), 500U);
}

TEST(Schema, SaysWhichPartOfItIsWrong) {
  struct Wrong {
    std::string_view schema;
    std::string_view message;
  };
  const Wrong cases[] = {
      {"5", "the schema at '#' is 5; it should be an object, true or false"},
      {R"({"properties":{"a/b":{"minLength":"x"}}})",
       R"(the schema at '#/properties/a~1b/minLength' is "x"; it should be an integer from 0)"},
      {R"({"type":"strnig"})", R"(the schema at '#/type' is "strnig"; it should be one of )"},
      {R"JSON({"pattern":"(?=a)"})JSON",
       "the schema at '#/pattern' has the pattern '(?=a)', which RE2 refuses: "},
      {R"({"$ref":"other.json"})",
       "the schema at '#/$ref' refers to 'other.json'; only references within the schema"},
      {R"({"$ref":"#/$defs/a"})", "the schema at '#/$ref' refers to '#/$defs/a', which is not in"},
  };
  for (const auto& c : cases) {
    const auto schema = Schema::compile(parsed(c.schema));
    ASSERT_FALSE(schema) << c.schema;
    EXPECT_EQ(schema.error().code, Code::kInvalidArgument);
    EXPECT_THAT(schema.error().message, HasSubstr(c.message));
    EXPECT_TRUE(std::get<std::string>(schema.error().details.at("schema")).starts_with('#'));
  }
}

TEST(Schema, EndsWhateverItRefersTo) {
  const auto began = WorkClock().monotonic();
  for (const auto* source :
       {R"({"$ref":"#"})", R"({"not":{"$ref":"#"}})", R"({"anyOf":[{"$ref":"#"},true]})",
        R"({"oneOf":[{"$ref":"#"},{"$ref":"#"}],"unevaluatedProperties":false})"}) {
    EXPECT_THAT(message(compiled(source), Object{}), HasSubstr("refers to itself without end"));
  }
  // Two to the power of 60 ways that all fail.
  std::string doubling = R"({"$ref":"#/$defs/d0","$defs":{"d60":false)";
  for (int i = 0; i < 60; ++i) {
    doubling +=
        fmt::format(R"(,"d{}":{{"anyOf":[{{"$ref":"#/$defs/d{}"}},{{"$ref":"#/$defs/d{}"}}]}})", i,
                    i + 1, i + 1);
  }
  EXPECT_THAT(message(compiled(doubling + "}}"), 1), HasSubstr("cannot be checked"));
  EXPECT_LT(WorkClock().monotonic() - began, std::chrono::seconds(60));
}

TEST(Schema, FollowsARecursiveSchemaAsDeepAsTextMayBe) {
  const auto schema = compiled(
      R"({"$ref":"#/$defs/tree","$defs":{"tree":{"anyOf":[{"type":"null"},
          {"type":"array","items":{"$ref":"#/$defs/tree"}}]}}})");
  const auto nested = [](std::string_view inside) {
    return parsed(std::string(99, '[') + std::string(inside) + std::string(99, ']'));
  };
  EXPECT_EQ(message(schema, nested("null")), "fits");
  EXPECT_THAT(message(schema, nested("1")), HasSubstr("is 1; it should be null, or be an array"));
}

TEST(Schema, RefusesASchemaTooDeepToWalk) {
  Value schema = true;
  for (int i = 0; i < 600; ++i) schema = Object{{"not", std::move(schema)}};
  const auto deep = Schema::compile(schema);
  ASSERT_FALSE(deep);
  EXPECT_THAT(deep.error().message, HasSubstr("is nested too deep"));
}

TEST(Schema, LooksThroughLargeValuesInAnInstant) {
  const auto schema = compiled(
      R"({"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^(x+x+)+y$|^t"},
          "unevaluatedItems":false})");
  Array array;
  for (int i = 0; i < 100'000; ++i) array.emplace_back(fmt::format("text number {}", i));
  const auto began = WorkClock().monotonic();
  EXPECT_EQ(message(schema, array), "fits");
  array.emplace_back(std::string(200'000, 'x'));
  EXPECT_THAT(message(schema, array), HasSubstr("'[100000]' is \"xxx"));
  EXPECT_LT(WorkClock().monotonic() - began, std::chrono::seconds(20));
}

TEST(Schema, OutlivesItsSourceAndIsSharedByThreads) {
  auto schema = [] {
    const auto source = parsed(R"({"properties":{"a":{"pattern":"^x+$"},"b":{"enum":[1]}}})");
    return *Schema::compile(source);
  }();
  const auto moved = std::move(schema);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        EXPECT_TRUE(moved.check(Object{{"a", "xxx"}, {"b", 1}}));
        EXPECT_FALSE(moved.check(Object{{"a", "y"}}));
      }
    });
  }
}

// Compared one by one it would take half a minute.
TEST(Schema, ALongEnumIsLookedUp) {
  Array allowed;
  for (int i = 0; i < 20'000; ++i) allowed.emplace_back(fmt::format("a rather long text {}", i));
  Array items;
  for (int i = 0; i < 100'000; ++i) items.emplace_back("a rather long text 19999");
  const Object source{{"items", Object{{"enum", std::move(allowed)}}}};
  const auto schema = Schema::compile(source);
  ASSERT_TRUE(schema) << schema.error().message;
  const auto began = std::clock();
  EXPECT_TRUE(schema->check(Value(items)));
  items.emplace_back("another");
  EXPECT_FALSE(schema->check(Value(items)));
  // Of this process: a busy neighbour takes none of it.
  EXPECT_LT(std::clock() - began, 5 * CLOCKS_PER_SEC);
}

TEST(Schema, ALongEnumKnowsEqualValuesByAnySpelling) {
  Array allowed;
  for (int i = 0; i < 100; ++i) allowed.emplace_back(i);
  allowed.emplace_back(Object{{"a", 1}, {"b", Array{nullptr}}});
  const auto schema = Schema::compile(Object{{"enum", std::move(allowed)}});
  ASSERT_TRUE(schema);
  EXPECT_TRUE(schema->check(Value(99)));
  EXPECT_TRUE(schema->check(Value(99.0)));
  EXPECT_TRUE(schema->check(json::parse(R"({"b":[null],"a":1.0})").value()));
  EXPECT_FALSE(schema->check(Value(99.5)));
  EXPECT_FALSE(schema->check(Value("99")));
}

}  // namespace
}  // namespace cairn::json
