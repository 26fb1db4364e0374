#include "exposure/agent/tool_service.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/agent/agent_world.h"

namespace cairn::agent {
namespace {

using agent_testing::FakeExchange;
using agent_testing::need;
using agent_testing::text_of;
using testing::ElementsAre;
using testing::HasSubstr;

Tool a_tool(std::string name) {
  return {.name = std::move(name),
          .title = "",
          .description = "What it does",
          .input = *json::parse(R"({"type": "object", "properties": {}})"),
          .output = *json::parse(R"({"type": "object"})")};
}

// A toolbox of `works`, which answers with what it was given, and `fails`.
class FakeToolbox final : public Toolbox {
 public:
  std::string introduction() const override { return said; }
  std::vector<const Tool*> offered() const override {
    std::vector<const Tool*> out;
    for (const auto& tool : tools) out.push_back(&tool);
    return out;
  }
  Result<const Tool*> find(std::string_view name) const override {
    for (const auto& tool : tools) {
      if (tool.name == name) return &tool;
    }
    return no_such_tool(name, offered());
  }
  bool is_quick(const Tool& tool, const json::Object& arguments) const override {
    return tool.name == "works" && arguments.empty();
  }
  Result<Reply> run(const Tool& tool, json::Object arguments,
                    const std::stop_token& stop) const override {
    runs += 1;
    stopped = stop.stop_requested();
    if (tool.name == "fails") {
      return Failure(Error(Code::kConflict, "they differ").with("currentRoot", "nod_1"));
    }
    return Reply(std::move(arguments));
  }
  bool still_valid() const override { return valid; }

  std::array<Tool, 2> tools{a_tool("works"), a_tool("fails")};
  std::string said;
  bool valid = true;
  mutable int runs = 0;
  mutable bool stopped = false;
};

class FakePrincipal final : public ToolPrincipal {
 public:
  std::string_view id() const override { return "somebody"; }
  Result<ToolboxPtr> toolbox() const override {
    if (!let_in) return fail(Code::kEndpointNotFound, "not any more");
    return ToolboxPtr(box);
  }
  const Toolbox* at_hand() const override { return near ? box.get() : nullptr; }
  mcp::Rpc<bool> ready(mcp::Exchange&) const override {
    if (!can_ask) return mcp::rpc_fail(mcp::rpc_code::kInternal, "the client does not answer");
    return is_ready;
  }
  void roots_changed() const override { told += 1; }

  std::shared_ptr<FakeToolbox> box = std::make_shared<FakeToolbox>();
  bool let_in = true;
  bool near = false;
  bool can_ask = true;
  bool is_ready = true;
  mutable int told = 0;
};

struct ToolServiceTest : testing::Test {
  mcp::Rpc<mcp::ToolOutcome> call(std::string_view tool, json::Object arguments = {}) {
    FakeExchange exchange(who);
    return service.call_tool(exchange, tool, std::move(arguments));
  }
  static mcp::Offer an_offer() {
    auto out = tools_offer("name", "title", "1.2.3");
    out.instructions = "what all are told";
    return out;
  }

  std::shared_ptr<FakePrincipal> who = std::make_shared<FakePrincipal>();
  ToolService service{an_offer()};
};

TEST_F(ToolServiceTest, ListsTheToolsOfTheBoxOnOnePage) {
  FakeExchange exchange(who);
  const auto page = need(service.list_tools(exchange, ""));
  std::vector<std::string> names;
  for (const auto& tool : page.items) names.push_back(text_of(tool.get_object(), "name"));
  EXPECT_THAT(names, ElementsAre("works", "fails"));
  EXPECT_FALSE(page.next_cursor);
  EXPECT_FALSE(page.caching.for_all);
}

TEST_F(ToolServiceTest, AnswersWithTheValueAsTextAndStructured) {
  const auto outcome = need(call("works", {{"a", 1}}));
  EXPECT_FALSE(outcome.is_error);
  EXPECT_EQ(text_of(outcome), R"({"a":1})");
  EXPECT_EQ(json::write(*outcome.structured), R"({"a":1})");
}

TEST_F(ToolServiceTest, WhatAToolFailsWithIsAnOutcomeForTheModel) {
  const auto outcome = need(call("fails"));
  EXPECT_TRUE(outcome.is_error);
  EXPECT_FALSE(outcome.structured);
  EXPECT_EQ(text_of(outcome), "Error: CONFLICT — they differ\n{\"currentRoot\":\"nod_1\"}");
}

TEST_F(ToolServiceTest, AToolThatIsNotThereIsAnErrorOfTheRequest) {
  const auto refused = call("work");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, mcp::rpc_code::kInvalidParams);
  EXPECT_THAT(refused.error().message, HasSubstr("did you mean 'works'?"));
  EXPECT_EQ(who->box->runs, 0);
}

TEST_F(ToolServiceTest, ATextThatIsAKeyIsNotSaidAgain) {
  EXPECT_EQ(call("cek_0123456789").error().message, "there is no tool '(key)'");
}

TEST_F(ToolServiceTest, RunsNothingForWhoIsNotLetInAnyMore) {
  who->let_in = false;
  FakeExchange exchange(who);
  EXPECT_EQ(service.list_tools(exchange, "").error().message, "not any more");
  EXPECT_EQ(call("works").error().code, mcp::rpc_code::kInvalidParams);
  EXPECT_EQ(who->box->runs, 0);
  EXPECT_FALSE(service.still_valid(*who));
}

TEST_F(ToolServiceTest, RunsNothingUntilEverythingIsThere) {
  who->is_ready = false;
  EXPECT_TRUE(need(call("works")).content.empty());
  EXPECT_EQ(who->box->runs, 0);
  who->can_ask = false;
  EXPECT_EQ(call("works").error().message, "the client does not answer");
  EXPECT_EQ(who->box->runs, 0);
}

TEST_F(ToolServiceTest, PassesOnThatACallIsToStop) {
  std::stop_source source;
  source.request_stop();
  FakeExchange exchange(who, source.get_token());
  need(service.call_tool(exchange, "works", {}));
  EXPECT_TRUE(who->box->stopped);
}

TEST_F(ToolServiceTest, KnowsWhatIsQuickOnlyOfABoxAtHand) {
  EXPECT_FALSE(service.manner(*who, "works", {}).quick);
  who->near = true;
  EXPECT_TRUE(service.manner(*who, "works", {}).quick);
  EXPECT_FALSE(service.manner(*who, "works", {{"a", 1}}).quick);
  EXPECT_FALSE(service.manner(*who, "fails", {}).quick);
  // To say that there is none takes no time.
  EXPECT_TRUE(service.manner(*who, "nothing", {}).quick);
  EXPECT_FALSE(service.manner(*who, "works", {}).talks);
}

TEST_F(ToolServiceTest, SaysWhatTheBoxSaysOrElseWhatAllAreTold) {
  EXPECT_EQ(service.instructions(*who), "what all are told");
  who->box->said = "what this box is";
  EXPECT_EQ(service.instructions(*who), "what this box is");
  who->let_in = false;
  EXPECT_EQ(service.instructions(*who), "what all are told");
}

TEST_F(ToolServiceTest, IsValidAsLongAsTheBoxIs) {
  EXPECT_TRUE(service.still_valid(*who));
  who->box->valid = false;
  EXPECT_FALSE(service.still_valid(*who));
}

TEST_F(ToolServiceTest, TellsWhoIsConcernedThatTheRootsChanged) {
  service.roots_changed(*who);
  EXPECT_EQ(who->told, 1);
}

TEST_F(ToolServiceTest, HasNothingToWatch) {
  EXPECT_EQ(service.watch(*who, mcp::ListKind::kTools).error().code,
            mcp::rpc_code::kMethodNotFound);
}

}  // namespace
}  // namespace cairn::agent
