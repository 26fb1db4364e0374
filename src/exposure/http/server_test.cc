#include "exposure/http/server.h"

#include <atomic>
#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/http/testing.h"

namespace cairn::http {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using testing::eventually;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RawClient;
using ::testing::StartsWith;
using testing::TestServer;
using testing::text;

Plan say_path(const Request& request) { return text(std::string(request.path)); }

Plan echo(const Request& request) {
  return WantBody{.max_bytes = 1 << 20,
                  .where = request.path == "/worker" ? Where::kWorker : Where::kHere,
                  .answer = [](Bytes body) { return text("<" + body + ">"); }};
}

TEST(Server, AnswersOnOneConnectionAgainAndAgain) {
  TestServer server(say_path);
  RawClient client = server.connect();
  for (int i = 0; i < 3; ++i) {
    client.send("GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string answer = client.answer();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, HasSubstr("\r\nServer: cairn\r\n"));
    EXPECT_THAT(answer, HasSubstr("\r\nDate: "));
    EXPECT_THAT(answer, HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"));
    EXPECT_THAT(answer, HasSubstr("\r\nContent-Type: text/plain\r\n"));
    EXPECT_THAT(answer, HasSubstr("\r\nContent-Length: 2\r\n"));
    EXPECT_THAT(answer, Not(HasSubstr("Connection:")));
    EXPECT_THAT(answer, EndsWith("\r\n\r\n/a"));
  }
  const auto logged = server.log().wait_for(3);
  ASSERT_EQ(logged.size(), 3u);
  EXPECT_EQ(logged[2].method, Method::kGet);
  EXPECT_EQ(logged[2].path, "/a");
  EXPECT_EQ(logged[2].status, 200);
  EXPECT_EQ(logged[2].remote, "127.0.0.1");
  EXPECT_EQ(logged[2].bytes_in, 32u);
  EXPECT_GT(logged[2].bytes_out, 100u);
}

TEST(Server, GivesTheHandlerWhatWasSent) {
  TestServer server([](const Request& request) -> Plan {
    return text(std::string(name(request.method)) + " " + std::string(request.target) + " " +
                std::string(request.query) + " " + std::string(request.header("x-thing")) + " " +
                std::to_string(request.content_length.value_or(0)) +
                (request.has_body ? " body" : " none") + (request.tls ? " tls" : " plain"));
  });
  EXPECT_THAT(
      server.ask("GET http://host/p%20q?r=s HTTP/1.1\r\nHost: host\r\nX-THING:  t \r\n\r\n"),
      EndsWith("GET /p%20q?r=s r=s t 0 none plain"));
  EXPECT_THAT(server.ask("\r\nPATCH / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"),
              EndsWith("PATCH /   2 body plain"));
  EXPECT_THAT(server.ask("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"), HasSubstr("OPTIONS *"));
  EXPECT_THAT(server.ask("BREW / HTTP/1.1\r\nHost: x\r\n\r\n"), HasSubstr("other /"));
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  TestServer server([](const Request& request) -> Plan {
    const std::string path(request.path);
    if (path != "/slow") return text(path);
    return Later{[path] {
      std::this_thread::sleep_for(20ms);
      return text(path);
    }};
  });
  RawClient client = server.connect();
  client.send(
      "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"
      "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n"
      "GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  for (const std::string_view path : {"/slow", "/1", "/slow", "/2"}) {
    EXPECT_THAT(client.answer(), EndsWith(path));
  }
  std::string many;
  for (int i = 0; i < 2000; ++i) {
    many += "POST /" + std::to_string(i) +
            " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" + "\r\n3\r\nabc\r\n0\r\n\r\n";
  }
  std::jthread sender([&] { client.send(many); });
  for (int i = 0; i < 2000; ++i) {
    ASSERT_THAT(client.answer(), EndsWith("/" + std::to_string(i)));
  }
}

TEST(Server, TakesWholeBodiesHereAndOnAWorker) {
  TestServer server(echo);
  RawClient client = server.connect();
  client.send("POST /here HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_THAT(client.answer(), EndsWith("<hello>"));
  client.send("POST /worker HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  client.send("2;ext=1\r\nde\r\n0\r\nTrailer: 1\r\n\r\nGET /here HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.answer(), EndsWith("<abcde>"));
  EXPECT_THAT(client.answer(), EndsWith("<>"));
  std::string big(900'000, 'x');
  client.send("POST /here HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n").send(big);
  EXPECT_THAT(client.answer(), EndsWith("<" + big + ">"));
  const auto logged = server.log().wait_for(4);
  EXPECT_GT(logged[3].bytes_in, 900'000u);
}

TEST(Server, TellsAClientThatWaitsToGoOn) {
  TestServer server(echo);
  RawClient client = server.connect();
  client.send(
      "POST /here HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.head(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_THAT(client.answer(), EndsWith("<abc>"));
  client.send(
      "POST /here HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc");
  EXPECT_THAT(client.answer(), AllOf(StartsWith("HTTP/1.1 200"), EndsWith("<abc>")));
}

TEST(Server, AnswersHeadWithTheHeadOfGet) {
  TestServer server([](const Request& request) -> Plan {
    if (request.path == "/later") return Later{[] { return text(std::string(3000, 'x')); }};
    return text("hello");
  });
  RawClient client = server.connect();
  client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\nHEAD /later HTTP/1.1\r\nHost: x\r\n\r\n");
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.head(), HasSubstr("Content-Length: 5\r\n"));
  EXPECT_THAT(client.head(), HasSubstr("Content-Length: 3000\r\n"));
  EXPECT_THAT(client.answer(), EndsWith("\r\n\r\nhello"));
}

TEST(Server, SendsNoBodyWhereNoneMayBe) {
  TestServer server([](const Request& request) -> Plan {
    return text("never", request.path == "/204" ? 204 : 304);
  });
  RawClient client = server.connect();
  for (const std::string status : {"204", "304"}) {
    client.send("GET /" + status + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(client.head(),
                AllOf(StartsWith("HTTP/1.1 " + status), Not(HasSubstr("Content-Length"))));
  }
  client.send("GET /204 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.rest(), AllOf(HasSubstr("Connection: close"), EndsWith("\r\n\r\n")));
}

TEST(Server, SpeaksTheOldVersion) {
  TestServer server(say_path);
  RawClient once = server.connect();
  once.send("GET /a HTTP/1.0\r\n\r\n");
  EXPECT_THAT(once.rest(), AllOf(HasSubstr("Connection: close\r\n"), EndsWith("/a")));
  RawClient again = server.connect();
  for (int i = 0; i < 2; ++i) {
    again.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_THAT(again.answer(), AllOf(HasSubstr("Connection: keep-alive\r\n"), EndsWith("/a")));
  }
}

TEST(Server, CompressesForThoseWhoAsk) {
  const auto shared = std::make_shared<std::string>(200'000, 'y');
  TestServer server([&](const Request& request) -> Plan {
    Response response = text(std::string(5000, 'x'));
    if (request.path == "/big") response.body = SharedBody{shared, *shared};
    if (request.path == "/not") response.compressible = false;
    response.headers = {{"ETag", "\"abc\""}};
    return response;
  });
  RawClient client = server.connect();
  const auto ask = [&](std::string method, std::string path, std::string accept) {
    client.send(method + " " + path + " HTTP/1.1\r\nHost: x\r\nAccept-Encoding: " + accept +
                "\r\n\r\n");
    return method == "HEAD" ? client.head() : client.answer();
  };
  const std::string zstd = ask("GET", "/", "gzip, zstd");
  EXPECT_LT(zstd.size(), 1000u);
  EXPECT_THAT(zstd,
              AllOf(HasSubstr("Content-Encoding: zstd\r\n"), HasSubstr("Vary: Accept-Encoding\r\n"),
                    HasSubstr("ETag: W/\"abc\"\r\n"), HasSubstr("\r\n\r\n\x28\xb5\x2f\xfd")));
  EXPECT_THAT(ask("GET", "/big", "gzip"), HasSubstr("Content-Encoding: gzip\r\n"));
  const std::string plain = ask("GET", "/", "identity");
  EXPECT_THAT(plain,
              AllOf(Not(HasSubstr("Content-Encoding")), HasSubstr("ETag: \"abc\"\r\n"),
                    HasSubstr("Vary: Accept-Encoding\r\n"), HasSubstr("Content-Length: 5000\r\n")));
  EXPECT_THAT(ask("GET", "/not", "gzip"),
              AllOf(Not(HasSubstr("Content-Encoding")), Not(HasSubstr("Vary"))));
  const std::string head = ask("HEAD", "/", "zstd");
  // But for the date, as the second may have passed, and the id of the request.
  const auto told = [](const std::string& text) {
    const auto id = text.find("X-Request-Id: ");
    const auto behind = text.find("\r\n", id);
    const auto from = text.find("\r\nX-Content-Type");
    return text.substr(from, id - from) + text.substr(behind, text.find("\r\n\r\n") - behind);
  };
  EXPECT_EQ(told(head), told(zstd));
}

TEST(Server, LogsWhatTheAnswerSays) {
  TestServer server([](const Request&) -> Plan {
    Response response = error_response(Error(Code::kForbidden, "no"));
    response.log_tool = "tool";
    response.log_who = "who";
    return response;
  });
  server.ask("GET /x?secret HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto logged = server.log().wait_for(1);
  EXPECT_EQ(logged[0].path, "/x");
  EXPECT_EQ(logged[0].tool, "tool");
  EXPECT_EQ(logged[0].who, "who");
  EXPECT_EQ(logged[0].error, "FORBIDDEN");
}

TEST(Server, FinishesWhatRunsWhenItIsStopped) {
  std::atomic<bool> running = false;
  std::atomic<bool> release = false;
  TestServer server([&](const Request& request) -> Plan {
    if (request.path == "/") return text("quick");
    return Later{[&] {
      running = true;
      eventually([&] { return release.load(); });
      return text("finished");
    }};
  });
  RawClient idle = server.connect();
  idle.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  idle.answer();
  RawClient client = server.connect();
  client.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return running.load(); }));
  auto stopped = std::async(std::launch::async, [&] { server.server().stop(); });
  EXPECT_TRUE(idle.closed());
  EXPECT_EQ(stopped.wait_for(20ms), std::future_status::timeout);
  EXPECT_THROW(RawClient late(server.port()), std::runtime_error);
  release = true;
  EXPECT_THAT(client.rest(), AllOf(HasSubstr("Connection: close"), EndsWith("finished")));
  stopped.get();
  EXPECT_EQ(server.log().open(), 0);
}

TEST(Server, BreaksOffWhatDoesNotFinishInTime) {
  ServerOptions options;
  options.stop_timeout = 30ms;
  TestServer server(echo, options);
  RawClient client = server.connect();
  client.send("POST /here HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe");
  ASSERT_TRUE(eventually([&] { return server.log().open() == 1; }));
  server.server().stop();
  EXPECT_TRUE(client.closed());
}

TEST(Server, RefusesToStartWhereItCannotListen) {
  TestServer server(say_path);
  class Nobody final : public Handler {
    Plan begin(const Request&) override { return text(""); }
  } nobody;
  testing::Log log;
  const auto taken = Server::start({.port = server.port()}, nobody, log);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Code::kUnavailable);
  EXPECT_THAT(taken.error().message, HasSubstr("127.0.0.1 port " + std::to_string(server.port())));
  const auto nowhere = Server::start({.address = "nowhere"}, nobody, log);
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr("'nowhere'"));
}

}  // namespace
}  // namespace cairn::http
