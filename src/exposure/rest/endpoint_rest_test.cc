#include "exposure/rest/endpoint_rest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/http/uri.h"
#include "exposure/rest/rest_world.h"

namespace cairn::rest {
namespace {

using enum http::Method;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct EndpointRestTest : testing::Test {
  Answered ask(const Asked& asked) { return world.ask(world.endpoints, asked); }
  Answered call(std::string_view tool, std::string body) {
    return ask(
        {.method = kPost, .target = fmt::format("{}/{}", here, tool), .body = std::move(body)});
  }
  Answered trusted(http::Method method, std::string target, std::string body = "") {
    Asked asked{
        .method = method, .target = std::move(target), .token = std::string(RestWorld::kSecret)};
    if (method == kPost) asked.body = std::move(body);
    return world.ask(world.internal, asked);
  }

  RestWorld world;
  std::string depot = world.depot("orders", {{"hidden/orders.json", R"(["tea", "coffee"])"}});
  RestWorld::Made made = world.endpoint(depot, "hidden/orders.json", {"get_all", "create"});
  std::string here = "/api/v2/rest/" + made.key;
};

TEST_F(EndpointRestTest, KnowsItsPaths) {
  EXPECT_TRUE(EndpointRest::is_here("/api/v2/rest/cek_1"));
  EXPECT_TRUE(EndpointRest::is_here("/api/v2/rest/"));
  EXPECT_FALSE(EndpointRest::is_here("/api/v2/rest"));
  EXPECT_FALSE(EndpointRest::is_here("/api/rest/cek_1"));
}

TEST_F(EndpointRestTest, SaysWhatItIsAndWhichToolsItHas) {
  for (const auto& asked :
       {Asked{.target = here}, Asked{.target = "/api/v2/rest/-", .token = made.key},
        Asked{.method = kHead, .target = here}}) {
    const auto answer = ask(asked);
    ASSERT_EQ(answer.status, 200) << answer.body;
    std::vector<std::string> tools;
    for (const auto& tool : answer.value.at("tools").as_array()) {
      tools.push_back(text_of(tool.as_object(), "name"));
    }
    EXPECT_THAT(tools, ElementsAre("get_all", "create"));
    EXPECT_EQ(text_of(answer.value.as_object(), "name"), "orders");
    EXPECT_EQ(answer.header("Cache-Control"), "no-store");
    for (const auto& hidden : {made.key, depot, std::string("hidden")}) {
      EXPECT_THAT(answer.body, Not(HasSubstr(hidden)));
    }
  }
}

TEST_F(EndpointRestTest, CallsATool) {
  const auto added = call("create", R"({"items": ["milk"]})");
  EXPECT_EQ(added.status, 200) << added.body;
  EXPECT_EQ(added.response.log_tool, "create");
  EXPECT_EQ(added.response.log_who, made.id);
  const auto all = ask({.method = kPost, .target = "/api/v2/rest/-/get_all", .token = made.key});
  EXPECT_EQ(all.status, 200) << all.body;
  EXPECT_THAT(all.body, HasSubstr(R"(["tea","coffee","milk"])"));
}

TEST_F(EndpointRestTest, RefusesWhatItDoesNotHave) {
  struct Case {
    Asked asked;
    std::string_view code, allow;
  };
  const Case cases[] = {
      {{.method = kPost, .target = here}, "METHOD_NOT_ALLOWED", "GET, HEAD"},
      {{.target = here + "/get_all"}, "METHOD_NOT_ALLOWED", "POST"},
      {{.method = kPost, .target = here + "/query"}, "TOOL_NOT_FOUND", ""},
      {{.target = here + "/query"}, "TOOL_NOT_FOUND", ""},
      {{.method = kPost, .target = here + "/openapi.json"}, "TOOL_NOT_FOUND", ""},
      {{.target = here + "/"}, "TOOL_NOT_FOUND", ""},
      {{.method = kPost, .target = here + "/get_all/more"}, "NOT_FOUND", ""},
      {{.target = "/api/v2/rest/"}, "ENDPOINT_NOT_FOUND", ""},
      {{.target = "/api/v2/rest/nonsense"}, "ENDPOINT_NOT_FOUND", ""},
      {{.target = "/api/v2/rest/-"}, "INVALID_TOKEN", ""},
      {{.target = "/api/v2/rest/-", .token = world.owner}, "ENDPOINT_NOT_FOUND", ""},
      {{.target = "/api/v2/rest/" + http::percent_encode(world.owner)}, "ENDPOINT_NOT_FOUND", ""},
      {{.method = kPost, .target = here + "/get_all", .body = "{}", .type = "text/plain"},
       "UNSUPPORTED_MEDIA_TYPE",
       ""},
      {{.method = kPost, .target = here + "/get_all", .body = "[]"}, "INVALID_JSON", ""},
      {{.method = kPost, .target = here + "/get_all", .body = R"({"path": "x"})"},
       "INVALID_ARGUMENT",
       ""},
  };
  for (const auto& c : cases) {
    const auto answer = ask(c.asked);
    EXPECT_EQ(answer.code, c.code) << c.asked.target << answer.body;
    EXPECT_EQ(answer.header("Allow"), c.allow) << c.asked.target;
  }
}

TEST_F(EndpointRestTest, NeverSaysAKeyThatWasUsedInAWrongPlace) {
  const auto other = world.endpoint(depot, "hidden/orders.json", {"query"}).key;
  auto wrong = other;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  const Asked cases[] = {
      {.target = here + "/" + other},
      {.method = kPost, .target = here + "/" + other, .body = "{}"},
      {.target = "/api/v2/rest/-/" + other, .token = made.key},
      {.target = "/api/v2/rest//" + other},
      {.target = "/api/v2/rest/x/" + other + "/y"},
      {.target = "/api/v2/rest/" + wrong + "/get_all"},
      {.target = "/api/v2/rest/-/get_all", .token = wrong},
      {.target = "/api/v2/rest/-?key=" + other},
      {.method = kPost, .target = here + "/get_all?key=" + other, .body = "[]"},
  };
  for (const auto& asked : cases) {
    const auto answer = ask(asked);
    EXPECT_GE(answer.status, 400) << asked.target;
    EXPECT_THAT(answer.body, Not(HasSubstr(other.substr(4, 40)))) << asked.target;
    EXPECT_THAT(answer.response.log_tool, Not(HasSubstr(other.substr(4, 40)))) << asked.target;
    for (const auto& [name, value] : answer.response.headers) {
      EXPECT_THAT(value, Not(HasSubstr(other.substr(4, 40)))) << asked.target << name;
    }
  }
}

TEST_F(EndpointRestTest, WantsNoLongerBodyThanAnyOtherSurface) {
  const auto plan =
      world.plan(world.endpoints, {.method = kPost, .target = here + "/create", .body = "{}"});
  EXPECT_EQ(std::get<http::WantBody>(plan).max_bytes, kMaxBodyBytes);
}

TEST_F(EndpointRestTest, AKeyThatWasTakenAwayWhileTheBodyCameOpensNothing) {
  auto plan = world.plan(world.endpoints, {.method = kPost, .target = here + "/get_all"});
  world.must("update_endpoint", {{"endpointId", made.id}, {"status", "disabled"}});
  const Answered answer(http::carry_out(std::move(plan), "{}"));
  EXPECT_EQ(answer.code, "ENDPOINT_NOT_FOUND");
  EXPECT_EQ(ask({.target = here}).code, "ENDPOINT_NOT_FOUND");
}

TEST_F(EndpointRestTest, AKeyThatWasReplacedOpensNothing) {
  const auto rotated = world.must("rotate_endpoint_key", {{"endpointId", made.id}});
  EXPECT_EQ(ask({.target = here}).code, "ENDPOINT_NOT_FOUND");
  EXPECT_EQ(ask({.target = "/api/v2/rest/" + text_of(rotated, "apiKey")}).status, 200);
}

TEST_F(EndpointRestTest, AKeyIsGoodUntilItExpires) {
  world.must("update_endpoint", {{"endpointId", made.id}, {"expiresIn", 60}});
  world.clock.advance(std::chrono::seconds(59));
  EXPECT_EQ(ask({.target = here}).status, 200);
  world.clock.advance(std::chrono::seconds(2));
  EXPECT_EQ(ask({.target = here}).code, "ENDPOINT_NOT_FOUND");
}

TEST_F(EndpointRestTest, ServesItsOpenApi) {
  const auto by_path = ask({.target = here + "/openapi.json"});
  EXPECT_EQ(by_path.header("Cache-Control"), "no-store");
  EXPECT_EQ(json::text(by_path.value.at("servers").at(0).at("url")), here);
  EXPECT_EQ(by_path.value.at("paths").as_object().size(), 2U);
  const auto by_header = ask({.target = "/api/v2/rest/-/openapi.json", .token = made.key});
  EXPECT_THAT(by_header.body, Not(HasSubstr(made.key)));
}

TEST_F(EndpointRestTest, FrontEndsNeedTheSecret) {
  const auto config = "/internal/aei/mcp/" + made.key + "/config";
  for (const auto& token : {std::string(), world.owner, made.key, std::string("a secret"),
                            std::string(RestWorld::kSecret) + "s"}) {
    const auto answer = world.ask(world.internal, {.target = config, .token = token});
    EXPECT_EQ(answer.code, "INVALID_TOKEN") << token;
    EXPECT_THAT(answer.body, Not(HasSubstr(std::string(RestWorld::kSecret))));
    EXPECT_THAT(answer.body, Not(HasSubstr(made.key)));
  }
  EXPECT_EQ(trusted(kGet, config).status, 200);
}

TEST_F(EndpointRestTest, FrontEndsAreToldWhatEachToolStandsFor) {
  const auto answer = trusted(kGet, "/internal/aei/mcp/" + made.key + "/config");
  EXPECT_EQ(answer.header("Cache-Control"), "no-store");
  EXPECT_EQ(text_of(answer.value.at("aei").as_object(), "id"), made.id);
  EXPECT_EQ(text_of(answer.value.at("aei").as_object(), "status"), "active");
  const auto& bindings = answer.value.at("bindings").as_array();
  ASSERT_EQ(bindings.size(), 2U);
  EXPECT_EQ(text_of(bindings[0].as_object(), "tool_name"), "get_all");
  const auto& reference = bindings[0].at("adi_ref").as_object();
  EXPECT_EQ(text_of(reference, "operation_type"), "get_all");
  EXPECT_EQ(text_of(reference, "depot_id"), depot);
  EXPECT_EQ(text_of(reference, "path"), "hidden/orders.json");
  const auto table = text_of(reference, "table_id");
  EXPECT_THAT(table, testing::MatchesRegex("tbl_[0-9A-Z]{26}"));
  EXPECT_EQ(text_of(bindings[1].at("adi_ref").as_object(), "table_id"), table);
}

TEST_F(EndpointRestTest, FrontEndsOfOldAreToldOfAKeyAndItsOneContext) {
  const auto old = world.ask(
      {.method = kPost,
       .target = "/api/realm/me/mcp-instances",
       .token = world.owner,
       .body = json::write(json::Object{{"depotId", depot}, {"path", "hidden/orders.json"}}),
       .type = "application/json"});
  ASSERT_EQ(old.status, 200) << old.body;
  const auto key = text_of(old.value.as_object(), "apiKey");
  const auto address = "/internal/mcp-instance/" + key;
  for (const auto& target : {address, address + "/config"}) {
    const auto answer = trusted(kGet, target);
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.header("Cache-Control"), "no-store");
    const auto& instance = answer.value.as_object();
    EXPECT_EQ(text_of(instance, "api_key"), key);
    EXPECT_EQ(text_of(instance, "status"), "active");
    EXPECT_EQ(text_of(instance, "json_path"), "");
    EXPECT_EQ(text_of(instance, "path"), "hidden/orders.json");
    EXPECT_THAT(text_of(instance, "table_id"), testing::StartsWith("tbl_"));
    EXPECT_GT(instance.at("tools").as_array().size(), 5U);
  }
  EXPECT_NE(trusted(kGet, "/internal/mcp-instance/cek_0123").status, 200);
  // One with bindings of its own is not a key and a context.
  const auto other = trusted(kGet, "/internal/mcp-instance/" + made.key);
  EXPECT_EQ(other.status, 404);
  EXPECT_THAT(other.message(), HasSubstr("/internal/aei/mcp/{key}/config"));
}

TEST_F(EndpointRestTest, FrontEndsRunATool) {
  const auto config = trusted(kGet, "/internal/aei/mcp/" + made.key + "/config");
  const auto& binding = config.value.at("bindings").at(0);
  const auto tool = text_of(binding.at("adi_ref").as_object(), "id");
  const auto run = "/internal/adi/" + tool + "/execute";
  EXPECT_THAT(trusted(kPost, run).body, HasSubstr(R"(["tea","coffee"])"));
  const auto bound = trusted(
      kPost, run, json::write(json::Object{{"binding_id", text_of(binding.as_object(), "id")}}));
  EXPECT_EQ(bound.status, 200) << bound.body;
  struct Case {
    std::string body;
    std::string_view message;
  };
  for (const auto& c :
       {Case{R"({"args": {}})", "'args' is not known"}, Case{R"({"arguments": []})", "'arguments'"},
        Case{R"({"binding_id": 7})", "'binding_id'"}}) {
    const auto answer = trusted(kPost, run, c.body);
    EXPECT_EQ(answer.code, "INVALID_ARGUMENT") << c.body;
    EXPECT_THAT(answer.message(), HasSubstr(std::string(c.message)));
  }
}

TEST_F(EndpointRestTest, FrontEndsFindNothingElse) {
  EXPECT_EQ(trusted(kPost, "/internal/aei/mcp/" + made.key + "/config").header("Allow"),
            "GET, HEAD");
  EXPECT_EQ(trusted(kGet, "/internal/adi/adi_1/execute").header("Allow"), "POST");
  EXPECT_EQ(trusted(kPost, "/internal/adi/nonsense/execute").status, 400);
  EXPECT_EQ(trusted(kGet, "/internal/aei/mcp/nonsense/config").code, "ENDPOINT_NOT_FOUND");
  for (const auto& target : {std::string("/api/realm/me"), "/internal/aei/" + made.key}) {
    const auto answer = trusted(kGet, target);
    EXPECT_EQ(answer.code, "NOT_FOUND") << target;
    EXPECT_THAT(answer.body, Not(HasSubstr(made.key))) << target;
  }
}

}  // namespace
}  // namespace cairn::rest
