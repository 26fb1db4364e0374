#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/http/testing.h"
#include "exposure/mcp/http.h"
#include "exposure/mcp/testing.h"

namespace cairn::mcp {
namespace {

using http::testing::eventually;
using http::testing::RawClient;
using http::testing::TestServer;
using testing::a_principal;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing::TestService;

// Whoever says who they are is believed.
Result<PrincipalPtr> by_name(const http::Request& request) {
  const auto name = request.header("x-name");
  if (name == "nobody") return fail(Code::kInvalidToken, "nobody is not let in");
  return a_principal(name.empty() ? "tester" : std::string(name));
}

HttpOptions options_with(std::chrono::milliseconds heartbeat) {
  HttpOptions options;
  options.admit = by_name;
  options.heartbeat = heartbeat;
  return options;
}

struct HttpHandlerTest : ::testing::Test {
  ~HttpHandlerTest() override {
    handler.stop();
    web.server().stop();
  }

  std::string head(std::string_view method, std::string_view more = {}) const {
    return fmt::format("{} /mcp HTTP/1.1\r\nHost: localhost\r\n{}", method, more);
  }
  std::string post(std::string_view body, std::string_view more = {},
                   std::string_view accept = "application/json, text/event-stream") const {
    return fmt::format(
        "{}Content-Type: application/json\r\nAccept: {}\r\nContent-Length: {}\r\n\r\n{}",
        head("POST", more), accept, body.size(), body);
  }
  std::string ask(std::string_view body, std::string_view more = {}) {
    return web.ask(post(body, more));
  }
  // A session's header line.
  std::string a_session(std::string_view revision = "2025-11-25", std::string_view more = {}) {
    const auto answer = ask(fmt::format(R"({{"jsonrpc":"2.0","id":0,"method":"initialize",
                        "params":{{"protocolVersion":"{}","capabilities":{{"elicitation":{{}}}}}}}})",
                                        revision),
                            more);
    const auto from = answer.find("Mcp-Session-Id: ");
    EXPECT_NE(from, std::string::npos) << answer;
    return answer.substr(from, answer.find("\r\n", from) + 2 - from);
  }
  static std::string call(std::string_view tool, std::string_view more = {}) {
    return fmt::format(
        R"({{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{}"{}}}}})", tool,
        more);
  }
  static std::string modern(std::string_view method, std::string_view params = "") {
    return fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{{{}"_meta":{{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{{}}}}}}}})",
                       method, params);
  }
  static std::string modern_headers(std::string_view method, std::string_view name = {}) {
    auto out = fmt::format("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {}\r\n", method);
    if (!name.empty()) out += fmt::format("Mcp-Name: {}\r\n", name);
    return out;
  }
  RawClient open_stream(std::string_view session, std::string_view more = {}) {
    RawClient client = web.connect();
    client.send(head("GET", fmt::format("Accept: text/event-stream\r\n{}{}\r\n", session, more)));
    EXPECT_THAT(client.head(), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("text/event-stream")));
    return client;
  }
  // One that has been acknowledged.
  RawClient a_listener() {
    RawClient client = web.connect();
    client.send(
        post(modern("subscriptions/listen", R"("notifications":{"toolsListChanged":true},)"),
             modern_headers("subscriptions/listen")));
    client.head();
    EXPECT_THAT(until(client, "}\n\n"), HasSubstr("acknowledged"));
    return client;
  }
  // The text of a stream, up to and with this.
  static std::string until(RawClient& client, std::string_view wanted) {
    std::string got;
    while (!got.ends_with(wanted)) {
      const auto next = client.read_exactly(1);
      if (next.empty()) break;
      got += next;
    }
    return got;
  }

  // The whole of a stream that ends: its connection may go on.
  static std::string to_end(RawClient& client) { return until(client, "0\r\n\r\n"); }

  SystemClock clock;
  SeededRandom random{1};
  TestService service;
  Server server{service, clock, random};
  HttpHandler handler{server, clock, random, options_with(std::chrono::milliseconds(20))};
  TestServer web{[this](const http::Request& request) { return handler.begin(request); }};
};

TEST_F(HttpHandlerTest, RefusesWhatItCannotTake) {
  struct Case {
    std::string_view what;
    std::string request;
    std::string_view status;
  };
  const auto ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  const auto session = a_session();
  const Case cases[] = {
      {"no session", post(ping), "400"},
      {"a session that is not there", post(ping, "Mcp-Session-Id: nothing\r\n"), "404"},
      {"another's session", post(ping, session + "X-Name: other\r\n"), "404"},
      {"nobody", post(ping, "X-Name: nobody\r\n"), "401"},
      {"another's page", post(ping, session + "Origin: http://evil.example.com\r\n"), "403"},
      {"an unknown revision", post(ping, session + "MCP-Protocol-Version: 1999\r\n"), "400"},
      {"not JSON", post("{", session), "400"},
      {"no message", post("7", session), "400"},
      {"a batch for a client without", post("[]", session), "400"},
      {"the wrong type", head("POST", session + "Content-Length: 0\r\n\r\n"), "415"},
      {"a GET without a session", head("GET", "Accept: text/event-stream\r\n\r\n"), "405"},
      {"a GET for JSON", head("GET", session + "Accept: application/json\r\n\r\n"), "406"},
      {"a DELETE without a session", head("DELETE", "\r\n"), "405"},
      {"a PUT", head("PUT", "Content-Length: 0\r\n\r\n"), "405"},
      {"a stream that never was",
       head("GET", session + "Accept: text/event-stream\r\nLast-Event-ID: 99-1\r\n\r\n"), "404"},
      {"a bad event id",
       head("GET", session + "Accept: text/event-stream\r\nLast-Event-ID: rubbish\r\n\r\n"), "404"},
  };
  for (const auto& [what, request, status] : cases) {
    EXPECT_THAT(web.ask(request), StartsWith(fmt::format("HTTP/1.1 {}", status))) << what;
  }
  EXPECT_THAT(ask(ping, session), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpHandlerTest, EndsASessionWhenAsked) {
  const auto session = a_session();
  RawClient stream = open_stream(session);
  EXPECT_THAT(web.ask(head("DELETE", session + "\r\n")), StartsWith("HTTP/1.1 204"));
  EXPECT_THAT(ask(call("echo"), session), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(to_end(stream), EndsWith("0\r\n\r\n"));
}

TEST_F(HttpHandlerTest, AnswersInPlainJsonWhatComesAlone) {
  const auto session = a_session();
  EXPECT_THAT(ask(call("echo", R"(,"arguments":{"text":"hi"})"), session),
              AllOf(HasSubstr("application/json"), HasSubstr(R"("text":"hi")")));
  EXPECT_THAT(ask(modern("tools/call", R"("name":"echo","arguments":{"text":"hi"},)"),
                  modern_headers("tools/call", "echo")),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr(R"("resultType":"complete")")));
}

TEST_F(HttpHandlerTest, StreamsWhatIsSaidBeforeTheAnswer) {
  const auto answer = ask(call("chatty", R"(,"_meta":{"progressToken":7})"), a_session());
  EXPECT_THAT(answer, HasSubstr("text/event-stream"));
  EXPECT_THAT(answer, HasSubstr("id: 1-0\nretry: 1000\ndata: \n\n"));
  EXPECT_THAT(answer, HasSubstr(R"("progress":3)"));
  EXPECT_THAT(answer, HasSubstr(R"("result":)"));
  // An older client does not know an event without data.
  EXPECT_THAT(ask(call("chatty"), a_session("2025-06-18")), Not(HasSubstr("data: \n")));
  // A client that takes JSON only is told the end only.
  const auto plain = web.ask(post(call("chatty"), a_session(), "application/json"));
  EXPECT_THAT(plain, AllOf(HasSubstr("application/json"), Not(HasSubstr("progress"))));
}

TEST_F(HttpHandlerTest, StreamsToWhoTakesNothingElse) {
  service.show_extra_tool();
  const auto answer = web.ask(post(call("extra"), a_session(), "text/event-stream"));
  EXPECT_THAT(answer, AllOf(HasSubstr("Content-Type: text/event-stream"), HasSubstr("extra")));
}

TEST_F(HttpHandlerTest, GoesOnWithAConnectionAfterACallOnAWorker) {
  service.show_extra_tool();
  const auto session = a_session();
  RawClient client = web.connect();
  client.send(post(call("extra"), session) + post(call("echo"), session) +
              post(call("extra"), session));
  for (int i = 0; i < 3; ++i) EXPECT_THAT(client.answer(), HasSubstr("application/json"));
}

TEST_F(HttpHandlerTest, CancelsAModernCallWhoseClientLeaves) {
  RawClient client = web.connect();
  client.send(
      post(modern("tools/call", R"("name":"slow",)"), modern_headers("tools/call", "slow")));
  ASSERT_TRUE(service.wait_for_slow_running(1));
  EXPECT_THAT(client.head(), HasSubstr("text/event-stream"));
  client.close();
  EXPECT_TRUE(service.wait_for_slow_stopped(1));
}

TEST_F(HttpHandlerTest, CancelsAModernCallWhoseClientLeavesThoughItTakesNoStreams) {
  http::ServerOptions options;
  options.write_timeout = std::chrono::milliseconds(20);
  TestServer looks_often([this](const http::Request& request) { return handler.begin(request); },
                         options);
  RawClient client = looks_often.connect();
  client.send(post(modern("tools/call", R"("name":"slow",)"), modern_headers("tools/call", "slow"),
                   "application/json"));
  ASSERT_TRUE(service.wait_for_slow_running(1));
  client.close();
  EXPECT_TRUE(service.wait_for_slow_stopped(1));
}

TEST_F(HttpHandlerTest, GoesOnWithALegacyCallWhoseClientLeavesAndKeepsItsAnswer) {
  const auto session = a_session();
  {
    RawClient client = web.connect();
    client.send(post(call("slow"), session));
    ASSERT_TRUE(service.wait_for_slow_running(1));
    EXPECT_THAT(client.head(), HasSubstr("text/event-stream"));
    until(client, "data: \n\n");
  }
  service.release_slow();
  ASSERT_TRUE(service.wait_for_slow_running(0));
  RawClient back = open_stream(session, "Last-Event-ID: 1-0\r\n");
  const auto rest = to_end(back);
  EXPECT_THAT(rest, HasSubstr("id: 1-1\n"));
  EXPECT_THAT(rest, HasSubstr("released"));
}

TEST_F(HttpHandlerTest, CancelsALegacyCallWhenTold) {
  const auto session = a_session();
  RawClient client = web.connect();
  client.send(post(call("slow"), session));
  ASSERT_TRUE(service.wait_for_slow_running(1));
  EXPECT_THAT(
      ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
          session),
      StartsWith("HTTP/1.1 202"));
  EXPECT_TRUE(service.wait_for_slow_stopped(1));
  EXPECT_THAT(client.answer(), Not(HasSubstr("result")));
}

TEST_F(HttpHandlerTest, AsksALegacyClientOnTheStreamOfItsRequest) {
  const auto session = a_session();
  RawClient client = web.connect();
  client.send(post(call("ask"), session));
  client.head();
  const auto asked = until(client, "}\n\n");
  const auto from = asked.find("\"id\":\"") + 6;
  const auto id = asked.substr(from, asked.find('"', from) - from);
  EXPECT_THAT(
      ask(fmt::format(R"({{"jsonrpc":"2.0","id":"{}","result":{{"action":"accept"}}}})", id),
          session),
      StartsWith("HTTP/1.1 202"));
  EXPECT_THAT(to_end(client), HasSubstr("accept"));
}

TEST_F(HttpHandlerTest, TellsASessionsStreamOfChangesAndKeepsThemMeanwhile) {
  const auto session = a_session();
  ask(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://thing"}})",
      session);
  service.change_thing("second");
  RawClient first = open_stream(session);
  EXPECT_THAT(until(first, "test://thing\"}}\n\n"), HasSubstr("id: 0-1\n"));
  RawClient second = open_stream(session);
  EXPECT_THAT(to_end(first), EndsWith("0\r\n\r\n")) << "one stream at a time";
  service.change_thing("third");
  EXPECT_THAT(until(second, "test://thing\"}}\n\n"), HasSubstr("id: 0-2\n"));
}

TEST_F(HttpHandlerTest, GivesSignsOfLifeUntilItsClientIsNotLetInAnyMore) {
  const auto session = a_session();
  RawClient stream = open_stream(session);
  until(stream, ": still here\n\n");
  RawClient listening = web.connect();
  listening.send(
      post(modern("subscriptions/listen", R"("notifications":{"toolsListChanged":true},)"),
           modern_headers("subscriptions/listen")));
  listening.head();
  EXPECT_THAT(until(listening, "}\n\n"), HasSubstr("acknowledged"));
  until(listening, ": still here\n\n");
  service.revoke("tester");
  EXPECT_THAT(to_end(stream), EndsWith("0\r\n\r\n"));
  EXPECT_THAT(to_end(listening), EndsWith("0\r\n\r\n"));
}

TEST_F(HttpHandlerTest, EndsListeningWithAResultWhenItStops) {
  RawClient client = a_listener();
  handler.stop();
  EXPECT_THAT(to_end(client), HasSubstr(R"("resultType":"complete")"));
}

TEST_F(HttpHandlerTest, LetsRunningCallsFinishWhenItStops) {
  RawClient listening = a_listener();
  const auto session = a_session();
  RawClient client = web.connect();
  client.send(post(call("slow"), session));
  ASSERT_TRUE(service.wait_for_slow_running(1));
  client.head();
  std::thread stops([&] { handler.stop(); });
  // A client that listens is told at once that it stops.
  EXPECT_THAT(to_end(listening), HasSubstr(R"("resultType":"complete")"));
  service.release_slow();
  EXPECT_THAT(to_end(client), HasSubstr("released"));
  stops.join();
}

TEST_F(HttpHandlerTest, GivesModernRefusalsTheirStatus) {
  EXPECT_THAT(ask(modern("nothing"), modern_headers("nothing")),
              AllOf(StartsWith("HTTP/1.1 404"), HasSubstr("-32601")));
  EXPECT_THAT(ask(modern("tools/list"), modern_headers("tools/call")),
              AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("-32020")));
  EXPECT_THAT(
      ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", modern_headers("tools/list")),
      AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("-32602")));
  EXPECT_THAT(ask(modern("tools/call", R"("name":"ask",)"), modern_headers("tools/call", "ask")),
              AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("-32021")));
}

TEST(HttpSessions, EndsTheIdlestWhenThereAreTooMany) {
  ManualClock clock;
  SeededRandom random(1);
  HttpSessions sessions(clock, random, {.most = 10, .idle = std::chrono::hours(1)});
  const auto who = a_principal();
  const auto used = sessions.open(who)->id();
  const auto connected = sessions.open(who);
  connected->connections = 1;
  std::vector<std::string> others;
  for (int i = 0; i < 30; ++i) {
    clock.advance(std::chrono::milliseconds(1));
    EXPECT_TRUE(sessions.find(used, who));
    others.push_back(sessions.open(who)->id());
  }
  EXPECT_TRUE(sessions.find(used, who));
  EXPECT_TRUE(sessions.find(connected->id(), who));
  EXPECT_FALSE(sessions.find(others.front(), who));
  EXPECT_TRUE(sessions.find(others.back(), who));
  clock.advance(std::chrono::hours(2));
  sessions.sweep();
  EXPECT_FALSE(sessions.find(used, who));
  EXPECT_TRUE(sessions.find(connected->id(), who)) << "somebody is there";
}

TEST(HttpSessions, EndsThoseOfWhoHasTooMany) {
  ManualClock clock;
  SeededRandom random(1);
  HttpSessions sessions(clock, random, {.most = 100, .most_each = 10});
  const auto modest = a_principal("modest");
  const auto greedy = a_principal("greedy");
  const auto kept = sessions.open(modest)->id();
  const auto first = sessions.open(greedy)->id();
  for (int i = 0; i < 1000; ++i) {
    clock.advance(std::chrono::milliseconds(1));
    sessions.open(greedy);
  }
  EXPECT_TRUE(sessions.find(kept, modest));
  EXPECT_FALSE(sessions.find(first, greedy));
}

TEST(HttpSessions, AreOpenedAndUsedAndEndedByManyAtOnce) {
  SystemClock clock;
  SystemRandom random;
  HttpSessions sessions(clock, random, {.most = 50, .most_each = 40});
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, who = a_principal(std::to_string(thread % 2))] {
      std::vector<std::string> mine;
      for (int i = 0; i < 300; ++i) {
        mine.push_back(sessions.open(who)->id());
        for (const auto& id : mine) {
          if (const auto found = sessions.find(id, who)) ++found->connections;
        }
        if (i % 50 == 0) sessions.sweep();
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace cairn::mcp
