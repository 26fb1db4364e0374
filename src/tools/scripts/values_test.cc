#include "tools/scripts/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/scripts/testing.h"

namespace cairn::script {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Values, KeepTheirKindOnTheWayThroughLua) {
  for (const auto* text : {"null",
                           "true",
                           "false",
                           "0",
                           "-1",
                           "9223372036854775807",
                           "-9223372036854775808",
                           "1.0",
                           "1.5",
                           "-0.0",
                           "1e+300",
                           "5e-324",
                           R"("")",
                           R"("a\u0000b\n\"ä€😀")",
                           "[]",
                           "{}",
                           "[[],{}]",
                           "[null]",
                           "[null,1,null]",
                           R"({"":1,"a":null,"b":[{}],"ä":{"x":[]}})"}) {
    EXPECT_EQ(outcome_of("return args", {}, *json::parse(text)), text);
    EXPECT_EQ(outcome_of("return json.decode(json.encode(args))", {}, *json::parse(text)), text);
  }
}

TEST(Values, AreDoublesBeyond64Bits) {
  EXPECT_EQ(outcome_of("return args", {}, *json::parse("18446744073709551615")),
            "18446744073709551616.0");
}

TEST(Values, ComeOutWithSortedKeys) {
  EXPECT_EQ(outcome_of("return {b = 1, a = 2, ['c d'] = 3, B = 4}"),
            R"({"B":4,"a":2,"b":1,"c d":3})");
}

TEST(Values, AreListsOrObjectsByTheirKeysOrTheirMark) {
  struct Case {
    std::string_view source, result;
  };
  const Case cases[] = {
      {"return {}", "[]"},
      {"return array{}", "[]"},
      {"return array()", "[]"},
      {"return object{}", "{}"},
      {"return object()", "{}"},
      {"return {x = {}}", R"({"x":[]})"},
      {"return object{a = 1}", R"({"a":1})"},
      {"return array{1, 2}", "[1,2]"},
      {"args.list[1] = nil return args", R"({"list":[],"map":{"a":1}})"},
      {"args.map.a = nil return args", R"({"list":[1],"map":{}})"},
      {"local t = {} t[2] = 'b' t[1] = 'a' return t", R"(["a","b"])"},
      {"local t = {1, 2, 3} t[3] = nil return t", "[1,2]"},
      {"return {null, nil}", "[null]"},
      {"return {a = nil, b = null}", R"({"b":null})"},
      {"return setmetatable({1}, {__index = function() return 9 end, __len = function() return 5 "
       "end})",
       "[1]"},
      {"local same = {1} return {same, same}", "[[1],[1]]"},
      {"return args.map.missing == nil and args.map.a ~= null and null == null", "true"},
      {"return {[1.0] = 'a'}", R"(["a"])"},
  };
  const auto arguments = *json::parse(R"({"list":[1],"map":{"a":1}})");
  for (const auto& c : cases) EXPECT_EQ(outcome_of(c.source, {}, arguments), c.result) << c.source;
}

TEST(Values, AreRefusedWhereJsonHasNoSuchThing) {
  struct Case {
    std::string_view source, message;
  };
  const Case cases[] = {
      {"return print", "result is a function, which JSON has not"},
      {"return {items = {1, 2, {x = print}}}",
       "result.items[3].x is a function, which JSON has not"},
      {"return {['a b'] = {print}}", R"(result["a b"][1] is a function, which JSON has not)"},
      {"return 0/0", "result is not a number (0/0), which JSON has not"},
      {"return {-1/0}", "result[1] is infinite, which JSON has not"},
      {"return {x = '\\255'}", "result.x is not valid UTF-8"},
      {"return {['\\255'] = 1}", "result[\"\uFFFD\"] is not valid UTF-8"},
      {"return {[true] = 1}",
       "result has a key that is a boolean; keys are strings, or 1, 2, 3, …"},
      {"return {[null] = 1}", "result has a key that is a null; keys are strings, or 1, 2, 3, …"},
      {"return {[0] = 1}", "result has a key that is a number; keys are strings, or 1, 2, 3, …"},
      {"return {[1.5] = 1}", "result has a key that is a number; keys are strings, or 1, 2, 3, …"},
      {"return {1, a = 2}",
       "result has both numbers and strings as keys; make it a list or an object"},
      {"return {1, nil, 3}", "result has 2 elements but one at 3; fill the holes with null"},
      {"return {[math.maxinteger] = 1}",
       "result has 1 elements but one at 9223372036854775807; fill the holes with null"},
      {"return object{1}", "result is an object, but has numbers as keys"},
      {"return array{a = 1}", "result is a list, but has strings as keys"},
      {"local t = {} t.a = {t} return t", "result.a[1] is result itself"},
      {"local t = {} local u = {t} t[1] = u return {x = u}", "result.x[1][1] is result.x itself"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(outcome_of(c.source), fmt::format("SCRIPT_ERROR: {}", c.message)) << c.source;
  }
}

TEST(Values, AreRefusedBeyondTheirDepth) {
  const auto nested = [](int depth) {
    return fmt::format("local t = 1 for i = 1, {} do t = {{t}} end return t", depth);
  };
  EXPECT_THAT(outcome_of(nested(100)), StartsWith("[[["));
  EXPECT_THAT(outcome_of(nested(101)), HasSubstr("is nested more than 100 deep"));
  EXPECT_THAT(outcome_of(nested(100'000)), HasSubstr("is nested more than 100 deep"));
  json::Value deep(1);
  for (int i = 0; i < 101; ++i) deep = json::Array{deep};
  EXPECT_EQ(outcome_of("return 1", {}, deep),
            "SCRIPT_ERROR: the value is nested more than 100 deep");
}

// The bytes that were counted are those of the result as text.
TEST(Values, MayTakeSoManyBytesAndNoMore) {
  for (const auto* source :
       {"return {1, -22, 3.5, 1e300}", "return {a = 'x\\n\\0\"', bb = {}, c = object{}}",
        "return {null, 'ä'}", "return ('x'):rep(100)"}) {
    const auto text = outcome_of(source);
    EXPECT_EQ(outcome_of(source, {.output = text.size()}), text);
    EXPECT_EQ(outcome_of(source, {.output = text.size() - 1}),
              fmt::format("SCRIPT_LIMIT: the result takes more than {} bytes of JSON; return less, "
                          "or a part at a time",
                          text.size() - 1));
  }
  const auto failed = run_script("return {1}", {.output = 1});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().details.at("limit"), Detail("output"));
}

TEST(Values, AreNotMadeWhenTheyWouldBeGiant) {
  EXPECT_THAT(outcome_of("local t = {} for i = 1, 40 do t = {t, t} end return t"),
              HasSubstr("more than 60000 bytes"));
  EXPECT_THAT(outcome_of("local t = {} for i = 1, 4e5 do t[i] = 0 end return t"),
              HasSubstr("more than 60000 bytes"));
  EXPECT_THAT(outcome_of("return ('x'):rep(4e6)"), HasSubstr("more than 60000 bytes"));
}

}  // namespace
}  // namespace cairn::script
