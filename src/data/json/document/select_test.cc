#include "data/json/document/select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::document {
namespace {

using json::Value;
using testing::HasSubstr;

constexpr std::string_view kPeople =
    R"([{"id":1,"name":"a","at":{"city":"x"}},{"id":2.0,"name":"b"},{"id":"1","name":null},7])";

std::string previewed(std::string_view text, const PreviewOptions& options) {
  const auto result = preview(*json::parse(text), options);
  return result ? json::write(*result) : result.error().render();
}

std::string selected(std::string_view text, std::string field, std::string_view keys,
                     std::size_t max = 100) {
  const auto result =
      select(*json::parse(text), {std::move(field), json::parse(keys)->get_array(), max});
  return result ? json::write(*result) : result.error().render();
}

TEST(Preview, ShowsTheFirst) {
  EXPECT_EQ(previewed("[1,2,3]", {.count = 2}), R"({"items":[1,2],"total":3,"shown":2})");
  EXPECT_EQ(previewed("[1,2,3]", {.count = 2, .offset = 2}),
            R"({"items":[3],"total":3,"shown":1,"offset":2})");
  EXPECT_EQ(previewed("[1,2,3]", {.offset = 9}), R"({"items":[],"total":3,"shown":0,"offset":9})");
  EXPECT_EQ(previewed(R"({"a":1,"b":2,"c":3})", {.count = 2, .offset = 1}),
            R"({"items":{"b":2,"c":3},"total":3,"shown":2,"offset":1})");
  EXPECT_EQ(previewed("[]", {.fields = {"a"}}), R"({"items":[],"total":0,"shown":0})");
}

TEST(Preview, ShowsSomeFields) {
  EXPECT_EQ(
      previewed(kPeople, {.fields = {"id", "/at/city", "nmae"}}),
      R"({"items":[{"id":1,"/at/city":"x"},{"id":2.0},{"id":"1"},7],"total":4,"shown":4,"missingFields":["nmae"]})");
  EXPECT_EQ(previewed(R"({"a":{"x":1,"y":2},"b":{"y":3}})", {.fields = {"x"}}),
            R"({"items":{"a":{"x":1},"b":{}},"total":2,"shown":2})");
}

TEST(Preview, RefusesWhatHasNoElements) {
  EXPECT_THAT(previewed("\"x\"", {}), HasSubstr("WRONG_JSON_TYPE: the value is a string; preview"));
  EXPECT_THAT(previewed("[1]", {.fields = {"/~"}}), HasSubstr("INVALID_ARGUMENT"));
}

TEST(Select, FindsElementsByTheirField) {
  EXPECT_EQ(
      selected(kPeople, "id", "[2,1,9]"),
      R"({"matches":[{"index":0,"value":{"id":1,"name":"a","at":{"city":"x"}}},{"index":1,"value":{"id":2.0,"name":"b"}}],"matched":2,"shown":2,"total":4,"missing":[9]})");
  EXPECT_EQ(
      selected(kPeople, "name", "[null]"),
      R"({"matches":[{"index":2,"value":{"id":"1","name":null}}],"matched":1,"shown":1,"total":4})");
  EXPECT_EQ(selected(kPeople, "/at/city", R"(["x"])", 0),
            R"({"matches":[],"matched":1,"shown":0,"total":4})");
  EXPECT_EQ(selected(R"({"p":{"t":"u"},"q":{"t":"v"}})", "t", R"(["v"])"),
            R"({"matches":[{"key":"q","value":{"t":"v"}}],"matched":1,"shown":1,"total":2})");
  EXPECT_EQ(selected("[]", "id", "[1]"),
            R"({"matches":[],"matched":0,"shown":0,"total":0,"missing":[1]})");
}

TEST(Select, NamesTheFieldsThereAre) {
  EXPECT_THAT(selected(kPeople, "nam", "[1]"),
              HasSubstr("KEY_NOT_FOUND: the value is an array of 4 elements, and none of its "
                        "elements has the field 'nam'; the nearest: 'name'"));
  EXPECT_THAT(selected("[1,2]", "a", "[1]"), HasSubstr("they have no keys"));
  EXPECT_THAT(selected("7", "a", "[1]"), HasSubstr("WRONG_JSON_TYPE"));
  EXPECT_THAT(selected(kPeople, "id", "[[1]]"),
              HasSubstr("INVALID_ARGUMENT: keys[0] is an array of 1 element; send a string"));
}

}  // namespace
}  // namespace cairn::document
