#include "exposure/agent/resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "exposure/agent/agent_world.h"

namespace cairn::agent {
namespace {

using agent_testing::FakeExchange;
using agent_testing::need;
using agent_testing::text_of;
using agent_testing::uri_of;
using agent_testing::World;
using testing::ElementsAre;
using testing::HasSubstr;

std::string bare(const std::string& id) { return id.substr(4); }

json::Object json_of(const json::Object& item) {
  EXPECT_EQ(text_of(item, "mimeType"), "application/json");
  return need(json::parse(text_of(item, "text"))).get_object();
}

struct ResourcesTest : testing::Test {
  World world;
  std::string depot = world.depot("my-project", {{"src/main.ts", "main\n"},
                                                 {"docs/a b.md", "# A\n"},
                                                 {"docs/api/x.md", "x\n"},
                                                 {"README.md", "# Hi\n"}});
  std::string root = text_of(world.must("get_depot", {{"depotId", depot}}), "root");
  std::string uri = uri_of(depot);

  mcp::RpcError refused(const mcp::PrincipalPtr& who, const std::string& which) {
    auto answer = world.read(who, which);
    EXPECT_FALSE(answer) << which;
    return answer ? mcp::RpcError{} : answer.error();
  }
};

TEST_F(ResourcesTest, ListsTheDepotsOfTheCaller) {
  world.depot("docs", {});
  const auto listed = world.listed(world.owner);
  ASSERT_EQ(listed.size(), 2U);
  const auto& first = listed[0].get_object();
  EXPECT_EQ(text_of(first, "uri"), "cas://depot:" + bare(depot));
  EXPECT_EQ(text_of(first, "name"), "my-project");
  EXPECT_EQ(text_of(first, "title"), "my-project");
  EXPECT_EQ(text_of(first, "description"), "Depot: my-project");
  EXPECT_EQ(text_of(first, "mimeType"), "application/json");
  EXPECT_EQ(text_of(first.at("annotations").get_object(), "lastModified"), "2023-11-14T22:13:20Z");
}

TEST_F(ResourcesTest, ListsManyDepotsInPages) {
  for (int i = 0; i < 249; ++i) world.depot("d" + std::to_string(i), {});
  FakeExchange exchange(world.owner);
  std::string cursor;
  std::vector<std::size_t> sizes;
  std::set<std::string> seen;
  do {
    const auto page = need(world.service().list_resources(exchange, cursor));
    EXPECT_FALSE(page.caching.for_all);
    for (const auto& item : page.items) seen.insert(text_of(item.get_object(), "uri"));
    sizes.push_back(page.items.size());
    cursor = page.next_cursor.value_or("");
  } while (!cursor.empty());
  EXPECT_THAT(sizes, ElementsAre(100, 100, 50));
  EXPECT_EQ(seen.size(), 250U);
  EXPECT_EQ(world.service().list_resources(exchange, "nonsense").error().code,
            mcp::rpc_code::kInvalidParams);
}

TEST_F(ResourcesTest, HasTheFourTemplates) {
  FakeExchange exchange(world.owner);
  const auto page = need(world.service().list_templates(exchange, ""));
  std::vector<std::string> uris;
  for (const auto& row : page.items) {
    uris.push_back(text_of(row.get_object(), "uriTemplate"));
    EXPECT_FALSE(text_of(row.get_object(), "name").empty());
    EXPECT_FALSE(text_of(row.get_object(), "description").empty());
  }
  EXPECT_THAT(uris, ElementsAre("cas://depot:{depotId}", "cas://depot:{depotId}/{+path}",
                                "cas://node:{nodeKey}", "cas://node:{nodeKey}/{+path}"));
  EXPECT_TRUE(page.caching.for_all);
}

TEST_F(ResourcesTest, ReadsADepot) {
  const auto item = world.item(world.owner, uri);
  EXPECT_EQ(text_of(item, "uri"), uri);
  const auto about = json_of(item);
  EXPECT_EQ(about.size(), 4U);
  EXPECT_EQ(text_of(about, "depotId"), depot);
  EXPECT_EQ(text_of(about, "title"), "my-project");
  EXPECT_EQ(text_of(about, "root"), root);
  EXPECT_TRUE(about.at("updatedAt").is_number());
}

TEST_F(ResourcesTest, ReadsFilesAndDirectories) {
  const auto file = world.item(world.owner, uri + "/src/main.ts");
  EXPECT_EQ(text_of(file, "text"), "main\n");
  EXPECT_EQ(text_of(file, "mimeType"), "text/typescript");
  EXPECT_EQ(text_of(world.item(world.owner, uri + "/docs/a%20b.md"), "text"), "# A\n");
  EXPECT_EQ(text_of(world.item(world.owner, uri + "/docs/a b.md"), "text"), "# A\n");
  for (const auto* path : {"/docs", "/docs/"}) {
    const auto listed = json_of(world.item(world.owner, uri + path));
    EXPECT_EQ(text_of(listed, "path"), "docs");
    EXPECT_EQ(listed.at("total").to_number<int>(), 2);
  }
  EXPECT_EQ(json_of(world.item(world.owner, uri + "/")).at("total").to_number<int>(), 3);
}

TEST_F(ResourcesTest, ReadsNodesForEver) {
  const auto node = "cas://node:" + bare(root);
  const auto about = json_of(world.item(world.owner, node));
  EXPECT_EQ(text_of(about, "kind"), "dict");
  EXPECT_EQ(about.at("childCount").to_number<int>(), 3);
  EXPECT_EQ(text_of(world.item(world.owner, node + "/src/main.ts"), "text"), "main\n");
  for (const auto* rest : {"", "/", "/src", "/src/main.ts"}) {
    const auto caching = need(world.read(world.owner, node + rest)).caching;
    EXPECT_EQ(caching.ttl_ms, mcp::Caching::kLongest) << rest;
    EXPECT_FALSE(caching.for_all);
  }
  for (const auto& live : {uri, uri + "/", uri + "/src/main.ts"}) {
    EXPECT_EQ(need(world.read(world.owner, live)).caching.ttl_ms, 0) << live;
  }
  // An abbreviated key may name something else one day, or two things.
  const auto shortened = "cas://node:" + bare(root).substr(0, 16);
  EXPECT_EQ(need(world.read(world.owner, shortened)).caching.ttl_ms, 0);
}

TEST_F(ResourcesTest, GivesWhatIsNotTextAsABlob) {
  const std::string bytes("\x89PNG\r\n\x1a\n\0\xff", 10);
  auto owner = need(world.executor().trusted(world.engine().owner(), Entrance::kCli));
  auto intake = need(
      world.executor().take(owner, "write_file", {{"nodeKey", depot}, {"path", "img/logo.png"}}));
  ASSERT_TRUE(intake->append(bytes));
  const auto written = need(intake->finish());
  const auto at = text_of(written.value.get_object(), "newRoot");
  const auto item = world.item(world.owner, "cas://node:" + bare(at) + "/img/logo.png");
  EXPECT_EQ(text_of(item, "mimeType"), "image/png");
  EXPECT_EQ(base64_decode(text_of(item, "blob")), bytes);
  EXPECT_FALSE(item.contains("text"));
}

TEST_F(ResourcesTest, RefusesALargeFileAndSaysHowToReadIt) {
  world.commit(depot, {{"big.txt", std::string((1 << 20) + 1, 'x')},
                       {"fits.txt", std::string(1 << 20, 'x')}});
  EXPECT_EQ(text_of(world.item(world.owner, uri + "/fits.txt"), "text").size(), 1U << 20);
  const auto error = refused(world.owner, uri + "/big.txt");
  EXPECT_EQ(error.code, mcp::rpc_code::kInvalidParams);
  EXPECT_THAT(error.message, HasSubstr("fs_read with startLine and endLine"));
}

TEST_F(ResourcesTest, SaysTheSameOfWhatIsNotThereAndWhatMayNotBeSeen) {
  const auto secret = world.depot("secret", {{"a", "a"}});
  const auto secret_root = text_of(world.must("get_depot", {{"depotId", secret}}), "root");
  const auto reader = world.as(world.delegate({{"delegatedDepots", json::Array{depot}}}));
  const std::string none = "dpt_01H5K6Z9X3ABCDEF0123456789";
  const std::string no_node = "cas://node:" + std::string(52, '0');
  struct Case {
    std::string hidden, missing;
  };
  for (const auto& c :
       {Case{uri_of(secret), uri_of(none)}, Case{uri_of(secret) + "/a", uri_of(none) + "/a"},
        Case{"cas://node:" + bare(secret_root), no_node},
        Case{"cas://node:" + bare(secret_root) + "/a", no_node + "/a"}}) {
    const auto hidden = refused(reader, c.hidden);
    const auto missing = refused(reader, c.missing);
    EXPECT_EQ(hidden.code, mcp::rpc_code::kResourceNotFound);
    EXPECT_EQ(missing.code, mcp::rpc_code::kResourceNotFound);
    EXPECT_EQ(hidden.message, "there is no resource " + c.hidden + " that you may read");
    EXPECT_EQ(missing.message, "there is no resource " + c.missing + " that you may read");
    EXPECT_EQ(json::write(hidden.data), R"({"uri":")" + c.hidden + R"("})");
    EXPECT_EQ(json::write(missing.data), R"({"uri":")" + c.missing + R"("})");
  }
  EXPECT_EQ(refused(world.owner, no_node).code, mcp::rpc_code::kResourceNotFound);
}

TEST_F(ResourcesTest, NamesTheNearestPath) {
  const auto error = refused(world.owner, uri + "/src/mian.ts");
  EXPECT_EQ(error.code, mcp::rpc_code::kResourceNotFound);
  EXPECT_THAT(error.message, HasSubstr("'main.ts'"));
  EXPECT_EQ(text_of(error.data.get_object(), "uri"), uri + "/src/mian.ts");
  EXPECT_EQ(refused(world.owner, uri + "/README.md/x").code, mcp::rpc_code::kResourceNotFound);
}

TEST_F(ResourcesTest, RefusesWhatIsNoUriOfOurs) {
  for (const auto& bad :
       {std::string("test://x"), uri + "/../x", uri + "//x", std::string("cas://depot:zzz")}) {
    const auto error = refused(world.owner, bad);
    EXPECT_EQ(error.code, mcp::rpc_code::kInvalidParams) << bad;
    EXPECT_EQ(text_of(error.data.get_object(), "uri"), bad);
  }
}

TEST_F(ResourcesTest, AScopedDelegateSeesItsPlaceAsTheWhole) {
  const auto reader = world.as(world.delegate({{"scope", json::Array{depot + "/docs"}}}));
  const auto listed = world.listed(reader);
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(text_of(listed[0].get_object(), "uri"), uri);
  EXPECT_EQ(text_of(world.item(reader, uri + "/api/x.md"), "text"), "x\n");
  EXPECT_EQ(json_of(world.item(reader, uri + "/")).at("total").to_number<int>(), 2);
  EXPECT_EQ(refused(reader, uri + "/src/main.ts").code, mcp::rpc_code::kResourceNotFound);
  EXPECT_EQ(refused(reader, "cas://node:" + bare(root)).code, mcp::rpc_code::kResourceNotFound);
}

TEST_F(ResourcesTest, ADelegateOfSeveralPlacesReadsEachByTheUriItWasListedUnder) {
  const auto reader = world.as(world.delegate(
      {{"scope", json::Array{depot + "/docs", depot + "/src", depot + "/docs/api"}}}));
  std::map<std::string, std::string> found;
  for (const auto& row : world.listed(reader)) {
    const auto listed = text_of(row.get_object(), "uri");
    const auto about = json_of(world.item(reader, listed));
    found[text_of(row.get_object(), "name")] = text_of(about, "depotId");
    EXPECT_TRUE(json_of(world.item(reader, listed + "/")).contains("children"));
  }
  const std::map<std::string, std::string> wanted{{"my-project/docs", depot + "/docs"},
                                                  {"my-project/docs/api", depot + "/docs/api"},
                                                  {"my-project/src", depot + "/src"}};
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(text_of(world.item(reader, uri + "%2Fdocs/api/x.md"), "text"), "x\n");
  EXPECT_EQ(text_of(world.item(reader, uri + "%2Fdocs%2Fapi/x.md"), "text"), "x\n");
  EXPECT_EQ(refused(reader, uri + "%2FREADME.md").code, mcp::rpc_code::kResourceNotFound);
  EXPECT_THAT(refused(reader, uri).message, HasSubstr("several places"));
}

TEST_F(ResourcesTest, AFrozenTreeIsListedByItsKey) {
  const auto reader = world.as(world.delegate({{"scope", json::Array{root}}}));
  const auto listed = world.listed(reader);
  ASSERT_EQ(listed.size(), 1U);
  const auto node = text_of(listed[0].get_object(), "uri");
  EXPECT_EQ(node, "cas://node:" + bare(root));
  EXPECT_EQ(text_of(world.item(reader, node + "/README.md"), "text"), "# Hi\n");
}

}  // namespace
}  // namespace cairn::agent
