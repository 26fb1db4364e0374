// What MCP adds to the question of rights: resources, sessions and streams that outlive a request.

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/http/testing.h"
#include "mcp_rows.h"

namespace cairn::rest_testing {
namespace {

using http::testing::RawClient;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::chrono::milliseconds kHeartbeat{50};

// A body without the names that were in the question.
std::string without(std::string body, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    for (auto at = body.find(name); at != std::string::npos; at = body.find(name)) {
      body.replace(at, name.size(), "NAME");
    }
  }
  return body;
}

// The same key, but for one letter: of nothing.
std::string unlike(std::string key) {
  auto& letter = key[key.size() - 5];
  letter = letter == '7' ? '8' : '7';
  return key;
}

struct Part {
  Scene scene;
  McpDoor door{scene.world, kHeartbeat};
  // Sees src/ of the site as a depot, and nothing else.
  std::string token = scene.issue(all_rights({{"scope", json::Array{scene.site + "/src"}}}));
  std::string session = door.open_session(token);

  // The answer to a question about a resource, in either era.
  std::string ask(std::string_view method, const std::string& uri) {
    const json::Object params{{"uri", uri}};
    return method == "resources/read" ? door.ask(token, method, params).body
                                      : door.ask_in(session, token, method, params).body;
  }
  std::string complete(const std::string& depot) {
    return door
        .ask(token, "completion/complete",
             {{"ref",
               json::Object{{"type", "ref/resource"}, {"uri", "cas://depot:{depotId}/{+path}"}}},
              {"argument", json::Object{{"name", "path"}, {"value", ""}}},
              {"context", json::Object{{"arguments", json::Object{{"depotId", depot}}}}}})
        .body;
  }
  std::string prompt(const std::string& depot) {
    return door
        .ask(token, "prompts/get",
             {{"name", "refactor"}, {"arguments", json::Object{{"depotId", depot}}}})
        .body;
  }
};

// A stream, as its client sees it.
class Stream final {
 public:
  Stream(const McpDoor& door, const std::string& token, std::string_view method,
         std::string_view headers, std::string_view body = {})
      : client_(door.port()) {
    client_.send(fmt::format(
        "{} /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nAccept: "
        "application/json, text/event-stream\r\n{}{}\r\n{}",
        method, token, headers,
        body.empty()
            ? ""
            : fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body.size()),
        body));
    head_ = client_.head();
  }

  const std::string& head() const { return head_; }
  // What it says, up to and with this, or until it ends.
  std::string until(std::string_view wanted) {
    std::string got;
    while (!got.ends_with(wanted) && !got.ends_with("0\r\n\r\n")) {
      const auto next = client_.read_exactly(1);
      if (next.empty()) break;
      got += next;
    }
    return got;
  }
  std::string to_end() { return until("0\r\n\r\n"); }

 private:
  RawClient client_;
  std::string head_;
};

// Told of a change of these.
Stream listen(const McpDoor& door, const std::string& token, json::Array uris) {
  json::Object filter{{"resourcesListChanged", true}, {"resourceSubscriptions", std::move(uris)}};
  json::Object message{{"jsonrpc", "2.0"},
                       {"id", 1},
                       {"method", "subscriptions/listen"},
                       {"params", with_meta({{"notifications", std::move(filter)}})}};
  return {door, token, "POST",
          "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n",
          json::write(message)};
}

Stream open(const McpDoor& door, const std::string& token, const std::string& session) {
  return {door, token, "GET", fmt::format("Mcp-Session-Id: {}\r\n", session)};
}

TEST(McpRights, WhatMayNotBeSeenIsNotThere) {
  Part part;
  auto& scene = part.scene;
  struct Pair {
    std::string_view what;
    std::string hidden;
    std::string nothing;
  };
  const Pair pairs[] = {
      {"a depot", uri_of(scene.other), uri_of(unlike(scene.other))},
      {"a file of a depot", uri_of(scene.other, "secret.txt"),
       uri_of(unlike(scene.other), "secret.txt")},
      {"a node", uri_of(scene.docs_key), uri_of(unlike(scene.docs_key))},
      {"a file below a node", uri_of(scene.site_root, "docs/a.txt"),
       uri_of(unlike(scene.site_root), "docs/a.txt")},
      {"a file beside", uri_of(scene.site, "docs/a.txt"), uri_of(scene.site, "dogs/a.txt")},
      {"another place of the depot", uri_of(scene.site) + "%2Fdocs",
       uri_of(scene.site) + "%2Fdogs"},
  };
  for (const std::string_view method : {"resources/read", "resources/subscribe"}) {
    for (const auto& [what, hidden, nothing] : pairs) {
      const auto answer = part.ask(method, hidden);
      EXPECT_THAT(answer, HasSubstr(R"("error")")) << method << " of " << what;
      EXPECT_EQ(without(answer, {hidden, "docs"}),
                without(part.ask(method, nothing), {nothing, "dogs"}))
          << method << " of " << what;
    }
  }
  const auto none = unlike(scene.other);
  EXPECT_EQ(part.complete(scene.other), part.complete(none));
  EXPECT_EQ(without(part.prompt(scene.other), {scene.other}), without(part.prompt(none), {none}));
}

TEST(McpRights, ShowsAPartAsAWhole) {
  Part part;
  const auto listed = part.door.ask(part.token, "resources/list", {});
  ASSERT_EQ(listed.result.at("resources").get_array().size(), 1U) << listed.body;
  const auto uri = text(listed.result.at("resources").get_array()[0].get_object(), "uri");
  EXPECT_THAT(part.ask("resources/read", uri + "/main.ts"), HasSubstr("let a = 1;"));
  EXPECT_THAT(part.ask("resources/read", uri + "/"), Not(HasSubstr("docs")));
  EXPECT_EQ(listed.body.find("other"), std::string::npos);
  EXPECT_THAT(part.complete(part.scene.site), HasSubstr(R"("values":["main.ts"])"));
}

TEST(McpRights, TellsOnlyOfChangesInView) {
  Part part;
  auto& world = part.scene.world;
  const auto uri = uri_of(part.scene.site);
  auto stream = listen(part.door, part.token,
                       {uri, uri_of(part.scene.other), uri_of(part.scene.site, "docs/a.txt")});
  const auto first = stream.until("\n\n");
  EXPECT_THAT(first, HasSubstr(fmt::format(R"("resourceSubscriptions":["{}"])", uri)));
  const auto commit = [&](const std::string& depot, std::string_view path) {
    const auto root = text(
        world.must("fs_write", world.owner, {{"nodeKey", depot}, {"path", path}, {"content", "n"}}),
        "newRoot");
    world.must("depot_commit", world.owner, {{"depotId", depot}, {"root", root}});
  };
  commit(part.scene.site, "docs/unseen.txt");
  commit(part.scene.other, "unseen.txt");
  world.must("create_depot", world.owner, {{"title", "unseen"}});
  commit(part.scene.site, "src/seen.txt");
  const auto told = stream.until("resources/updated");
  EXPECT_THAT(told, Not(HasSubstr("list_changed")));
  EXPECT_THAT(stream.until("\n\n"), HasSubstr(uri));
  // One of each that it saw, and no other before the stream ends.
  part.scene.world.must("revoke_delegate", world.owner,
                        {{"delegateId", text(part.door.call(part.token, "get_delegate", {})
                                                 .result.at("structuredContent")
                                                 .get_object(),
                                             "delegateId")}});
  EXPECT_THAT(stream.to_end(), Not(HasSubstr("resources/updated")));
}

TEST(McpRights, ASessionIsOfTheDelegateThatOpenedIt) {
  Part part;
  const auto other = part.scene.issue(all_rights());
  const auto ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  const auto ask = [&](http::Method method, const std::string& token, const std::string& session) {
    return part.door.send(method, token, method == http::Method::kPost ? ping : "",
                          {{"Mcp-Session-Id", session}});
  };
  for (const auto method : {http::Method::kPost, http::Method::kGet, http::Method::kDelete}) {
    const auto foreign = ask(method, other, part.session);
    EXPECT_EQ(foreign.status, 404) << foreign.body;
    EXPECT_EQ(foreign.body, ask(method, other, unlike(part.session)).body);
    EXPECT_EQ(ask(method, part.scene.world.owner, part.session).status, 404);
  }
  // And is as it was.
  EXPECT_EQ(ask(http::Method::kPost, part.token, part.session).status, 200);
  EXPECT_EQ(ask(http::Method::kDelete, part.token, part.session).status, 204);
  EXPECT_EQ(ask(http::Method::kPost, part.token, part.session).status, 404);
}

TEST(McpRights, StreamsEndWithTheRightToThem) {
  struct Ending {
    std::string_view what;
    std::function<void(World&, const std::string& id)> end;
  };
  const Ending endings[] = {
      {"revoked",
       [](World& world, const std::string& id) {
         world.must("revoke_delegate", world.owner, {{"delegateId", id}});
       }},
      {"expired",
       [](World& world, const std::string&) { world.clock.advance(std::chrono::hours(2)); }},
  };
  for (const auto& [what, end] : endings) {
    Part part;
    const auto id = text(
        part.door.call(part.token, "get_delegate", {}).result.at("structuredContent").get_object(),
        "delegateId");
    auto modern = listen(part.door, part.token, {uri_of(part.scene.site)});
    auto legacy = open(part.door, part.token, part.session);
    EXPECT_THAT(modern.head(), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(legacy.head(), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(legacy.until("still here"), HasSubstr("still here"));
    EXPECT_THAT(modern.until("still here"), HasSubstr("still here"));
    end(part.scene.world, id);
    const auto began = std::chrono::steady_clock::now();
    EXPECT_THAT(modern.to_end(), ::testing::EndsWith("0\r\n\r\n")) << what;
    EXPECT_THAT(legacy.to_end(), ::testing::EndsWith("0\r\n\r\n")) << what;
    // One heartbeat, and time for a busy machine.
    EXPECT_LT(std::chrono::steady_clock::now() - began, kHeartbeat + std::chrono::seconds(5));
    EXPECT_EQ(part.door.ask_in(part.session, part.token, "ping", {}).status, 401) << what;
  }
}

}  // namespace
}  // namespace cairn::rest_testing
