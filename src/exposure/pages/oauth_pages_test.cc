// The pages of OAuth: what a person is shown, what the form says, and where the browser goes.
#include "exposure/pages/oauth_pages.h"

#include "exposure/pages/consent_page.h"
#include "exposure/pages/pages_testing.h"

namespace cairn::pages_testing {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// One request, and what became of it.
class OneRequest final : public oauth::Authorization {
 public:
  std::variant<oauth::Begun, oauth::Refused> begin(const oauth::Parameters& parameters,
                                                   const oauth::Origin& origin, bool signed_in,
                                                   std::string_view) override {
    began = parameters;
    at = origin.text();
    was_signed_in = signed_in;
    if (refused) return *refused;
    return oauth::Begun{"req-1"};
  }
  Result<oauth::Asked> asked(std::string_view request) override {
    if (request == "req-1" && !answered) return what;
    return fail(Code::kNotFound, "there is no such request");
  }
  Result<std::string> allow(std::string_view, const Session& person, const oauth::Choice& choice,
                            std::string_view) override {
    if (error) return Failure(*error);
    allowed = choice;
    realm = person.realm;
    answered = true;
    return answer;
  }
  Result<std::string> deny(std::string_view, const Session&) override {
    answered = denied = true;
    return answer;
  }
  Result<std::string> device_request(std::string_view code, std::string_view) override {
    tries += 1;
    if (code == "WDJB-MJHT") return "req-1";
    return fail(Code::kNotFound, "no such code");
  }

  oauth::Asked what{.client_id = "cid",
                    .client_name = "Claude <b>Code</b>",
                    .client_host = "",
                    .redirect_host = "127.0.0.1:4711",
                    .redirect_uri = "http://127.0.0.1:4711/callback",
                    .loopback_only = true,
                    .scopes = {.write = true},
                    .resource = "/mcp",
                    .workspace = std::nullopt,
                    .device = std::nullopt};
  std::string answer = "http://127.0.0.1:4711/callback?code=c&state=s&iss=i";
  std::optional<oauth::Refused> refused;
  std::optional<Error> error;
  oauth::Parameters began;
  std::string at;
  bool was_signed_in = false;
  bool answered = false;
  bool denied = false;
  int tries = 0;
  std::optional<oauth::Choice> allowed;
  std::optional<RealmId> realm;
};

struct TheRequest {
  OneRequest authorization;
};

struct OAuthPagesTest : private TheRequest, PagesTest {
  OAuthPagesTest() : PagesTest(&(TheRequest::authorization)) {}
  OneRequest& asks = TheRequest::authorization;

  Shown consent() {
    sign_in();
    return browser.get("/oauth/consent?id=req-1");
  }
  Shown decide(std::string_view decision, Form more = {}) {
    consent();
    Form form{{"csrf", browser.csrf()},
              {"id", "req-1"},
              {"decision", std::string(decision)},
              {"lasts", "day"}};
    form.insert(form.end(), more.begin(), more.end());
    return browser.post("/oauth/consent", form);
  }
  std::string depot(std::string_view title) {
    const auto made =
        engine->executor().run(as_ada(), "create_depot", json::Object{{"title", title}});
    return std::string(json::text(made->value.as_object().at("depotId")));
  }
};

TEST_F(OAuthPagesTest, AStrangerSignsInFirstAndThenSeesTheRequest) {
  const auto page = browser.get("/oauth/authorize?client_id=cid&scope=a+b&resource=x&resource=y");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, AllOf(HasSubstr("name=\"request\" value=\"req-1\""),
                               HasSubstr("A program asks for access"), Not(HasSubstr("Claude"))));
  EXPECT_EQ(asks.at, std::string("http://") + kHere);
  EXPECT_FALSE(asks.was_signed_in);
  EXPECT_EQ(asks.began.size(), 4U) << "what comes twice is told as it came";
  EXPECT_EQ(asks.began[1].second, "a b");
  EXPECT_THAT(sign_in({{"request", "req-1"}}).body,
              HasSubstr("content=\"0; url=/oauth/consent?id=req-1\""));
  EXPECT_THAT(browser.get("/oauth/consent?id=req-1").body, HasSubstr("value=\"allow\""));
}

TEST_F(OAuthPagesTest, ConsentSaysWhoAsksAndWhereTheAnswerGoes) {
  const auto page = consent();
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body,
              AllOf(HasSubstr("Claude &lt;b&gt;Code&lt;/b&gt;"), Not(HasSubstr("Claude <b>")),
                    HasSubstr("unverified"), HasSubstr("127.0.0.1:4711"),
                    HasSubstr("Any program on this computer"), HasSubstr("<bdi>ada</bdi>"),
                    HasSubstr(ada().render())));
  EXPECT_THAT(page.body, AllOf(HasSubstr("name=\"write\" value=\"yes\" checked"),
                               HasSubstr("name=\"manage\" value=\"yes\">"),
                               HasSubstr("<option value=\"month\" selected=\"\">30 days")));
  const auto policy = page.header("Content-Security-Policy");
  EXPECT_THAT(policy, AllOf(HasSubstr("form-action 'self';"), Not(HasSubstr("script-src"))));
  EXPECT_EQ(page.header("X-Frame-Options"), "DENY");
}

TEST_F(OAuthPagesTest, AHostIsWhoAClientIsAndAnAdminVouchesForANameToo) {
  asks.what.kind = oauth::ClientKind::kDocument;
  asks.what.client_host = "claude.ai";
  asks.what.loopback_only = false;
  auto page = consent();
  EXPECT_THAT(page.body, AllOf(HasSubstr("from <bdi>claude.ai</bdi>"), Not(HasSubstr("unverified")),
                               Not(HasSubstr("Any program on this computer"))));
  asks.what.kind = oauth::ClientKind::kAdded;
  page = browser.get("/oauth/consent?id=req-1");
  EXPECT_THAT(page.body, HasSubstr("added by an admin"));
}

TEST_F(OAuthPagesTest, AllowGoesBackByAPageAndNotByARedirect) {
  const auto page = decide("allow", {{"write", "yes"}, {"see", "all"}});
  EXPECT_EQ(page.status, 200) << "browsers refuse a redirect out of a form";
  EXPECT_EQ(page.header("Location"), "");
  EXPECT_THAT(page.body,
              AllOf(HasSubstr("content=\"0; url=http://127.0.0.1:4711/callback?code=c&amp;"),
                    HasSubstr("href=\"http://127.0.0.1:4711/callback?code=c&amp;")));
  ASSERT_TRUE(asks.allowed);
  EXPECT_TRUE(asks.allowed->write);
  EXPECT_FALSE(asks.allowed->manage);
  EXPECT_EQ(asks.allowed->lasts, std::chrono::hours(24));
  EXPECT_FALSE(asks.allowed->depots || asks.allowed->scope);
  EXPECT_EQ(asks.realm, ada()) << "the person's own realm, whatever the form says";
}

TEST_F(OAuthPagesTest, DenyGoesBackToo) {
  const auto page = decide("deny");
  EXPECT_TRUE(asks.denied);
  EXPECT_FALSE(asks.allowed);
  EXPECT_THAT(page.body, HasSubstr("url=http://127.0.0.1:4711/callback"));
  EXPECT_EQ(browser.get("/oauth/consent?id=req-1").status, 404) << "answered once";
}

TEST_F(OAuthPagesTest, WhatIsNoYesIsNone) {
  for (const char* decision : {"", "maybe", "Allow"}) {
    asks.answered = asks.denied = false;
    decide(decision, {{"see", "all"}});
    EXPECT_FALSE(asks.allowed) << decision;
  }
}

TEST_F(OAuthPagesTest, ThePersonNarrowsIt) {
  const auto first = depot("first");
  const auto second = depot("second");
  decide("allow", {{"see", "depots"}, {"depot", second}});
  ASSERT_TRUE(asks.allowed && asks.allowed->depots);
  ASSERT_EQ(asks.allowed->depots->size(), 1U);
  EXPECT_EQ(asks.allowed->depots->front().render(), second);
  EXPECT_FALSE(asks.allowed->write);

  asks.answered = false;
  decide(
      "allow",
      {{"see", "folder"}, {"folder_depot", first}, {"folder", "/docs/plans/"}, {"depot", second}});
  ASSERT_TRUE(asks.allowed && asks.allowed->scope);
  const auto place = std::get<Place>(asks.allowed->scope->front());
  EXPECT_EQ(place.render(), first + "/docs/plans");
  EXPECT_FALSE(asks.allowed->depots);
}

TEST_F(OAuthPagesTest, AFormThatSaysNothingGrantsNothing) {
  for (const auto& form :
       {Form{}, Form{{"see", "depots"}}, Form{{"see", "everything"}},
        Form{{"see", "depots"}, {"depot", "x"}}, Form{{"see", "folder"}, {"folder_depot", ""}},
        Form{{"see", "all"}, {"lasts", "for a while"}}}) {
    auto with = form;
    // The first of a name counts.
    if (form.size() == 2 && form[1].first == "lasts") {
      consent();
      const auto page = browser.post("/oauth/consent", {{"csrf", browser.csrf()},
                                                        {"id", "req-1"},
                                                        {"decision", "allow"},
                                                        {"see", "all"},
                                                        {"lasts", "for a while"}});
      EXPECT_EQ(page.status, 400);
    } else {
      EXPECT_EQ(decide("allow", with).status, 400);
    }
    EXPECT_FALSE(asks.allowed);
  }
}

TEST_F(OAuthPagesTest, WhatCannotBeGrantedIsSaidAndTheFormKept) {
  const auto first = depot("first");
  asks.error = Error(Code::kPermissionExceeded, "you may not write there");
  const auto page = decide("allow", {{"see", "depots"}, {"depot", first}, {"manage", "yes"}});
  EXPECT_EQ(page.status, 400);
  EXPECT_THAT(page.body, AllOf(HasSubstr("you may not write there"),
                               HasSubstr("name=\"see\" value=\"depots\" id=\"see-depots\" checked"),
                               HasSubstr(fmt::format("name=\"depot\" value=\"{}\" checked", first)),
                               HasSubstr("name=\"manage\" value=\"yes\" checked"),
                               HasSubstr("name=\"write\" value=\"yes\">")));
}

TEST_F(OAuthPagesTest, AWorkspaceIsAllThatItsClientSees) {
  asks.what.workspace = "notes";
  const auto page = consent();
  EXPECT_THAT(page.body,
              AllOf(HasSubstr("Only <b><bdi>notes</bdi></b>"), Not(HasSubstr("name=\"see\""))));
  EXPECT_EQ(decide("allow").status, 200);
  ASSERT_TRUE(asks.allowed);
}

TEST_F(OAuthPagesTest, NobodyElsesFormAnswers) {
  sign_in();
  browser.get("/oauth/consent?id=req-1");
  const Form form{{"csrf", browser.csrf()},
                  {"id", "req-1"},
                  {"decision", "allow"},
                  {"see", "all"},
                  {"lasts", "day"}};
  for (const auto& from :
       {http::Headers{}, http::Headers{{"origin", "https://evil.example"}},
        http::Headers{{"origin", "http://127.0.0.1:9999"}, {"sec-fetch-site", "same-site"}}}) {
    EXPECT_EQ(browser.post("/oauth/consent", form, from).status, 403);
  }
  auto without = form;
  without.front().second = "";
  EXPECT_EQ(browser.post("/oauth/consent", without).status, 403);
  Browser stranger(pages);
  EXPECT_EQ(stranger.post("/oauth/consent", form).status, 401);
  EXPECT_FALSE(asks.answered);
}

TEST_F(OAuthPagesTest, WhatCannotBeRedirectedIsAPageAndForProgramsJson) {
  asks.refused = oauth::Refused{"invalid_client", "there is no client <cid>", std::nullopt};
  const auto page = browser.get("/oauth/authorize?client_id=x");
  EXPECT_EQ(page.status, 400);
  EXPECT_THAT(page.body, AllOf(HasSubstr("there is no client &lt;cid&gt;"),
                               Not(HasSubstr("http-equiv=\"refresh\""))));
  browser.headers["accept"] = "application/json";
  const auto json = browser.get("/oauth/authorize?client_id=x");
  EXPECT_EQ(json.status, 400);
  EXPECT_EQ(json::text(json::parse(json.body)->at("error")), "invalid_client");
  browser.headers.erase("accept");
  asks.refused->error = "slow_down";
  EXPECT_EQ(browser.get("/oauth/authorize?client_id=x").status, 429);
}

TEST_F(OAuthPagesTest, AnErrorForTheClientGoesToTheClient) {
  asks.refused = oauth::Refused{"invalid_scope", "no such scope",
                                "https://client.example/callback?error=invalid_scope"};
  const auto page = browser.get("/oauth/authorize?client_id=x");
  EXPECT_EQ(page.status, 302);
  EXPECT_EQ(page.header("Location"), "https://client.example/callback?error=invalid_scope");
  asks.refused->redirect = "javascript:alert(1)";
  EXPECT_EQ(browser.get("/oauth/authorize?client_id=x").status, 400);
}

TEST_F(OAuthPagesTest, ADevicesCodeLeadsToTheSameConsent) {
  asks.what.device =
      oauth::DeviceAsk{.user_code = "WDJB-MJHT", .address = "192.0.2.9", .at = clock.now()};
  asks.what.redirect_host.clear();
  asks.what.loopback_only = false;
  asks.answer.clear();
  EXPECT_THAT(browser.get("/oauth/device?user_code=WDJB-MJHT").body,
              AllOf(HasSubstr("name=\"user_code\" value=\"WDJB-MJHT\""),
                    HasSubstr("name=\"then\" value=\"device\"")));
  EXPECT_EQ(asks.tries, 0) << "strangers try no codes";
  sign_in();
  EXPECT_THAT(browser.get("/oauth/device").body, HasSubstr("Enter the code"));
  auto page = browser.post("/oauth/device", {{"csrf", browser.csrf()}, {"user_code", "XXXX-XXXX"}});
  EXPECT_EQ(page.status, 404);
  EXPECT_THAT(page.body, AllOf(HasSubstr("There is no such code"), HasSubstr("XXXX-XXXX")));
  page = browser.post("/oauth/device", {{"csrf", browser.csrf()}, {"user_code", "WDJB-MJHT"}});
  EXPECT_THAT(page.body, AllOf(HasSubstr("192.0.2.9"), HasSubstr("WDJB-MJHT"),
                               HasSubstr("Go on only if your own device shows this code"),
                               HasSubstr("value=\"allow\"")));
  page = decide("allow", {{"see", "all"}});
  EXPECT_THAT(page.body, AllOf(HasSubstr("Your device goes on by itself"),
                               Not(HasSubstr("http-equiv=\"refresh\""))));
}

TEST_F(OAuthPagesTest, ALinkOnAnotherSiteTriesNoCodes) {
  sign_in();
  browser.headers["sec-fetch-site"] = "cross-site";
  EXPECT_THAT(browser.get("/oauth/device?user_code=WDJB-MJHT").body,
              AllOf(HasSubstr("value=\"WDJB-MJHT\""), Not(HasSubstr("value=\"allow\""))));
  EXPECT_EQ(asks.tries, 0);
  browser.headers.erase("sec-fetch-site");
  EXPECT_THAT(browser.get("/oauth/device?user_code=WDJB-MJHT").body, HasSubstr("value=\"allow\""));
}

TEST_F(OAuthPagesTest, TheProgramsWordForALanguageCountsWhereTheBrowserHasNone) {
  sign_in();
  EXPECT_THAT(browser.get("/oauth/authorize?client_id=x&ui_locales=zh-CN+en").body,
              HasSubstr("允许"));
  browser.headers["accept-language"] = "en";
  EXPECT_THAT(browser.get("/oauth/authorize?client_id=x&ui_locales=zh-CN+en").body,
              HasSubstr("Allow"));
}

TEST_F(OAuthPagesTest, ARequestThatIsOverIsSaidSo) {
  sign_in();
  for (const char* id : {"", "other", "%3Cscript%3E"}) {
    const auto page = browser.get(std::string("/oauth/consent?id=") + id);
    EXPECT_EQ(page.status, 404) << id;
    EXPECT_THAT(page.body, HasSubstr("Begin again in the program"));
  }
}

TEST_F(PagesTest, WithoutOAuthThereAreNoSuchPages) {
  EXPECT_EQ(browser.get("/oauth/authorize?client_id=x").status, 404);
  EXPECT_EQ(browser.get("/oauth/device").status, 404);
}

}  // namespace
}  // namespace cairn::pages_testing
