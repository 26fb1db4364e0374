#include "exposure/login/grants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/login/pkce.h"
#include "exposure/login/testing.h"

namespace cairn::login {
namespace {

using ::testing::ElementsAre;
using testing::FakeAuthority;
using ::testing::HasSubstr;

TEST(Pkce, IsTheStandardsExample) {
  // RFC 7636, appendix B.
  EXPECT_EQ(challenge_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
  EXPECT_EQ(base64url("\xfb\xef\xff"), "--__");
  EXPECT_EQ(base64url("a"), "YQ");
  SeededRandom random(1);
  const auto one = unguessable(random);
  EXPECT_EQ(one.size(), 43U);
  EXPECT_NE(one, unguessable(random));
}

TEST(Address, IsAnOriginAndTheRest) {
  struct Case {
    std::string_view text;
    std::string_view origin;
    std::string_view target;
  };
  for (const Case& c : {Case{"https://a.b", "https://a.b", "/"},
                        Case{"https://a.b/x/y?z=1", "https://a.b", "/x/y?z=1"},
                        Case{"http://127.0.0.1:81?a", "http://127.0.0.1:81", "/?a"},
                        Case{"https://a.b/x#frag", "https://a.b", "/x"}}) {
    const auto address = Address::parse(c.text);
    ASSERT_TRUE(address) << c.text << ": " << address.error().render();
    EXPECT_EQ(address->origin.render(), c.origin);
    EXPECT_EQ(address->target, c.target);
  }
  for (const std::string_view bad : {"", "javascript:alert(1)", "file:///etc/passwd", "https://",
                                     "https://u@a.b/", "https://a.b/x y", "https://a.b/\r\nX: y"}) {
    EXPECT_FALSE(Address::parse(bad)) << bad;
  }
}

TEST(Web, SendsNothingWhereOthersCouldListen) {
  const Web web({});
  const auto sent = web.post("http://cairn.example/token", Fields{{"a", "b"}});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Code::kForbidden);
  EXPECT_THAT(sent.error().message, HasSubstr("is not https"));
}

TEST(Discovery, FindsWhatIsNeeded) {
  FakeAuthority server;
  const auto found = discover(Web({}), server.url() + "/");
  ASSERT_TRUE(found) << found.error().render();
  EXPECT_EQ(found->resource, server.url());
  EXPECT_EQ(found->issuer, server.url());
  EXPECT_EQ(found->token_endpoint, server.url() + "/token");
  EXPECT_EQ(found->device_endpoint, server.url() + "/device");
  EXPECT_THAT(found->scopes, ElementsAre("cas:read", "cas:write"));
  EXPECT_TRUE(found->names_itself);
}

TEST(Discovery, TrustsNobodyWhoContradictsHimself) {
  FakeAuthority server;
  const auto complaint = [&](const FakeAuthority::Manner& manner) {
    server.behave(manner);
    const auto found = discover(Web({}), server.url());
    return found ? std::string("found") : found.error().render();
  };
  EXPECT_THAT(complaint({.resource = "https://elsewhere.example"}),
              HasSubstr("calls itself https://elsewhere.example; sign in to it by that name"));
  EXPECT_THAT(complaint({.metadata = {{"issuer", "https://evil.example"}}}),
              HasSubstr("and calls itself https://evil.example"));
  EXPECT_THAT(complaint({.challenge_method = "plain"}), HasSubstr("no PKCE"));
  EXPECT_THAT(complaint({.metadata = {{"token_endpoint", ""}}}),
              HasSubstr("does not say where one signs in"));
}

TEST(Discovery, SaysWhatToDoWithoutSignIn) {
  http::testing::TestServer none(
      [](const http::Request&) { return http::testing::text("no", 404); });
  const auto found = discover(Web({}), fmt::format("http://127.0.0.1:{}", none.port()));
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().render(), HasSubstr("offers no sign-in"));
  EXPECT_THAT(found.error().render(), HasSubstr("cairn delegate create --key"));
  EXPECT_EQ(origin_of("unix:/x/cairn.sock").error().code, Code::kInvalidArgument);
  EXPECT_THAT(origin_of("https://a.b/mcp").error().render(), HasSubstr("https://a.b without"));
}

TEST(Grants, RegisterAPublicClientOnLoopback) {
  FakeAuthority server;
  const Web web({});
  const auto authority = *discover(web, server.url());
  EXPECT_EQ(register_client(web, authority, "cairn on here", "cas:read"), "client-1");
  const auto sent = server.seen().registered.at(0);
  EXPECT_THAT(sent, HasSubstr(R"("token_endpoint_auth_method":"none")"));
  EXPECT_THAT(sent, HasSubstr(R"("redirect_uris":["http://127.0.0.1/callback"])"));
  server.behave({.metadata = {{"registration_endpoint", ""}}});
  EXPECT_THAT(register_client(web, *discover(web, server.url()), "x", "").error().render(),
              HasSubstr("--client-id"));
}

TEST(Grants, TradeACodeWithItsVerifierOnly) {
  FakeAuthority server;
  const Web web({});
  const auto authority = *discover(web, server.url());
  CodeRequest request{.client = "client-1",
                      .scope = "cas:read",
                      .redirect = "http://127.0.0.1:1/callback",
                      .state = "s",
                      .verifier = std::string(43, 'v')};
  const auto page = authorization_url(authority, request);
  ASSERT_TRUE(page);
  const auto query = FakeAuthority::query_of(*page);
  EXPECT_EQ(query.get("code_challenge_method"), "S256");
  EXPECT_EQ(query.get("resource"), server.url());
  EXPECT_EQ(query.get("response_type"), "code");
  const auto code = FakeAuthority::code_for(*page);
  const auto tokens = trade_code(web, authority, request, code);
  ASSERT_TRUE(tokens) << tokens.error().render();
  EXPECT_EQ(tokens->refresh, "refresh-1");
  EXPECT_EQ(tokens->scope, "cas:read");
  request.verifier = std::string(43, 'w');
  const auto wrong = trade_code(web, authority, request, code);
  EXPECT_EQ(wrong.error().code, Code::kInvalidToken);
  EXPECT_EQ(refusal_of(wrong.error()), "invalid_grant");
  EXPECT_THAT(wrong.error().message, HasSubstr("because it is a test"));
}

TEST(Grants, OpenNoPageButAPrivateOne) {
  Authority authority{.resource = {},
                      .issuer = {},
                      .authorization_endpoint = "http://evil.example/authorize",
                      .token_endpoint = {}};
  EXPECT_EQ(authorization_url(authority, {}).error().code, Code::kForbidden);
  authority.authorization_endpoint = "javascript:alert(1)";
  EXPECT_FALSE(authorization_url(authority, {}));
}

TEST(Grants, TellWhatMayComeFromWhatIsOver) {
  FakeAuthority server;
  const Web web({});
  struct Case {
    int status;
    std::string_view error;
    Code code;
  };
  for (const Case& c : {Case{400, "invalid_grant", Code::kInvalidToken},
                        Case{401, "invalid_client", Code::kInvalidToken},
                        Case{429, "invalid_grant", Code::kUnavailable},
                        Case{503, "server_error", Code::kUnavailable},
                        Case{400, "invalid_scope", Code::kBadRequest}}) {
    server.behave({.refresh_status = c.status, .refresh_error = std::string(c.error)});
    const auto tokens = renew(web, server.url() + "/token", "client-1", "r");
    ASSERT_FALSE(tokens);
    EXPECT_EQ(tokens.error().code, c.code) << c.status << c.error;
  }
}

}  // namespace
}  // namespace cairn::login
