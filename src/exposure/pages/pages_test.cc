// Pages: who is let in, what forms do, and what no other site can make a browser do.
#include "exposure/pages/pages.h"

#include "exposure/pages/pages_testing.h"
#include "exposure/pages/style.h"

namespace cairn::pages_testing {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(PagesTest, AStrangerIsAskedForAPassword) {
  const auto page = browser.get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, AllOf(HasSubstr("<html lang=\"en\">"), HasSubstr("Sign in to Cairn"),
                               HasSubstr("action=\"/sign-in\"")));
}

TEST_F(PagesTest, EveryPageIsKeptApartFromOtherSites) {
  sign_in();
  for (const auto* target : {"/", "/sign-in", "/account/none"}) {
    const auto page = browser.get(target);
    const auto policy = page.header("Content-Security-Policy");
    EXPECT_THAT(policy, AllOf(StartsWith("default-src 'none'"), HasSubstr("form-action 'self'"),
                              HasSubstr("frame-ancestors 'none'"), HasSubstr("base-uri 'none'"),
                              Not(HasSubstr("unsafe"))));
    EXPECT_EQ(page.header("X-Frame-Options"), "DENY");
    EXPECT_EQ(page.header("Referrer-Policy"), "no-referrer");
    EXPECT_EQ(page.header("Cache-Control"), "no-store");
    // Only the page that reads a link has a script.
    EXPECT_EQ(policy.contains("script-src"), page.body.contains("<script")) << target;
    EXPECT_THAT(page.body,
                AllOf(Not(HasSubstr("style=")), Not(testing::ContainsRegex(" on[a-z]+="))));
  }
}

TEST_F(PagesTest, APasswordGivesACookieAndNoRedirect) {
  const auto page = sign_in();
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("http-equiv=\"refresh\" content=\"0; url=/\""));
  EXPECT_THAT(page.header("Set-Cookie"), AllOf(StartsWith("cairn_session_8765="),
                                               HasSubstr("HttpOnly"), HasSubstr("SameSite=Lax")));
  EXPECT_THAT(browser.get("/").body, HasSubstr("<bdi>ada</bdi>"));
  EXPECT_EQ(sign_ins(), 1U);
}

TEST_F(PagesTest, WhatIsWrongIsSaidInOneSentence) {
  for (const auto& form : {Form{{"name", "ada"}, {"password", "wrong"}},
                           Form{{"name", "nobody"}, {"password", "wrong"}}}) {
    const auto page = browser.post("/sign-in", form);
    EXPECT_EQ(page.status, 401);
    EXPECT_THAT(page.body, HasSubstr("The name or the password is wrong."));
    EXPECT_EQ(browser.cookie, "");
  }
  for (int i = 0; i < 4; ++i) browser.post("/sign-in", {{"name", "ada"}, {"password", "wrong"}});
  const auto page = sign_in();
  EXPECT_EQ(page.status, 429);
  EXPECT_THAT(page.body, HasSubstr("Too many attempts"));
  EXPECT_THAT(page.body, HasSubstr("value=\"ada\"")) << "what was typed stays";
  EXPECT_THAT(page.body, Not(HasSubstr(kPassword)));
}

TEST_F(PagesTest, NoOtherSiteSignsABrowserIn) {
  const Form form{{"name", "ada"}, {"password", kPassword}};
  for (const auto& from :
       {http::Headers{}, http::Headers{{"origin", "https://evil.example"}},
        http::Headers{{"origin", "http://127.0.0.1:9999"}, {"sec-fetch-site", "same-site"}},
        http::Headers{{"origin", "null"}, {"sec-fetch-site", "cross-site"}}}) {
    EXPECT_EQ(browser.post("/sign-in", form, from).status, 403);
    EXPECT_EQ(browser.cookie, "");
  }
  EXPECT_EQ(sign_ins(), 0U);
  EXPECT_EQ(browser.post("/sign-in", form, {{"origin", "null"}, {"sec-fetch-site", "same-origin"}})
                .status,
            200);
}

TEST_F(PagesTest, ALinkSignsInOnce) {
  const auto code = ticket("ada");
  EXPECT_EQ(browser.post("/sign-in", {{"ticket", code}}).status, 200);
  EXPECT_THAT(browser.get("/").body, HasSubstr("<bdi>ada</bdi>"));
  Browser another(pages);
  const auto page = another.post("/sign-in", {{"ticket", code}});
  EXPECT_EQ(page.status, 401);
  EXPECT_THAT(page.body, AllOf(HasSubstr("The link was used already"), Not(HasSubstr(code)),
                               HasSubstr("<details open")));
}

TEST_F(PagesTest, TheScriptAsksWhoeverIsSignedInAlready) {
  EXPECT_THAT(browser.get("/sign-in").body, HasSubstr("data-signed-in=\"no\""));
  sign_in();
  const auto page = browser.get("/sign-in");
  EXPECT_THAT(page.body,
              AllOf(HasSubstr("data-signed-in=\"yes\""), HasSubstr("You are signed in already")));
  EXPECT_EQ(browser.get(std::string(kScriptPath)).header("Cache-Control"), "public, max-age=300");
}

TEST_F(PagesTest, EachSignInIsANewOne) {
  sign_in();
  const auto first = browser.cookie;
  sign_in();
  EXPECT_NE(browser.cookie, first);
  EXPECT_EQ(sign_ins(), 1U) << "the one before is over";
  Browser with_old(pages);
  with_old.cookie = first;
  EXPECT_THAT(with_old.get("/").body, HasSubstr("Sign in to Cairn"));
}

TEST_F(PagesTest, GoesOnOnlyToWhereItKnows) {
  struct Case {
    Form form;
    const char* target;
  };
  for (const auto& c : {
           Case{{{"request", "req_0123"}}, "/oauth/consent?id=req_0123"},
           Case{{{"request", "https://evil.example"}}, "/"},
           Case{{{"request", "//evil.example"}}, "/"},
           Case{{{"then", "device"}}, "/oauth/device"},
           Case{{{"then", "device"}, {"user_code", "WDJB-MJHT"}},
                "/oauth/device?user_code=WDJB-MJHT"},
           Case{{{"then", "https://evil.example"}}, "/"},
       }) {
    const auto page = sign_in(c.form);
    EXPECT_THAT(page.body, HasSubstr(fmt::format("content=\"0; url={}\"", c.target)));
  }
}

TEST_F(PagesTest, SigningOutEndsItAtTheServerToo) {
  sign_in();
  const auto cookie = browser.cookie;
  browser.get("/");
  const auto page = browser.post("/sign-out", {{"csrf", browser.csrf()}});
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.header("Set-Cookie"), HasSubstr("Max-Age=0"));
  EXPECT_EQ(sign_ins(), 0U);
  browser.cookie = cookie;
  EXPECT_THAT(browser.get("/").body, HasSubstr("Sign in to Cairn"));
}

TEST_F(PagesTest, NoFormIsTakenWithoutItsToken) {
  sign_in();
  browser.get("/");
  const auto csrf = browser.csrf();
  ASSERT_NE(csrf, "");
  for (const auto* target : {"/sign-out", "/account/end", "/account/password"}) {
    EXPECT_EQ(browser.post(target, {}).status, 403) << target;
    EXPECT_EQ(browser.post(target, {{"csrf", "x" + csrf.substr(1)}}).status, 403) << target;
    EXPECT_EQ(browser.post(target, {{"csrf", csrf}}, {{"origin", "http://127.0.0.1:9999"}}).status,
              403)
        << target;
  }
  Browser another(pages);
  another.post("/sign-in", {{"name", "ada"}, {"password", kPassword}});
  EXPECT_EQ(another.post("/account/end", {{"csrf", csrf}}).status, 403) << "another browser's";
  EXPECT_EQ(sign_ins(), 2U);
}

TEST_F(PagesTest, OtherSignInsAreEnded) {
  sign_in();
  Browser phone(pages);
  phone.post("/sign-in", {{"name", "ada"}, {"password", kPassword}});
  browser.get("/");
  const auto page = browser.post("/account/end", {{"csrf", browser.csrf()}});
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(sign_ins(), 1U);
  EXPECT_THAT(phone.get("/").body, HasSubstr("Sign in to Cairn"));
}

TEST_F(PagesTest, APasswordIsChangedHere) {
  sign_in();
  browser.get("/");
  const auto csrf = browser.csrf();
  const auto change = [&](std::string current, std::string wanted) {
    return browser.post("/account/password", {{"csrf", csrf},
                                              {"currentPassword", std::move(current)},
                                              {"newPassword", std::move(wanted)}});
  };
  EXPECT_THAT(change("wrong horse", "another horse").body,
              HasSubstr("The current password is another"));
  EXPECT_THAT(change(kPassword, "short").body, HasSubstr("8 to 1000 bytes"));
  const auto page = change(kPassword, "another horse");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("The password was changed."));
  EXPECT_THAT(browser.get("/").body, HasSubstr("<bdi>ada</bdi>")) << "still signed in";
}

TEST_F(PagesTest, SpeaksTheLanguageOfTheBrowser) {
  browser.headers["accept-language"] = "zh-CN,zh;q=0.9,en;q=0.8";
  const auto page = browser.get("/sign-in");
  EXPECT_THAT(page.body, AllOf(HasSubstr("<html lang=\"zh-CN\">"), HasSubstr("登录 Cairn")));
  EXPECT_EQ(page.header("Content-Language"), "zh-CN");
  EXPECT_THAT(page.header("Vary"), HasSubstr("Accept-Language"));
}

TEST_F(PagesTest, WhatABrowserCallsItselfIsNoMarkup) {
  browser.headers["user-agent"] = "<script>alert(1)</script>";
  sign_in();
  const auto page = browser.get("/");
  EXPECT_THAT(page.body, AllOf(Not(HasSubstr("<script>alert")), HasSubstr("&lt;script&gt;")));
}

TEST_F(PagesTest, TakesFormsOnly) {
  http::FakeRequest request(
      kPost, "/sign-in",
      {{"host", kHere}, {"origin", std::string("http://") + kHere}, {"content-type", "text/plain"}},
      std::size_t{0});
  EXPECT_EQ(http::carry_out(pages.begin(request)).status, 403);
  http::FakeRequest put(kPut, "/sign-in", {{"host", kHere}});
  EXPECT_EQ(http::carry_out(pages.begin(put)).status, 405);
}

TEST(Frame, GoesToNoAddressThatWouldRunHere) {
  for (const auto* good : {"/", "/oauth/device", "https://claude.ai/api/mcp/auth_callback?code=a",
                           "http://127.0.0.1:4711/callback?code=a", "cursor://x/callback?code=a"}) {
    EXPECT_TRUE(may_go_to(good)) << good;
  }
  for (const auto* bad :
       {"", "//evil.example", "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x",
        "vbscript:x", " javascript:alert(1)", "x", "java\nscript:alert(1)"}) {
    EXPECT_FALSE(may_go_to(bad)) << bad;
  }
}

TEST(Fields, AreReadAsBrowsersWriteThem) {
  const auto fields = Fields::parse("a=1&b=x+y%26z&a=2&empty=&&flag").value();
  EXPECT_THAT(fields.all("a"), testing::ElementsAre("1", "2"));
  EXPECT_EQ(fields.get("b"), "x y&z");
  EXPECT_EQ(fields.get("empty"), "");
  EXPECT_TRUE(fields.has("flag"));
  EXPECT_FALSE(fields.has("none"));
  EXPECT_FALSE(Fields::parse("a=%zz"));
}

}  // namespace
}  // namespace cairn::pages_testing
