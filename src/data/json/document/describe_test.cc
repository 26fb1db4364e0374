#include "data/json/document/describe.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::document {
namespace {

using json::Array;
using json::Object;
using json::Value;
using testing::HasSubstr;

std::string described(std::string_view text, const DescribeLimits& limits = {}) {
  return json::write(describe(*json::parse(text), limits));
}

TEST(Describe, SaysTypesAndCounts) {
  EXPECT_EQ(described("7"),
            R"({"rootType":"integer","schema":{"type":"integer"},"sampled":false})");
  EXPECT_EQ(described("{}"),
            R"({"rootType":"object","keyCount":0,"schema":{"type":"object","properties":{}},)"
            R"("sampled":false})");
  EXPECT_EQ(described("[]"),
            R"({"rootType":"array","arrayLength":0,"schema":{"type":"array","length":0},)"
            R"("sampled":false})");
  EXPECT_EQ(described(R"({"a":1.5,"b":[true,null],"c":{"d":"x"}})"),
            R"({"rootType":"object","keyCount":3,"schema":{"type":"object","properties":{)"
            R"("a":{"type":"number"},)"
            R"("b":{"type":"array","length":2,"items":{"type":["boolean","null"]}},)"
            R"("c":{"type":"object","properties":{"d":{"type":"string"}}}}},"sampled":false})");
}

TEST(Describe, MergesTheElements) {
  EXPECT_EQ(described(R"([{"id":1,"tags":["a"]},{"id":2.5,"tags":[]},{"id":null,"x":{}},"s"])"),
            R"({"rootType":"array","arrayLength":4,"schema":{"type":"array","length":4,)"
            R"("items":{"type":["object","string"],"properties":{)"
            R"("id":{"type":["number","null"]},)"
            R"("tags":{"type":"array","minItems":0,"maxItems":1,"items":{"type":"string"},)"
            R"("in":"2 of 3"},)"
            R"("x":{"type":"object","properties":{},"in":"1 of 3"}}}},"sampled":false})");
}

TEST(Describe, MergesTheValuesOfALargeMap) {
  Object map;
  for (int i = 0; i < 5000; ++i) map.emplace("user" + std::to_string(i), Object{{"age", i}});
  const auto out = describe(map, {.max_keys = 3});
  const auto& schema = out.at("schema").get_object();
  EXPECT_EQ(out.at("keyCount"), Value(5000));
  EXPECT_EQ(schema.at("keyCount"), Value(5000));
  EXPECT_EQ(schema.at("properties").get_object().size(), 3U);
  EXPECT_EQ(json::write(schema.at("otherProperties")),
            R"({"count":4997,"type":"object","properties":{"age":{"type":"integer"}}})");
  EXPECT_EQ(out.at("sampled"), Value(true));
  EXPECT_THAT(json::write(out.at("notes")), HasSubstr("at most 3 keys are named"));
}

TEST(Describe, SamplesEvenlyAndSaysSo) {
  Array rows;
  for (int i = 0; i < 10'000; ++i) {
    rows.push_back(i < 9000 ? Value(Object{{"a", i}}) : Value(Object{{"late", "x"}}));
  }
  const auto out = describe(rows);
  EXPECT_EQ(out.at("sampled"), Value(true));
  EXPECT_EQ(out.at("sampledElements"), Value(1000));
  EXPECT_EQ(out.at("arrayLength"), Value(10'000));
  EXPECT_EQ(json::write(out.at("schema").at("items").at("properties").at("late")),
            R"({"type":"string","in":"100 of 1000"})");
  EXPECT_THAT(json::write(out.at("notes")), HasSubstr("1000 of 10000 elements were looked at"));
}

TEST(Describe, MarksWhatIsDeeper) {
  EXPECT_EQ(described(R"({"a":{"b":{"c":1}},"d":[[1]]})", {.max_depth = 1}),
            R"({"rootType":"object","keyCount":2,"schema":{"type":"object","properties":{)"
            R"("a":{"type":"object","keyCount":1,"deeper":true},)"
            R"("d":{"type":"array","length":1,"deeper":true}}},"sampled":false,)"
            R"("notes":["only 1 levels are shown; describe what is marked deeper on its own, with )"
            R"(its jsonPath"]})");
}

Value wide(int depth) {
  if (depth == 0) return Value("x");
  Object out;
  for (int i = 0; i < 12; ++i) out.emplace("some key " + std::to_string(i), wide(depth - 1));
  return out;
}

TEST(Describe, FitsIntoItsBytes) {
  const auto value = wide(4);
  for (const std::size_t bytes : {1, 1000, 1500, 4000, 16'000}) {
    const auto out = describe(value, {.max_bytes = bytes});
    EXPECT_LE(json::write(out).size(), std::max<std::size_t>(bytes, 1000));
    EXPECT_EQ(out.at("schema").at("type"), Value("object")) << bytes;
    EXPECT_NE(json::find(out, "notes"), nullptr);
  }
  const auto all = describe(value, {.max_bytes = 10'000'000});
  EXPECT_EQ(json::find(all, "notes"), nullptr);
}

TEST(Describe, SurvivesHostileValues) {
  Value deep(1);
  for (int i = 0; i < 900; ++i) deep = Array{deep, 1, 2};
  EXPECT_LE(json::write(describe(deep)).size(), 16'384U);
  Object long_keys;
  for (int i = 0; i < 100; ++i) long_keys.emplace(std::string(5000, 'k') + std::to_string(i), i);
  const auto out = describe(long_keys);
  EXPECT_EQ(json::write(out.at("schema")),
            R"({"type":"object","keyCount":100,"otherProperties":{"count":100,"type":"integer"}})");
  // Every element has keys of its own.
  Array maps;
  for (int i = 0; i < 2000; ++i) {
    Object map;
    for (int j = 0; j < 50; ++j) map.emplace(std::to_string(i * 50 + j), Array(50, Value(j)));
    maps.push_back(std::move(map));
  }
  EXPECT_LE(json::write(describe(maps)).size(), 16'384U);
}

}  // namespace
}  // namespace cairn::document
