#include "exposure/agent/completion.h"

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
using testing::IsEmpty;

constexpr std::string_view kDepot = "cas://depot:{depotId}";
constexpr std::string_view kDepotPath = "cas://depot:{depotId}/{+path}";
constexpr std::string_view kNodePath = "cas://node:{nodeKey}/{+path}";

struct CompletionTest : testing::Test {
  World world;
  std::string depot = world.depot("my-project", {{"src/main.ts", "m"},
                                                 {"src/main.css", "c"},
                                                 {"src/maps/a", "a"},
                                                 {"src/other.ts", "o"},
                                                 {"README.md", "r"}});
  std::string notes = world.depot("Notes", {});

  mcp::Rpc<mcp::Completion> ask(const mcp::CompletionRequest& request,
                                const mcp::PrincipalPtr& who = nullptr) {
    FakeExchange exchange(who ? who : world.owner);
    return world.service().complete(exchange, request);
  }
  mcp::Completion path(const std::string& typed, const json::Object& context,
                       std::string_view of = kDepotPath) {
    return need(
        ask({.of = std::string(of), .argument = "path", .value = typed, .context = context}));
  }
  mcp::Completion id(const std::string& typed) {
    return need(ask({.of = std::string(kDepot), .argument = "depotId", .value = typed}));
  }
};

TEST_F(CompletionTest, FindsDepotsByTheBeginningOfTheirIdOrTitle) {
  EXPECT_THAT(id("").values, ElementsAre(depot.substr(4), notes.substr(4)));
  EXPECT_THAT(id("my").values, ElementsAre(depot.substr(4)));
  EXPECT_THAT(id("notes").values, ElementsAre(notes.substr(4)));
  EXPECT_THAT(id(notes.substr(4)).values, ElementsAre(notes.substr(4)));
  EXPECT_THAT(id(notes).values, ElementsAre(notes));
  EXPECT_THAT(id("project").values, IsEmpty());
  EXPECT_EQ(id("").total, 2);
  EXPECT_FALSE(id("").has_more);
}

TEST_F(CompletionTest, GivesPromptsTheWholeId) {
  const auto found =
      need(ask({.prompt = true, .of = "refactor", .argument = "depotId", .value = "m"}));
  EXPECT_THAT(found.values, ElementsAre(depot));
}

TEST_F(CompletionTest, GivesAHundredOfManyAndSaysHowManyThereAre) {
  for (int i = 0; i < 400; ++i) world.depot("many-" + std::to_string(i), {});
  const auto found = id("many-");
  EXPECT_EQ(found.values.size(), 100U);
  EXPECT_EQ(found.total, 400);
  EXPECT_TRUE(found.has_more);
}

TEST_F(CompletionTest, CompletesPathsFromTheDirectoryTypedSoFar) {
  const json::Object context{{"depotId", depot.substr(4)}};
  EXPECT_THAT(path("", context).values, ElementsAre("README.md", "src/"));
  EXPECT_THAT(path("s", context).values, ElementsAre("src/"));
  EXPECT_THAT(path("src/", context).values,
              ElementsAre("src/main.css", "src/main.ts", "src/maps/", "src/other.ts"));
  EXPECT_THAT(path("src/ma", context).values,
              ElementsAre("src/main.css", "src/main.ts", "src/maps/"));
  EXPECT_THAT(path("src/main.ts", context).values, ElementsAre("src/main.ts"));
  EXPECT_THAT(path("src/zzz", context).values, IsEmpty());
  EXPECT_THAT(path("none/", context).values, IsEmpty());
  EXPECT_THAT(path("../", context).values, IsEmpty());
  EXPECT_THAT(path("src/ma", {{"depotId", depot}}).values.size(), 3U);
  EXPECT_THAT(path("src/ma", {}).values, IsEmpty());
  EXPECT_THAT(path("src/ma", {{"depotId", "nonsense"}}).values, IsEmpty());
}

TEST_F(CompletionTest, CompletesPathsBelowANode) {
  const auto root = text_of(world.must("get_depot", {{"depotId", depot}}), "root");
  EXPECT_THAT(path("src/o", {{"nodeKey", root.substr(4)}}, kNodePath).values,
              ElementsAre("src/other.ts"));
}

TEST_F(CompletionTest, FindsANameInALargeDirectoryWithoutReadingAllOfIt) {
  std::map<std::string, std::string> files;
  for (int i = 1000; i < 3000; ++i) files["big/f" + std::to_string(i)] = "";
  world.commit(notes, {{"big/x", ""}});
  auto at = notes;
  // One write for all of them would be a change of its own; entries of a rewrite are quicker.
  for (int i = 1000; i < 3000; i += 100) {
    json::Object entries;
    for (int k = i; k < i + 100; ++k) entries["big/f" + std::to_string(k)] = {{"from", "big/x"}};
    at = text_of(world.must("fs_rewrite", {{"nodeKey", at}, {"entries", entries}}), "newRoot");
  }
  const json::Object context{{"nodeKey", at}};
  EXPECT_THAT(path("big/f2999", context, kNodePath).values, ElementsAre("big/f2999"));
  const auto many = path("big/f", context, kNodePath);
  EXPECT_EQ(many.values.size(), 100U);
  EXPECT_EQ(many.total, 2000);
  EXPECT_TRUE(many.has_more);
}

TEST_F(CompletionTest, OffersTheRootsOfDepotsAsNodes) {
  const auto root = text_of(world.must("get_depot", {{"depotId", depot}}), "root");
  const auto found = need(ask({.of = "cas://node:{nodeKey}", .argument = "nodeKey", .value = ""}));
  EXPECT_THAT(found.values, testing::Contains(root.substr(4)));
}

TEST_F(CompletionTest, ShowsADelegateOnlyItsView) {
  const auto reader = world.as(world.delegate({{"delegatedDepots", json::Array{notes}}}));
  const auto found =
      need(ask({.of = std::string(kDepot), .argument = "depotId", .value = ""}, reader));
  EXPECT_THAT(found.values, ElementsAre(notes.substr(4)));
  const auto hidden = need(ask({.of = std::string(kDepotPath),
                                .argument = "path",
                                .value = "",
                                .context = {{"depotId", depot}}},
                               reader));
  EXPECT_THAT(hidden.values, IsEmpty());
}

TEST_F(CompletionTest, RefusesWhatDoesNotExist) {
  for (const auto& request :
       {mcp::CompletionRequest{.prompt = true, .of = "nope", .argument = "depotId", .value = ""},
        mcp::CompletionRequest{
            .prompt = true, .of = "casfa-guide", .argument = "depotId", .value = ""},
        mcp::CompletionRequest{.of = "test://{id}", .argument = "id", .value = ""},
        mcp::CompletionRequest{.of = std::string(kDepot), .argument = "path", .value = ""}}) {
    const auto refused = ask(request);
    ASSERT_FALSE(refused) << request.of;
    EXPECT_EQ(refused.error().code, mcp::rpc_code::kInvalidParams);
  }
}

}  // namespace
}  // namespace cairn::agent
