#include "data/json/document/find.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::document {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Error error_of(std::string_view document, std::string_view pointer) {
  const auto value = json::parse(document);
  const auto found = resolve(*value, *Pointer::parse(pointer));
  EXPECT_FALSE(found) << pointer;
  return found ? Error(Code::kInternal, "found") : found.error();
}

TEST(Resolve, FindsWhatThePointerLeadsTo) {
  const auto value = *json::parse(R"({"a":[{"b":7}],"":{"0":8},"x/y":9})");
  EXPECT_EQ(*resolve(value, {}), &value);
  EXPECT_EQ(**resolve(value, *Pointer::parse("/a/0/b")), Value(7));
  EXPECT_EQ(**resolve(value, *Pointer::parse("//0")), Value(8));
  EXPECT_EQ(**resolve(value, *Pointer::parse("/x~1y")), Value(9));
}

TEST(Resolve, SaysHowFarItCameAndWhatIsThere) {
  constexpr std::string_view kDocument =
      R"({"users":[{"name":"x","nmae2":1,"email":2}],"s":"text","e":{},"f":[]})";
  struct Case {
    std::string_view pointer;
    std::string_view message;
  };
  const Case cases[] = {
      {"/usres",
       "'/usres' does not exist in the document: the document is an object with 4 keys "
       "and has no key 'usres'; the nearest: 'users'"},
      {"/users/1/name",
       "'/users' is an array of 1 element and '1' leads to none; its indices are "
       "0 to 0"},
      {"/users/-", "'-' leads to none"},
      {"/users/00", "'00' leads to none"},
      {"/users/0/zzzzzz", "its keys are 'name', 'nmae2', 'email'"},
      {"/s/0", "'/s' is a string, which has nothing inside"},
      {"/e/x", "it has no keys"},
      {"/f/0", "it is empty"},
  };
  for (const auto& c : cases) {
    const auto error = error_of(kDocument, c.pointer);
    EXPECT_EQ(error.code, Code::kJsonPathNotFound);
    EXPECT_THAT(error.message, HasSubstr(c.message));
  }
}

TEST(Resolve, ListsTheNearestFirst) {
  const auto error =
      error_of(R"({"zzz":1,"nameee":1,"names":1,"name":1,"Nam":1,"nume":1,"nime":1})", "/nam");
  EXPECT_EQ(error.details.contains("nearest"), true);
  EXPECT_THAT(std::get<std::vector<std::string>>(error.details.at("nearest")),
              ElementsAre("Nam", "name"));
  EXPECT_FALSE(error_of(R"({"zzz":1})", "/a").details.contains("nearest"));
}

TEST(Resolve, ShowsHostileKeysAsText) {
  const auto error = error_of("{\"a\\u0000\\u001b[31m\":1}", "/a\x1b");
  EXPECT_EQ(error.message.find('\x1b'), std::string::npos);
  Object large;
  for (int i = 0; i < 50'000; ++i) large.emplace("key of some length " + std::to_string(i), i);
  large.emplace(std::string(5'000'000, 'k'), 1);
  EXPECT_LE(nearest_keys(large, "key of some length x").size(), 5U);
  EXPECT_TRUE(nearest_keys(large, std::string(100'000, 'k')).empty());
  EXPECT_LT(keys_hint(large, {}).size(), 1000U);
}

TEST(IndexOf, TakesDigitsOnly) {
  EXPECT_EQ(index_of("0"), 0);
  EXPECT_EQ(index_of("42"), 42);
  for (const auto* text : {"", "-", "-1", "-0", "+1", "01", "1x", " 1", "99999999999999999999"}) {
    EXPECT_EQ(index_of(text), -1) << text;
  }
}

}  // namespace
}  // namespace cairn::document
