#include "exposure/mcp/server.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/mcp/meta.h"
#include "exposure/mcp/testing.h"

namespace cairn::mcp {
namespace {

using testing::a_principal;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestService;

class Recorder final : public Channel {
 public:
  bool send(std::string message) override {
    messages_.lock()->push_back(json::parse(message).value().as_object());
    arrived_.notify_all();
    return true;
  }
  // Waits, up to ten seconds, until there are as many.
  std::vector<json::Object> wait_for(std::size_t count) {
    auto messages = messages_.lock();
    arrived_.wait_for(messages.mutex(), std::chrono::seconds(10),
                      [&] { return messages->size() >= count; });
    return *messages;
  }
  std::vector<json::Object> all() { return *messages_.lock(); }

 private:
  Guarded<std::vector<json::Object>> messages_;
  std::condition_variable arrived_;
};

json::Object object(std::string_view text) { return json::parse(text).value().as_object(); }

struct ServerTest : ::testing::Test {
  std::shared_ptr<Peer> a_peer(std::string who = "tester") {
    return std::make_shared<Peer>(a_principal(std::move(who)), recorder);
  }
  // One that has shaken hands.
  std::shared_ptr<Peer> a_legacy_peer(std::string_view revision = "2025-11-25",
                                      std::string_view capabilities = "{}") {
    auto peer = a_peer();
    ask(*this, peer, "initialize",
        fmt::format(R"({{"protocolVersion":"{}","capabilities":{}}})", revision, capabilities));
    return peer;
  }
  static json::Object ask(ServerTest& test, const std::shared_ptr<Peer>& peer,
                          std::string_view method, std::string_view params = "{}") {
    Request request{1, std::string(method), object(params)};
    const Era era = era_of(request);
    return object(test.server.answer(peer, std::move(request), era, test.recorder).text);
  }
  json::Object legacy(const std::shared_ptr<Peer>& peer, std::string_view method,
                      std::string_view params = "{}") {
    return ask(*this, peer, method, params);
  }
  Answer modern(const std::shared_ptr<Peer>& peer, std::string_view method,
                std::string_view params = "{}", std::string_view capabilities = "{}",
                std::string_view revision = "2026-07-28") {
    auto given = object(params);
    given["_meta"] = json::Object{{meta::kRevision, revision},
                                  {meta::kCapabilities, json::parse(capabilities).value()}};
    return server.answer(peer, {1, std::string(method), std::move(given)}, Era::kModern, recorder);
  }
  static json::Object result(const Answer& answer) {
    return object(answer.text).at("result").as_object();
  }
  static int code(const json::Object& message) {
    return static_cast<int>(message.at("error").at("code").as_int64());
  }

  ManualClock clock;
  SeededRandom random{1};
  TestService service;
  Server server{service, clock, random};
  std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>();
};

TEST_F(ServerTest, SettlesOnTheClientsRevisionOrItsOwnLatest) {
  for (const auto& [asked, settled] : {std::pair{"2024-11-05", "2024-11-05"},
                                       {"2025-03-26", "2025-03-26"},
                                       {"2025-06-18", "2025-06-18"},
                                       {"2025-11-25", "2025-11-25"},
                                       {"2026-07-28", "2025-11-25"},
                                       {"1999-01-01", "2025-11-25"}}) {
    const auto answer =
        legacy(a_peer(), "initialize", fmt::format(R"({{"protocolVersion":"{}"}})", asked));
    EXPECT_EQ(answer.at("result").at("protocolVersion"), settled);
  }
}

TEST_F(ServerTest, DeclaresWhatTheServiceOffersAndTheRevisionKnows) {
  const auto newest = legacy(a_peer(), "initialize", R"({"protocolVersion":"2025-11-25"})");
  const auto& capabilities = newest.at("result").at("capabilities").as_object();
  EXPECT_EQ(capabilities.at("tools"), object(R"({"listChanged":true})"));
  EXPECT_EQ(capabilities.at("resources"), object(R"({"listChanged":true,"subscribe":true})"));
  EXPECT_EQ(capabilities.at("prompts"), json::Object());
  EXPECT_TRUE(capabilities.contains("completions"));
  EXPECT_EQ(newest.at("result").at("serverInfo").at("title"), "Test");
  EXPECT_EQ(newest.at("result").at("instructions"), "Call echo.");
  const auto oldest = legacy(a_peer(), "initialize", R"({"protocolVersion":"2024-11-05"})");
  EXPECT_FALSE(oldest.at("result").at("capabilities").as_object().contains("completions"));
  EXPECT_FALSE(oldest.at("result").at("serverInfo").as_object().contains("title"));
}

TEST_F(ServerTest, AnswersNothingButPingBeforeTheHandshake) {
  auto peer = a_peer();
  EXPECT_EQ(code(legacy(peer, "tools/list")), rpc_code::kInvalidRequest);
  EXPECT_EQ(legacy(peer, "ping").at("result"), json::Object());
  EXPECT_TRUE(legacy(peer, "initialize", R"({"protocolVersion":"2025-06-18"})").contains("result"));
  EXPECT_TRUE(legacy(peer, "tools/list").contains("result"));
  EXPECT_EQ(code(legacy(peer, "initialize", R"({"protocolVersion":"2025-06-18"})")),
            rpc_code::kInvalidRequest);
}

TEST_F(ServerTest, LeavesOutWhatARevisionDoesNotKnow) {
  const auto tool_of = [&](std::string_view revision) {
    const auto listed = legacy(a_legacy_peer(revision), "tools/list");
    return listed.at("result").at("tools").at(0).as_object();
  };
  EXPECT_TRUE(tool_of("2025-06-18").contains("title"));
  EXPECT_FALSE(tool_of("2025-03-26").contains("title"));
  const auto call = R"({"name":"echo","arguments":{"text":"hi"}})";
  EXPECT_EQ(
      legacy(a_legacy_peer("2025-06-18"), "tools/call", call).at("result").at("structuredContent"),
      object(R"({"text":"hi"})"));
  EXPECT_FALSE(legacy(a_legacy_peer("2025-03-26"), "tools/call", call)
                   .at("result")
                   .as_object()
                   .contains("structuredContent"));
}

TEST_F(ServerTest, KnowsTheMethodsOfEachEraOnly) {
  struct Case {
    std::string_view method;
    std::string_view params;
    bool legacy;
    bool modern;
  };
  const Case cases[] = {
      {"tools/list", "{}", true, true},
      {"tools/call", R"({"name":"echo"})", true, true},
      {"resources/list", "{}", true, true},
      {"resources/templates/list", "{}", true, true},
      {"resources/read", R"({"uri":"test://thing"})", true, true},
      {"resources/subscribe", R"({"uri":"test://thing"})", true, false},
      {"resources/unsubscribe", R"({"uri":"test://thing"})", true, false},
      {"prompts/list", "{}", true, true},
      {"prompts/get", R"({"name":"greet","arguments":{"name":"Ada"}})", true, true},
      {"completion/complete",
       R"({"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":"A"}})",
       true, true},
      {"logging/setLevel", R"({"level":"debug"})", true, false},
      {"ping", "{}", true, false},
      {"server/discover", "{}", false, true},
      {"initialize", R"({"protocolVersion":"2025-11-25"})", false, false},
      {"tasks/list", "{}", false, false},
      {"", "{}", false, false},
  };
  auto peer = a_legacy_peer();
  for (const auto& [method, params, in_legacy, in_modern] : cases) {
    if (method != "initialize" && method != "server/discover") {
      const auto old = legacy(peer, method, params);
      EXPECT_EQ(old.contains("result"), in_legacy) << method;
      if (!in_legacy) {
        EXPECT_EQ(code(old), rpc_code::kMethodNotFound) << method;
      }
    }
    const auto now = modern(a_peer(), method, params);
    EXPECT_EQ(object(now.text).contains("result"), in_modern) << method << now.text;
    if (!in_modern) {
      EXPECT_EQ(code(object(now.text)), rpc_code::kMethodNotFound) << method;
      EXPECT_EQ(now.http_status, 404) << method;
    }
  }
}

TEST_F(ServerTest, WantsModernRequestsToSayWhatTheySpeak) {
  const auto with_meta = [&](std::string_view meta) {
    Request request{1, "tools/list", object(fmt::format(R"({{"_meta":{}}})", meta))};
    return server.answer(a_peer(), std::move(request), Era::kModern, recorder);
  };
  const auto no_capabilities =
      with_meta(R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"})");
  EXPECT_EQ(code(object(no_capabilities.text)), rpc_code::kInvalidParams);
  EXPECT_EQ(no_capabilities.http_status, 400);
  const auto no_revision = with_meta(R"({"io.modelcontextprotocol/clientCapabilities":{}})");
  EXPECT_EQ(code(object(no_revision.text)), rpc_code::kInvalidParams);
  const auto unknown = modern(a_peer(), "tools/list", "{}", "{}", "v999.0.0");
  EXPECT_EQ(code(object(unknown.text)), rpc_code::kUnsupportedRevision);
  EXPECT_EQ(object(unknown.text).at("error").at("data"),
            object(R"({"supported":["2026-07-28"],"requested":"v999.0.0"})"));
}

TEST_F(ServerTest, SaysHowLongAModernAnswerIsGood) {
  const auto listed = result(modern(a_peer(), "tools/list"));
  EXPECT_EQ(listed.at("resultType"), "complete");
  EXPECT_EQ(listed.at("ttlMs"), 1000);
  EXPECT_EQ(listed.at("cacheScope"), "private");
  EXPECT_EQ(listed.at("_meta").at(meta::kServerInfo).at("name"), "test");
  EXPECT_FALSE(
      legacy(a_legacy_peer(), "tools/list").at("result").as_object().contains("resultType"));
}

TEST_F(ServerTest, NamesAMissingResourceAsEachEraDoes) {
  const auto params = R"({"uri":"test://nothing"})";
  const auto old = legacy(a_legacy_peer(), "resources/read", params);
  EXPECT_EQ(code(old), rpc_code::kResourceNotFound);
  const auto now = object(modern(a_peer(), "resources/read", params).text);
  EXPECT_EQ(code(now), rpc_code::kInvalidParams);
  EXPECT_EQ(now.at("error").at("data").at("uri"), "test://nothing");
}

TEST_F(ServerTest, SendsProgressOnlyToThoseWhoAskedAndLogsOnlyWhatIsWanted) {
  auto peer = a_legacy_peer();
  legacy(peer, "tools/call", R"({"name":"chatty"})");
  EXPECT_EQ(recorder->all().size(), 1u);  // the warning
  legacy(peer, "logging/setLevel", R"({"level":"error"})");
  legacy(peer, "tools/call", R"({"name":"chatty","_meta":{"progressToken":"t"}})");
  const auto messages = recorder->all();
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[1].at("method"), "notifications/progress");
  EXPECT_EQ(messages[1].at("params").at("progressToken"), "t");
  EXPECT_EQ(code(legacy(peer, "logging/setLevel", R"({"level":"loud"})")),
            rpc_code::kInvalidParams);
  // Modern: no word unless the request asks for it.
  modern(a_peer(), "tools/call", R"({"name":"chatty"})");
  EXPECT_EQ(recorder->all().size(), 4u);
}

TEST_F(ServerTest, DoesNotAnswerWhatWasCancelled) {
  auto peer = a_legacy_peer();
  std::string text = "unset";
  std::thread runs([&] {
    text =
        server.answer(peer, {7, "tools/call", object(R"({"name":"slow"})")}, Era::kLegacy, recorder)
            .text;
  });
  ASSERT_TRUE(service.wait_for_slow_running(1));
  EXPECT_EQ(code(object(server.answer(peer, {7, "ping", {}}, Era::kLegacy, recorder).text)),
            rpc_code::kInvalidRequest)
      << "the id is in use";
  server.take(*peer, Notification{"notifications/cancelled", object(R"({"requestId":"7"})")});
  server.take(*peer, Notification{"notifications/cancelled", object(R"({"requestId":8})")});
  server.take(*peer, Notification{"notifications/cancelled", object(R"({"requestId":7})")});
  runs.join();
  EXPECT_EQ(text, "");
  EXPECT_TRUE(server.answer(peer, {7, "ping", {}}, Era::kLegacy, recorder).text.contains("result"));
}

TEST_F(ServerTest, CanCancelWhatHasBeenReadButNotBegun) {
  auto peer = a_legacy_peer();
  const Request request{7, "tools/call", object(R"({"name":"echo"})")};
  EXPECT_FALSE(server.expect(*peer, request, Era::kLegacy));
  EXPECT_TRUE(server.expect(*peer, request, Era::kLegacy)) << "the id is in use";
  server.take(*peer, Notification{"notifications/cancelled", object(R"({"requestId":7})")});
  EXPECT_EQ(server.answer(peer, Request(request), Era::kLegacy, recorder).text, "");
  EXPECT_FALSE(server.expect(*peer, request, Era::kLegacy));
  EXPECT_TRUE(
      server.answer(peer, Request(request), Era::kLegacy, recorder).text.contains("result"));
}

TEST_F(ServerTest, SaysWhenTooManyRequestsOfOneClientWait) {
  auto peer = a_legacy_peer();
  for (int id = 0; id < 1000; ++id) {
    ASSERT_FALSE(server.expect(*peer, {id, "ping", {}}, Era::kLegacy)) << id;
  }
  const auto refused = server.expect(*peer, {1000, "ping", {}}, Era::kLegacy);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->text, HasSubstr("1000 requests of yours"));
  EXPECT_TRUE(server.answer(peer, {0, "ping", {}}, Era::kLegacy, recorder).text.contains("result"));
  EXPECT_FALSE(server.expect(*peer, {1000, "ping", {}}, Era::kLegacy));
}

TEST_F(ServerTest, AsksALegacyClientAndWaits) {
  auto peer = a_legacy_peer("2025-06-18", R"({"elicitation":{}})");
  json::Object answer;
  std::thread runs([&] { answer = legacy(peer, "tools/call", R"({"name":"ask"})"); });
  const auto asked = recorder->wait_for(1);
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].at("method"), "elicitation/create");
  server.take(*peer, Response{"no such question", object(R"({"action":"cancel"})")});
  server.take(*peer, Response{asked[0].at("id"), object(R"({"action":"accept"})")});
  runs.join();
  EXPECT_THAT(json::write(answer), HasSubstr(R"({\"action\":\"accept\"})"));
}

TEST_F(ServerTest, NeverAsksAClientThatCannotBeAsked) {
  EXPECT_EQ(code(legacy(a_legacy_peer(), "tools/call", R"({"name":"ask"})")),
            rpc_code::kInvalidRequest);
  const auto refused = modern(a_peer(), "tools/call", R"({"name":"ask"})");
  EXPECT_EQ(refused.http_status, 400);
  EXPECT_EQ(object(refused.text).at("error").at("data"),
            object(R"({"requiredCapabilities":{"elicitation":{}}})"));
  EXPECT_TRUE(recorder->all().empty());
}

TEST_F(ServerTest, AsksAModernClientInRounds) {
  const auto round = [&](std::string_view params) {
    return result(modern(a_peer(), "tools/call", params, R"({"elicitation":{}})"));
  };
  const auto first = round(R"({"name":"ask"})");
  EXPECT_EQ(first.at("resultType"), "input_required");
  EXPECT_EQ(first.at("inputRequests").at("name").at("method"), "elicitation/create");
  for (const auto* useless : {R"({"name":"ask","inputResponses":{"other":{}}})",
                              R"({"name":"ask","inputResponses":{"name":7}})",
                              R"({"name":"ask","inputResponses":null})"}) {
    EXPECT_EQ(round(useless).at("resultType"), "input_required") << useless;
  }
  const auto last = round(R"({"name":"ask","inputResponses":{"name":{"action":"decline"}}})");
  EXPECT_EQ(last.at("resultType"), "complete");
  EXPECT_THAT(json::write(last), HasSubstr("decline"));
  EXPECT_TRUE(recorder->all().empty()) << "no request is sent to the client";
}

TEST_F(ServerTest, TellsLegacySubscribersOfChangesOnce) {
  auto peer = a_legacy_peer();
  EXPECT_EQ(legacy(peer, "resources/subscribe", R"({"uri":"test://thing"})").at("result"),
            json::Object());
  legacy(peer, "resources/subscribe", R"({"uri":"test://thing"})");
  service.change_thing("first");  // as it was
  service.change_thing("second");
  const auto told = recorder->wait_for(1);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0], object(R"({"jsonrpc":"2.0","method":"notifications/resources/updated",
                                "params":{"uri":"test://thing"}})"));
  legacy(peer, "resources/unsubscribe", R"({"uri":"test://thing"})");
  service.change_thing("third");
  server.announce_lists(*peer);
  service.show_extra_tool();
  const auto after = recorder->wait_for(2);
  ASSERT_EQ(after.size(), 2u);
  EXPECT_EQ(after[1].at("method"), "notifications/tools/list_changed");
  EXPECT_EQ(code(legacy(peer, "resources/subscribe", R"({"uri":"test://nothing"})")),
            rpc_code::kResourceNotFound);
}

// Gives its client up at the second message, and says so to whoever sends it.
class GivesUp final : public Channel {
 public:
  explicit GivesUp(std::weak_ptr<Peer> peer) : peer_(std::move(peer)) {}
  bool send(std::string /*message*/) override {
    if (++sent_ < 2) return true;
    if (const auto peer = peer_.lock()) peer->cancel(1);
    return false;
  }

 private:
  std::weak_ptr<Peer> peer_;
  std::atomic<int> sent_{0};
};

TEST_F(ServerTest, AListenerThatIsGivenUpHoldsUpNobody) {
  const auto listen = R"({"notifications":{"resourceSubscriptions":["test://thing"]}})";
  auto slow = a_peer("slow");
  auto params = object(listen);
  params["_meta"] =
      json::Object{{meta::kRevision, "2026-07-28"}, {meta::kCapabilities, json::Object()}};
  server.answer(slow, {1, "subscriptions/listen", std::move(params)}, Era::kModern,
                std::make_shared<GivesUp>(slow));
  auto peer = a_peer();
  modern(peer, "subscriptions/listen", listen);
  service.change_thing("second");
  EXPECT_EQ(recorder->wait_for(2).size(), 2u);
  service.change_thing("third");
  EXPECT_EQ(recorder->wait_for(3).size(), 3u);
}

TEST_F(ServerTest, TellsModernListenersOfWhatTheyAskedForOnly) {
  auto peer = a_peer();
  const auto answer = modern(peer, "subscriptions/listen",
                             R"({"notifications":{"toolsListChanged":true,"promptsListChanged":true,
                                 "resourceSubscriptions":["test://thing","test://nothing"]}})");
  EXPECT_EQ(answer.text, "");
  const auto tag = object(R"({"io.modelcontextprotocol/subscriptionId":1})");
  auto messages = recorder->wait_for(1);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].at("method"), "notifications/subscriptions/acknowledged");
  EXPECT_EQ(messages[0].at("params").at("notifications"),
            object(R"({"toolsListChanged":true,"resourceSubscriptions":["test://thing"]})"));
  service.change_thing("second");
  messages = recorder->wait_for(2);
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[1].at("params").at("_meta"), tag);
  EXPECT_EQ(messages[1].at("params").at("uri"), "test://thing");
  server.take(*peer, Notification{"notifications/cancelled", object(R"({"requestId":1})")});
  service.change_thing("third");
  service.show_extra_tool();
  modern(peer, "subscriptions/listen", R"({"notifications":{"toolsListChanged":true}})");
  messages = recorder->wait_for(3);
  EXPECT_EQ(messages.size(), 3u) << "nothing came after the end but the new acknowledgement";
  peer->end_listening();
  messages = recorder->wait_for(4);
  EXPECT_EQ(messages[3].at("result").at("_meta"), tag);
}

TEST_F(ServerTest, TakesBatchesFromTheOneRevisionThatHasThem) {
  const auto batch = R"([{"jsonrpc":"2.0","id":1,"method":"ping"},
                         {"jsonrpc":"2.0","method":"notifications/initialized"},
                         {"jsonrpc":"2.0","id":2,"method":"nothing"}, 7,
                         {"jsonrpc":"2.0","id":3,"method":"initialize"}])";
  const auto run = [&](std::string_view revision, std::string_view text) {
    return server
        .answer_batch(a_legacy_peer(revision), json::parse(text).value().as_array(), recorder)
        .text;
  };
  const auto answers = json::parse(run("2025-03-26", batch)).value().as_array();
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(answers[0].at("result"), json::Object());
  EXPECT_EQ(code(answers[1].as_object()), rpc_code::kMethodNotFound);
  EXPECT_EQ(code(answers[2].as_object()), rpc_code::kInvalidRequest);
  EXPECT_EQ(code(answers[3].as_object()), rpc_code::kInvalidRequest);
  EXPECT_EQ(run("2025-03-26", R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])"), "");
  EXPECT_THAT(run("2025-03-26", "[]"), HasSubstr("-32600"));
  for (const auto* other : {"2024-11-05", "2025-06-18", "2025-11-25"}) {
    EXPECT_THAT(run(other, batch), HasSubstr("2025-03-26 only")) << other;
  }
}

TEST_F(ServerTest, SaysWhatIsWrongWithParameters) {
  struct Case {
    std::string_view method;
    std::string_view params;
    std::string_view says;
  };
  const Case cases[] = {
      {"tools/call", "{}", "'name'"},
      {"tools/call", R"({"name":7})", "'name'"},
      {"tools/call", R"({"name":"nothing"})", "no tool 'nothing'"},
      {"tools/call", R"({"name":"echo","arguments":[]})", "'arguments'"},
      {"tools/list", R"({"cursor":7})", "'cursor'"},
      {"tools/list", R"({"cursor":"rubbish"})", "cursor"},
      {"resources/read", "{}", "'uri'"},
      {"prompts/get", R"({"name":"greet","arguments":{"name":7}})", "'name'"},
      {"prompts/get", R"({"name":"nothing"})", "greet"},
      {"completion/complete", "{}", "'ref'"},
      {"completion/complete", R"({"ref":{"type":"x"},"argument":{}})", "'ref.type'"},
      {"completion/complete", R"({"ref":{"type":"ref/prompt","name":"greet"},"argument":{}})",
       "'name'"},
  };
  auto peer = a_legacy_peer();
  for (const auto& [method, params, says] : cases) {
    const auto answer = legacy(peer, method, params);
    ASSERT_TRUE(answer.contains("error")) << method << params;
    EXPECT_EQ(code(answer), rpc_code::kInvalidParams) << method << params;
    EXPECT_THAT(std::string(json::text(answer.at("error").at("message"))),
                HasSubstr(std::string(says)))
        << method << params;
  }
  EXPECT_TRUE(legacy(peer, "tools/list", R"({"cursor":""})").contains("result"));
}

}  // namespace
}  // namespace cairn::mcp
