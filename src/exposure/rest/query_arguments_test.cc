#include "exposure/rest/query_arguments.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/rest/route.h"
#include "tools/engine/all_tools.h"
#include "tools/executor/shape.h"

namespace cairn::rest {
namespace {

using testing::HasSubstr;

constexpr std::string_view kSchema = R"({"type": "object", "properties": {
  "limit": {"type": "integer"},
  "deep": {"type": "boolean"},
  "kinds": {"type": "array", "items": {"type": "string"}},
  "name": {"type": "string"},
  "any": {}
}})";

Result<json::Object> read(std::string_view query, json::Object arguments = {}) {
  TRY(add_query_arguments(arguments, *http::Query::parse(query), *json::parse(kSchema)));
  return arguments;
}

TEST(QueryArguments, BecomeWhatTheSchemaSaysTheyAre) {
  struct Case {
    std::string_view query, arguments;
  };
  const Case cases[] = {
      {"", "{}"},
      {"limit=5", R"({"limit":5})"},
      {"limit=-3", R"({"limit":-3})"},
      {"limit=9223372036854775807", R"({"limit":9223372036854775807})"},
      {"deep=true", R"({"deep":true})"},
      {"deep=1", R"({"deep":true})"},
      {"deep", R"({"deep":true})"},
      {"deep=false&limit=1", R"({"deep":false,"limit":1})"},
      {"deep=0", R"({"deep":false})"},
      {"kinds=a", R"({"kinds":["a"]})"},
      {"kinds=a,b,c", R"({"kinds":["a","b","c"]})"},
      {"kinds=a%20b,c+d", R"({"kinds":["a b","c d"]})"},
      {"name=5", R"({"name":"5"})"},
      {"name=true", R"({"name":"true"})"},
      {"name=a,b", R"({"name":"a,b"})"},
      {"name=", R"({"name":""})"},
      {"any=5", R"({"any":"5"})"},
      // For the schema to refuse.
      {"unknown=5", R"({"unknown":"5"})"},
  };
  for (const auto& c : cases) {
    const auto got = read(c.query);
    ASSERT_TRUE(got) << c.query << ": " << got.error().message;
    EXPECT_EQ(json::write(*got), c.arguments) << c.query;
  }
}

TEST(QueryArguments, AreRefusedByNameWhenTheyAreOfAnotherType) {
  struct Case {
    std::string_view query, message;
  };
  const Case cases[] = {
      {"limit=five", "'limit' is 'five'; it should be a whole number"},
      {"limit=", "'limit' is ''; it should be a whole number"},
      {"limit=1.5", "'limit' is '1.5'"},
      {"limit=1x", "'limit' is '1x'"},
      {"limit=%2B1", "'limit' is '+1'"},
      {"limit=9223372036854775808", "'limit' is '9223372036854775808'"},
      {"name=x&deep=yes", "'deep' is 'yes'; it should be true or false"},
      {"deep=TRUE", "'deep' is 'TRUE'"},
  };
  for (const auto& c : cases) {
    const auto got = read(c.query);
    ASSERT_FALSE(got) << c.query;
    EXPECT_EQ(got.error().code, Code::kInvalidArgument) << c.query;
    EXPECT_THAT(got.error().message, HasSubstr(std::string(c.message)));
  }
}

TEST(QueryArguments, DoNotSayAgainWhatThePathSays) {
  const auto got = read("limit=5", {{"limit", 5}});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Code::kInvalidArgument);
  EXPECT_THAT(got.error().message, HasSubstr("'limit' is in the path already"));
}

// A route without a JSON body has no other place for them.
TEST(QueryArguments, CanSayWhateverARouteNeeds) {
  const std::set<std::string_view> sayable{"string", "integer", "boolean", "array"};
  const auto table = all_tools();
  for (const auto& route : routes()) {
    const auto& tool = **table.find(route.tool);
    if (route.takes_json() && tool.body == Body::kArguments) continue;
    const auto& input = tool.input.as_object();
    for (const auto& [name, schema] : input.at("properties").as_object()) {
      const auto* type = json::find(schema.as_object(), "type");
      const auto said = type == nullptr ? "nothing" : json::text(*type);
      EXPECT_TRUE(sayable.contains(said)) << route.pattern << " " << std::string_view(name);
      if (said != "array") continue;
      const auto& items = schema.as_object().at("items").as_object();
      EXPECT_EQ(json::text(items.at("type")), "string")
          << route.pattern << " " << std::string_view(name);
    }
  }
}

}  // namespace
}  // namespace cairn::rest
