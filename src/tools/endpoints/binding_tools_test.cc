#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using tools_testing::column;
using tools_testing::Says;
using tools_testing::text;

class BindingToolsTest : public tools_testing::ToolTest {
 protected:
  BindingToolsTest() {
    put("a.json", R"([{"id": 1, "secret": 2}])");
    const auto made =
        call("create_endpoint", {{"bindings", json::Array{binding("preview", "show")}}});
    endpoint_ = text(made, "endpointId");
    key_ = text(made, "apiKey");
    binding_ = column(made, "bindings", "bindingId").front();
  }

  json::Object binding(std::string_view operation, std::string_view name) {
    return {{"tool",
             json::Object{{"operationType", operation}, {"depotId", depot_}, {"path", "a.json"}}},
            {"toolName", name}};
  }
  json::Object change(json::Object what) {
    what["endpointId"] = endpoint_;
    what["bindingId"] = binding_;
    return what;
  }
  json::Object more(const json::Array& bindings) {
    return {{"endpointId", endpoint_}, {"bindings", bindings}};
  }
  std::vector<std::string> names() {
    return column(call("get_endpoint", {{"endpointId", endpoint_}}), "bindings", "toolName");
  }
  Result<Reply> outside(std::string_view tool, json::Object arguments) {
    const auto box = TRY(engine_->bound().open(key_, Entrance::kRest));
    return box->run(*TRY(box->find(tool)), std::move(arguments), {});
  }

  std::string endpoint_;
  std::string key_;
  std::string binding_;
};

TEST_F(BindingToolsTest, AllAreBoundOrNone) {
  EXPECT_THAT(refused("bind_tools", more({binding("query", "ask"), binding("query", "not good!")})),
              Says(Code::kInvalidArgument, "'not good!'"));
  EXPECT_EQ(refused("bind_tools", more({binding("query", "show")})).code, Code::kNameTaken);
  EXPECT_THAT(names(), ElementsAre("show"));
  call("bind_tools", more({binding("query", "ask"), binding("get_all", "all")}));
  EXPECT_THAT(names(), ElementsAre("show", "ask", "all"));
}

TEST_F(BindingToolsTest, ABindingNamesOneTool) {
  auto both = binding("query", "ask");
  both["toolId"] = "adi_x";
  EXPECT_THAT(refused("bind_tools", more({both})), Says(Code::kInvalidArgument, "either toolId"));
  EXPECT_EQ(refused("bind_tools", more({json::Object{{"toolName", "x"}}})).code,
            Code::kInvalidArgument);
}

TEST_F(BindingToolsTest, AToolOfSomebodyElsesIsNotBound) {
  const auto one = delegate({});
  const auto tool = call(one, "create_tool",
                         {{"operationType", "query"}, {"depotId", depot_}, {"path", "a.json"}});
  const json::Object theirs{{"toolId", tool.at("toolId")}, {"toolName", "x"}};
  EXPECT_THAT(refused("bind_tools", more({theirs})),
              Says(Code::kToolNotFound, text(tool, "toolId")));
  const auto two = delegate({});
  EXPECT_EQ(refused(two, "bind_tools", more({})).code, Code::kEndpointNotFound);
}

TEST_F(BindingToolsTest, WhatIsFixedOrHiddenCannotBeGivenBack) {
  call("update_binding",
       change({{"arguments", json::Object{{"keys", json::Object{{"value", json::Array{"id"}}}},
                                          {"offset", json::Object{{"hidden", true}}},
                                          {"limit", json::Object{{"name", "count"}}}}}}));
  const auto shown = outside("show", {{"count", 5}});
  ASSERT_TRUE(shown) << shown.error().render();
  EXPECT_EQ(json::write(shown->value.at("items")), R"([{"id":1}])");
  for (const auto* name : {"keys", "offset", "limit"}) {
    const auto refused = outside("show", {{name, 1}});
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, Code::kInvalidArgument) << name;
  }
}

TEST_F(BindingToolsTest, ASchemaOnlyNarrows) {
  const auto limit = [&](int most) {
    return change(
        {{"inputSchema",
          json::Object{{"properties", json::Object{{"limit", json::Object{{"type", "integer"},
                                                                          {"minimum", 0},
                                                                          {"maximum", most}}}}}}}});
  };
  EXPECT_THAT(refused("update_binding", limit(5000)), Says(Code::kSchemaTooWide, "limit"));
  EXPECT_TRUE(outside("show", {{"limit", 7}}));
  call("update_binding", limit(5));
  EXPECT_FALSE(outside("show", {{"limit", 7}}));
  EXPECT_FALSE(outside("show", {{"offset", 0}}));
  call("update_binding", change({{"inputSchema", nullptr}}));
  EXPECT_TRUE(outside("show", {{"limit", 7}}));
}

TEST_F(BindingToolsTest, WhatIsNotSaidStaysAndNullGoesBack) {
  call("update_binding", change({{"description", "mine"}}));
  const auto renamed = call("update_binding", change({{"toolName", "other"}}));
  const auto& one = renamed.at("bindings").at(0).as_object();
  EXPECT_EQ(text(one, "description"), "mine");
  EXPECT_EQ(text(one, "bindingId"), binding_);
  const auto back = call("update_binding", change({{"description", nullptr}}));
  EXPECT_FALSE(back.at("bindings").at(0).as_object().contains("description"));
}

TEST_F(BindingToolsTest, ARuleThatDoesNotFitIsRefusedAndTheOldOnesStay) {
  const auto rule = [&](std::string_view argument, const json::Object& wanted) {
    return refused("update_binding", change({{"arguments", json::Object{{argument, wanted}}}}));
  };
  EXPECT_THAT(rule("limt", {{"hidden", true}}), Says(Code::kInvalidArgument, "there are:"));
  EXPECT_THAT(rule("limit", {{"value", "many"}}), Says(Code::kInvalidArgument, "limit"));
  EXPECT_THAT(rule("limit", {{"name", "keys"}}), Says(Code::kInvalidArgument, "'keys'"));
  call("bind_tools", more({binding("query", "ask")}));
  auto ask = change({{"arguments", json::Object{{"expression", json::Object{{"hidden", true}}}}}});
  ask["bindingId"] =
      column(call("get_endpoint", {{"endpointId", endpoint_}}), "bindings", "bindingId")[1];
  EXPECT_THAT(refused("update_binding", ask), Says(Code::kInvalidArgument, "requires it"));
  EXPECT_TRUE(outside("show", {{"limit", 1}}));
}

TEST_F(BindingToolsTest, WhatIsUnboundIsNotShownAndTheToolStays) {
  call("unbind_tool", change({}));
  EXPECT_THAT(names(), testing::IsEmpty());
  EXPECT_EQ(outside("show", {}).error().code, Code::kToolNotFound);
  EXPECT_EQ(call("list_tools", {}).at("tools").get_array().size(), 1U);
  EXPECT_THAT(refused("unbind_tool", change({})), Says(Code::kBindingNotFound, binding_));
}

TEST_F(BindingToolsTest, ASingleContextKeyIsChangedOnceItIsUpgraded) {
  const auto old = call("create_mcp_instance", {{"depotId", depot_}, {"path", "a.json"}});
  const json::Object adding{{"endpointId", old.at("endpointId")},
                            {"bindings", json::Array{binding("query", "ask")}}};
  EXPECT_THAT(refused("bind_tools", adding), Says(Code::kInvalidArgument, "upgrade_endpoint"));
  call("upgrade_endpoint", {{"endpointId", old.at("endpointId")}});
  call("bind_tools", adding);
}

}  // namespace
}  // namespace cairn
