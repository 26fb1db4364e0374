// Tools, endpoints and bindings as they are stored, and the keys that open endpoints.

#include "data/endpoint/endpoints.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/store/open.h"
#include "data/tree/tree_testing.h"

namespace cairn {
namespace {

using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::SizeIs;
using tree_testing::FailsWith;
using tree_testing::must;

struct World {
  ManualClock clock;
  SeededRandom random{1};
  std::unique_ptr<Store> store = make_memory_store(clock);
  Endpoints endpoints{store->kv(), clock, random};
  RealmId realm = RealmId::make(clock, random);
  DelegateId owner = DelegateId::make(clock, random);

  ContextTool add_tool(std::string operation = "query") {
    clock.advance(std::chrono::milliseconds(1));
    auto tool = endpoints.draft_tool(realm, owner);
    tool.name = "orders";
    const auto depot = DepotId::make(clock, random).render();
    tool.context = Context::parse(depot, "orders.json", "/items").value();
    tool.operation = std::move(operation);
    tool.config = {{"fixed", json::Object{{"maxBytes", 100}}}};
    EXPECT_TRUE(endpoints.add(tool));
    return tool;
  }
  Binding bind(const ContextTool& tool, std::string name) {
    Binding out;
    out.id = endpoints.draft_binding();
    out.tool = tool.id;
    out.name = std::move(name);
    out.description = "what it does";
    out.input = json::Object{{"type", "object"}};
    out.arguments["expression"] = {.name = "q", .value = std::nullopt, .description = "why"};
    out.arguments["maxBytes"] = {.value = json::Value(5)};
    out.arguments["other"] = {.hidden = true};
    return out;
  }
  MadeEndpoint add_endpoint(std::vector<Binding> bindings) {
    clock.advance(std::chrono::milliseconds(1));
    auto endpoint = endpoints.draft_endpoint(realm, owner);
    endpoint.name = "for partners";
    endpoint.bindings = std::move(bindings);
    return must(endpoints.add(std::move(endpoint)));
  }
};

TEST(Endpoints, AToolIsReadBackAsItWasStored) {
  World w;
  const auto tool = w.add_tool();
  const auto read = must(w.endpoints.tool(w.realm, tool.id));
  EXPECT_EQ(endpoint_records::encode(read), endpoint_records::encode(tool));
  EXPECT_EQ(read.context, tool.context);
  EXPECT_EQ(must(w.endpoints.tool(tool.id)).realm, w.realm);
  EXPECT_THAT(w.endpoints.tool(RealmId::make(w.clock, w.random), tool.id),
              FailsWith(Code::kToolNotFound));
}

TEST(Endpoints, AnEndpointIsReadBackAsItWasStored) {
  World w;
  const auto tool = w.add_tool();
  auto made = w.add_endpoint({w.bind(tool, "query")});
  const auto read = must(w.endpoints.endpoint(w.realm, made.endpoint.id));
  EXPECT_EQ(endpoint_records::encode(read), endpoint_records::encode(made.endpoint));
  ASSERT_THAT(read.bindings, SizeIs(1));
  EXPECT_EQ(read.bindings[0].arguments.at("expression").name, "q");
  EXPECT_EQ(read.bindings[0].arguments.at("maxBytes").value, json::Value(5));
  EXPECT_TRUE(read.bindings[0].arguments.at("other").hidden);
}

TEST(Endpoints, DamagedRecordsAreRefused) {
  World w;
  const auto whole = endpoint_records::encode(w.add_tool());
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    EXPECT_THAT(endpoint_records::decode_tool(ByteView(whole).substr(0, size)),
                FailsWith(Code::kIoError));
  }
  EXPECT_THAT(endpoint_records::decode_endpoint(whole), FailsWith(Code::kIoError));
}

TEST(Endpoints, AKeyOpensItsEndpointOnly) {
  World w;
  auto one = w.add_endpoint({});
  auto two = w.add_endpoint({});
  EXPECT_EQ(must(w.endpoints.open(one.key.text()))->id, one.endpoint.id);
  EXPECT_EQ(must(w.endpoints.open(two.key.text()))->id, two.endpoint.id);
  auto wrong = one.key.text();
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  for (const auto& key : {std::string(), std::string("cek_"), wrong, one.endpoint.id.render()}) {
    EXPECT_THAT(w.endpoints.open(key), FailsWith(Code::kEndpointNotFound)) << key;
  }
}

TEST(Endpoints, ARotatedKeyIsVoidAtOnce) {
  World w;
  auto made = w.add_endpoint({});
  ASSERT_TRUE(w.endpoints.open(made.key.text()));
  auto again = must(w.endpoints.rotate(w.realm, made.endpoint.id));
  EXPECT_THAT(w.endpoints.open(made.key.text()), FailsWith(Code::kEndpointNotFound));
  EXPECT_TRUE(w.endpoints.open(again.key.text()));
}

TEST(Endpoints, DisabledRevokedExpiredAndRemovedOnesDoNotOpen) {
  World w;
  auto made = w.add_endpoint({});
  auto set = [&](EndpointStatus status) {
    must(w.endpoints.change(w.realm, made.endpoint.id, [&](Endpoint& endpoint) -> Result<void> {
      endpoint.status = status;
      return {};
    }));
  };
  set(EndpointStatus::kDisabled);
  EXPECT_THAT(w.endpoints.open(made.key.text()), FailsWith(Code::kEndpointNotFound));
  set(EndpointStatus::kActive);
  EXPECT_TRUE(w.endpoints.open(made.key.text()));
  must(w.endpoints.change(w.realm, made.endpoint.id, [&](Endpoint& endpoint) -> Result<void> {
    endpoint.expires_at = w.clock.now() + 1000;
    return {};
  }));
  EXPECT_TRUE(w.endpoints.open(made.key.text()));
  w.clock.advance(std::chrono::seconds(1));
  EXPECT_THAT(w.endpoints.open(made.key.text()), FailsWith(Code::kEndpointNotFound));
  EXPECT_TRUE(w.endpoints.remove(w.realm, made.endpoint.id));
  EXPECT_THAT(w.endpoints.endpoint(w.realm, made.endpoint.id), FailsWith(Code::kEndpointNotFound));
}

TEST(Endpoints, NamesAreUniqueInAnEndpoint) {
  World w;
  const auto tool = w.add_tool();
  auto draft = w.endpoints.draft_endpoint(w.realm, w.owner);
  draft.bindings = {w.bind(tool, "query"), w.bind(tool, "query")};
  EXPECT_THAT(w.endpoints.add(draft), FailsWith(Code::kNameTaken));
  auto made = w.add_endpoint({w.bind(tool, "query")});
  EXPECT_THAT(w.endpoints.change(w.realm, made.endpoint.id,
                                 [&](Endpoint& endpoint) -> Result<void> {
                                   endpoint.bindings.push_back(w.bind(tool, "query"));
                                   return {};
                                 }),
              FailsWith(Code::kNameTaken));
  EXPECT_THAT(must(w.endpoints.endpoint(w.realm, made.endpoint.id)).bindings, SizeIs(1));
}

TEST(Endpoints, AToolThatIsBoundStays) {
  World w;
  const auto tool = w.add_tool();
  auto made = w.add_endpoint({w.bind(tool, "query")});
  EXPECT_THAT(w.endpoints.remove(w.realm, tool.id), FailsWith(Code::kToolInUse));
  EXPECT_TRUE(w.endpoints.remove(w.realm, made.endpoint.id));
  EXPECT_TRUE(w.endpoints.remove(w.realm, tool.id));
  EXPECT_THAT(w.endpoints.tool(tool.id), FailsWith(Code::kToolNotFound));
}

TEST(Endpoints, ListsComeInPagesAndShowWhatMayBeSeen) {
  World w;
  std::vector<std::string> ids;
  for (int i = 0; i < 7; ++i)
    ids.push_back(w.add_tool(i % 2 == 0 ? "query" : "get_all").id.render());
  std::vector<std::string> seen;
  std::optional<std::string> cursor;
  do {
    auto page = must(w.endpoints.tools(w.realm, 2, cursor, [](const ContextTool& tool) {
      return Result<bool>(tool.operation == "query");
    }));
    for (const auto& tool : page.items) seen.push_back(tool.id.render());
    cursor = page.next_cursor;
  } while (cursor);
  EXPECT_THAT(seen, ElementsAre(ids[0], ids[2], ids[4], ids[6]));
}

TEST(Endpoints, ChangesAreToldWithTheirRealm) {
  World w;
  std::vector<RealmId> told;
  auto watching = w.endpoints.watch([&](const RealmId& realm) { told.push_back(realm); });
  const auto before = w.endpoints.generation();
  const auto tool = w.add_tool();
  w.add_endpoint({w.bind(tool, "query")});
  EXPECT_THAT(told, ElementsAre(w.realm, w.realm));
  EXPECT_THAT(w.endpoints.generation(), Not(before));
}

TEST(Endpoints, ManyMayChangeOneAtOnce) {
  World w;
  const auto tool = w.add_tool();
  auto made = w.add_endpoint({});
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      Binding binding;
      binding.tool = tool.id;
      binding.name = fmt::format("tool_{}", i);
      must(w.endpoints.change(w.realm, made.endpoint.id, [&](Endpoint& endpoint) -> Result<void> {
        endpoint.bindings.push_back(binding);
        return {};
      }));
      EXPECT_TRUE(w.endpoints.open(made.key.text()));
    });
  }
  threads.clear();
  EXPECT_THAT(must(w.endpoints.open(made.key.text()))->bindings, SizeIs(8));
}

}  // namespace
}  // namespace cairn
