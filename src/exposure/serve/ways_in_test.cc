// Which handler a request reaches, who is let in where, and what a log may show of a path.
#include "exposure/serve/ways_in.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/http/fake_request.h"
#include "exposure/http/uri.h"
#include "exposure/serve/server_file.h"
#include "tools/engine/engine.h"

namespace cairn {
namespace {

using enum http::Method;
using testing::HasSubstr;
using testing::Not;

TEST(WithoutKeys, LeavesOutWhatMayBeAKey) {
  struct Case {
    std::string_view path, shown;
  };
  const Case cases[] = {
      {"", ""},
      {"/", "/"},
      {"*", "*"},
      {"/api/realm/me/depots", "/api/realm/me/depots"},
      {"/api/realm/me/nodes/fs/dpt_1%2Fsrc/ls", "/api/realm/me/nodes/fs/dpt_1/src/ls"},
      {"/api/mcp/server/cek_0123", "/api/mcp/server/(key)"},
      {"/api/v2/mcp/server/cek_0123", "/api/v2/mcp/server/(key)"},
      {"/api/v2/mcp/server/another%2Fkind", "/api/v2/mcp/server/(key)"},
      {"/api/v2/rest/cek_0123/query", "/api/v2/rest/(key)/query"},
      {"/api/v2/rest/a-token/query", "/api/v2/rest/(key)/query"},
      {"/api/v2/%72est/a-token/query", "/api/v2/rest/(key)/query"},
      {"/api/v2/rest/-/query", "/api/v2/rest/-/query"},
      {"/api/v2/rest/-/cek_0123", "/api/v2/rest/-/(key)"},
      {"/api/v2/rest/cek_0123/cek_0123", "/api/v2/rest/(key)/(key)"},
      {"/api/v2/rest/cek_0123/%63ek_0123", "/api/v2/rest/(key)/(key)"},
      {"/api/v2/rest//cek_0123", "/api/v2/rest/(key)/(key)"},
      {"/internal/aei/mcp/cek_0123/config", "/internal/aei/mcp/(key)/config"},
      {"/internal/mcp-instance/cek_0123/config", "/internal/mcp-instance/(key)/config"},
      {"/mistyped/cek_0123/query", "/mistyped/(key)/query"},
      {"/mistyped/%63ek_0123", "/mistyped/(key)"},
      {"/%zz/cek_0123", "(not understood)"},
  };
  for (const auto& c : cases) EXPECT_EQ(without_keys(c.path), c.shown) << c.path;
}

TEST(IsEndpointMcp, KnowsItsAddresses) {
  for (const auto* path : {"/api/v2/mcp", "/api/v2/mcp/server/cek_1", "/api/mcp/server/cek_1"}) {
    EXPECT_TRUE(is_endpoint_mcp(path)) << path;
  }
  for (const auto* path : {"/mcp", "/api/mcp", "/api/v2/mcp/", "/api/v2/mcp/serverx", "/api/v2"}) {
    EXPECT_FALSE(is_endpoint_mcp(path)) << path;
  }
}

struct WaysInTest : testing::Test {
  WaysInTest() {
    token = made("update_user", {{"userId", "owner"}, {"newToken", true}}, "accessToken");
    depot = made("create_depot", {{"title", "d"}}, "depotId");
    const auto written =
        made("fs_write", {{"nodeKey", depot}, {"path", "a.json"}, {"content", "[1]"}}, "newRoot");
    made("depot_commit", {{"depotId", depot}, {"root", written}}, "root");
  }

  std::string made(std::string_view tool, const json::Object& arguments, std::string_view member) {
    auto& executor = engine->executor();
    const auto owner = *executor.trusted(engine->owner(), Entrance::kRest);
    const auto reply = executor.run(owner, tool, json::Value(arguments));
    return std::string(json::text(reply.value().value.as_object().at(member)));
  }
  std::string key_of_version_2() {
    const json::Object tool{{"operationType", "get_all"}, {"depotId", depot}, {"path", "a.json"}};
    const json::Array bindings{json::Object{{"tool", tool}, {"toolName", "all"}}};
    return made("create_endpoint", {{"name", "e"}, {"bindings", bindings}}, "apiKey");
  }
  std::string key_of_version_1() {
    return made("create_mcp_instance", {{"depotId", depot}, {"path", "a.json"}, {"name", "e"}},
                "apiKey");
  }
  WaysIn::Parts parts() {
    return {engine->executor(), agent,         mcp,   engine->bound(), engine->workspaces(),
            *directories,       workspace_mcp, clock, random};
  }
  // The status of what is said before a body is read; 0: it is read.
  int status(WaysIn& ways, const http::FakeRequest& request) {
    const auto plan = ways.begin(request);
    const auto* answer = std::get_if<http::Response>(&plan);
    return answer == nullptr ? 0 : answer->status;
  }
  // Of a POST of JSON to MCP, with a token unless it is empty.
  int posted(WaysIn& ways, std::string target, std::string bearer, http::Headers more = {}) {
    http::Headers headers{{"host", "localhost:8765"}, {"content-type", "application/json"}};
    if (!bearer.empty()) headers["authorization"] = "Bearer " + bearer;
    for (auto& [name, value] : more) headers[name] = value;
    const http::FakeRequest request(kPost, std::move(target), std::move(headers), 2);
    return status(ways, request);
  }

  ManualClock clock;
  SeededRandom random{1};
  NoMeter meter;
  std::unique_ptr<Engine> engine = std::move(*Engine::in_memory(clock, random, meter));
  std::unique_ptr<work::ServedDirectories> directories = std::move(*work::ServedDirectories::open(
      engine->executor(), {{"root", std::filesystem::current_path().string()}}, random));
  agent::AgentService agent{engine->executor(), agent::AgentOptions{.version = "1"}};
  mcp::Server mcp{agent, clock, random};
  std::unique_ptr<agent::ToolService> workspaces = agent::workspace_service("1");
  mcp::Server workspace_mcp{*workspaces, clock, random};
  std::string token;
  std::string depot;
};

TEST_F(WaysInTest, LetsEachInWithItsOwnKindOfSecretOnly) {
  WaysIn ways(parts(), {.version = "1"}, mcp::HostRule::kLoopback);
  const auto key = key_of_version_2();
  const auto old = key_of_version_1();
  struct Case {
    std::string target, bearer;
    int status;
  };
  const Case cases[] = {
      {"/mcp", token, 0},
      {"/api/mcp", token, 0},
      {"/mcp", "", 401},
      {"/mcp", key, 401},
      {"/mcp/workspaces/" + depot, token, 0},
      {"/mcp/workspaces/" + depot, "", 401},
      {"/mcp/workspaces/dpt_00000000000000000000000000", token, 404},
      {"/mcp/directories/root", token, 0},
      {"/mcp/directories/root", "", 401},
      {"/mcp/directories/root", key, 401},
      {"/mcp/directories/none", token, 404},
      {"/mcp/directories/%2e%2e", token, 404},
      {"/mcp/directories/", token, 404},
      {"/mcp?toolsets=filesystem", token, 400},
      {"/api/v2/mcp", key, 0},
      {"/api/v2/mcp", token, 404},
      {"/api/v2/mcp", "", 401},
      {"/api/v2/mcp/server/" + key, "", 0},
      {"/api/v2/mcp/server/" + key + "/more", "", 404},
      {"/api/v2/mcp/server/" + token, "", 404},
      {"/api/mcp/server/" + key, "", 404},
      {"/api/mcp/server/" + old, "", 0},
      {"/api/v2/mcp/server/" + old, "", 404},
      {"/api/v2/rest/" + key + "/all", "", 0},
      {"/api/v2/rest/" + http::percent_encode(token) + "/all", "", 404},
      {"/api/realm/me/tools/get_usage", token, 0},
      {"/api/realm/me/tools/get_usage", key, 401},
      {"/nothing", token, 404},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(posted(ways, c.target, c.bearer), c.status)
        << without_keys(c.target) << (c.bearer == key ? " with a key" : "");
  }
  ways.stopping();
}

TEST_F(WaysInTest, TakesWhoeverComesOverTheSocketForTheOwnerUnlessThereIsAToken) {
  WaysIn ways(parts(), {.version = "1"}, mcp::HostRule::kLoopback);
  struct Case {
    std::string target, bearer;
    int status;
  };
  const Case cases[] = {
      {"/mcp", "", 0},
      {"/mcp/workspaces/" + depot, "", 0},
      {"/mcp/directories/root", "", 0},
      {"/api/realm/me/tools/get_usage", "", 0},
      {"/api/realm/usr_00000000000000000000000000/tools/get_usage", "", 404},
      {"/mcp", "not a token", 401},
      {"/api/realm/me/tools/get_usage", "not a token", 401},
      // A key is a secret of its own, also for the owner.
      {"/api/v2/mcp", "", 401},
  };
  for (const auto& c : cases) {
    http::Headers headers{{"host", "localhost"}, {"content-type", "application/json"}};
    if (!c.bearer.empty()) headers["authorization"] = "Bearer " + c.bearer;
    http::FakeRequest request(kPost, c.target, std::move(headers), 2);
    request.peer = http::Peer::kOwner;
    EXPECT_EQ(status(ways, request), c.status) << c.target << " " << c.bearer;
  }
  ways.stopping();
}

TEST_F(WaysInTest, ProvesItselfByItsSecret) {
  auto with_secret = parts();
  with_secret.proof_secret = "s3cret";
  WaysIn ways(with_secret, {.version = "1"}, mcp::HostRule::kLoopback);
  const std::string challenge = "0123456789abcdef";
  const http::FakeRequest request(kGet, "/proof?challenge=" + challenge, {{"host", "localhost"}});
  const auto answer = http::carry_out(ways.begin(request));
  EXPECT_EQ(std::get<std::string>(answer.body),
            json::write(json::Object{{"proof", proof_of("s3cret", challenge)}}));
  EXPECT_NE(proof_of("s3cret", challenge), proof_of("another", challenge));
  for (const auto& query : {"", "?challenge=short"}) {
    const http::FakeRequest other(kGet, std::string("/proof") + query, {{"host", "localhost"}});
    EXPECT_EQ(status(ways, other), 400) << query;
  }
  // Without a secret there is no such place.
  WaysIn without(parts(), {.version = "1"}, mcp::HostRule::kLoopback);
  EXPECT_EQ(status(without, request), 404);
}

TEST_F(WaysInTest, LetsNoPageOfAnotherSiteIntoMcp) {
  struct Case {
    mcp::HostRule rule;
    std::string host, origin;
    bool let_in;
  };
  using enum mcp::HostRule;
  const Case cases[] = {
      {kLoopback, "localhost:8765", "", true},
      {kLoopback, "127.0.0.1:8765", "http://localhost:6274", true},
      {kLoopback, "rebound.example.com", "", false},
      {kLoopback, "localhost:8765", "https://evil.example.com", false},
      {kAny, "cairn.example.com", "https://cairn.example.com", true},
      {kAny, "cairn.example.com", "https://evil.example.com", false},
  };
  const auto key = key_of_version_2();
  const std::pair<std::string, std::string> ways_to_mcp[] = {
      {"/mcp", token}, {"/mcp/workspaces/" + depot, token}, {"/api/v2/mcp", key}};
  for (const auto& c : cases) {
    WaysIn ways(parts(), {.version = "1"}, c.rule);
    for (const auto& [target, bearer] : ways_to_mcp) {
      EXPECT_EQ(posted(ways, target, bearer, {{"host", c.host}, {"origin", c.origin}}),
                c.let_in ? 0 : 403)
          << target << " " << c.host << " from " << c.origin;
    }
    ways.stopping();
  }
}

TEST_F(WaysInTest, SaysThatItStops) {
  WaysIn ways(parts(), {.version = "1"}, mcp::HostRule::kLoopback);
  const http::FakeRequest ready(kGet, "/readyz", {{"host", "localhost"}});
  EXPECT_EQ(status(ways, ready), 200);
  ways.stopping();
  EXPECT_EQ(status(ways, ready), 503);
}

}  // namespace
}  // namespace cairn
