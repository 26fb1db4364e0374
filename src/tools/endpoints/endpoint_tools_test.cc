// Endpoints: who may make them, what they can never do, and when their keys work.
#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using tools_testing::all_pages;
using tools_testing::column;
using tools_testing::Says;
using tools_testing::text;

class EndpointToolsTest : public tools_testing::ToolTest {
 protected:
  EndpointToolsTest() { put_all({{"a.json", "[1]"}, {"docs/b.json", "[2]"}}); }

  json::Object binding(std::string_view operation, std::string_view path = "a.json") {
    return {
        {"tool", json::Object{{"operationType", operation}, {"depotId", depot_}, {"path", path}}},
        {"toolName", operation}};
  }
  json::Object wanted(const json::Array& bindings) {
    return {{"name", "e"}, {"bindings", bindings}};
  }
  bool opens(const std::string& key) {
    return engine_->bound().open(key, Entrance::kRest).has_value();
  }
  std::size_t count(std::string_view tool, std::string_view list) {
    return call(tool, {}).at(list).get_array().size();
  }
};

TEST_F(EndpointToolsTest, AKeyIsShownOnceAndNeverAgain) {
  const auto made = call("create_endpoint", wanted({binding("query")}));
  const auto key = text(made, "apiKey");
  EXPECT_TRUE(opens(key));
  const auto seen = json::write(call("get_endpoint", {{"endpointId", made.at("endpointId")}})) +
                    json::write(call("list_endpoints", {})) + json::write(call("get_audit", {}));
  EXPECT_THAT(seen, testing::Not(HasSubstr(key)));
}

TEST_F(EndpointToolsTest, ABindingSaysWhichEndpointItIsOf) {
  const auto made = call("create_endpoint", wanted({binding("query"), binding("get_all")}));
  for (const auto& one : made.at("bindings").get_array()) {
    EXPECT_EQ(one.at("endpointId"), made.at("endpointId"));
  }
}

TEST_F(EndpointToolsTest, QueryHasAnOldName) {
  const auto tool = call(
      "create_tool", {{"operationType", "query_data"}, {"depotId", depot_}, {"path", "a.json"}});
  EXPECT_EQ(text(tool, "operationType"), "query");
  const auto again =
      call("update_tool", {{"toolId", tool.at("toolId")}, {"operationType", "query_data"}});
  EXPECT_EQ(text(again, "operationType"), "query");
}

TEST_F(EndpointToolsTest, AllBindingsAreMadeOrNothing) {
  const auto error = refused("create_endpoint", wanted({binding("query"), binding("qeury")}));
  EXPECT_THAT(error, Says(Code::kInvalidArgument, "bindings[1]"));
  EXPECT_EQ(std::get<std::string>(error.details.at("binding")), "bindings[1]");
  EXPECT_EQ(count("list_endpoints", "endpoints"), 0U);
  EXPECT_EQ(count("list_tools", "tools"), 0U);
  EXPECT_EQ(refused("create_endpoint", wanted({binding("query"), binding("query")})).code,
            Code::kNameTaken);
}

TEST_F(EndpointToolsTest, AnEndpointCanDoNoMoreThanItsMaker) {
  const auto reader = delegate({});
  EXPECT_THAT(refused(reader, "create_endpoint", wanted({binding("create")})),
              Says(Code::kPermissionExceeded, "canUpload"));
  call(reader, "create_endpoint", wanted({binding("query")}));
  const auto docs = writer_in("docs");
  EXPECT_EQ(refused(docs, "create_endpoint", wanted({binding("query")})).code, Code::kPathNotFound);
  call(docs, "create_endpoint", wanted({binding("query", "b.json")}));
}

TEST_F(EndpointToolsTest, AContextThatIsNotThereMakesNoTool) {
  EXPECT_EQ(refused("create_endpoint", wanted({binding("query", "b.json")})).code,
            Code::kPathNotFound);
  EXPECT_EQ(refused("create_endpoint", wanted({binding("query", "docs")})).code, Code::kNotAFile);
  EXPECT_EQ(refused("create_endpoint", wanted({binding("fs_read", "a.json")})).code,
            Code::kNotADirectory);
}

TEST_F(EndpointToolsTest, OthersEndpointsDoNotExist) {
  const auto one = delegate({});
  const auto two = delegate({});
  const auto made = call(one, "create_endpoint", wanted({binding("query")}));
  const json::Object id{{"endpointId", made.at("endpointId")}};
  for (const auto* tool : {"get_endpoint", "rotate_endpoint_key", "delete_endpoint",
                           "upgrade_endpoint", "preview_endpoint", "update_endpoint"}) {
    EXPECT_THAT(refused(two, tool, id), Says(Code::kEndpointNotFound, text(made, "endpointId")))
        << tool;
  }
  EXPECT_TRUE(call(two, "list_endpoints", {}).at("endpoints").get_array().empty());
  EXPECT_EQ(count("list_endpoints", "endpoints"), 1U);  // whoever is above sees them
  EXPECT_TRUE(opens(text(made, "apiKey")));
}

TEST_F(EndpointToolsTest, AKeyWorksWhileItsEndpointIsActive) {
  const auto made = call("create_endpoint", wanted({binding("query")}));
  const auto key = text(made, "apiKey");
  const auto set = [&](std::string_view status) {
    return json::Object{{"endpointId", made.at("endpointId")}, {"status", status}};
  };
  call("update_endpoint", set("disabled"));
  EXPECT_FALSE(opens(key));
  call("update_endpoint", set("active"));
  EXPECT_TRUE(opens(key));
  call("update_endpoint", set("revoked"));
  EXPECT_FALSE(opens(key));
  EXPECT_THAT(refused("update_endpoint", set("active")), Says(Code::kInvalidArgument, "for good"));
  EXPECT_FALSE(opens(key));
}

TEST_F(EndpointToolsTest, AKeyWorksUntilItExpires) {
  auto soon = wanted({binding("query")});
  soon["expiresIn"] = 60;
  const auto made = call("create_endpoint", soon);
  clock_.advance(std::chrono::seconds(59));
  EXPECT_TRUE(opens(text(made, "apiKey")));
  clock_.advance(std::chrono::seconds(1));
  EXPECT_FALSE(opens(text(made, "apiKey")));
  call("update_endpoint", {{"endpointId", made.at("endpointId")}, {"expiresIn", nullptr}});
  EXPECT_TRUE(opens(text(made, "apiKey")));
  soon["expiresIn"] = INT64_MAX;
  EXPECT_THAT(refused("create_endpoint", soon), Says(Code::kInvalidArgument, "expiresIn"));
}

TEST_F(EndpointToolsTest, ANewKeyVoidsTheOldOne) {
  const auto made = call("create_endpoint", wanted({binding("query")}));
  const auto turned = call("rotate_endpoint_key", {{"endpointId", made.at("endpointId")}});
  EXPECT_FALSE(opens(text(made, "apiKey")));
  EXPECT_TRUE(opens(text(turned, "apiKey")));
}

TEST_F(EndpointToolsTest, ADeletedEndpointLeavesItsTools) {
  const auto made = call("create_endpoint", wanted({binding("query")}));
  const auto tool = made.at("bindings").at(0).at("toolId");
  EXPECT_THAT(refused("delete_tool", {{"toolId", tool}}).code, Code::kToolInUse);
  call("delete_endpoint", {{"endpointId", made.at("endpointId")}});
  EXPECT_FALSE(opens(text(made, "apiKey")));
  EXPECT_EQ(count("list_tools", "tools"), 1U);
  call("delete_tool", {{"toolId", tool}});
}

TEST_F(EndpointToolsTest, APreviewShowsWhatAClientWillSeeAndStoresNothing) {
  const auto shown = call("preview_endpoint", {{"bindings", json::Array{binding("query")}}});
  EXPECT_EQ(json::text(shown.at("tools").at(0).at("name")), "query");
  EXPECT_EQ(count("list_tools", "tools"), 0U);
  const auto made = call("create_endpoint", wanted({binding("query")}));
  const auto both = call("preview_endpoint", {{"endpointId", made.at("endpointId")},
                                              {"bindings", json::Array{binding("get_all")}}});
  EXPECT_EQ(both.at("tools").get_array().size(), 2U);
  EXPECT_EQ(count("list_tools", "tools"), 1U);
}

TEST_F(EndpointToolsTest, ASingleContextKeyOfAReaderReads) {
  const json::Object context{{"depotId", depot_}, {"path", "a.json"}};
  const auto names = [&](const json::Object& made) { return column(made, "bindings", "toolName"); };
  EXPECT_THAT(names(call("create_mcp_instance", context)), testing::Contains("delete"));
  const auto reads = names(call(delegate({}), "create_mcp_instance", context));
  EXPECT_THAT(reads, testing::Contains("query"));
  EXPECT_THAT(reads, testing::Not(testing::Contains("delete")));
}

TEST_F(EndpointToolsTest, PagesTogetherAreAllEndpoints) {
  for (int i = 0; i < 5; ++i) {
    clock_.advance(std::chrono::milliseconds(1));  // ids sort by age
    call("create_endpoint", {{"name", fmt::format("e{}", i)}});
  }
  std::vector<std::string> names;
  for (const auto& page : all_pages({{"limit", 2}}, [&](const json::Object& arguments) {
         return call("list_endpoints", arguments);
       })) {
    for (auto& name : column(page, "endpoints", "name")) names.push_back(std::move(name));
  }
  EXPECT_THAT(names, testing::ElementsAre("e0", "e1", "e2", "e3", "e4"));
}

}  // namespace
}  // namespace cairn
