// How a browser is known, and which of its requests are meant.
#include "exposure/rest/browser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/http/fake_request.h"
#include "exposure/rest/rest_world.h"

namespace cairn::rest {
namespace {

using enum http::Method;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kHere = "127.0.0.1:8765";

TEST(Browser, KnowsItsCookieByTheNameThatFitsHowItCame) {
  struct Case {
    Site site;
    bool tls;
    const char* host;
    const char* name;
    bool secure;
  };
  for (const auto& c : {
           Case{{}, false, kHere, "cairn_session_8765=", false},
           Case{{}, false, "localhost", "cairn_session_80=", false},
           Case{{}, false, "[::1]:9000", "cairn_session_9000=", false},
           Case{{}, true, "localhost:8765", "__Host-cairn_session=", true},
           Case{{.behind_proxy = true}, false, "cairn.example", "__Host-cairn_session=", true},
           Case{{.behind_proxy = true}, false, kHere, "__Host-cairn_session=", true},
           Case{{.public_url = "https://cairn.example"},
                false,
                kHere,
                "__Host-cairn_session=",
                true},
       }) {
    http::FakeRequest request(kGet, "/", {{"host", c.host}});
    request.tls = c.tls;
    const auto set = set_session_cookie(c.site, request, "value");
    EXPECT_THAT(set, AllOf(StartsWith(c.name), HasSubstr("; Path=/;"), HasSubstr("HttpOnly"),
                           HasSubstr("SameSite=Lax"), Not(HasSubstr("Domain"))));
    EXPECT_EQ(set.contains("; Secure"), c.secure) << set;
    EXPECT_THAT(forget_session_cookie(c.site, request),
                AllOf(StartsWith(c.name), HasSubstr("Max-Age=0")));
    http::FakeRequest with(
        kGet, "/", {{"host", c.host}, {"cookie", fmt::format("a=b; {}value; c=d", c.name)}});
    with.tls = c.tls;
    EXPECT_EQ(session_cookie(c.site, with), "value") << c.name;
  }
}

TEST(Browser, TakesNoOtherCookieForItsOwn) {
  for (const char* cookies :
       {"", "cairn_session=x", "cairn_session_9000=x", "xcairn_session_8765=x",
        "__Host-cairn_session=x", "cairn_session_87650=x", "a=cairn_session_8765=x"}) {
    const http::FakeRequest request(kGet, "/", {{"host", kHere}, {"cookie", cookies}});
    EXPECT_EQ(session_cookie({}, request), std::nullopt) << cookies;
  }
  // What another port of this machine can set is no cookie where there is a better one.
  http::FakeRequest request(kGet, "/", {{"host", kHere}, {"cookie", "cairn_session_8765=x"}});
  request.tls = true;
  EXPECT_EQ(session_cookie({}, request), std::nullopt);
}

TEST(Browser, AFormIsOfThisSitesOwnPage) {
  struct Case {
    const char* origin;
    const char* fetched;
    bool good;
  };
  for (const auto& c : {
           Case{"http://127.0.0.1:8765", "same-origin", true},
           Case{"http://127.0.0.1:8765", "", true},
           Case{"null", "same-origin", true},
           Case{"", "same-origin", true},
           Case{"", "", false},
           Case{"null", "", false},
           Case{"null", "cross-site", false},
           Case{"http://127.0.0.1:8765", "cross-site", false},
           Case{"http://127.0.0.1:9999", "", false},
           Case{"http://127.0.0.1:9999", "same-site", false},
           Case{"http://localhost:8765", "", false},
           Case{"https://127.0.0.1:8765", "", false},
           Case{"https://evil.example", "same-origin", false},
           Case{"", "none", false},
       }) {
    const http::FakeRequest request(
        kPost, "/sign-in", {{"host", kHere}, {"origin", c.origin}, {"sec-fetch-site", c.fetched}});
    EXPECT_EQ(check_own_page({}, request).has_value(), c.good) << c.origin << " " << c.fetched;
  }
  const http::FakeRequest proxied(kPost, "/sign-in",
                                  {{"host", kHere}, {"origin", "https://cairn.example"}});
  EXPECT_TRUE(check_own_page({.public_url = "https://cairn.example"}, proxied));
  EXPECT_FALSE(check_own_page({}, proxied));
}

struct ApiOfABrowser : testing::Test {
  RestWorld world;
  OpenedSignIn opened = [&] {
    world.must("add_user", {{"name", "ada"}, {"password", "correct horse"}});
    return world.engine().executor().open_sign_in("ada", "correct horse", {}).value();
  }();

  http::Headers headers(http::Headers more = {}) {
    more.emplace("host", kHere);
    more.emplace("cookie", "cairn_session_8765=" + opened.cookie);
    return more;
  }
  Answered ask(http::Method method, std::string target, http::Headers more,
               std::optional<std::string> body = std::nullopt) {
    return world.ask({.method = method,
                      .target = std::move(target),
                      .body = std::move(body),
                      .headers = headers(std::move(more))});
  }
  Answered make_depot(http::Headers more) {
    return ask(kPost, "/api/realm/me/depots", std::move(more), R"({"title": "mine"})");
  }
};

TEST_F(ApiOfABrowser, ReadsWithItsCookie) {
  const auto me = ask(kGet, "/api/me", {});
  ASSERT_EQ(me.status, 200) << me.body;
  EXPECT_EQ(text_of(me.value.as_object(), "csrf"), opened.sign_in.csrf);
  EXPECT_EQ(ask(kGet, "/api/realm/me/depots", {{"sec-fetch-site", "same-origin"}}).status, 200);
  EXPECT_EQ(ask(kGet, "/api/realm/me/depots", {{"sec-fetch-site", "none"}}).status, 200);
  for (const char* from : {"same-site", "cross-site"}) {
    EXPECT_EQ(ask(kGet, "/api/realm/me/depots", {{"sec-fetch-site", from}}).code, "FORBIDDEN");
  }
}

TEST_F(ApiOfABrowser, ChangesNothingWithoutTheWordOfItsPage) {
  const http::Headers own{{"origin", std::string("http://") + kHere}};
  auto with = own;
  with.emplace("x-cairn-csrf", opened.sign_in.csrf);
  auto wrong = own;
  wrong.emplace("x-cairn-csrf", "x");
  auto foreign = with;
  foreign["origin"] = "http://127.0.0.1:9999";
  EXPECT_EQ(make_depot({}).code, "FORBIDDEN");
  EXPECT_EQ(make_depot(own).code, "FORBIDDEN");
  EXPECT_EQ(make_depot(wrong).code, "FORBIDDEN");
  EXPECT_EQ(make_depot(foreign).code, "FORBIDDEN");
  EXPECT_EQ(make_depot({{"x-cairn-csrf", opened.sign_in.csrf}}).code, "FORBIDDEN");
  EXPECT_EQ(make_depot(with).code, "ok");
}

TEST_F(ApiOfABrowser, ATokenIsTakenBeforeACookie) {
  const auto answer = world.ask({.target = "/api/me", .token = world.owner, .headers = headers()});
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(text_of(answer.value.at("user").as_object(), "name"), "owner");
  EXPECT_EQ(world.ask({.target = "/api/me", .token = "x", .headers = headers()}).status, 401);
}

TEST_F(ApiOfABrowser, SeesAndEndsItsSignIns) {
  const auto other = world.engine().executor().open_sign_in("ada", "correct horse", {}).value();
  const http::Headers meant{{"origin", std::string("http://") + kHere},
                            {"x-cairn-csrf", opened.sign_in.csrf}};
  EXPECT_EQ(ask(kGet, "/api/me/sign-ins", {}).value.at("signIns").as_array().size(), 2U);
  EXPECT_EQ(ask(kDelete, "/api/me/sign-ins/" + other.sign_in.id.render(), meant).status, 200);
  EXPECT_EQ(ask(kDelete, "/api/me/sign-ins/" + opened.sign_in.id.render(), meant).status, 200);
  EXPECT_EQ(ask(kGet, "/api/me", {}).code, "INVALID_TOKEN");
}

}  // namespace
}  // namespace cairn::rest
