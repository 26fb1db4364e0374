#include "exposure/agent/endpoint_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/agent/agent_world.h"

namespace cairn::agent {
namespace {

using agent_testing::FakeExchange;
using agent_testing::need;
using agent_testing::text_of;
using agent_testing::World;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using enum EndpointService::Address;

class Recorder final : public mcp::Changes {
 public:
  void changed(std::string topic) override { topics_.lock()->push_back(std::move(topic)); }
  std::vector<std::string> take() { return std::exchange(*topics_.lock(), {}); }

 private:
  Guarded<std::vector<std::string>> topics_;
};

struct EndpointServiceTest : testing::Test {
  // A tool for programs, which MCP does not offer.
  json::Object run(std::string_view tool, const json::Object& arguments) {
    const auto owner = need(world.executor().trusted(world.engine().owner(), Entrance::kRest));
    return need(world.executor().run(owner, tool, arguments)).value.get_object();
  }
  json::Object binding(std::string_view operation, std::string_view name) const {
    return {{"tool",
             json::Object{
                 {"operationType", operation}, {"depotId", depot}, {"path", "hidden/orders.json"}}},
            {"toolName", name}};
  }
  std::vector<std::string> tools() {
    FakeExchange exchange(who);
    std::vector<std::string> out;
    for (const auto& tool : need(service.list_tools(exchange, "")).items) {
      out.push_back(text_of(tool.get_object(), "name"));
    }
    return out;
  }
  mcp::ToolOutcome call(std::string_view tool, json::Object arguments) {
    FakeExchange exchange(who);
    return need(service.call_tool(exchange, tool, std::move(arguments)));
  }

  World world;
  std::string depot = world.depot("orders", {{"hidden/orders.json", R"(["tea"])"}});
  json::Object made =
      run("create_endpoint",
          {{"name", "orders"},
           {"description", "What was ordered"},
           {"bindings", json::Array{binding("get_all", "all"), binding("create", "add")}}});
  std::string id = text_of(made, "endpointId");
  std::string key = text_of(made, "apiKey");
  EndpointService service{world.engine().bound(), "1.2.3"};
  mcp::PrincipalPtr who = need(service.admit(key, kV2));
};

TEST_F(EndpointServiceTest, OffersToolsThatMayChangeAndNothingElse) {
  const auto& offer = service.offer();
  EXPECT_EQ(offer.name, "cairn-endpoint");
  EXPECT_EQ(offer.version, "1.2.3");
  EXPECT_TRUE(offer.tools && offer.tools_change && offer.personal);
  EXPECT_FALSE(offer.resources || offer.prompts || offer.completions || offer.subscriptions);
}

TEST_F(EndpointServiceTest, ServesEachKeyAtTheAddressOfItsVersion) {
  const auto old = run("create_mcp_instance",
                       {{"depotId", depot}, {"path", "hidden/orders.json"}, {"name", "old"}});
  const auto old_key = text_of(old, "apiKey");
  EXPECT_TRUE(service.admit(old_key, kV1));
  EXPECT_TRUE(service.admit(key, kV2));
  for (const auto& refused : {service.admit(old_key, kV2), service.admit(key, kV1)}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kEndpointNotFound);
    EXPECT_THAT(refused.error().message, HasSubstr("this key is served at /api/"));
    EXPECT_THAT(refused.error().message, Not(HasSubstr("cek_")));
  }
  run("upgrade_endpoint", {{"endpointId", text_of(old, "endpointId")}});
  EXPECT_TRUE(service.admit(old_key, kV1));
  EXPECT_TRUE(service.admit(old_key, kV2));
}

TEST_F(EndpointServiceTest, LetsNobodyInWithoutAKeyThatOpens) {
  for (const auto& bad : {std::string(), std::string("nonsense"), key + "0", key.substr(1)}) {
    const auto refused = service.admit(bad, kV2);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kEndpointNotFound);
  }
}

TEST_F(EndpointServiceTest, AReplacedKeyIsSomebodyElses) {
  const auto before = std::string(who->id());
  EXPECT_EQ(need(service.admit(key, kV2))->id(), before);
  world.clock.advance(std::chrono::seconds(1));
  const auto rotated = run("rotate_endpoint_key", {{"endpointId", id}});
  EXPECT_FALSE(service.admit(key, kV2));
  EXPECT_NE(need(service.admit(text_of(rotated, "apiKey"), kV2))->id(), before);
  EXPECT_FALSE(service.still_valid(*who));
}

TEST_F(EndpointServiceTest, ShowsItsBindingsAndNothingOfWhereTheDataLies) {
  EXPECT_THAT(tools(), ElementsAre("all", "add"));
  FakeExchange exchange(who);
  const auto listed = json::write(need(service.list_tools(exchange, "")).items);
  EXPECT_THAT(listed, Not(HasSubstr("hidden")));
  EXPECT_THAT(listed, Not(HasSubstr(depot)));
  EXPECT_EQ(service.instructions(*who), "What was ordered");
}

TEST_F(EndpointServiceTest, CallsWhatIsBound) {
  EXPECT_FALSE(call("add", {{"items", json::Array{"coffee"}}}).is_error);
  EXPECT_THAT(text_of(call("all", {})), HasSubstr(R"(["tea","coffee"])"));
  FakeExchange exchange(who);
  for (const auto* other : {"get_all", "fs_ls", "query"}) {
    const auto refused = service.call_tool(exchange, other, {});
    ASSERT_FALSE(refused) << other;
    EXPECT_EQ(refused.error().code, mcp::rpc_code::kInvalidParams) << other;
    EXPECT_THAT(refused.error().message, HasSubstr("there is no tool")) << other;
  }
}

TEST_F(EndpointServiceTest, WhatIsTakenAwayIsGoneForWhoIsInside) {
  const auto bindings = made.at("bindings").get_array();
  run("unbind_tool",
      {{"endpointId", id}, {"bindingId", text_of(bindings.at(1).get_object(), "bindingId")}});
  EXPECT_THAT(tools(), ElementsAre("all"));
  EXPECT_TRUE(service.still_valid(*who));
  run("update_endpoint", {{"endpointId", id}, {"status", "disabled"}});
  EXPECT_FALSE(service.still_valid(*who));
  FakeExchange exchange(who);
  EXPECT_EQ(service.list_tools(exchange, "").error().code, mcp::rpc_code::kInvalidParams);
  EXPECT_EQ(service.call_tool(exchange, "all", {}).error().code, mcp::rpc_code::kInvalidParams);
  EXPECT_EQ(service.watch(*who, mcp::ListKind::kTools).error().code, mcp::rpc_code::kInvalidParams);
}

TEST_F(EndpointServiceTest, AnnouncesChangesOfItsRealm) {
  Recorder heard;
  service.announce_to(&heard);
  const auto watched = need(service.watch(*who, mcp::ListKind::kTools));
  EXPECT_EQ(watched.topic, "endpoints:" + world.engine().owner().render());
  EXPECT_THAT(heard.take(), IsEmpty());
  run("bind_tools", {{"endpointId", id}, {"bindings", json::Array{binding("query", "ask")}}});
  EXPECT_THAT(heard.take(), testing::Contains(watched.topic));
  EXPECT_NE(need(service.watch(*who, mcp::ListKind::kTools)).stamp, watched.stamp);
  service.announce_to(nullptr);
  run("update_endpoint", {{"endpointId", id}, {"name", "other"}});
  EXPECT_THAT(heard.take(), IsEmpty());
}

TEST_F(EndpointServiceTest, AChangeThatAClientDoesNotSeeKeepsTheStamp) {
  const auto before = need(service.watch(*who, mcp::ListKind::kTools)).stamp;
  run("create_endpoint", {{"name", "another"}, {"bindings", json::Array{binding("query", "q")}}});
  run("update_endpoint", {{"endpointId", id}, {"name", "renamed"}});
  EXPECT_EQ(need(service.watch(*who, mcp::ListKind::kTools)).stamp, before);
}

TEST_F(EndpointServiceTest, HasNothingElseToWatch) {
  EXPECT_EQ(service.watch(*who, mcp::ListKind::kPrompts).error().code,
            mcp::rpc_code::kMethodNotFound);
  EXPECT_EQ(service.watch(*who, std::string("cairn://x")).error().code,
            mcp::rpc_code::kMethodNotFound);
}

}  // namespace
}  // namespace cairn::agent
