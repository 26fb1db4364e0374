#include "exposure/oauth/endpoints.h"

#include <gtest/gtest.h>

#include "data/oauth/oauth_testing.h"
#include "exposure/http/fake_request.h"

namespace cairn::oauth {
namespace {

using enum http::Method;

struct OAuthEndpointsTest : testing::Test {
  http::Response call(http::Method method, const std::string& target, const std::string& type = {},
                      const std::string& body = {}, http::Headers headers = {}) {
    headers.emplace("host", "127.0.0.1:8765");
    if (!type.empty()) headers.emplace("content-type", type);
    const http::FakeRequest request(
        method, target, headers,
        body.empty() ? std::nullopt : std::optional<std::size_t>(body.size()), "10.0.0.1");
    return http::carry_out(endpoints.begin(request), body);
  }
  http::Response form(const std::string& target, const Parameters& parameters,
                      http::Headers headers = {}) {
    return call(kPost, target, "application/x-www-form-urlencoded; charset=UTF-8",
                write_form(parameters), std::move(headers));
  }
  static json::Object json_of(const http::Response& response) {
    return must(json::parse(std::get<std::string>(response.body))).as_object();
  }
  static std::string error_in(const http::Response& response) {
    return fmt::format("{} {}", response.status, text_of(json_of(response), "error"));
  }
  Parameters code_form() {
    return {{"grant_type", "authorization_code"},
            {"client_id", scene.client},
            {"code", scene.code_for(scene.client)},
            {"code_verifier", std::string(Scene::kVerifier)}};
  }

  Scene scene;
  OAuthEndpoints endpoints{*scene.tokens,
                           {.origins = {.public_origin = std::nullopt, .loopback = true}}};
};

TEST_F(OAuthEndpointsTest, GivesDocumentsToAnyPage) {
  for (const auto* path :
       {"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-protected-resource/mcp/workspaces/dpt_1",
        "/.well-known/oauth-authorization-server"}) {
    const auto response = call(kGet, path, "", "", {{"origin", "https://inspector.example"}});
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_EQ(response.content_type, "application/json");
    EXPECT_EQ(header_of(response, "Access-Control-Allow-Origin"), "*");
    EXPECT_EQ(header_of(response, "Access-Control-Allow-Credentials"), "");
    EXPECT_EQ(header_of(response, "Cache-Control"), "public, max-age=300");
  }
  // With another path there is none, so that clients go on to the root and find the same issuer.
  for (const auto* path :
       {"/.well-known/oauth-authorization-server/mcp", "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/mcp", "/.well-known/oauth-protected-resource/nowhere"}) {
    EXPECT_EQ(error_in(call(kGet, path)), "404 not_found") << path;
  }
  EXPECT_EQ(call(kPost, "/.well-known/oauth-authorization-server").status, 405);
  EXPECT_EQ(call(kOptions, "/api/auth/token").status, 204);
}

TEST_F(OAuthEndpointsTest, TradesACodeAndNobodyKeepsTheAnswer) {
  const auto response = form("/api/auth/token", code_form());
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(header_of(response, "Cache-Control"), "no-store");
  EXPECT_FALSE(response.compressible);
  const auto answer = json_of(response);
  EXPECT_EQ(text_of(answer, "token_type"), "Bearer");
  EXPECT_EQ(text_of(answer, "scope"), "cas:read cas:write");
  EXPECT_EQ(number_of(answer, "expires_in"), 8 * 3600);
  EXPECT_TRUE(scene.works(text_of(answer, "access_token")));
  const auto next = form("/token", {{"grant_type", "refresh_token"},
                                    {"client_id", scene.client},
                                    {"refresh_token", text_of(answer, "refresh_token")}});
  EXPECT_EQ(next.status, 200);
  EXPECT_EQ(form("/api/auth/revoke",
                 {{"client_id", scene.client}, {"token", text_of(answer, "access_token")}})
                .status,
            200);
  EXPECT_FALSE(scene.works(text_of(answer, "access_token")));
}

TEST_F(OAuthEndpointsTest, TakesFormsForTokensAndJsonForRegistrations) {
  EXPECT_EQ(error_in(call(kPost, "/api/auth/token", "application/json", "{}")),
            "400 invalid_request");
  EXPECT_EQ(error_in(call(kPost, "/api/auth/register", "application/x-www-form-urlencoded", "a=b")),
            "400 invalid_request");
  EXPECT_EQ(error_in(call(kPost, "/api/auth/register", "application/json", "[]")),
            "400 invalid_client_metadata");
  EXPECT_EQ(error_in(form("/api/auth/token", {{"grant_type", "refresh_token"},
                                              {"client_id", "clt_nobody"},
                                              {"refresh_token", "x"}})),
            "401 invalid_client");
  EXPECT_EQ(call(kGet, "/api/auth/token").status, 405);
  const auto registered =
      call(kPost, "/register", "application/json",
           R"({"client_name":"Prober","redirect_uris":["http://127.0.0.1:4711/callback"]})");
  EXPECT_EQ(registered.status, 201);
  EXPECT_EQ(header_of(registered, "Cache-Control"), "no-store");
  EXPECT_EQ(text_of(json_of(registered), "client_id"), scene.client);
  EXPECT_EQ(number_of(json_of(registered), "client_id_issued_at"), scene.clock().now() / 1000);
  EXPECT_EQ(texts_of(json_of(registered), "redirect_uris"),
            std::vector<std::string>{"http://127.0.0.1:4711/callback"});
}

TEST_F(OAuthEndpointsTest, SaysSlowDownWithATime) {
  const auto registration = R"({"redirect_uris":["http://127.0.0.1/"]})";
  http::Response last;
  for (int i = 0; i < 11; ++i) {
    last = call(kPost, "/api/auth/register", "application/json", registration);
  }
  EXPECT_EQ(error_in(last), "429 slow_down");
  EXPECT_NE(header_of(last, "Retry-After"), "");
}

TEST_F(OAuthEndpointsTest, BeginsForADevice) {
  const auto response = form("/api/auth/device", {{"client_id", scene.client}});
  EXPECT_EQ(response.status, 200);
  const auto answer = json_of(response);
  EXPECT_EQ(text_of(answer, "verification_uri"), "http://127.0.0.1:8765/oauth/device");
  EXPECT_EQ(text_of(answer, "verification_uri_complete"),
            "http://127.0.0.1:8765/oauth/device?user_code=" + text_of(answer, "user_code"));
  EXPECT_EQ(number_of(answer, "expires_in"), 900);
  EXPECT_EQ(number_of(answer, "interval"), 5);
}

TEST_F(OAuthEndpointsTest, SaysWhoseAnswerCameToTheWrongPort) {
  const auto response = call(kGet, "/callback?code=secret&state=x");
  EXPECT_EQ(response.status, 404);
  EXPECT_TRUE(std::get<std::string>(response.body).starts_with("This is Cairn."));
  EXPECT_FALSE(std::get<std::string>(response.body).contains("secret"));
}

TEST_F(OAuthEndpointsTest, AreOffWhereNobodyKnowsTheAddress) {
  OAuthEndpoints off(*scene.tokens, {});
  const http::FakeRequest document(kGet, "/.well-known/oauth-protected-resource/mcp",
                                   {{"host", "cairn.example"}});
  EXPECT_EQ(error_in(http::carry_out(off.begin(document))), "404 not_found");
  const http::FakeRequest token(kPost, "/api/auth/token", {{"host", "cairn.example"}}, 1);
  EXPECT_EQ(error_in(http::carry_out(off.begin(token), "x")), "404 not_found");
}

}  // namespace
}  // namespace cairn::oauth
