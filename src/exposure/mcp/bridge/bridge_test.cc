#include "exposure/mcp/bridge/bridge.h"

#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "exposure/http/server.h"
#include "exposure/mcp/bridge/forwarded.h"
#include "exposure/mcp/http.h"
#include "exposure/mcp/lines.h"
#include "exposure/mcp/meta.h"
#include "exposure/mcp/stdio.h"
#include "exposure/mcp/testing.h"

namespace cairn::mcp {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestService;

constexpr std::string_view kToken = "secret";

// The parts of a request that the server saw.
struct Seen {
  http::Method method;
  std::string session;
  std::string revision;
  std::string mcp_method;
  std::string name;
  std::string toolsets;
  std::string last_event;
};

// A server over the test service. It can be started again at the same place, without its sessions.
class TestServer final : private http::Handler, private http::Observer {
 public:
  explicit TestServer(TestService& service) : service_(service) { start(); }
  ~TestServer() { stop(); }

  void start() {
    server_.emplace(service_, clock_, random_);
    HttpOptions options;
    options.admit = [](const http::Request& request) -> Result<PrincipalPtr> {
      if (request.header("authorization") == fmt::format("Bearer {}", kToken)) {
        return testing::a_principal();
      }
      return fail(Code::kInvalidToken, "this token is not known");
    };
    handler_.emplace(*server_, clock_, random_, options);
    auto http = http::Server::start({.port = port_}, *this, *this);
    if (!http) throw std::runtime_error(http.error().render());
    http_ = std::move(*http);
    port_ = http_->port();
  }
  void stop() {
    if (!http_) return;
    handler_->stop();
    http_->stop();
    http_.reset();
    handler_.reset();
    server_.reset();
  }
  Target target() const { return {fmt::format("http://127.0.0.1:{}", port_), std::string(kToken)}; }
  std::vector<Seen> seen() { return *seen_.lock(); }
  std::string session() {
    std::string id;
    for (const Seen& one : seen()) {
      if (!one.session.empty()) id = one.session;
    }
    return id;
  }

 private:
  http::Plan begin(const http::Request& request) override {
    const auto header = [&](std::string_view name) { return std::string(request.header(name)); };
    seen_.lock()->push_back({request.method, header("mcp-session-id"),
                             header("mcp-protocol-version"), header("mcp-method"),
                             header("mcp-name"), header("x-cairn-toolsets"),
                             header("last-event-id")});
    return handler_->begin(request);
  }
  void on_request(const http::RequestLog& /*request*/) override {}
  void on_connections(int /*open*/) override {}

  TestService& service_;
  SystemClock clock_;
  SystemRandom random_;
  Guarded<std::vector<Seen>> seen_;
  std::uint16_t port_ = 0;
  std::optional<Server> server_;
  std::optional<HttpHandler> handler_;
  std::unique_ptr<http::Server> http_;
};

// A client at the bridge's other end.
class TestClient final {
 public:
  explicit TestClient(BridgeOptions options) {
    ::signal(SIGPIPE, SIG_IGN);
    if (::pipe(in_) != 0 || ::pipe(out_) != 0) throw std::runtime_error("no pipes");
    thread_ = std::thread([this, options = std::move(options)] {
      outcome_ = bridge(options, in_[0], out_[1]);
      ::close(out_[1]);
    });
  }
  explicit TestClient(const TestServer& server) : TestClient(BridgeOptions{server.target()}) {}
  ~TestClient() {
    leave();
    if (thread_.joinable()) thread_.join();
    ::close(in_[0]);
    ::close(out_[0]);
  }
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  TestClient& say(std::string_view line) {
    EXPECT_TRUE(write_all(in_[1], fmt::format("{}\n", line)));
    return *this;
  }
  TestClient& ask(int id, std::string_view method, json::Object params = {}) {
    return say(write_request(id, method, params));
  }
  TestClient& call(int id, std::string_view tool, json::Object arguments = {},
                   json::Object meta = {}) {
    return ask(id, "tools/call",
               {{"name", tool}, {"arguments", std::move(arguments)}, {"_meta", std::move(meta)}});
  }
  TestClient& cancel(int id) {
    return say(write_notification("notifications/cancelled", {{"requestId", id}}));
  }
  TestClient& begin(std::string_view revision = "2025-11-25", json::Object capabilities = {}) {
    ask(0, "initialize",
        {{"protocolVersion", revision}, {"capabilities", std::move(capabilities)}});
    EXPECT_THAT(hear(), HasSubstr("\"protocolVersion\""));
    return say(write_notification("notifications/initialized", {}));
  }
  // The next line; empty at the end, and when none comes for long.
  std::string hear() {
    for (;;) {
      if (const auto end = got_.find('\n'); end != std::string::npos) {
        auto line = got_.substr(0, end);
        got_.erase(0, end + 1);
        EXPECT_TRUE(json::parse(line)) << line;
        return line;
      }
      pollfd waits{.fd = out_[0], .events = POLLIN, .revents = 0};
      if (::poll(&waits, 1, 20'000) <= 0) return "";
      char room[65536];
      const auto count = ::read(out_[0], room, sizeof room);
      if (count <= 0) return "";
      got_.append(room, static_cast<std::size_t>(count));
    }
  }
  // Lines up to the one with this in it.
  std::string hear_of(std::string_view part) {
    for (;;) {
      auto line = hear();
      if (line.empty() || line.contains(part)) return line;
    }
  }
  void leave() {
    if (in_[1] >= 0) ::close(std::exchange(in_[1], -1));
  }
  Result<void> end() {
    leave();
    thread_.join();
    return outcome_;
  }

 private:
  int in_[2] = {-1, -1};
  int out_[2] = {-1, -1};
  std::string got_;
  Result<void> outcome_;
  std::thread thread_;
};

json::Object modern(json::Object more = {}) {
  more[meta::kRevision] = "2026-07-28";
  more[meta::kCapabilities] = json::Object();
  return more;
}

std::string told_of_thing() { return R"("method":"notifications/resources/updated")"; }

TEST(Bridge, CarriesALegacySession) {
  TestService service;
  TestServer server(service);
  BridgeOptions options{server.target()};
  options.headers = {{"X-Cairn-Toolsets", "read"}};
  TestClient client(options);
  client.begin().ask(1, "tools/list");
  EXPECT_THAT(client.hear(), HasSubstr("\"echo\""));
  client.call(2, "echo", {{"text", "hello"}});
  EXPECT_THAT(client.hear(), HasSubstr("hello"));
  EXPECT_TRUE(client.end());
  const auto seen = server.seen();
  EXPECT_EQ(seen.front().session, "");
  EXPECT_NE(seen.back().session, "");
  EXPECT_EQ(seen.back().method, http::Method::kDelete);
  for (const Seen& one : seen) {
    EXPECT_EQ(one.toolsets, "read");
    EXPECT_EQ(one.revision, one.session.empty() ? "" : "2025-11-25");
  }
}

TEST(Bridge, PassesOnWhatComesBeforeAnAnswer) {
  TestService service;
  TestServer server(service);
  TestClient client(server);
  client.begin().call(1, "chatty", {}, {{"progressToken", "p"}});
  for (const auto* part : {"\"progress\":1", "\"progress\":2", "\"progress\":3", "much to say"}) {
    EXPECT_THAT(client.hear(), HasSubstr(part));
  }
  EXPECT_THAT(client.hear(), HasSubstr("\"id\":1"));
}

TEST(Bridge, ComesBackForAnAnswerWhoseConnectionWasEnded) {
  TestService service;
  TestServer server(service);
  TestClient client(server);
  client.begin().call(1, "detour");
  EXPECT_THAT(client.hear(), HasSubstr("back"));
  EXPECT_TRUE(client.end());
  int returns = 0;
  for (const Seen& one : server.seen()) returns += one.last_event.empty() ? 0 : 1;
  EXPECT_EQ(returns, 1);
}

TEST(Bridge, PassesOnQuestionsAndTheirAnswers) {
  TestService service;
  TestServer server(service);
  TestClient client(server);
  client.begin("2025-11-25", {{"elicitation", json::Object()}}).call(1, "ask");
  const auto question = json::parse(client.hear());
  EXPECT_EQ(json::text(question->get_object().at("method")), "elicitation/create");
  client.say(write_result(question->get_object().at("id"),
                          {{"action", "accept"}, {"content", json::Object{{"name", "Ada"}}}}));
  EXPECT_THAT(client.hear(), HasSubstr("Ada"));
  // A client that leaves will not answer.
  client.call(2, "ask");
  EXPECT_THAT(client.hear(), HasSubstr("elicitation/create"));
  EXPECT_TRUE(client.end());
  EXPECT_THAT(client.hear(), HasSubstr("the client has left"));
}

TEST(Bridge, TellsOfChanges) {
  TestService service;
  TestServer server(service);
  TestClient client(server);
  client.begin().ask(1, "resources/subscribe", {{"uri", "test://thing"}});
  EXPECT_THAT(client.hear(), HasSubstr("\"id\":1"));
  service.change_thing("second");
  EXPECT_THAT(client.hear(), HasSubstr(told_of_thing()));
  service.show_extra_tool();
  EXPECT_THAT(client.hear(), HasSubstr("notifications/tools/list_changed"));
}

TEST(Bridge, GivesModernRequestsTheirHeaders) {
  TestService service;
  TestServer server(service);
  TestClient client(server);
  client.ask(1, "server/discover", {{"_meta", modern()}});
  EXPECT_THAT(client.hear(), HasSubstr("supportedVersions"));
  client.call(2, "echo", {{"text", "hello"}}, modern());
  EXPECT_THAT(client.hear(), HasSubstr("\"resultType\":\"complete\""));
  client.call(3, "größe", {}, modern());
  EXPECT_THAT(client.hear(), HasSubstr("there is no tool"));
  client.ask(4, "resources/read", {{"uri", "test://thing"}, {"_meta", modern()}});
  EXPECT_THAT(client.hear(), HasSubstr("first"));
  client.ask(5, "ping", {{"_meta", modern()}});
  EXPECT_THAT(client.hear(), HasSubstr("\"code\":-32601"));
  EXPECT_TRUE(client.end());
  for (const Seen& one : server.seen()) {
    EXPECT_EQ(one.session, "");
    EXPECT_EQ(one.revision, "2026-07-28");
  }
  EXPECT_EQ(server.seen().at(1).name, "echo");
  EXPECT_EQ(server.seen().at(2).name, "=?base64?Z3LDtsOfZQ==?=");
  EXPECT_EQ(server.seen().at(3).mcp_method, "resources/read");
}

TEST(Bridge, HeaderValuesArePlainOrBase64) {
  EXPECT_EQ(header_value("fs_read"), "fs_read");
  EXPECT_EQ(header_value("cas://depot:x/a%20b"), "cas://depot:x/a%20b");
  EXPECT_EQ(header_value(""),
            "=?base64?"
            "?=");
  EXPECT_EQ(header_value("a b"), "=?base64?YSBi?=");
  EXPECT_EQ(header_value("a\r\nX: y"), "=?base64?YQ0KWDogeQ==?=");
  EXPECT_EQ(header_value("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=");
}

TEST(Bridge, CancelsInBothEras) {
  TestService service;
  TestServer server(service);
  TestClient client(server);
  client.call(1, "slow", {}, modern());
  EXPECT_TRUE(service.wait_for_slow_running(1));
  client.cancel(1);
  EXPECT_TRUE(service.wait_for_slow_stopped(1));
  client.begin().call(2, "slow");
  EXPECT_TRUE(service.wait_for_slow_running(1));
  client.cancel(2);
  EXPECT_TRUE(service.wait_for_slow_stopped(2));
  // At once; one that has not begun is never begun.
  client.call(3, "slow").cancel(3).call(4, "slow", {}, modern()).cancel(4);
  client.ask(5, "ping");
  EXPECT_THAT(client.hear(), HasSubstr("\"id\":5"));
  EXPECT_TRUE(client.end());
  EXPECT_EQ(client.hear(), "");
  EXPECT_TRUE(service.wait_for_slow_running(0));
}

TEST(Bridge, EndsWhenWhatWasAskedIsAnswered) {
  TestService service;
  TestServer server(service);
  TestClient client(server);
  client.begin().call(1, "slow").ask(2, "subscriptions/listen",
                                     {{"_meta", modern()}, {"notifications", json::Object()}});
  EXPECT_THAT(client.hear(), HasSubstr("acknowledged"));
  EXPECT_TRUE(service.wait_for_slow_running(1));
  client.leave();
  service.release_slow();
  EXPECT_THAT(client.hear(), HasSubstr("released"));
  EXPECT_TRUE(client.end());
  EXPECT_EQ(client.hear(), "");
}

TEST(Bridge, KeepsTheSessionOverARestart) {
  TestService service;
  TestServer server(service);
  TestClient client(server);
  client.begin().ask(1, "resources/subscribe", {{"uri", "test://thing"}});
  EXPECT_THAT(client.hear(), HasSubstr("\"id\":1"));
  server.stop();
  service.change_thing("while nobody looked");
  server.start();
  client.call(2, "echo", {{"text", "again"}});
  EXPECT_THAT(client.hear_of("\"id\":2"), HasSubstr("again"));
  // Changes that may have been missed are told; then new ones.
  client.ask(3, "ping");
  service.change_thing("third");
  EXPECT_THAT(client.hear_of(told_of_thing()), HasSubstr("test://thing"));
}

TEST(Bridge, TellsWhatMayHaveBeenMissedWithoutBeingAsked) {
  TestService service;
  TestServer server(service);
  TestClient client(server);
  client.begin().ask(1, "resources/subscribe", {{"uri", "test://thing"}});
  EXPECT_THAT(client.hear(), HasSubstr("\"id\":1"));
  server.stop();
  server.start();
  EXPECT_THAT(client.hear(), HasSubstr("notifications/tools/list_changed"));
  EXPECT_THAT(client.hear(), HasSubstr("notifications/resources/list_changed"));
  EXPECT_THAT(client.hear(), HasSubstr(told_of_thing()));
}

TEST(Bridge, OpensANewSessionForOneThatIsGone) {
  TestService service;
  TestServer server(service);
  TestClient client(server);
  client.begin().call(1, "echo", {{"text", "a"}});
  EXPECT_THAT(client.hear(), HasSubstr("\"id\":1"));
  const auto before = server.session();
  http::Client other(*http::Url::parse(server.target().url));
  const auto ended = other.send({.method = http::Method::kDelete,
                                 .target = "/mcp",
                                 .headers = {{"Authorization", fmt::format("Bearer {}", kToken)},
                                             {"Mcp-Session-Id", before}}});
  EXPECT_EQ(ended->status, 204);
  client.call(2, "echo", {{"text", "b"}});
  EXPECT_THAT(client.hear_of("\"id\":2"), HasSubstr("\"b\""));
  EXPECT_TRUE(client.end());
  EXPECT_NE(server.session(), before);
}

TEST(Bridge, GoesOnWithAnotherServer) {
  TestService service;
  TestService successor;
  TestServer first(service);
  TestServer second(successor);
  BridgeOptions options{first.target()};
  options.reconnect = [&] { return Result<Target>(second.target()); };
  TestClient client(options);
  client.begin().call(1, "echo", {{"text", "a"}});
  EXPECT_THAT(client.hear(), HasSubstr("\"id\":1"));
  client.ask(
      2, "subscriptions/listen",
      {{"_meta", modern()},
       {"notifications", json::Object{{"resourceSubscriptions", json::Array{"test://thing"}}}}});
  EXPECT_THAT(client.hear(), HasSubstr("acknowledged"));
  first.stop();
  const auto missed = client.hear_of(told_of_thing());
  EXPECT_THAT(missed, HasSubstr("subscriptionId\":2"));
  successor.change_thing("second");
  EXPECT_THAT(client.hear_of(told_of_thing()), HasSubstr("subscriptionId\":2"));
  client.call(3, "echo", {{"text", "b"}});
  EXPECT_THAT(client.hear_of("\"id\":3"), HasSubstr("\"b\""));
  client.call(4, "echo", {{"text", "c"}}, modern());
  EXPECT_THAT(client.hear_of("\"id\":4"), HasSubstr("\"c\""));
  EXPECT_TRUE(client.end());
}

TEST(Bridge, DoesNotRepeatACallThatMayHaveBeenDone) {
  TestService service;
  TestServer server(service);
  TestClient client(server);
  client.begin().call(1, "slow").call(2, "slow", {}, modern());
  EXPECT_TRUE(service.wait_for_slow_running(2));
  // So long that the answers are streams by now.
  std::this_thread::sleep_for(400ms);
  server.stop();
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(client.hear_of("\"error\""), HasSubstr("whether it was done is not known"));
  }
  server.start();
  client.ask(3, "ping");
  EXPECT_THAT(client.hear_of("\"id\":3"), HasSubstr("\"result\":{}"));
  EXPECT_TRUE(service.wait_for_slow_running(0));
}

TEST(Bridge, SaysWhyItCannotAnswer) {
  TestService service;
  TestServer server(service);
  {
    TestClient client(BridgeOptions{{server.target().url, "wrong"}});
    client.ask(1, "initialize", {{"protocolVersion", "2025-11-25"}});
    EXPECT_THAT(client.hear(), HasSubstr("refused the token (401): this token is not known"));
    client.ask(2, "server/discover", {{"_meta", modern()}});
    EXPECT_THAT(client.hear(), HasSubstr("\"id\":2"));
  }
  server.stop();
  BridgeOptions options{server.target()};
  options.patience = 100ms;
  TestClient client(options);
  client.ask(1, "initialize", {{"protocolVersion", "2025-11-25"}});
  EXPECT_THAT(client.hear(), HasSubstr("cannot reach 127.0.0.1"));
  EXPECT_TRUE(client.end());
  EXPECT_EQ(TestClient(BridgeOptions{{"nonsense", ""}}).end().error().code, Code::kInvalidArgument);
  EXPECT_EQ(TestClient(BridgeOptions{{"http://a", "a\r\nX: b"}}).end().error().code,
            Code::kInvalidArgument);
}

TEST(Bridge, GoesOnWithARenewedToken) {
  TestService service;
  TestServer server(service);
  std::atomic<int> renewed = 0;
  std::atomic<bool> over = false;
  BridgeOptions options{server.target()};
  options.target.token = "";
  options.target.source =
      [&, good = std::string(kToken)](std::string_view refused) -> Result<std::string> {
    if (over) return fail(Code::kInvalidToken, "you are not signed in any more");
    if (refused.empty() && renewed == 0) return "old";
    ++renewed;
    return good;
  };
  TestClient client(options);
  client.begin();
  EXPECT_GE(renewed, 1);
  client.ask(7, "ping");
  EXPECT_THAT(client.hear_of("\"id\":7"), HasSubstr("\"result\":{}"));
  over = true;
  client.ask(8, "ping");
  EXPECT_THAT(client.hear_of("\"id\":8"), HasSubstr("not signed in any more"));
}

TEST(Bridge, AnswersHostileLines) {
  TestService service;
  TestServer server(service);
  TestClient client(server);
  client.ask(1, "tools/list");
  EXPECT_THAT(client.hear(), HasSubstr("initialize"));
  client.begin();
  struct Case {
    std::string line;
    std::string_view answer;
  };
  const Case cases[] = {
      {"{", "\"code\":-32700"},
      {"\xFF", "\"code\":-32700"},
      {"7", "\"code\":-32600"},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", "\"code\":-32600"},
      {R"({"jsonrpc":"1.0","id":4,"method":"ping"})", "\"id\":4"},
      {"[]", "\"code\":-32600"},
      {R"([{"jsonrpc":"2.0","id":4,"method":"ping"}])", "2025-03-26 only"},
      {R"({"jsonrpc":"2.0","id":4,"method":"no/such"})", "\"code\":-32601"},
      {write_request(5, "initialize", {{"protocolVersion", "2025-11-25"}}), "a second time"},
      {std::string(kMaxLineBytes + 1, 'x'), "a message has at most"},
      {"   ", ""},
      {R"({"jsonrpc":"2.0","id":"nobody asked","result":{}})", ""},
      {R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}})", ""},
      {R"({"jsonrpc":"2.0","method":"notifications/cancelled"})", ""},
      {R"({"jsonrpc":"2.0","method":"notifications/unheard/of"})", ""},
  };
  for (const Case& c : cases) {
    client.say(c.line);
    if (!c.answer.empty()) {
      EXPECT_THAT(client.hear(), HasSubstr(c.answer)) << c.line.substr(0, 80);
    }
    client.ask(6, "ping");
    EXPECT_THAT(client.hear(), HasSubstr("\"id\":6")) << c.line.substr(0, 80);
  }
  client.call(7, "slow").call(7, "slow");
  EXPECT_THAT(client.hear(), HasSubstr("a request with this id is still being carried out"));
  EXPECT_TRUE(service.wait_for_slow_running(1));
  service.release_slow();
  EXPECT_THAT(client.hear(), HasSubstr("released"));
}

TEST(Bridge, CarriesBatches) {
  TestService service;
  TestServer server(service);
  TestClient client(server);
  client.begin("2025-03-26");
  client.say(
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}])");
  const auto answers = json::parse(client.hear());
  ASSERT_TRUE(answers->is_array());
  EXPECT_EQ(answers->get_array().size(), 2u);
  client.say(R"([{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}])");
  client.ask(3, "ping");
  EXPECT_THAT(client.hear(), HasSubstr("\"id\":3"));
}

TEST(Bridge, AnswersManyAtOnce) {
  TestService service;
  TestServer server(service);
  TestClient client(server);
  client.begin();
  constexpr int kMany = 200;
  for (int i = 1; i <= kMany; ++i)
    client.call(i, "echo", {{"text", "x"}}, i % 2 ? modern() : json::Object());
  std::set<std::int64_t> ids;
  for (int i = 1; i <= kMany; ++i) {
    const auto answer = json::parse(client.hear());
    EXPECT_TRUE(answer->get_object().contains("result"));
    ids.insert(answer->get_object().at("id").to_number<std::int64_t>());
  }
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(kMany));
}

}  // namespace
}  // namespace cairn::mcp
