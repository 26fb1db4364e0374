#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

class JsonReadTest : public tools_testing::ToolTest {
 protected:
  JsonReadTest() {
    put_all({{"a.json", R"([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3}])"},
             {"n.json", "5"}});
  }
  json::Object arguments(json::Object more, std::string_view path = "a.json") {
    more["depotId"] = depot_;
    more["path"] = path;
    return more;
  }
};

TEST_F(JsonReadTest, AQueryGivesItsResultAndNullIsOne) {
  EXPECT_EQ(
      json::write(call("json_query", arguments({{"expression", "[?id > `1`].id"}})).at("result")),
      "[2,3]");
  const auto nothing = call("json_query", arguments({{"expression", "[0].nothing"}}));
  EXPECT_TRUE(nothing.at("result").is_null());
}

TEST_F(JsonReadTest, AnExpressionThatIsNoneIsRefusedWithThePlace) {
  const auto error = refused("json_query", arguments({{"expression", "[?id >"}}));
  EXPECT_EQ(error.code, Code::kInvalidQuery);
  EXPECT_FALSE(error.message.empty());
  EXPECT_THAT(refused("json_query", arguments({{"expression", "lenght(@)"}})),
              Says(Code::kInvalidQuery, "length"));
}

TEST_F(JsonReadTest, APreviewSaysHowManyThereAre) {
  const auto some = call("json_preview", arguments({{"limit", 1}, {"offset", 1}}));
  EXPECT_EQ(some.at("total"), 3);
  EXPECT_EQ(some.at("shown"), 1);
  EXPECT_EQ(some.at("offset"), 1);
  EXPECT_EQ(some.at("items").at(0).at("id"), 2);
  const auto past = call("json_preview", arguments({{"offset", 10}}));
  EXPECT_EQ(past.at("shown"), 0);
  EXPECT_EQ(past.at("total"), 3);
}

TEST_F(JsonReadTest, FieldsThatNoElementHasAreNamed) {
  const auto some = call("json_preview", arguments({{"keys", json::Array{"name", "nmae"}}}));
  EXPECT_EQ(json::write(some.at("missingFields")), R"(["nmae"])");
  EXPECT_EQ(json::write(some.at("items").at(0)), R"({"name":"a"})");
}

TEST_F(JsonReadTest, ASelectionNamesTheKeysThatNothingHas) {
  const auto found =
      call("json_select", arguments({{"field", "id"}, {"keys", json::Array{3, 1, 7}}}));
  EXPECT_EQ(found.at("matched"), 2);
  EXPECT_EQ(json::write(found.at("missing")), "[7]");
  const auto one =
      call("json_select", arguments({{"field", "id"}, {"keys", json::Array{1, 2}}, {"limit", 1}}));
  EXPECT_EQ(one.at("matched"), 2);
  EXPECT_EQ(one.at("shown"), 1);
}

TEST_F(JsonReadTest, WhatHasNoElementsIsSaidToHaveNone) {
  EXPECT_THAT(refused("json_preview", arguments({}, "n.json")),
              Says(Code::kWrongJsonType, "get_all"));
  EXPECT_EQ(
      refused("json_select", arguments({{"field", "id"}, {"keys", json::Array{1}}}, "n.json")).code,
      Code::kWrongJsonType);
  EXPECT_EQ(call("json_get_all", arguments({}, "n.json")).at("value"), 5);
}

TEST_F(JsonReadTest, TheShapeOfDataIsThatOfAllItsElements) {
  const auto seen = call("json_get_schema", arguments({}));
  EXPECT_EQ(text(seen, "rootType"), "array");
  EXPECT_EQ(seen.at("arrayLength"), 3);
  EXPECT_FALSE(is_true(seen, "sampled"));
  EXPECT_THAT(json::write(seen.at("schema")), HasSubstr("name"));
}

TEST_F(JsonReadTest, TheShapeOfDataWithManyKeysIsCutAndSaysSo) {
  json::Object wide;
  for (int i = 0; i < 5000; ++i) wide[fmt::format("key-number-{}", i)] = i;
  put("wide.json", json::write(wide));
  const auto seen = call("json_get_schema", arguments({}, "wide.json"));
  EXPECT_EQ(seen.at("keyCount"), 5000);
  EXPECT_LT(json::write(seen).size(), 20'000U);
  EXPECT_FALSE(seen.at("notes").get_array().empty());
}

TEST_F(JsonReadTest, EveryAnswerOfALargeDocumentIsBounded) {
  json::Array rows;
  for (int i = 0; i < 2000; ++i) {
    rows.emplace_back(json::Object{{"id", i}, {"text", std::string(100, '"')}});
  }
  put("large.json", json::write(rows));
  json::Array ids;
  for (int i = 0; i < 1000; ++i) ids.emplace_back(i);
  const std::pair<std::string_view, json::Object> calls[] = {
      {"json_query", {{"expression", "@"}}},
      {"json_preview", {{"limit", 1000}}},
      {"json_select", {{"field", "id"}, {"keys", ids}, {"limit", 1000}}},
      {"json_get_all", {{"maxBytes", 1 << 20}}},
  };
  for (const auto& [tool, more] : calls) {
    const auto answer = call(tool, arguments(more, "large.json"));
    EXPECT_TRUE(is_true(answer, "truncated")) << tool;
    EXPECT_FALSE(text(answer, "hint").empty()) << tool;
  }
}

}  // namespace
}  // namespace cairn
