#include "exposure/mcp/http_call.h"

#include <gtest/gtest.h>

#include "exposure/http/fake_request.h"
#include "exposure/mcp/testing.h"

namespace cairn::mcp {
namespace {

HttpCall a_call(std::string method, json::Object params = {}) {
  return HttpCall(testing::a_principal("ann"), {},
                  Request{.id = 7, .method = std::move(method), .params = std::move(params)});
}

TEST(HttpCall, IsLoggedAsTheToolItCallsOrAsItsMethod) {
  EXPECT_EQ(a_call("tools/call", {{"name", "echo"}}).subject, "echo");
  EXPECT_EQ(a_call("tools/call").subject, "tools/call");
  EXPECT_EQ(a_call("prompts/get", {{"name", "greet"}}).subject, "prompts/get");
  const auto call = a_call("tools/call", {{"name", "echo"}});
  const auto response = logged(accepted(), call);
  EXPECT_EQ(response.log_tool, "echo");
  EXPECT_EQ(response.log_who, "ann");
}

TEST(HttpCall, IsRefusedWithTheIdItHas) {
  auto response = refuse(a_call("x"), {rpc_code::kInvalidParams, "wrong"});
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.log_tool, "x");
  const auto body = *json::parse(body_of(response));
  EXPECT_EQ(body.at("id").as_int64(), 7);
  EXPECT_EQ(body.at("error").at("code").as_int64(), rpc_code::kInvalidParams);
  EXPECT_EQ(json::text(body.at("error").at("message")), "wrong");
}

TEST(HttpCall, WhatIsNoCallIsRefusedWithoutAnId) {
  auto response = refuse(404, "gone");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.log_error, "BAD_REQUEST");
  const auto body = *json::parse(body_of(response));
  EXPECT_TRUE(body.at("id").is_null());
  EXPECT_EQ(body.at("error").at("code").as_int64(), rpc_code::kInvalidRequest);
}

TEST(HttpCall, AnAnswerWithoutATextIsOnlyAccepted) {
  auto none = answer_response({.text = "", .http_status = 200});
  EXPECT_EQ(none.status, 202);
  EXPECT_EQ(none.content_type, "");
  EXPECT_EQ(body_of(none), "");
  auto some = answer_response({.text = "{}", .http_status = 400});
  EXPECT_EQ(some.status, 400);
  EXPECT_EQ(some.content_type, "application/json");
  EXPECT_EQ(body_of(some), "{}");
}

TEST(HttpCall, NobodyOnTheWayHoldsAStreamBack) {
  const auto stream = http::EventStream::make(100);
  const auto response = stream_response(stream);
  EXPECT_EQ(response.content_type, "text/event-stream");
  EXPECT_EQ(header_of(response, "Cache-Control"), "no-cache, no-transform");
  EXPECT_EQ(header_of(response, "X-Accel-Buffering"), "no");
  EXPECT_FALSE(response.compressible);
  EXPECT_EQ(std::get<http::EventBody>(response.body).stream, stream);
}

}  // namespace
}  // namespace cairn::mcp
