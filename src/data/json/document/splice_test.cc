#include "data/json/document/splice.h"

#include <gtest/gtest.h>

#include "data/json/document/change.h"

namespace cairn::document {
namespace {

using json::Pointer;
using json::Value;

struct Case {
  std::string_view before;
  std::string_view context;
  std::string_view arguments;
  std::string_view after;
};

Value parsed(std::string_view text) {
  auto value = json::parse(text);
  EXPECT_TRUE(value) << text;
  return value ? *value : Value();
}

template <typename Call>
void expect(const Case& c, Call call) {
  const auto value = parsed(c.before);
  const auto changed = call(Document{value, c.before}, *Pointer::parse(c.context));
  ASSERT_TRUE(changed) << c.before << ": " << changed.error().render();
  EXPECT_EQ(changed->text, c.after) << c.arguments << " in " << c.before;
}

void expect_created(const Case& c, std::optional<std::int64_t> index = {}) {
  expect(c, [&](const Document& document, const Pointer& context) {
    return create(document, context, parsed(c.arguments), index);
  });
}

void expect_updated(const Case& c, Update how = Update::kReplace) {
  expect(c, [&](const Document& document, const Pointer& context) {
    return update(document, context, parsed(c.arguments), how);
  });
}

void expect_deleted(const Case& c) {
  expect(c, [&](const Document& document, const Pointer& context) {
    return remove(document, context, parsed(c.arguments));
  });
}

TEST(Splice, AppendsInTheLayoutOfTheSiblings) {
  const Case cases[] = {
      {R"([1,2])", "", "[3]", R"([1,2,3])"},
      {R"([1, 2])", "", "[3,4]", R"([1, 2, 3, 4])"},
      {R"([ 1, 2 ])", "", "[3]", R"([ 1, 2, 3 ])"},
      {R"({"a":1})", "", R"({"b":{"c":[1,2]}})", R"({"a":1,"b":{"c":[1,2]}})"},
      {R"({"a": 1})", "", R"({"b":{"c":[1,2]}})", R"({"a": 1, "b": {"c": [1, 2]}})"},
      {R"({"a" : 1})", "", R"({"b":2})", R"({"a" : 1, "b" : 2})"},
      {"{\n  \"a\": 1\n}\n", "", R"({"b":2})", "{\n  \"a\": 1,\n  \"b\": 2\n}\n"},
      {"{\r\n\t\"a\": 1\r\n}", "", R"({"b":[2]})",
       "{\r\n\t\"a\": 1,\r\n\t\"b\": [\r\n\t\t2\r\n\t]\r\n}"},
      {"[\n    1,\n    2\n]", "", "[3]", "[\n    1,\n    2,\n    3\n]"},
      {"[1, 2,\n 3, 4]", "", "[5]", "[1, 2,\n 3, 4, 5]"},
      {"{\n  \"a\": 1,\n\n  \"b\": 2\n}", "", R"({"c":3})",
       "{\n  \"a\": 1,\n\n  \"b\": 2,\n  \"c\": 3\n}"},
  };
  for (const auto& c : cases) expect_created(c);
}

TEST(Splice, GivesNewContainersTheFormOfThoseBesideThem) {
  const Case cases[] = {
      {"[\n  {\"a\": 1},\n  {\"a\": 2}\n]", "", R"([{"a":3,"b":[]}])",
       "[\n  {\"a\": 1},\n  {\"a\": 2},\n  {\"a\": 3, \"b\": []}\n]"},
      {"[{\n  \"a\": 1\n}, {\n  \"a\": 2\n}]", "", R"([{"a":3}])",
       "[{\n  \"a\": 1\n}, {\n  \"a\": 2\n}, {\n  \"a\": 3\n}]"},
      {"{\n  \"tags\": [1, 2],\n  \"o\": {\n    \"x\": 1\n  }\n}", "",
       R"({"more":[3,4],"p":{"y":[]}})",
       "{\n  \"tags\": [1, 2],\n  \"o\": {\n    \"x\": 1\n  },\n  \"more\": [3, 4],\n  \"p\": {\n "
       "   \"y\": []\n  }\n}"},
      {"{\n    \"a\": 1\n}", "", R"({"b":{"c":{"d":1}}})",
       "{\n    \"a\": 1,\n    \"b\": {\n        \"c\": {\n            \"d\": 1\n        }\n    "
       "}\n}"},
  };
  for (const auto& c : cases) expect_created(c);
}

TEST(Splice, FillsWhatIsEmptyAsTheDocumentIsLaidOut) {
  const Case cases[] = {
      {"{}", "", R"({"a":[]})", "{\n  \"a\": []\n}"},
      {"[ ]\n", "", "[1,2]", "[\n  1,\n  2\n]\n"},
      {R"({"a":{}})", "/a", R"({"b":1,"c":2})", R"({"a":{"b":1,"c":2}})"},
      {R"({"a": []})", "/a", "[1,2]", R"({"a": [1, 2]})"},
      {"{\n  \"a\": {}\n}", "/a", R"({"b":1})", "{\n  \"a\": {\n    \"b\": 1\n  }\n}"},
      {"{\n\t\"a\": [\n\t]\n}", "/a", "[[1]]", "{\n\t\"a\": [\n\t\t[\n\t\t\t1\n\t\t]\n\t]\n}"},
      {"{\r\n  \"a\": []\r\n}", "/a", "[1]", "{\r\n  \"a\": [\r\n    1\r\n  ]\r\n}"},
      {"{\n  \"a\": {\"b\": []}\n}", "/a/b", "[1]", "{\n  \"a\": {\"b\": [1]}\n}"},
  };
  for (const auto& c : cases) expect_created(c);
}

TEST(Splice, InsertsBeforeAnElement) {
  expect_created({"[1,2]", "", "[0]", "[0,1,2]"}, 0);
  expect_created({"[1, 2]", "", "[8,9]", "[1, 8, 9, 2]"}, 1);
  expect_created({"[ 1,2 ]", "", "[0]", "[ 0,1,2 ]"}, 0);
  expect_created({"[1]", "", "[0]", "[0, 1]"}, 0);
  expect_created({"[\n  1,\n  2\n]", "", "[[0]]", "[\n  [\n    0\n  ],\n  1,\n  2\n]"}, 0);
  expect_created({"[\r\n  1\r\n]", "", "[0]", "[\r\n  0,\r\n  1\r\n]"}, 0);
  expect_created({"[1]", "", "[2]", "[1, 2]"}, 1);
  expect_created({"[]", "", "[2]", "[\n  2\n]"}, 0);
}

TEST(Splice, ReplacesValuesOnly) {
  const Case cases[] = {
      {R"({"a":1.50,"b":2.50})", "", R"({"a":3})", R"({"a":3,"b":2.50})"},
      {R"({ "a" :1e2 , "\u0062": 2 })", "", R"({"b":"x"})", R"({ "a" :1e2 , "\u0062": "x" })"},
      {"[12345678901234567890123, 2 ,3]", "", R"([{"index":1,"value":[1,2]}])",
       "[12345678901234567890123, [1, 2] ,3]"},
      {"[1,2,3]", "", R"({"0":"a","-1":"c"})", R"(["a",2,"c"])"},
      {"{\n  \"a\": {\n    \"x\": 1\n  },\n  \"b\": 2\n}", "", R"({"a":{"y":2},"b":[1]})",
       "{\n  \"a\": {\n    \"y\": 2\n  },\n  \"b\": [\n    1\n  ]\n}"},
      {"{\n  \"a\": {\"x\": 1},\n  \"b\": 2\n}", "", R"({"a":{"y":[2]},"b":{"z":3}})",
       "{\n  \"a\": {\"y\": [2]},\n  \"b\": {\"z\": 3}\n}"},
  };
  for (const auto& c : cases) expect_updated(c);
}

TEST(Splice, RemovesWithCommaAndLine) {
  const Case cases[] = {
      {"[1,2,3]", "", "[0]", "[2,3]"},
      {"[1,2,3]", "", "[1]", "[1,3]"},
      {"[1,2,3]", "", "[2]", "[1,2]"},
      {"[1, 2, 3, 4]", "", "[-1,-2]", "[1, 2]"},
      {"[ 1, 2 ]", "", "[0,1]", "[]"},
      {"[1, 2, 3, 4, 5]", "", "[0,2,4]", "[2, 4]"},
      {"{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", "", R"(["a"])",
       "{\n  \"b\": 2,\n  \"c\": 3\n}"},
      {"{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", "", R"(["b"])",
       "{\n  \"a\": 1,\n  \"c\": 3\n}"},
      {"{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", "", R"(["c","b"])", "{\n  \"a\": 1\n}"},
      {"{\n  \"a\": 1\n}\n", "", R"(["a"])", "{}\n"},
      {"{\"x\": {\r\n  \"a\": 1\r\n}}", "/x", R"(["a"])", "{\"x\": {}}"},
      {R"({"a" : 1 , "b" : 2 })", "", R"(["b"])", R"({"a" : 1 })"},
      {R"({"a" : 1 , "b" : 2 })", "", R"(["a"])", R"({"b" : 2 })"},
  };
  for (const auto& c : cases) expect_deleted(c);
}

TEST(Splice, MergesOnlyWhatChanges) {
  const Case cases[] = {
      {R"({"a":{"x":1.50,"y":2.50}})", "", R"({"a":{"x":1.5,"y":3}})", R"({"a":{"x":1.50,"y":3}})"},
      {R"({"a":{"x":1,"y":2}})", "", R"({"a":{"x":null,"z":3,"w":null}})",
       R"({"a":{"y":2,"z":3}})"},
      {R"({"a":{"x":1,"y":2}})", "", R"({"a":{"y":null,"z":3}})", R"({"a":{"x":1,"z":3}})"},
      {R"({"a":{"x":1}})", "", R"({"a":{"x":null}})", R"({"a":{}})"},
      {R"({"a":{"x":1}})", "", R"({"a":{"x":null,"y":2}})", R"({"a":{"y":2}})"},
      {R"({"a":7,"b":[1,2]})", "", R"({"a":{"x":null,"y":{"z":null}},"b":[null]})",
       R"({"a":{"y":{}},"b":[null]})"},
      {R"({"a":1})", "", R"({"a":null})", R"({"a":null})"},
      {"{\n  \"a\": {\n    \"p\": {\n      \"x\": 1e2\n    },\n    \"q\": {}\n  }\n}", "",
       R"({"a":{"p":{"y":2},"q":{"z":3}}})",
       "{\n  \"a\": {\n    \"p\": {\n      \"x\": 1e2,\n      \"y\": 2\n    },\n    \"q\": {\n     "
       " "
       "\"z\": 3\n    }\n  }\n}"},
  };
  for (const auto& c : cases) expect_updated(c, Update::kMerge);
}

struct Move {
  std::string_view before;
  std::string_view from;
  std::string_view to;
  std::string_view after;
};

TEST(Splice, MovesWithTheSpelling) {
  const Move cases[] = {
      {R"({"a":{"x":1.50},"b":{}})", "/a/x", "/b/y", R"({"a":{},"b":{"y":1.50}})"},
      {"[1,2,3]", "/0", "/2", "[2,3,1]"},
      {"[1,2,3]", "/2", "/0", "[3,1,2]"},
      {"[1,2,3]", "/0", "/-", "[2,3,1]"},
      {"[1,[2],[3]]", "/0", "/1/0", "[[2],[1,3]]"},
      {"{\n  \"a\": {\n    \"x\": \"\\u0041\"\n  },\n  \"b\": {\n    \"c\": {}\n  }\n}", "/a",
       "/b/c/d",
       "{\n  \"b\": {\n    \"c\": {\n      \"d\": {\n        \"x\": \"\\u0041\"\n      }\n    }\n  "
       "}\n}"},
      {"{\n  \"a\": [1, 2],\n  \"b\": 1\n}", "/a", "/c", "{\n  \"b\": 1,\n  \"c\": [1, 2]\n}"},
      {"{\"a\": [\n    1e2,\n    {}\n  ], \"b\": {\"c\": 1}}", "/a", "/b/d",
       "{\"b\": {\"c\": 1, \"d\": [1e2, {}]}}"},
  };
  for (const auto& c : cases) {
    const auto value = parsed(c.before);
    const auto moved = move({value, c.before}, *Pointer::parse(c.from), *Pointer::parse(c.to));
    ASSERT_TRUE(moved) << c.before << ": " << moved.error().render();
    EXPECT_EQ(moved->text, c.after);
  }
}

TEST(Splice, CopiesBetweenDocumentsOfDifferentLayout) {
  const std::string_view source = "{\n\t\"a\": {\n\t\t\"x\": 1.50,\n\t\t\"y\": [\n\t\t]\n\t}\n}";
  const std::string_view target = "{\r\n  \"b\": {\r\n    \"c\": 1\r\n  }\r\n}\r\n";
  const auto from = parsed(source);
  const auto to = parsed(target);
  const auto copied =
      copy_between({from, source}, *Pointer::parse("/a"), {to, target}, *Pointer::parse("/b/d"));
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->text,
            "{\r\n  \"b\": {\r\n    \"c\": 1,\r\n    \"d\": {\r\n      \"x\": 1.50,\r\n      "
            "\"y\": [\r\n      ]\r\n    }\r\n  }\r\n}\r\n");
}

TEST(Splice, DoesNotRepeatMegabytesOfIndentation) {
  const auto before = "[\n" + std::string(1'000'000, ' ') + "1\n]";
  const auto value = parsed(before);
  json::Array items;
  for (int i = 0; i < 1000; ++i) items.push_back(json::Array{i, json::Array{i}});
  const auto changed = create({value, before}, {}, items);
  ASSERT_TRUE(changed);
  EXPECT_LT(changed->text.size(), 4'000'000U);
  EXPECT_TRUE(json::parse(changed->text));
}

TEST(Splice, SaysWhenTheTextIsNotTheOneThatWasParsed) {
  const auto value = parsed(R"({"a":1})");
  for (const auto* text : {"", "{", "[]", R"({"b":1})", R"({"a")", R"({"a":)", "x", "\""}) {
    const auto changed = update({value, text}, {}, parsed(R"({"a":2})"));
    ASSERT_FALSE(changed) << text;
    EXPECT_EQ(changed.error().code, Code::kInternal);
  }
}

}  // namespace
}  // namespace cairn::document
