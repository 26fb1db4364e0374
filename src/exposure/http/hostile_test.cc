// Requests that clients should not send, each over a real socket.
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/http/server.h"
#include "exposure/http/testing.h"

namespace cairn::http {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using testing::eventually;
using ::testing::HasSubstr;
using testing::RawClient;
using ::testing::StartsWith;
using testing::TestServer;
using testing::text;

constexpr std::string_view kGood = "GET /good HTTP/1.1\r\nHost: x\r\n\r\n";

Plan answer(const Request& request) {
  if (request.path == "/body") {
    return WantBody{.max_bytes = 100, .answer = [](Bytes body) { return text(body); }};
  }
  if (request.path == "/throw") throw std::runtime_error("secret");
  if (request.path == "/later-throw") {
    return Later{[]() -> Response { throw std::runtime_error("secret"); }};
  }
  return text("good");
}

ServerOptions impatient() {
  ServerOptions options;
  options.header_timeout = 60ms;
  options.body_idle_timeout = 60ms;
  options.idle_timeout = 60ms;
  return options;
}

auto is_json_error(int status, std::string_view code) {
  return AllOf(StartsWith("HTTP/1.1 " + std::to_string(status)),
               HasSubstr("Content-Type: application/json\r\n"),
               HasSubstr("{\"error\":\"" + std::string(code) + "\",\"message\":\""));
}

auto is_error(int status, std::string_view code) {
  return AllOf(is_json_error(status, code), HasSubstr("\",\"details\":{\"requestId\":\""),
               EndsWith("\"}}"));
}

// Of a connection from which no request was read: there is no id to give.
auto is_error_without_request(int status, std::string_view code) {
  return AllOf(is_json_error(status, code), Not(HasSubstr("requestId")), EndsWith("\"}"));
}

// The request is refused, and whatever stands behind it is not taken for another one.
void expect_refused(TestServer& server, std::string_view request, int status,
                    std::string_view code) {
  const std::size_t before = server.log().all().size();
  RawClient client = server.connect();
  client.send(request);
  client.try_send(kGood);
  EXPECT_THAT(client.rest(), is_error(status, code)) << request.substr(0, 200);
  const auto logged = server.log().wait_for(before + 1);
  ASSERT_EQ(logged.size(), before + 1) << request.substr(0, 200);
  EXPECT_EQ(logged.back().status, status);
  EXPECT_EQ(logged.back().error, code);
}

TEST(Hostile, MalformedHeadsAreRefusedAndTheConnectionClosed) {
  TestServer server(answer);
  const std::string get = "GET / HTTP/1.1\r\n";
  const std::string host = "Host: x\r\n";
  const std::string post = "POST /body HTTP/1.1\r\nHost: x\r\n";
  for (const std::string& request : {
           std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),
           std::string("?\r\n\r\n"),
           std::string("GET\r\n\r\n"),
           std::string("GET / HTTP/3.0\r\nHost: x\r\n\r\n"),
           std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
           std::string("GET relative HTTP/1.1\r\nHost: x\r\n\r\n"),
           std::string("CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n"),
           std::string("GET / HTTP/1.1\nHost: x\n\n"),
           get + "Host: x\n\r\n",
           get + "\r\n",
           get + host + "Host: y\r\n\r\n",
           get + host + "A : b\r\n\r\n",
           get + host + "A: b\r\n folded\r\n\r\n",
           get + host + "A: b\rc\r\n\r\n",
           post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           post + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
           post + "Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd",
           post + "Content-Length: -4\r\n\r\nabcd",
           post + "Content-Length: four\r\n\r\nabcd",
           post + "Content-Length: 99999999999999999999\r\n\r\nabcd",
           post + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
           post + "Transfer-Encoding: gzip\r\n\r\nabcd",
           post + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
           post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n",
           post + "Transfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n",
       }) {
    expect_refused(server, request, 400, "BAD_REQUEST");
  }
}

TEST(Hostile, HeadsAndTargetsOverTheLimitAreRefused) {
  TestServer server(answer);
  const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n";
  expect_refused(server, get + "A: " + std::string(20'000, 'a') + "\r\n\r\n", 431,
                 "HEADERS_TOO_LARGE");
  expect_refused(server, get + "A: " + std::string(1'000'000, 'a'), 431, "HEADERS_TOO_LARGE");
  expect_refused(server, "GET /" + std::string(9'000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", 414,
                 "URI_TOO_LONG");
  expect_refused(server, "GET /" + std::string(8'192, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", 414,
                 "URI_TOO_LONG");
  expect_refused(server, "GET /" + std::string(100'000, 'a'), 414, "URI_TOO_LONG");
  const std::string longest = "GET /" + std::string(8'191, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n";
  EXPECT_THAT(server.ask(longest), StartsWith("HTTP/1.1 200"));
}

TEST(Hostile, BodiesOverTheLimitAreRefused) {
  TestServer server(answer);
  const std::string post = "POST /body HTTP/1.1\r\nHost: x\r\n";
  expect_refused(server, post + "Content-Length: 1000000\r\n\r\n", 413, "BODY_TOO_LARGE");
  expect_refused(server, post + "Content-Length: 18446744073709551615\r\n\r\n", 413,
                 "BODY_TOO_LARGE");
  expect_refused(server,
                 post + "Transfer-Encoding: chunked\r\n\r\n20\r\n" + std::string(32, 'a') +
                     "\r\n45\r\n" + std::string(69, 'a') + "\r\n45\r\n",
                 413, "BODY_TOO_LARGE");
  // The client that waits to be told sends nothing.
  expect_refused(server, post + "Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n", 413,
                 "BODY_TOO_LARGE");
}

TEST(Hostile, AClientThatSendsAHugeBodyStillSeesTheRefusal) {
  TestServer server(answer);
  RawClient client = server.connect();
  client.send("POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n");
  const std::string portion(1 << 20, 'x');
  int portions = 0;
  while (portions < 100 && client.try_send(portion)) ++portions;
  EXPECT_LT(portions, 50);
  EXPECT_THAT(client.rest(), is_error(413, "BODY_TOO_LARGE"));
}

TEST(Hostile, ABodyNobodyWantsIsReadOverWhenItIsSmall) {
  TestServer server(answer);
  RawClient client = server.connect();
  client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n");
  EXPECT_THAT(client.answer(), EndsWith("good"));
  client.send(std::string(60'000, 'x')).send(kGood);
  EXPECT_THAT(client.answer(), EndsWith("good"));
  client.send(
      "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n");
  EXPECT_THAT(client.answer(), EndsWith("good"));
  client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n");
  EXPECT_THAT(client.rest(), AllOf(HasSubstr("Connection: close\r\n"), EndsWith("good")));
  RawClient chunked = server.connect();
  chunked.send("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n");
  chunked.try_send(std::string(0xfffff, 'x'));
  EXPECT_THAT(chunked.rest(), EndsWith("good"));
}

TEST(Hostile, SlowHeadsAreTimedOutInTotal) {
  TestServer server(answer, impatient());
  RawClient client = server.connect();
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\nA: ";
  bool open = client.try_send(head);
  // Progress does not help: the whole head has its time.
  for (int i = 0; i < 40 && open; ++i) {
    open = server.log().all().empty() && client.try_send("a");
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_THAT(client.rest(), is_error(408, "REQUEST_TIMEOUT"));
  EXPECT_EQ(server.log().wait_for(1).size(), 1u);
}

TEST(Hostile, SlowBodiesAreTimedOut) {
  TestServer server(answer, impatient());
  RawClient client = server.connect();
  client.send("POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_THAT(client.rest(), is_error(408, "REQUEST_TIMEOUT"));
  const auto logged = server.log().wait_for(1);
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0].path, "/body");
}

TEST(Hostile, SilentConnectionsAreClosedWithoutAWord) {
  TestServer server(answer, impatient());
  RawClient silent = server.connect();
  RawClient once = server.connect();
  once.send(kGood);
  EXPECT_THAT(once.answer(), EndsWith("good"));
  EXPECT_TRUE(silent.closed());
  EXPECT_TRUE(once.closed());
  EXPECT_EQ(server.log().all().size(), 1u);
}

TEST(Hostile, AClientThatDoesNotReadItsAnswerIsClosed) {
  ServerOptions options = impatient();
  options.write_timeout = 60ms;
  const auto big = std::make_shared<std::string>(64 << 20, 'x');
  TestServer server([&](const Request&) -> Plan { return Response{.body = SharedBody{big, *big}}; },
                    options);
  RawClient client = server.connect();
  client.send(kGood);
  EXPECT_TRUE(eventually([&] { return server.log().all().size() == 1; }));
  EXPECT_TRUE(eventually([&] { return server.log().open() == 0; }));
}

TEST(Hostile, WhatAHandlerThrowsStaysInside) {
  TestServer server(answer);
  RawClient client = server.connect();
  for (const std::string_view path : {"/throw", "/later-throw"}) {
    client.send("GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string answer = client.answer();
    EXPECT_THAT(answer, is_error(500, "INTERNAL"));
    EXPECT_EQ(answer.find("secret"), std::string::npos);
  }
  for (const auto& logged : server.log().wait_for(2)) EXPECT_EQ(logged.cause, "secret");
}

// Somebody known, to whom the connection belongs from then on.
Plan answer_known(const Request&) {
  Response out = text("good");
  out.log_who = "ann";
  return out;
}

TEST(Hostile, ConnectionsOverTheLimitAreToldSo) {
  ServerOptions options;
  options.max_connections = 2;
  TestServer server(answer_known, options);
  RawClient first = server.connect();
  RawClient second = server.connect();
  for (RawClient* client : {&first, &second}) {
    EXPECT_THAT(client->send(kGood).answer(), EndsWith("good"));
  }
  EXPECT_THAT(server.connect().rest(), is_error_without_request(503, "UNAVAILABLE"));
  first.close();
  ASSERT_TRUE(eventually([&] { return server.log().open() == 1; }));
  EXPECT_THAT(server.ask(kGood), EndsWith("good"));
}

TEST(Hostile, IdleStrangersGiveWayToWhoeverComes) {
  ServerOptions options;
  options.max_connections = 4;
  options.io_threads = 1;
  TestServer server(answer_known, options);
  RawClient known = server.connect();
  EXPECT_THAT(known.send(kGood).answer(), EndsWith("good"));
  std::vector<RawClient> strangers;
  for (int i = 0; i < 3; ++i) strangers.push_back(server.connect());
  ASSERT_TRUE(eventually([&] { return server.log().open() == 4; }));
  for (int i = 0; i < 20; ++i) EXPECT_THAT(server.ask(kGood), EndsWith("good"));
  EXPECT_THAT(known.send(kGood).answer(), EndsWith("good"));
}

TEST(Hostile, OneAddressHasItsShareOfConnections) {
  ServerOptions options;
  options.max_connections_each = 2;
  TestServer server(answer_known, options);
  RawClient first = server.connect();
  RawClient second = server.connect();
  ASSERT_TRUE(eventually([&] { return server.log().open() == 2; }));
  EXPECT_THAT(server.connect().rest(), is_error_without_request(503, "UNAVAILABLE"));
  second.close();
  ASSERT_TRUE(eventually([&] { return server.log().open() == 1; }));
  EXPECT_THAT(server.ask(kGood), EndsWith("good"));
}

TEST(Hostile, BodiesOfOneCallerAreHeldUpToItsShare) {
  ServerOptions options;
  options.in_flight = {.each = 100'000, .all = 1'000'000};
  TestServer server(
      [](const Request& request) -> Plan {
        return WantBody{.max_bytes = 1'000'000,
                        .where = Where::kHere,
                        .answer = [](const Bytes&) { return text("good"); },
                        .share = {"realm", std::string(request.path)}};
      },
      options);
  const auto begin = [](std::string_view who) {
    return fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nContent-Length: 90001\r\n\r\n", who);
  };
  RawClient stalled = server.connect();
  stalled.send(begin("/ann") + std::string(90'000, 'x'));
  // What has arrived is counted; a second one finds no room once it has.
  EXPECT_TRUE(eventually([&] {
    RawClient second = server.connect();
    second.send(begin("/ann") + std::string(90'001, 'x'));
    return second.answer().starts_with("HTTP/1.1 429");
  }));
  RawClient other = server.connect();
  EXPECT_THAT(other.send(begin("/bob") + std::string(90'001, 'x')).answer(), EndsWith("good"));
  EXPECT_THAT(stalled.send("x").answer(), EndsWith("good"));
  RawClient again = server.connect();
  EXPECT_THAT(again.send(begin("/ann") + std::string(90'001, 'x')).answer(), EndsWith("good"));
}

TEST(Hostile, ABodyThatTricklesIsNotWaitedFor) {
  ServerOptions options;
  options.body_timeout = std::chrono::milliseconds(200);
  TestServer server(
      [](const Request&) -> Plan {
        return WantBody{.max_bytes = 1'000'000, .where = Where::kHere, .answer = [](const Bytes&) {
                          return text("good");
                        }};
      },
      options);
  RawClient client = server.connect();
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_TRUE(eventually([&] { return !client.try_send("x") || !server.log().all().empty(); }));
  const auto logged = server.log().wait_for(1);
  ASSERT_EQ(logged.size(), 1U);
  EXPECT_EQ(logged[0].status, 408);
}

TEST(Hostile, HangingConnectionsAndWorkersDoNotKeepOthersWaiting) {
  std::atomic<bool> release = false;
  TestServer server([&](const Request& request) -> Plan {
    if (request.path != "/hang") return text("good");
    return Later{[&] {
      eventually([&] { return release.load(); });
      return text("late");
    }};
  });
  std::vector<RawClient> slow;
  for (int i = 0; i < 200; ++i) {
    slow.push_back(server.connect());
    slow.back().send("GET / HTTP/1.1\r\nHo");
  }
  RawClient hanging = server.connect();
  hanging.send("GET /hang HTTP/1.1\r\nHost: x\r\n\r\n");
  // All of these are answered while the other is not.
  RawClient client = server.connect();
  for (int i = 0; i < 100; ++i) {
    client.send(kGood);
    EXPECT_THAT(client.answer(), EndsWith("good"));
  }
  release = true;
  EXPECT_THAT(hanging.answer(), EndsWith("late"));
  slow.front().send("st: x\r\n\r\n");
  EXPECT_THAT(slow.front().answer(), EndsWith("good"));
}

}  // namespace
}  // namespace cairn::http
