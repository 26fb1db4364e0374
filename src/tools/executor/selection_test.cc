#include "tools/executor/selection.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/engine/all_tools.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ToolsetTest : public testing::Test {
 protected:
  std::vector<std::string> selected(const SelectionRequest& request) {
    std::vector<std::string> out;
    const auto selection = Selection::parse(request, table).value();
    for (const auto* tool : selection.tools()) {
      out.emplace_back(tool->name);
    }
    return out;
  }
  std::string refusal(const SelectionRequest& request) {
    auto refused = Selection::parse(request, table);
    if (refused) return "";
    EXPECT_EQ(refused.error().code, Code::kInvalidArgument);
    return refused.error().message;
  }
  ToolTable table = all_tools();
};

TEST_F(ToolsetTest, EverySetNamesToolsForAgents) {
  for (const auto& set : toolsets()) {
    for (const auto name : set.tools) {
      const auto row = table.find(name);
      ASSERT_TRUE(row) << set.name << ": " << name;
      EXPECT_EQ((*row)->audience, Audience::kAgents) << name;
    }
    EXPECT_FALSE(selected({.toolsets = std::string(set.name)}).empty()) << set.name;
  }
}

TEST_F(ToolsetTest, EveryToolForAgentsIsInAThemedSet) {
  std::set<std::string_view> themed;
  for (const auto& set : toolsets()) {
    if (set.name != "default" && set.name != "minimal") {
      themed.insert(set.tools.begin(), set.tools.end());
    }
  }
  for (const auto& tool : table.tools()) {
    if (tool.audience == Audience::kAgents) {
      EXPECT_TRUE(themed.contains(tool.name)) << tool.name;
    }
  }
}

TEST_F(ToolsetTest, TheDefaultHasEveryToolOfTheFirstPlanAndTheMostWantedAfterIt) {
  const auto names = selected({});
  for (const auto* name :
       {"list_depots",   "get_depot",     "fs_stat",      "fs_ls",           "fs_read",
        "fs_write",      "node_metadata", "fs_mkdir",     "fs_rm",           "fs_mv",
        "fs_cp",         "fs_rewrite",    "depot_commit", "create_delegate", "get_realm_info",
        "get_usage",     "fs_tree",       "fs_find",      "fs_grep",         "fs_edit",
        "depot_history", "depot_revert"}) {
    EXPECT_THAT(names, testing::Contains(name));
  }
}

TEST_F(ToolsetTest, SelectsWhatWasAskedForInTheOrderOfTheTable) {
  EXPECT_THAT(selected({.tools = "fs_read, fs_ls"}), ElementsAre("fs_ls", "fs_read"));
  EXPECT_THAT(selected({.toolsets = "search", .tools = "fs_read"}),
              ElementsAre("fs_read", "fs_find", "fs_grep"));
  EXPECT_THAT(
      selected({.toolsets = "search,history"}),
      ElementsAre("fs_find", "fs_grep", "fs_diff", "depot_history", "depot_undo", "depot_revert"));
  EXPECT_THAT(selected({.toolsets = "search", .exclude_tools = "fs_grep"}), ElementsAre("fs_find"));
  EXPECT_THAT(selected({.toolsets = "history", .read_only = true}),
              ElementsAre("fs_diff", "depot_history"));
  EXPECT_THAT(selected({.tools = "fs_ls,fs_ls"}), ElementsAre("fs_ls"));
}

TEST_F(ToolsetTest, AllIsEveryToolForAgentsAndNoOther) {
  const auto names = selected({.toolsets = "all"});
  EXPECT_EQ(names.size(), 42U);
  EXPECT_THAT(names, testing::Not(testing::Contains("get_node")));
}

TEST_F(ToolsetTest, ReadOnlyLeavesNothingThatChangesAnything) {
  const auto selection = Selection::parse({.toolsets = "all", .read_only = true}, table).value();
  for (const auto* tool : selection.tools()) EXPECT_FALSE(tool->changes()) << tool->name;
  EXPECT_EQ(selection.find("fs_write"), nullptr);
  EXPECT_NE(selection.find("fs_read"), nullptr);
}

TEST_F(ToolsetTest, RefusesNamesThatDoNotExistAndNamesTheNearest) {
  EXPECT_THAT(refusal({.toolsets = "minmal"}),
              HasSubstr("toolset 'minmal'; did you mean 'minimal'"));
  EXPECT_THAT(refusal({.tools = "fs_raed"}), HasSubstr("tool 'fs_raed'; did you mean 'fs_read'"));
  EXPECT_THAT(refusal({.exclude_tools = "fs_remove"}), HasSubstr("no tool 'fs_remove'"));
  EXPECT_THAT(refusal({.tools = "get_node"}), HasSubstr("no tool 'get_node'"));
  EXPECT_THAT(refusal({.tools = "fs_ls,,fs_read"}), HasSubstr("empty name"));
  EXPECT_THAT(refusal({.toolsets = ""}), HasSubstr("empty name"));
  EXPECT_THAT(refusal({.toolsets = "Default"}), HasSubstr("did you mean 'default'"));
}

TEST_F(ToolsetTest, RefusesASelectionThatLeavesNothing) {
  EXPECT_THAT(refusal({.tools = "fs_write", .read_only = true}), HasSubstr("no tool is left"));
  EXPECT_THAT(refusal({.tools = "fs_ls", .exclude_tools = "fs_ls"}), HasSubstr("no tool is left"));
}

}  // namespace
}  // namespace cairn
