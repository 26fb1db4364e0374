#include "exposure/oauth/challenge.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/http/fake_request.h"

namespace cairn::oauth {
namespace {

using enum http::Method;

const OriginRule kLoopback{.public_origin = std::nullopt, .loopback = true};

std::string challenged(const std::string& path, http::Headers headers, Code code) {
  headers.emplace("host", "localhost:8765");
  const http::FakeRequest request(kPost, path, headers);
  auto response = http::error_response(Error(code, "not \"shown\" here"));
  response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"cairn\"");
  add_challenge(kLoopback, request, response);
  return std::string(header_of(response, "WWW-Authenticate"));
}

TEST(Challenge, SaysWhereATokenIsHad) {
  EXPECT_EQ(challenged("/mcp", {}, Code::kInvalidToken),
            "Bearer realm=\"cairn\", "
            "resource_metadata=\"http://localhost:8765/.well-known/oauth-protected-resource/mcp\", "
            "scope=\"cas:read cas:write\"");
  EXPECT_THAT(challenged("/mcp/workspaces/dpt_1?x=1", {}, Code::kInvalidToken),
              testing::HasSubstr("/.well-known/oauth-protected-resource/mcp/workspaces/dpt_1\""));
  EXPECT_THAT(challenged("/api/realm/me/depots", {}, Code::kInvalidToken),
              testing::HasSubstr("/.well-known/oauth-protected-resource/api\""));
}

TEST(Challenge, SaysWhatIsWrongWithATokenThatWasSent) {
  const http::Headers sent{{"authorization", "Bearer x"}};
  for (const auto code : {Code::kInvalidToken, Code::kTokenExpired, Code::kDelegateRevoked}) {
    const auto header = challenged("/mcp", sent, code);
    EXPECT_TRUE(header.starts_with("Bearer realm=\"cairn\", resource_metadata=\"")) << header;
    EXPECT_THAT(header, testing::HasSubstr("error=\"invalid_token\", error_description=\""));
    EXPECT_EQ(std::ranges::count(header, '"') % 2, 0) << header;
  }
  EXPECT_THAT(challenged("/mcp", sent, Code::kTokenExpired), testing::HasSubstr("has expired"));
}

TEST(Challenge, IsOfNobodyElse) {
  EXPECT_EQ(challenged("/mcp", {}, Code::kForbidden), "Bearer realm=\"cairn\"") << "as it was";
  EXPECT_EQ(challenged("/mcp", {{"host", "evil.example"}}, Code::kInvalidToken),
            "Bearer realm=\"cairn\"");
}

TEST(Challenge, RefusesATokenInTheAddress) {
  for (const auto* bad : {"/mcp?access_token=x", "/mcp?a=b&access_token=x"}) {
    const http::FakeRequest request(kGet, bad);
    const auto refused = refuse_token_in_address(request);
    ASSERT_TRUE(refused) << bad;
    EXPECT_EQ(refused->status, 400);
    EXPECT_EQ(header_of(*refused, "WWW-Authenticate"),
              "Bearer realm=\"cairn\", error=\"invalid_request\"");
  }
  EXPECT_FALSE(refuse_token_in_address(http::FakeRequest(kGet, "/mcp?a=access_token")));
  EXPECT_FALSE(refuse_token_in_address(http::FakeRequest(kGet, "/mcp")));
}

TEST(Challenge, OfAMissingScopeNamesAllThatIsNeeded) {
  const http::FakeRequest request(kPost, "/api/realm/me/depots", {{"host", "localhost:8765"}});
  EXPECT_EQ(step_up(kLoopback, request, Code::kForbidden), "");
  EXPECT_THAT(step_up(kLoopback, request, Code::kUploadNotAllowed),
              testing::HasSubstr("scope=\"cas:read cas:write\""));
  EXPECT_THAT(step_up(kLoopback, request, Code::kDepotManageNotAllowed),
              testing::AllOf(testing::HasSubstr("error=\"insufficient_scope\""),
                             testing::HasSubstr("scope=\"cas:read cas:write depot:manage\""),
                             testing::HasSubstr("oauth-protected-resource/api\"")));
}

}  // namespace
}  // namespace cairn::oauth
