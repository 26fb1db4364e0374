#include "tools/executor/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/json/schema.h"

namespace cairn {
namespace {

bool takes(const json::Value& shape, std::string_view value) {
  return json::Schema::compile(shape).value().check(json::parse(value).value()).has_value();
}

TEST(ShapeTest, AnObjectTakesWhatItNamesAndNothingElse) {
  const auto shape = shape::object(
      {{"path", shape::text("x")}, {"limit", shape::integer("y", 1, 10), shape::kOptional}});
  EXPECT_TRUE(takes(shape, R"({"path": "a"})"));
  EXPECT_TRUE(takes(shape, R"({"path": "a", "limit": 10})"));
  EXPECT_FALSE(takes(shape, R"({"limit": 1})"));
  EXPECT_FALSE(takes(shape, R"({"path": "a", "limt": 1})"));
  EXPECT_FALSE(takes(shape, "[]"));
}

TEST(ShapeTest, AMisspeltMemberIsToldTheRightOne) {
  const auto shape = shape::object({{"recursive", shape::flag(), shape::kOptional}});
  const auto wrong =
      json::Schema::compile(shape).value().check(json::parse(R"({"recursiv": true})").value());
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, testing::HasSubstr("'recursive'"));
}

TEST(ShapeTest, NumbersHaveTheirEndsIncluded) {
  const auto shape = shape::integer("", 1, 3);
  for (const auto* good : {"1", "3", "2.0"}) EXPECT_TRUE(takes(shape, good)) << good;
  for (const auto* bad : {"0", "4", "1.5", "\"2\"", "null"}) EXPECT_FALSE(takes(shape, bad)) << bad;
  EXPECT_FALSE(takes(shape::integer(), "-1"));
  EXPECT_TRUE(takes(shape::integer(), "9223372036854775807"));
}

TEST(ShapeTest, TextsAndListsHaveAMost) {
  EXPECT_TRUE(takes(shape::text("", 3), "\"abc\""));
  EXPECT_FALSE(takes(shape::text("", 3), "\"abcd\""));
  EXPECT_TRUE(takes(shape::list_of(shape::flag(), "", 2), "[true, false]"));
  EXPECT_FALSE(takes(shape::list_of(shape::flag(), "", 2), "[true, false, true]"));
  EXPECT_FALSE(takes(shape::list_of(shape::flag()), "[1]"));
}

TEST(ShapeTest, AChoiceIsOneOfItsTexts) {
  const auto shape = shape::choice({"file", "dir"});
  EXPECT_TRUE(takes(shape, "\"dir\""));
  EXPECT_FALSE(takes(shape, "\"link\""));
}

TEST(ShapeTest, AMapHasOneShapeForAllItsMembers) {
  const auto shape = shape::map_of(shape::integer());
  EXPECT_TRUE(takes(shape, R"({"a": 1, "any name": 2})"));
  EXPECT_FALSE(takes(shape, R"({"a": "1"})"));
}

TEST(ShapeTest, NullIsTakenWhereItIsSaidToBe) {
  EXPECT_FALSE(takes(shape::text(), "null"));
  EXPECT_TRUE(takes(shape::nullable(shape::text()), "null"));
  EXPECT_TRUE(takes(shape::nullable(shape::text()), "\"a\""));
  EXPECT_FALSE(takes(shape::nullable(shape::text()), "1"));
}

TEST(ShapeTest, AnyJsonIsEveryKindOfValue) {
  for (const auto* value : {"{}", "[]", "\"\"", "1", "1.5", "true", "null"}) {
    EXPECT_TRUE(takes(shape::any_json(), value)) << value;
    EXPECT_TRUE(takes(shape::anything(), value)) << value;
  }
  EXPECT_FALSE(takes(shape::any_of({"string", "number"}), "true"));
}

TEST(ShapeTest, ASchemaSaysWhatItRequires) {
  const auto shape =
      shape::object({{"a", shape::flag()}, {"b", shape::flag(), shape::kOptional}}).as_object();
  EXPECT_TRUE(shape::is_required(shape, "a"));
  EXPECT_FALSE(shape::is_required(shape, "b"));
  EXPECT_FALSE(shape::is_required(shape::object({}).as_object(), "a"));
}

}  // namespace
}  // namespace cairn
