#include "exposure/rest/openapi.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/ascii.h"
#include "exposure/http/uri.h"
#include "exposure/rest/rest_world.h"
#include "tools/engine/all_tools.h"

namespace cairn::rest {
namespace {

// `/a/{b}/c` → `/a/{}/c`: what a parameter is called makes no other path.
std::string shape_of(std::string_view path) {
  std::string out;
  const auto segments = *http::split_path(path);
  for (const auto& segment : segments) {
    out += segment.starts_with('{') ? "/{}" : "/" + segment;
  }
  return out;
}

struct OpenApiTest : testing::Test {
  // `get /a/{}` with what the document says of it.
  std::map<std::string, json::Object> operations() const {
    std::map<std::string, json::Object> out;
    for (const auto& [path, item] : document.at("paths").as_object()) {
      for (const auto& [method, operation] : item.as_object()) {
        out[fmt::format("{} {}", std::string_view(method), shape_of(path))] = operation.as_object();
      }
    }
    return out;
  }

  ToolTable table = all_tools();
  json::Value document = openapi(table, "1.2.3");
};

TEST_F(OpenApiTest, ListsEveryRouteAndNothingElse) {
  std::set<std::string> served{"get /healthz",           "get /readyz",
                               "get /api/info",          "get /api/openapi.json",
                               "post /api/auth/refresh", "post /api/auth/login",
                               "get /api/realm/{}/tools"};
  for (const auto& route : routes()) {
    served.insert(fmt::format("{} {}", lowered(http::name(route.method)), shape_of(route.pattern)));
  }
  for (const auto& tool : table.tools()) {
    if (tool.body == Body::kArguments) served.insert("post /api/realm/{}/tools/" + tool.name);
  }
  std::set<std::string> listed;
  for (const auto& [request, operation] : operations()) listed.insert(request);
  EXPECT_EQ(listed, served);
}

// OpenAPI 3.1, Paths Object: such paths are identical, and must not both be there.
TEST_F(OpenApiTest, HasNoPathsThatDifferInTheNamesOfParametersOnly) {
  std::map<std::string, std::string> seen;
  for (const auto& [path, item] : document.at("paths").as_object()) {
    const auto [at, is_new] = seen.emplace(shape_of(path), path);
    EXPECT_TRUE(is_new) << at->second << " and " << std::string_view(path);
  }
}

TEST_F(OpenApiTest, DeclaresTheParametersOfEachPath) {
  for (const auto& [path, item] : document.at("paths").as_object()) {
    std::set<std::string> in_path;
    const auto segments = *http::split_path(path);
    for (const auto& segment : segments) {
      if (segment.starts_with('{')) in_path.insert(segment.substr(1, segment.size() - 2));
    }
    for (const auto& [method, operation] : item.as_object()) {
      std::set<std::string> declared;
      if (const auto* parameters = json::find(operation.as_object(), "parameters")) {
        for (const auto& parameter : parameters->as_array()) {
          if (json::text(parameter.at("in")) != "path") continue;
          EXPECT_TRUE(parameter.at("required").as_bool());
          declared.insert(text_of(parameter.as_object(), "name"));
        }
      }
      EXPECT_EQ(declared, in_path) << std::string_view(method) << " " << std::string_view(path);
    }
  }
}

TEST_F(OpenApiTest, CallsNoTwoOperationsTheSame) {
  std::set<std::string> ids;
  for (const auto& [request, operation] : operations()) {
    EXPECT_TRUE(ids.insert(text_of(operation, "operationId")).second) << request;
  }
}

TEST_F(OpenApiTest, PutsEachArgumentInOnePlace) {
  const auto all = operations();
  for (const auto& route : routes()) {
    const auto& tool = **table.find(route.tool);
    const auto& operation =
        all.at(fmt::format("{} {}", lowered(http::name(route.method)), shape_of(route.pattern)));
    std::size_t places = 0;
    if (const auto* parameters = json::find(operation, "parameters")) {
      for (const auto& parameter : parameters->as_array()) {
        const auto name = json::text(parameter.at("name"));
        places += name != "realm" && !name.starts_with("If-") ? 1 : 0;
      }
    }
    const auto* body = json::find(operation, "requestBody");
    const auto* as_json =
        body == nullptr ? nullptr : json::find(body->at("content").as_object(), "application/json");
    if (as_json != nullptr) places += as_json->at("schema").at("properties").as_object().size();
    EXPECT_EQ(places, tool.input.at("properties").as_object().size()) << route.pattern;
    EXPECT_EQ(body != nullptr && as_json == nullptr, tool.body != Body::kArguments)
        << route.pattern;
  }
}

TEST_F(OpenApiTest, NamesEveryCodeOfAnError) {
  const auto& listed =
      document.at("components").at("schemas").at("Error").at("properties").at("error").at("enum");
  ASSERT_EQ(listed.as_array().size(), all_codes().size());
  for (std::size_t i = 0; i < all_codes().size(); ++i) {
    EXPECT_EQ(json::text(listed.at(i)), all_codes()[i].name);
  }
}

// What needs no token says so, and what says so needs none.
TEST_F(OpenApiTest, SaysTruthfullyWhatNeedsAToken) {
  RestWorld world;
  for (const auto& [request, operation] : operations()) {
    const bool open = operation.contains("security");
    std::string target = request.substr(request.find(' ') + 1);
    for (auto at = target.find("{}"); at != std::string::npos; at = target.find("{}")) {
      target.replace(at, 2, "some");
    }
    const auto verb = request.substr(0, request.find(' '));
    using enum http::Method;
    const auto method = verb == "get"     ? kGet
                        : verb == "post"  ? kPost
                        : verb == "put"   ? kPut
                        : verb == "patch" ? kPatch
                                          : kDelete;
    const auto plan = world.plan(world.rest, {.method = method, .target = target, .body = "{}"});
    const auto* answer = std::get_if<http::Response>(&plan);
    EXPECT_EQ(answer != nullptr && answer->status == 401, !open) << request;
  }
}

TEST_F(OpenApiTest, DescribesEachToolOnce) {
  const auto described = describe_tools(table);
  const auto& tools = described.at("tools").as_array();
  ASSERT_EQ(tools.size(), table.tools().size());
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const auto& tool = table.tools()[i];
    EXPECT_EQ(text_of(tools[i].as_object(), "name"), tool.name);
    EXPECT_EQ(text_of(tools[i].as_object(), "right"), name(tool.right));
    EXPECT_EQ(tools[i].at("inputSchema"), tool.input);
    EXPECT_EQ(tools[i].at("annotations").at("readOnlyHint").as_bool(), tool.annotations.read_only);
  }
}

}  // namespace
}  // namespace cairn::rest
