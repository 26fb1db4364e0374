#include "exposure/http/http.h"

#include <gtest/gtest.h>

#include "exposure/http/response_head.h"

namespace cairn::http {
namespace {

TEST(ErrorResponse, IsJsonWithTheCodesStatus) {
  const Response response =
      error_response(Error(Code::kConflict, "a \"quoted\"\\ line\nwith \x01 and ä")
                         .with("currentRoot", std::string("nod_1"))
                         .with("count", std::int64_t{-3})
                         .with("paths", std::vector<std::string>{"a", "b\"c"}));
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.log_error, "CONFLICT");
  EXPECT_EQ(std::get<std::string>(response.body),
            R"({"error":"CONFLICT","message":"a \"quoted\"\\ line\nwith \u0001 and ä",)"
            R"("details":{"count":-3,"currentRoot":"nod_1","paths":["a","b\"c"]}})");
}

TEST(ErrorResponse, IsValidUtf8WhateverTheMessage) {
  const Response response = error_response(Error(Code::kBadRequest, "bad \xff byte"));
  EXPECT_EQ(std::get<std::string>(response.body),
            "{\"error\":\"BAD_REQUEST\",\"message\":\"bad \xEF\xBF\xBD byte\"}");
}

TEST(PutHead, LeavesFramingToTheServerAndLinesWhole) {
  Response response;
  response.content_type = "text/plain";
  response.headers = {{"Content-Length", "999"},
                      {"connection", "x"},
                      {"X-A", "1\r\nX-Evil: 2"},
                      {"ETag", "\"tag\""}};
  std::string out;
  put_head(out, response, {.date = "DATE", .length = 5, .vary = true, .encoding = Encoding::kGzip});
  EXPECT_EQ(out,
            "HTTP/1.1 200 OK\r\nServer: cairn\r\nDate: DATE\r\n"
            "X-Content-Type-Options: nosniff\r\nContent-Type: text/plain\r\n"
            "Content-Encoding: gzip\r\nVary: Accept-Encoding\r\nX-A: 1  X-Evil: 2\r\n"
            "ETag: W/\"tag\"\r\nContent-Length: 5\r\n\r\n");
}

TEST(HttpDate, IsWrittenAsTheStandardHasIt) {
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(Method, HasItsName) {
  EXPECT_EQ(name(Method::kDelete), "DELETE");
  EXPECT_EQ(name(Method::kOptions), "OPTIONS");
}

}  // namespace
}  // namespace cairn::http
