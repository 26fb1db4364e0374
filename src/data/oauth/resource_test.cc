#include "data/oauth/resource.h"

#include <gtest/gtest.h>

#include "data/tree/tree_testing.h"

namespace cairn::oauth {
namespace {

using tree_testing::must;
using Path = std::optional<std::string>;

TEST(Resource, IsOneOfOursHoweverItIsWritten) {
  const auto origin = must(Origin::parse("https://cairn.example"));
  struct Case {
    std::string_view text;
    Path path;
  };
  const Case cases[] = {
      {"https://cairn.example", ""},
      {"https://cairn.example/", ""},
      {"HTTPS://CAIRN.example:443/mcp", "/mcp"},
      {"https://cairn.example/mcp/", "/mcp"},
      {"https://cairn.example/mcp?toolsets=fs", "/mcp"},
      {"https://cairn.example/api/mcp", "/api/mcp"},
      {"https://cairn.example/api", "/api"},
      {"https://cairn.example/mcp/workspaces/dpt_1", "/mcp/workspaces/dpt_1"},
      {"https://cairn.example/mcp/directories/work", "/mcp/directories/work"},
      {"https://cairn.example/mcp/workspaces/", std::nullopt},
      {"https://cairn.example/mcp/workspaces/a/b", std::nullopt},
      {"https://cairn.example/mcp/workspaces/..", std::nullopt},
      {"https://cairn.example/MCP", std::nullopt},
      {"https://cairn.example/mcpx", std::nullopt},
      {"https://cairn.example/metrics", std::nullopt},
      {"https://cairn.example/mcp//", std::nullopt},
      {"https://cairn.example/mcp#x", std::nullopt},
      {"http://cairn.example/mcp", std::nullopt},
      {"https://cairn.example:8443/mcp", std::nullopt},
      {"https://cairn.example.evil.example/mcp", std::nullopt},
      {"https://cairn.example@evil.example/mcp", std::nullopt},
      {"https://evil.example/mcp", std::nullopt},
      {"/mcp", std::nullopt},
      {"", std::nullopt},
  };
  for (const auto& one : cases) EXPECT_EQ(parse_resource(one.text, origin), one.path) << one.text;
}

TEST(Resource, CoversWhatIsBelowIt) {
  EXPECT_TRUE(covers("", "/mcp"));
  EXPECT_TRUE(covers("/mcp", "/mcp"));
  EXPECT_TRUE(covers("/mcp", "/mcp/workspaces/a"));
  EXPECT_FALSE(covers("/mcp", "/mcpx"));
  EXPECT_FALSE(covers("/mcp", ""));
  EXPECT_FALSE(covers("/mcp/workspaces/a", "/mcp/workspaces/ab"));
  EXPECT_FALSE(covers("/mcp/workspaces/a", "/mcp"));
}

TEST(Resource, OfSeveralTheOneThatCoversTheOthersIsMeant) {
  using List = std::vector<std::string>;
  EXPECT_EQ(widest(List{}), "");
  EXPECT_EQ(widest(List{"/mcp/workspaces/a", "/mcp"}), "/mcp");
  EXPECT_EQ(widest(List{"/mcp", ""}), "");
  EXPECT_EQ(widest(List{"/mcp", "/api"}), std::nullopt);
}

TEST(Resource, OfARequestIsTheOneItsPathBelongsTo) {
  EXPECT_EQ(resource_of("/mcp"), "/mcp");
  EXPECT_EQ(resource_of("/mcp/workspaces/a"), "/mcp/workspaces/a");
  EXPECT_EQ(resource_of("/api/realm/me/depots"), "/api");
  EXPECT_EQ(resource_of("/metrics"), "");
  EXPECT_EQ(workspace_of("/mcp/workspaces/My%20notes+%2B"), "My notes++");
  EXPECT_EQ(workspace_of("/mcp"), std::nullopt);
}

}  // namespace
}  // namespace cairn::oauth
