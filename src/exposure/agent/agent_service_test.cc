#include "exposure/agent/agent_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/agent/agent_world.h"

namespace cairn::agent {
namespace {

using agent_testing::FakeExchange;
using agent_testing::need;
using agent_testing::text_of;
using agent_testing::World;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> tools_of(World& world, const mcp::PrincipalPtr& who) {
  FakeExchange exchange(who);
  std::vector<std::string> out;
  for (const auto& tool : need(world.service().list_tools(exchange, "")).items) {
    out.push_back(text_of(tool.get_object(), "name"));
  }
  return out;
}

struct ServiceTest : testing::Test {
  World world;
  std::string depot =
      world.depot("my-project", {{"src/main.ts", "main\n"}, {"README.md", "# Hi\n"}});
};

TEST_F(ServiceTest, OffersWhatItHas) {
  const auto& offer = world.service().offer();
  EXPECT_EQ(offer.name, "cairn");
  EXPECT_EQ(offer.title, "Cairn");
  EXPECT_EQ(offer.version, "1.2.3");
  EXPECT_LT(offer.instructions.size(), 1500U);
  EXPECT_THAT(offer.instructions, HasSubstr("depot_commit"));
  EXPECT_TRUE(offer.resources_change && offer.subscriptions && offer.completions);
  EXPECT_TRUE(offer.tools_change);
  EXPECT_FALSE(offer.prompts_change || offer.logging);
  const auto& icon = offer.icons.at(0).get_object();
  EXPECT_THAT(text_of(icon, "src"), StartsWith("data:image/svg+xml;base64,"));
  EXPECT_LT(text_of(icon, "src").size(), 1000U);
}

TEST_F(ServiceTest, KnowsAPrincipalByItsDelegate) {
  const auto token = world.delegate({{"name", "a"}});
  EXPECT_THAT(std::string(world.as(token)->id()), StartsWith("dlt_"));
  EXPECT_EQ(world.as(token)->id(), world.as(token, {.toolsets = "minimal"})->id());
  EXPECT_NE(world.as(token)->id(), world.owner->id());
}

TEST_F(ServiceTest, LetsNobodyInWithABadTokenOrSelection) {
  EXPECT_EQ(world.service().admit("nonsense", {}).error().code, Code::kInvalidToken);
  const auto token = world.delegate({});
  EXPECT_EQ(world.service().admit(token, {.toolsets = "nope"}).error().code,
            Code::kInvalidArgument);
}

TEST_F(ServiceTest, ListsOnlyWhatTheCallerMayUse) {
  const auto all = tools_of(world, world.owner);
  EXPECT_EQ(all.size(), 42U);
  const auto reader = tools_of(world, world.as(world.delegate({}), {.toolsets = "all"}));
  for (const auto* name : {"fs_write", "fs_edit", "fs_rm", "depot_commit", "depot_revert",
                           "depot_undo", "depot_tag", "create_depot"}) {
    EXPECT_THAT(reader, Not(Contains(name)));
  }
  EXPECT_THAT(reader, Contains("fs_read"));
  EXPECT_THAT(reader, Contains("create_delegate"));
  const auto writer =
      tools_of(world, world.as(world.delegate({{"canUpload", true}}), {.toolsets = "all"}));
  EXPECT_THAT(writer, Contains("depot_commit"));
  EXPECT_THAT(writer, Not(Contains("create_depot")));
}

TEST_F(ServiceTest, TheListOfToolsIsThePrincipalsOwn) {
  FakeExchange exchange(world.owner);
  const auto page = need(world.service().list_tools(exchange, ""));
  EXPECT_FALSE(page.caching.for_all);
  EXPECT_FALSE(page.next_cursor);
  EXPECT_EQ(world.service().list_tools(exchange, "nonsense").error().code,
            mcp::rpc_code::kInvalidParams);
}

TEST_F(ServiceTest, AnswersWithCompactJsonAndTheSameStructured) {
  const auto outcome = world.call(world.owner, "fs_stat", {{"nodeKey", depot}, {"path", "src"}});
  EXPECT_FALSE(outcome.is_error);
  ASSERT_EQ(outcome.content.size(), 1U);
  EXPECT_EQ(text_of(outcome.content[0].get_object(), "type"), "text");
  EXPECT_EQ(text_of(outcome), json::write(*outcome.structured));
  EXPECT_THAT(text_of(outcome), StartsWith(R"({"type":"dir","name":"src","key":"nod_)"));
}

TEST_F(ServiceTest, SaysWhatWentWrongInTheWordsOfThePlan) {
  const auto outcome =
      world.call(world.owner, "fs_read", {{"nodeKey", depot}, {"path", "src/nonexistent.ts"}});
  EXPECT_TRUE(outcome.is_error);
  EXPECT_FALSE(outcome.structured);
  EXPECT_EQ(text_of(outcome),
            "Error: PATH_NOT_FOUND — the path 'src/nonexistent.ts' does not exist");
  const auto bad = world.call(world.owner, "fs_read", {{"nodekey", depot}});
  EXPECT_TRUE(bad.is_error);
  EXPECT_THAT(text_of(bad), StartsWith("Error: INVALID_ARGUMENT — "));
}

TEST_F(ServiceTest, AReadOnlyDelegateMayCallAWriterAndIsToldWhyNot) {
  const auto reader = world.as(world.delegate({{"name", "code-review-bot"}}));
  EXPECT_FALSE(world.call(reader, "fs_ls", {{"nodeKey", depot}}).is_error);
  const auto refused =
      world.call(reader, "fs_write", {{"nodeKey", depot}, {"path", "a"}, {"content", "b"}});
  EXPECT_TRUE(refused.is_error);
  EXPECT_THAT(text_of(refused), StartsWith("Error: UPLOAD_NOT_ALLOWED — "));
}

TEST_F(ServiceTest, AToolOutsideTheSelectionDoesNotExist) {
  const auto few = need(world.service().trusted(world.engine().owner(), {.toolsets = "minimal"}));
  FakeExchange exchange(few);
  struct Case {
    std::string_view tool, message;
  };
  for (const auto& c :
       {Case{"fs_rm", "there is no tool 'fs_rm'"}, Case{"fs_raed", "did you mean 'fs_read'?"},
        Case{"get_node", "there is no tool 'get_node'"},
        Case{"read_file", "there is no tool 'read_file'"}}) {
    const auto refused = world.service().call_tool(exchange, c.tool, {});
    ASSERT_FALSE(refused) << c.tool;
    EXPECT_EQ(refused.error().code, mcp::rpc_code::kInvalidParams);
    EXPECT_THAT(refused.error().message, HasSubstr(std::string(c.message)));
  }
}

TEST_F(ServiceTest, AConflictTellsTheModelRootAndPaths) {
  const auto mine = text_of(
      world.must("fs_write", {{"nodeKey", depot}, {"path", "README.md"}, {"content", "# Mine\n"}}),
      "newRoot");
  const auto theirs = world.commit(depot, {{"README.md", "# Theirs\n"}});
  const auto outcome =
      world.call(world.owner, "depot_commit", {{"depotId", depot}, {"root", mine}});
  EXPECT_TRUE(outcome.is_error);
  const auto text = text_of(outcome);
  EXPECT_THAT(text, StartsWith("Error: CONFLICT — "));
  EXPECT_THAT(text, AllOf(HasSubstr("# Mine\n"), HasSubstr("# Theirs\n")));
  const auto details = need(json::parse(text.substr(text.rfind('\n') + 1)));
  EXPECT_EQ(text_of(details.get_object(), "currentRoot"), theirs);
  EXPECT_EQ(json::write(details.get_object().at("paths")), R"(["README.md"])");
}

TEST_F(ServiceTest, AMovedFileThatOthersEditedIsAConflictAndDoneAgainTakesTheEditAlong) {
  const json::Object move{{"nodeKey", depot},
                          {"entries", {{"lib/main.ts", {{"from", "src/main.ts"}}}}},
                          {"deletes", json::Array{"src/main.ts"}}};
  const auto mine = text_of(world.must("fs_rewrite", move), "newRoot");
  world.commit(depot, {{"src/main.ts", "theirs\n"}});
  const auto refused =
      world.call(world.owner, "depot_commit", {{"depotId", depot}, {"root", mine}});
  EXPECT_THAT(text_of(refused), StartsWith("Error: CONFLICT — "));
  const auto again = text_of(world.must("fs_rewrite", move), "newRoot");
  world.must("depot_commit", {{"depotId", depot}, {"root", again}});
  EXPECT_EQ(
      text_of(world.must("fs_read", {{"nodeKey", depot}, {"path", "lib/main.ts"}}), "content"),
      "theirs\n");
}

TEST_F(ServiceTest, KnowsBeforehandWhichToolsAreQuick) {
  EXPECT_TRUE(world.service().manner(*world.owner, "fs_stat", {}).quick);
  EXPECT_TRUE(world.service().manner(*world.owner, "fs_read", {{"path", "a"}}).quick);
  EXPECT_FALSE(world.service().manner(*world.owner, "fs_read", {{"startLine", 9}}).quick);
  EXPECT_FALSE(world.service().manner(*world.owner, "fs_grep", {}).quick);
  EXPECT_FALSE(world.service().manner(*world.owner, "depot_commit", {}).quick);
  EXPECT_FALSE(world.service().manner(*world.owner, "fs_stat", {}).talks);
  const auto scoped = world.as(world.delegate({{"delegatedDepots", json::Array{depot}}}));
  EXPECT_FALSE(world.service().manner(*scoped, "fs_stat", {}).quick);
  EXPECT_TRUE(world.service().param_headers(*world.owner, "fs_stat").empty());
}

TEST_F(ServiceTest, ACancelledSearchStopsEarly) {
  std::map<std::string, std::string> files;
  for (int i = 0; i < 100; ++i) files["many/f" + std::to_string(i)] = "needle\n";
  world.commit(depot, files);
  const json::Object arguments{{"nodeKey", depot}, {"pattern", "needle"}};
  EXPECT_EQ(world.must("fs_grep", arguments).at("matches").to_number<int>(), 100);
  std::stop_source source;
  source.request_stop();
  const auto outcome = world.call(world.owner, "fs_grep", arguments, source.get_token());
  const auto& found = outcome.structured->get_object();
  EXPECT_EQ(found.at("searched").to_number<int>(), 0);
  EXPECT_EQ(text_of(found, "stoppedBy"), "cancelled");
}

TEST_F(ServiceTest, KnowsWhenAPrincipalIsLetInNoLonger) {
  const auto made = world.must("create_delegate", {{"name", "a"}});
  const auto who = world.as(text_of(made, "accessToken"));
  EXPECT_TRUE(world.service().still_valid(*who));
  world.must("revoke_delegate", {{"delegateId", who->id()}});
  EXPECT_FALSE(world.service().still_valid(*who));
  EXPECT_TRUE(world.service().still_valid(*world.owner));
}

TEST_F(ServiceTest, KnowsWhenATokenHasExpired) {
  const auto who = world.as(world.delegate({{"expiresIn", 60}}));
  world.clock.advance(std::chrono::seconds(59));
  EXPECT_TRUE(world.service().still_valid(*who));
  world.clock.advance(std::chrono::seconds(2));
  EXPECT_FALSE(world.service().still_valid(*who));
}

TEST_F(ServiceTest, EveryCallIsInTheAuditLogAsMcp) {
  world.call(world.owner, "fs_ls", {{"nodeKey", depot}});
  world.item(world.owner, agent_testing::uri_of(depot) + "/README.md");
  auto& executor = world.executor();
  const auto owner = need(executor.trusted(world.engine().owner(), Entrance::kRest));
  const auto log = json::write(need(executor.run(owner, "get_audit", json::Object())).value);
  EXPECT_THAT(log, HasSubstr(R"("tool":"fs_ls")"));
  EXPECT_THAT(log, HasSubstr(R"("tool":"read_file")"));
  EXPECT_THAT(log, HasSubstr(R"("entrance":"mcp")"));
}

}  // namespace
}  // namespace cairn::agent
