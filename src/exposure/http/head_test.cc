#include "exposure/http/head.h"

#include <gtest/gtest.h>

namespace cairn::http {
namespace {

TEST(RequestHead, ReadsLineFieldsAndFraming) {
  RequestHead head;
  ASSERT_TRUE(
      head.parse("PUT /a/b?c=d HTTP/1.1\r\nHost: example:80\r\nX-Thing: \t a  b \r\n"
                 "content-LENGTH: 12\r\nExpect: 100-Continue\r\n\r\n"));
  EXPECT_EQ(head.method, Method::kPut);
  EXPECT_EQ(head.target, "/a/b?c=d");
  EXPECT_EQ(head.minor_version, 1);
  EXPECT_EQ(head.fields.get("x-thing"), "a  b");
  EXPECT_EQ(head.fields.get("absent"), "");
  EXPECT_EQ(head.framing.length, 12u);
  EXPECT_TRUE(head.has_body());
  EXPECT_TRUE(head.keep_alive());
  EXPECT_TRUE(head.expects_continue());
}

TEST(RequestHead, KnowsWhetherTheConnectionStays) {
  struct Case {
    std::string_view head;
    bool keep_alive;
  };
  for (const Case& c :
       {Case{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", true},
        Case{"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", false},
        Case{"GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade, Close\r\n\r\n", false},
        Case{"GET / HTTP/1.0\r\n\r\n", false},
        Case{"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true}}) {
    RequestHead head;
    ASSERT_TRUE(head.parse(c.head)) << c.head;
    EXPECT_EQ(head.keep_alive(), c.keep_alive) << c.head;
  }
}

TEST(RequestHead, RefusesWhatReadersUnderstandDifferently) {
  const std::string host = "Host: x\r\n";
  const std::string get = "GET / HTTP/1.1\r\n";
  for (const std::string& head : {
           std::string("GET /\r\n"),
           std::string("GET  / HTTP/1.1\r\n") + host,
           std::string("GET / HTTP/1.1 \r\n") + host,
           std::string(" GET / HTTP/1.1\r\n") + host,
           std::string("GET /a b HTTP/1.1\r\n") + host,
           std::string("GET /\x01 HTTP/1.1\r\n") + host,
           std::string("G(T / HTTP/1.1\r\n") + host,
           std::string("GET / HTTP/2.0\r\n") + host,
           std::string("GET / http/1.1\r\n") + host,
           std::string("GET / HTTP/1.10\r\n") + host,
           get,
           get + host + host,
           get + "Host: a b\r\n",
           get + "Host: a/b\r\n",
           get + host + "X : 1\r\n",
           get + host + " X: 1\r\n",
           get + host + "X: 1\r\n folded\r\n",
           get + host + "X: 1\r\n\tfolded\r\n",
           get + host + ": 1\r\n",
           get + host + "nothing\r\n",
           get + host + "X\0: 1\r\n",
           get + host + std::string("X: a\0b\r\n", 8),
           get + host + "X: a\rb\r\n",
           get + host + "X: a\x7f\r\n",
           get + host + "Content-Length: \r\n",
           get + host + "Content-Length: -1\r\n",
           get + host + "Content-Length: +1\r\n",
           get + host + "Content-Length: 0x1\r\n",
           get + host + "Content-Length: 1 1\r\n",
           get + host + "Content-Length: 1,1\r\n",
           get + host + "Content-Length: 18446744073709551616\r\n",
           get + host + "Content-Length: 1\r\nContent-Length: 2\r\n",
           get + host + "Content-Length: 1\r\nContent-Length: 1\r\n",
           get + host + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
           get + host + "Transfer-Encoding: gzip, chunked\r\n",
           get + host + "Transfer-Encoding: chunked, identity\r\n",
           get + host + "Transfer-Encoding: xchunked\r\n",
           get + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
           std::string("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n"),
       }) {
    RequestHead parsed;
    const auto result = parsed.parse(head + "\r\n");
    ASSERT_FALSE(result) << head;
    EXPECT_EQ(result.error().code, Code::kBadRequest) << head;
  }
}

TEST(RequestHead, RefusesTooManyFields) {
  std::string text = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 200; ++i) text += "X: y\r\n";
  RequestHead head;
  EXPECT_EQ(head.parse(text + "\r\n").error().code, Code::kHeadersTooLarge);
}

TEST(HeadScanner, FindsTheEndInPieces) {
  const std::string text = "GET / HTTP/1.1\r\nHost: x\r\n\r\nbody";
  HeadScanner scanner;
  for (std::size_t size = 0; size < text.size() - 4; ++size) {
    EXPECT_EQ(scanner.find(text.substr(0, size)), 0u) << size;
  }
  EXPECT_EQ(scanner.find(text), text.size() - 4);
}

TEST(HeadScanner, RefusesABareLineFeed) {
  for (const std::string_view text :
       {"GET / HTTP/1.1\n", "\n", "GET / HTTP/1.1\r\nA: b\n", "GET / HTTP/1.1\r\nHost: x\r\n\n"}) {
    EXPECT_EQ(HeadScanner().find(text).error().code, Code::kBadRequest) << text;
  }
}

TEST(ResponseHead, ReadsTheStatus) {
  ResponseHead head;
  ASSERT_TRUE(head.parse("HTTP/1.1 404 Not Found\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n"));
  EXPECT_EQ(head.status, 404);
  EXPECT_EQ(head.fields.get("a"), "b");
  EXPECT_TRUE(head.framing.chunked);
  EXPECT_TRUE(head.parse("HTTP/1.1 200 \r\n\r\n"));
  for (const std::string_view bad : {"HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 20\r\n\r\n",
                                     "HTTP/1.1  200 OK\r\n\r\n", "ICY 200 OK\r\n\r\n"}) {
    EXPECT_FALSE(head.parse(bad)) << bad;
  }
}

}  // namespace
}  // namespace cairn::http
