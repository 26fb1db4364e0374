// What a browser sees of it.
#include "exposure/oidc/handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/http/fake_request.h"
#include "exposure/oidc/oidc_testing.h"

namespace cairn::oidc {
namespace {

using http::FakeRequest;
using oidc::testing::FakeProvider;
using oidc::testing::Town;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using enum http::Method;

struct HandlerTest : ::testing::Test {
  http::Response ask(const FakeRequest& request) { return http::carry_out(handler.begin(request)); }
  http::Response get(std::string where, http::Headers headers = {}) {
    const FakeRequest request(kGet, std::move(where), std::move(headers));
    return ask(request);
  }
  // The cookie that was set, as it is sent back.
  static std::string cookie_of(const http::Response& response) {
    const auto set = http::header_of(response, "Set-Cookie");
    return std::string(set.substr(0, set.find(';')));
  }
  std::string state_of(const http::Response& response) {
    const auto location = http::header_of(response, "Location");
    const auto query = http::Query::parse(location.substr(location.find('?') + 1));
    fake.nonce = *query->get("nonce");
    return std::string(*query->get("state"));
  }

  Town town;
  FakeProvider fake{town.clock};
  Provider provider{{.issuer = std::string(FakeProvider::kIssuer), .client_id = "cairn"},
                    fake.fetch(),
                    town.clock};
  People people{{.new_people = NewPeople::kAuthorized}, town.users, town.identities, town.clock};
  Flow flow{provider, people, town.store->kv(), town.clock, town.random};
  std::string origin = "https://cairn.example";
  Handler handler{{.flow = flow,
                   .clock = town.clock,
                   .origin = [this](const http::Request&) -> Result<std::string> { return origin; },
                   .open = [](const http::Request&, const User& user,
                              const std::string& request) -> Result<http::Response> {
                     return http::Response{.content_type = "text/plain",
                                           .body = user.name + " goes on with " + request};
                   }}};
};

TEST_F(HandlerTest, GoesToTheProviderAndBack) {
  const auto out = get("/api/oauth/login?request=req-7");
  EXPECT_EQ(out.status, 302);
  EXPECT_THAT(http::header_of(out, "Location"),
              StartsWith("https://idp.example/pool/authorize?tenant=1&"));
  EXPECT_THAT(http::header_of(out, "Set-Cookie"),
              AllOf(StartsWith("__Host-cairn_oidc="), HasSubstr("; Path=/; Max-Age=600"),
                    HasSubstr("; HttpOnly; SameSite=Lax; Secure")));
  EXPECT_EQ(http::header_of(out, "Cache-Control"), "no-store");
  EXPECT_EQ(http::header_of(out, "Referrer-Policy"), "no-referrer");
  auto back = get("/api/oauth/callback?code=c1&state=" + state_of(out),
                  {{"cookie", "a=b; " + cookie_of(out) + ";c=d"}});
  EXPECT_EQ(http::body_of(back), "ada@example.com goes on with req-7");
  EXPECT_THAT(back.log_who, StartsWith("usr_"));
}

TEST_F(HandlerTest, OverPlainHttpTheCookieHasAnotherName) {
  origin = "http://127.0.0.1:8765";
  const auto out = get("/api/oauth/login");
  EXPECT_THAT(http::header_of(out, "Set-Cookie"),
              AllOf(StartsWith("cairn_oidc="), Not(HasSubstr("Secure"))));
  const auto state = state_of(out);
  auto cookie = cookie_of(out);
  auto wrong = get("/api/oauth/callback?code=c1&state=" + state,
                   {{"cookie", "__Host-" + cookie}, {"accept", "text/html"}});
  EXPECT_THAT(http::body_of(wrong), HasSubstr("another browser"));
  EXPECT_EQ(get("/api/oauth/callback?code=c1&state=" + state, {{"cookie", cookie}}).status, 200);
}

TEST_F(HandlerTest, SaysWhatIsWrongToPeopleAndToPrograms) {
  auto page = get("/api/oauth/callback?code=%3Cscript%3E&state=x", {{"accept", "text/html,*/*"}});
  EXPECT_EQ(page.status, 400);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_THAT(http::header_of(page, "Content-Security-Policy"),
              AllOf(HasSubstr("default-src 'none'"), HasSubstr("frame-ancestors 'none'")));
  EXPECT_THAT(http::body_of(page), AllOf(HasSubstr("not known here"), Not(HasSubstr("script"))));
  EXPECT_EQ(page.log_error, "BAD_REQUEST");
  auto answer = get("/api/oauth/callback?code=c&state=x");
  EXPECT_EQ(answer.content_type, "application/json");
  fake.down = true;
  EXPECT_EQ(get("/api/oauth/login").status, 503);
  EXPECT_EQ(get("/api/oauth/login?request=1&request=2").status, 400);
  const FakeRequest post(kPost, "/api/oauth/login");
  EXPECT_EQ(ask(post).status, 405);
}

TEST_F(HandlerTest, NoAddressBeginsManySignIns) {
  int begun = 0;
  http::Response last;
  for (int i = 0; i < 65; ++i) {
    last = get("/api/oauth/login");
    begun += last.status == 302 ? 1 : 0;
  }
  EXPECT_EQ(begun, 60);
  EXPECT_EQ(last.status, 429);
  const FakeRequest other(kGet, "/api/oauth/login", {}, std::nullopt, "192.0.2.7");
  EXPECT_EQ(ask(other).status, 302);
  town.clock.advance(std::chrono::seconds(2));
  EXPECT_EQ(get("/api/oauth/login").status, 302);
}

}  // namespace
}  // namespace cairn::oidc
