#include "tools/endpoints/operation.h"

#include "tools/engine/all_tools.h"
#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using tools_testing::Says;

class OperationTest : public testing::Test {
 protected:
  Result<OperationForm> form(std::string_view operation, std::string_view config = "{}") {
    ContextTool tool;
    tool.operation = operation;
    tool.config = json::parse(config).value().as_object();
    return form_of(table_, tool);
  }
  static std::vector<std::string> arguments(const OperationForm& form) {
    std::vector<std::string> out;
    for (const auto& member : form.input.at("properties").as_object()) {
      out.emplace_back(member.key());
    }
    return out;
  }
  Error refuses(std::string_view operation, std::string_view config) {
    auto made = form(operation, config);
    EXPECT_FALSE(made) << operation << config;
    return made ? Error(Code::kInternal, "") : std::move(made).error();
  }
  ToolTable table_ = all_tools();
};

TEST_F(OperationTest, NoOperationTakesItsPlaceFromWhoCallsIt) {
  for (const auto& operation : operations()) {
    if (operation.kind == Operation::Kind::kCustom) continue;
    const auto made = form(operation.name);
    ASSERT_TRUE(made) << operation.name;
    auto fixed = std::vector<std::string>{"nodeKey", "toNodeKey", "depotId", "jsonPath", "toPath"};
    if (operation.kind == Operation::Kind::kJson) fixed.emplace_back("path");
    for (const auto& name : fixed) {
      EXPECT_THAT(arguments(*made), testing::Not(testing::Contains(name))) << operation.name;
    }
  }
}

TEST_F(OperationTest, OutsidersReadOfNoDepotRootOrCommit) {
  for (const auto& operation : operations()) {
    if (operation.kind == Operation::Kind::kCustom) continue;
    const auto said = json::write(form(operation.name).value().input) +
                      json::write(form(operation.name).value().output) +
                      std::string(operation.description);
    for (const auto* word : {"dpt_", "depot_commit", "depotId"}) {
      EXPECT_THAT(said, testing::Not(HasSubstr(word))) << operation.name;
    }
  }
}

TEST_F(OperationTest, AnUnknownOneIsToldTheNearest) {
  EXPECT_THAT(find_operation("qeury").error(), Says(Code::kInvalidArgument, "query"));
  EXPECT_THAT(find_operation("something else").error(), Says(Code::kInvalidArgument, "fs_grep"));
}

TEST_F(OperationTest, WhatIsFixedIsTakenAwayAndWhatHasADefaultStays) {
  const auto made =
      form("preview", R"({"fixed": {"limit": 5}, "defaults": {"offset": 2}})").value();
  EXPECT_THAT(arguments(made), testing::Not(testing::Contains("limit")));
  EXPECT_EQ(made.input.at("properties").at("offset").at("default"), 2);
  EXPECT_EQ(made.fixed.at("limit"), 5);
  EXPECT_EQ(made.defaults.at("offset"), 2);
}

TEST_F(OperationTest, ARequiredArgumentWithADefaultIsRequiredNoMore) {
  EXPECT_TRUE(form("query").value().input.contains("required"));
  EXPECT_FALSE(
      form("query", R"({"defaults": {"expression": "@"}})").value().input.contains("required"));
}

TEST_F(OperationTest, AConfigThatDoesNotFitIsRefusedWithThePlaceInIt) {
  const struct {
    std::string_view operation;
    std::string_view config;
    std::string_view said;
  } cases[] = {
      {"query", R"({"fixd": {}})", "config.fixd"},
      {"query", R"({"fixed": 5})", "config.fixed should be an object"},
      {"query", R"({"fixed": {"expresion": "@"}})", "there are: expression"},
      {"query", R"({"fixed": {"expression": 5}})", "config.fixed.expression does not fit"},
      {"query", R"({"fixed": {"depotId": "x"}})", "config.fixed.depotId"},
      {"preview", R"({"defaults": {"limit": 5000}})", "config.defaults.limit"},
      {"query", R"({"preview_keys": ["a"]})", "for the operation preview only"},
      {"move", R"({"acrossFiles": 1})", "config.acrossFiles"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(refuses(c.operation, c.config), Says(Code::kInvalidArgument, c.said)) << c.config;
  }
  EXPECT_EQ(refuses("query", R"({"fixed": {"expression": "[?"}})").code, Code::kInvalidQuery);
}

TEST_F(OperationTest, OtherFilesAreReachedOnlyWhenTheOwnerSaysSo) {
  EXPECT_THAT(arguments(form("copy").value()), testing::Not(testing::Contains("toPath")));
  EXPECT_THAT(arguments(form("copy", R"({"acrossFiles": true})").value()),
              testing::Contains("toPath"));
}

TEST_F(OperationTest, AScriptSaysWhatItMayUseAndIsHeldToIt) {
  const struct {
    std::string_view config;
    std::string_view said;
  } cases[] = {
      {R"({})", "config.script"},
      {R"({"script": "return 1", "inputSchema": {"type": "array"}})", "config.inputSchema"},
      {R"({"script": "return 1", "limits": {"timeMs": 99999}})", "config.limits"},
      {R"({"script": "return 1", "contexts": {"not a name": {}}})", "config.contexts"},
      {R"({"script": "return 1", "fixed": {}})", "config.fixed"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(refuses("custom", c.config), Says(Code::kInvalidArgument, c.said)) << c.config;
  }
  EXPECT_EQ(refuses("custom", R"({"script": "return ("})").code, Code::kScriptError);
  EXPECT_TRUE(form("custom", R"({"script": "return 1"})").value().annotations.read_only);
}

}  // namespace
}  // namespace cairn
