#include "exposure/rest/endpoint_openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/rest/rest_world.h"

namespace cairn::rest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct EndpointOpenApiTest : testing::Test {
  json::Value document(std::string_view segment) {
    return endpoint_openapi(**world.engine().bound().open(made.key, Entrance::kRest), segment);
  }
  static std::vector<std::string> paths_of(const json::Value& document) {
    std::vector<std::string> out;
    for (const auto& [path, item] : document.at("paths").as_object()) out.emplace_back(path);
    return out;
  }

  RestWorld world;
  std::string depot = world.depot("orders", {{"hidden/orders.json", "[1]"}});
  RestWorld::Made made = world.endpoint(depot, "hidden/orders.json", {"query", "get_all"});
};

TEST_F(EndpointOpenApiTest, ShowsItsBindingsAndNothingElse) {
  world.endpoint(depot, "hidden/orders.json", {"create"});
  EXPECT_THAT(paths_of(document("-")), ElementsAre("/query", "/get_all"));
}

TEST_F(EndpointOpenApiTest, ShowsWhatIsBoundNow) {
  world.must(
      "bind_tools",
      {{"endpointId", made.id},
       {"bindings", json::Array{json::Object{{"tool", json::Object{{"operationType", "create"},
                                                                   {"depotId", depot},
                                                                   {"path", "hidden/orders.json"}}},
                                             {"toolName", "add_order"}}}}});
  EXPECT_THAT(paths_of(document("-")), ElementsAre("/query", "/get_all", "/add_order"));
}

TEST_F(EndpointOpenApiTest, DescribesEachAsAPostOfItsArguments) {
  const auto shown = document("-");
  const auto open = *world.engine().bound().open(made.key, Entrance::kRest);
  for (const auto* tool : open->offered()) {
    const auto& item = shown.at("paths").as_object().at("/" + tool->name).as_object();
    ASSERT_EQ(item.size(), 1U);
    const auto& post = item.at("post");
    EXPECT_EQ(json::text(post.at("operationId")), tool->name);
    EXPECT_EQ(post.at("requestBody").at("content").at("application/json").at("schema"),
              tool->input);
    EXPECT_EQ(post.at("responses").at("200").at("content").at("application/json").at("schema"),
              tool->output);
  }
  EXPECT_EQ(text_of(shown.at("info").as_object(), "title"), "orders");
  EXPECT_EQ(text_of(shown.at("info").as_object(), "description"), "What was ordered");
}

TEST_F(EndpointOpenApiTest, SaysNothingOfWhereTheDataLies) {
  const auto text = json::write(document("-"));
  EXPECT_THAT(text, Not(HasSubstr("hidden")));
  EXPECT_THAT(text, Not(HasSubstr(depot)));
  EXPECT_THAT(text, Not(HasSubstr(made.key)));
}

TEST_F(EndpointOpenApiTest, AsksForTheKeyUnlessItIsInTheAddress) {
  const auto by_header = document("-");
  EXPECT_EQ(json::write(by_header.at("security")), R"([{"key":[]}])");
  EXPECT_EQ(json::text(by_header.at("servers").at(0).at("url")), "/api/v2/rest/-");
  const auto by_path = document("cek_1");
  EXPECT_FALSE(by_path.as_object().contains("security"));
  EXPECT_EQ(json::text(by_path.at("servers").at(0).at("url")), "/api/v2/rest/cek_1");
}

}  // namespace
}  // namespace cairn::rest
