#include "tools/executor/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn {
namespace {

class ArgumentsTest : public testing::Test {
 protected:
  json::Object object_ = json::parse(R"({
      "text": "a", "empty": "", "n": 7, "three": 3.0, "minus": -2, "huge": 1e300,
      "beyond": 18446744073709551615, "yes": true, "no": false, "null": null,
      "list": ["x", "y"], "none": []})")
                             .value()
                             .as_object();
  Arguments arguments_{object_};
};

TEST_F(ArgumentsTest, WhatIsAbsentIsEmptyZeroOrFalse) {
  EXPECT_FALSE(arguments_.has("absent"));
  EXPECT_EQ(arguments_.text("absent"), "");
  EXPECT_EQ(arguments_.maybe_text("absent"), std::nullopt);
  EXPECT_EQ(arguments_.number("absent"), 0);
  EXPECT_EQ(arguments_.number("absent", 5), 5);
  EXPECT_EQ(arguments_.maybe_number("absent"), std::nullopt);
  EXPECT_FALSE(arguments_.flag("absent"));
  EXPECT_EQ(arguments_.texts("absent"), std::nullopt);
}

TEST_F(ArgumentsTest, WhatIsThereIsGivenAsItIs) {
  EXPECT_EQ(arguments_.text("text"), "a");
  EXPECT_EQ(arguments_.maybe_text("empty"), "");
  EXPECT_EQ(arguments_.number("n", 5), 7);
  EXPECT_EQ(arguments_.number("minus"), -2);
  EXPECT_TRUE(arguments_.flag("yes"));
  EXPECT_FALSE(arguments_.flag("no"));
  EXPECT_THAT(*arguments_.texts("list"), testing::ElementsAre("x", "y"));
  EXPECT_THAT(*arguments_.texts("none"), testing::IsEmpty());
}

TEST_F(ArgumentsTest, NullIsThereAndHasNoValue) {
  EXPECT_TRUE(arguments_.has("null"));
  EXPECT_EQ(arguments_.maybe_text("null"), std::nullopt);
  EXPECT_EQ(arguments_.maybe_number("null"), std::nullopt);
  EXPECT_FALSE(arguments_.flag("null"));
}

TEST_F(ArgumentsTest, NumbersThatAreNoIntegersOfOursAreTheNearest) {
  EXPECT_EQ(arguments_.number("three"), 3);
  EXPECT_EQ(arguments_.number("huge"), INT64_MAX);
  EXPECT_EQ(arguments_.number("beyond"), INT64_MAX);
  const json::Object low{{"low", -1e300}};
  EXPECT_EQ(Arguments(low).number("low"), INT64_MIN);
}

}  // namespace
}  // namespace cairn
