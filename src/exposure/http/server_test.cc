#include "exposure/http/server.h"

#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/http/testing.h"

namespace cairn::http {
namespace {

using ::testing::EndsWith;
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

TEST(Server, AnswersPipelinedRequestsInOrder) {
  TestServer server([](const Request& request) -> Plan {
    const std::string path(request.path);
    if (path == "/slow") {
      return Later{[path] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return text(path);
      }};
    }
    return text(path);
  });
  RawClient client = server.connect();
  client.send(
      "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"
      "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n"
      "GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  for (const std::string_view path : {"/slow", "/1", "/slow", "/2"}) {
    EXPECT_THAT(client.answer(), EndsWith(path));
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
}

}  // namespace
}  // namespace cairn::http
