#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/oauth/oauth_testing.h"

namespace cairn::oauth {
namespace {

using namespace std::chrono_literals;

Parameters with(Parameters all, const std::string& name, const std::string& value) {
  for (auto& [key, old] : all) {
    if (key != name) continue;
    old = value;
    return all;
  }
  all.emplace_back(name, value);
  return all;
}

Parameters without(Parameters all, std::string_view name) {
  std::erase_if(all, [&](const auto& entry) { return entry.first == name; });
  return all;
}

Refused refused(Scene& scene, const Parameters& parameters, bool signed_in = true) {
  auto begun = scene.authorization->begin(parameters, scene.origin, signed_in, "somebody");
  if (auto* out = std::get_if<Refused>(&begun)) return *out;
  return {.error = "(none)", .description = ""};
}

TEST(Authorization, ShowsWhoAsksForWhat) {
  Scene scene;
  const auto request = scene.begun(scene.asking(scene.client));
  const auto asked = must(scene.authorization->asked(request));
  EXPECT_EQ(asked.client_id, scene.client);
  EXPECT_EQ(asked.client_name, "Prober");
  EXPECT_EQ(asked.client_host, "");
  EXPECT_EQ(asked.kind, ClientKind::kRegistered);
  EXPECT_EQ(asked.redirect_host, "127.0.0.1:4711");
  EXPECT_EQ(asked.redirect_uri, Scene::kRedirect);
  EXPECT_TRUE(asked.loopback_only);
  EXPECT_EQ(asked.scopes, kBaseline);
  EXPECT_EQ(asked.resource, "/mcp");
  EXPECT_FALSE(asked.device);
}

TEST(Authorization, OfAKnownDocumentShowsItsHost) {
  Scene scene;
  const auto parameters =
      with(with(scene.asking("https://claude.ai/oauth/mcp-oauth-client-metadata"), "redirect_uri",
                "https://claude.ai/api/mcp/auth_callback"),
           "scope", "cas:read");
  const auto asked = must(scene.authorization->asked(scene.begun(parameters)));
  EXPECT_EQ(asked.client_host, "claude.ai");
  EXPECT_FALSE(asked.loopback_only);
  EXPECT_EQ(asked.scopes, Scopes{});
}

TEST(Authorization, RefusesOnAPageWhereNobodyKnowsWhereToSendIt) {
  Scene scene;
  const auto good = scene.asking(scene.client);
  struct Case {
    Parameters parameters;
    std::string_view error;
  };
  auto twice = good;
  twice.emplace_back("redirect_uri", std::string(Scene::kRedirect));
  const Case cases[] = {
      {with(good, "client_id", "clt_unknown"), "invalid_client"},
      {with(good, "client_id", "dyn_x"), "invalid_client"},
      {with(good, "client_id", "https://evil.example/client.json"), "invalid_client"},
      {without(good, "client_id"), "invalid_request"},
      {with(good, "redirect_uri", "http://127.0.0.1:4711/other"), "invalid_request"},
      {with(good, "redirect_uri", "https://evil.example/callback"), "invalid_request"},
      {with(good, "redirect_uri", "javascript:alert(1)"), "invalid_request"},
      {twice, "invalid_request"},
  };
  for (const auto& one : cases) {
    const auto answer = refused(scene, one.parameters);
    EXPECT_EQ(answer.error, one.error) << write_form(one.parameters);
    EXPECT_EQ(answer.redirect, std::nullopt) << write_form(one.parameters);
  }
}

TEST(Authorization, SendsOtherErrorsToTheClient) {
  Scene scene;
  const auto good = scene.asking(scene.client);
  auto twice = good;
  twice.emplace_back("state", "another");
  struct Case {
    Parameters parameters;
    std::string_view error;
    bool signed_in = true;
  };
  const Case cases[] = {
      {without(good, "response_type"), "invalid_request"},
      {with(good, "response_type", "token"), "unsupported_response_type"},
      {with(good, "response_mode", "fragment"), "invalid_request"},
      {without(good, "code_challenge"), "invalid_request"},
      {with(good, "code_challenge", "short"), "invalid_request"},
      {with(good, "code_challenge_method", "plain"), "invalid_request"},
      {without(good, "code_challenge_method"), "invalid_request"},
      {with(good, "scope", "admin"), "invalid_scope"},
      {with(good, "resource", "https://evil.example/mcp"), "invalid_target"},
      {with(good, "resource", scene.origin.at("/metrics")), "invalid_target"},
      {with(good, "prompt", "none"), "consent_required"},
      {with(good, "prompt", "none"), "login_required", false},
      {twice, "invalid_request"},
  };
  for (const auto& one : cases) {
    const auto answer = refused(scene, one.parameters, one.signed_in);
    EXPECT_EQ(answer.error, one.error) << write_form(one.parameters);
    ASSERT_TRUE(answer.redirect) << write_form(one.parameters);
    EXPECT_TRUE(answer.redirect->starts_with(std::string(Scene::kRedirect) + "?"));
    EXPECT_EQ(of_url(*answer.redirect, "error"), one.error);
    EXPECT_EQ(of_url(*answer.redirect, "state"), "the state");
    EXPECT_EQ(of_url(*answer.redirect, "iss"), scene.origin.text());
  }
  const auto long_state = refused(scene, with(good, "state", std::string(2049, 'x')));
  EXPECT_EQ(long_state.error, "invalid_request");
}

TEST(Authorization, TakesWhatClientsSendOnTop) {
  Scene scene;
  auto parameters =
      with(with(scene.asking(scene.client), "prompt", "consent"), "scope", "openid email profile");
  parameters.emplace_back("resource", scene.origin.at("/mcp/"));
  parameters.emplace_back("unheard_of", "x");
  const auto asked = must(scene.authorization->asked(scene.begun(parameters)));
  EXPECT_EQ(asked.scopes, kBaseline);
  const auto whole = scene.begun(without(scene.asking(scene.client), "resource"));
  EXPECT_EQ(must(scene.authorization->asked(whole)).resource, "");
  // One registered address need not be said.
  EXPECT_EQ(must(scene.authorization->asked(
                     scene.begun(without(scene.asking(scene.client), "redirect_uri"))))
                .redirect_uri,
            "http://127.0.0.1/callback");
}

TEST(Authorization, AllowsOnceWithCodeStateAndIssuer) {
  Scene scene;
  const auto request = scene.begun(scene.asking(scene.client));
  const auto url =
      must(scene.authorization->allow(request, *scene.person(), {.write = true}, "10.0.0.9"));
  EXPECT_TRUE(url.starts_with(std::string(Scene::kRedirect) + "?code="));
  EXPECT_EQ(of_url(url, "state"), "the state");
  EXPECT_EQ(of_url(url, "iss"), scene.origin.text());
  EXPECT_THAT(scene.authorization->allow(request, *scene.person(), {}, ""),
              FailsWith(Code::kNotFound));
  EXPECT_THAT(scene.authorization->deny(request, *scene.person()), FailsWith(Code::kNotFound));
  EXPECT_THAT(scene.authorization->asked(request), FailsWith(Code::kNotFound));
  EXPECT_THAT(scene.audited(), testing::Contains("oauth_consent ok"));
}

TEST(Authorization, SaysNoWithTheIssuerToo) {
  Scene scene;
  const auto url =
      must(scene.authorization->deny(scene.begun(scene.asking(scene.client)), *scene.person()));
  EXPECT_EQ(of_url(url, "error"), "access_denied");
  EXPECT_EQ(of_url(url, "state"), "the state");
  EXPECT_EQ(of_url(url, "iss"), scene.origin.text());
  EXPECT_EQ(must(scene.base.grants.list(scene.realm(), 10, std::nullopt)).grants.size(), 0);
  EXPECT_THAT(scene.audited(), testing::Contains("oauth_consent denied"));
}

TEST(Authorization, LeavesTheIssuerOutWhereItWasSwitchedOff) {
  Scene scene({.redirect_schemes = {}, .with_iss = false});
  const auto url =
      must(scene.authorization->deny(scene.begun(scene.asking(scene.client)), *scene.person()));
  EXPECT_EQ(of_url(url, "iss"), "");
}

TEST(Authorization, WaitsTenMinutes) {
  Scene scene;
  const auto request = scene.begun(scene.asking(scene.client));
  scene.clock().advance(10min);
  EXPECT_THAT(scene.authorization->asked(request), FailsWith(Code::kNotFound));
  EXPECT_THAT(scene.authorization->allow(request, *scene.person(), {}, ""),
              FailsWith(Code::kNotFound));
}

TEST(Authorization, IsGivenByPeopleOnly) {
  Scene scene;
  const auto request = scene.begun(scene.asking(scene.client));
  const auto agent = scene.access.child(scene.access.root(), {.can_upload = true});
  EXPECT_THAT(scene.authorization->allow(request, *agent, {}, ""), FailsWith(Code::kForbidden));
  const auto outsider = must(scene.users.add("mallory", Role::kUnauthorized, std::nullopt));
  must(scene.access.delegates.root(outsider.id));
  const auto session =
      must(scene.access.delegates.act_as(outsider.id, DelegateId::from_bytes(outsider.id.bytes())));
  EXPECT_THAT(scene.authorization->allow(request, *session, {}, ""), FailsWith(Code::kForbidden));
  EXPECT_THAT(scene.authorization->asked(request), IsOk()) << "and it still waits";
}

TEST(Authorization, GrantsNoMoreThanWasAskedAndThePersonHas) {
  Scene scene;
  const auto request = scene.begun(with(scene.asking(scene.client), "scope", "cas:read"));
  EXPECT_THAT(scene.authorization->allow(request, *scene.person(), {.write = true}, ""),
              FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(scene.authorization->allow(request, *scene.person(),
                                         {.lasts = std::chrono::hours(24 * 367)}, ""),
              FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(scene.authorization->allow(request, *scene.person(), {.lasts = 0s}, ""),
              FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(scene.authorization->allow(request, *scene.person(), {.lasts = 1h}, ""), IsOk());
  const auto grant = must(scene.base.grants.list(scene.realm(), 10, std::nullopt)).grants.at(0);
  const auto delegate = must(scene.access.delegates.get(*scene.person(), grant.delegate));
  EXPECT_FALSE(delegate.can_upload);
  EXPECT_EQ(delegate.kind, DelegateKind::kGrant);
  EXPECT_EQ(delegate.expires_at, scene.clock().now() + 3'600'000);
  EXPECT_EQ(delegate.name, "Prober 2023-11-14");
}

TEST(Authorization, OfAnAddedClientStaysWithinWhatTheAdminAllows) {
  Scene scene;
  const auto added = must(scene.base.clients.add(
      {.name = "Reader", .redirects = {"http://127.0.0.1/callback"}, .allowed = Scopes{}}));
  const auto request = scene.begun(scene.asking(added.client.id));
  EXPECT_EQ(must(scene.authorization->asked(request)).scopes, Scopes{});
  EXPECT_THAT(scene.authorization->allow(request, *scene.person(), {.manage = true}, ""),
              FailsWith(Code::kPermissionExceeded));
  EXPECT_THAT(scene.authorization->allow(request, *scene.person(), {}, ""), IsOk());
}

TEST(Authorization, OfAWorkspaceIsForItsDepotWhateverWasChosen) {
  Scene scene;
  auto depot = scene.access.world.a_depot().with("a.md", "1").committed();
  auto other = scene.access.world.a_depot().with("b.md", "1").committed();
  const auto resource = "/mcp/workspaces/" + depot.id.render();
  const auto request =
      scene.begun(with(scene.asking(scene.client), "resource", scene.origin.at(resource)));
  EXPECT_EQ(must(scene.authorization->asked(request)).workspace, depot.id.render());
  must(scene.authorization->allow(request, *scene.person(), {.depots = {{other.id}}}, ""));
  const auto grant = must(scene.base.grants.list(scene.realm(), 10, std::nullopt)).grants.at(0);
  EXPECT_EQ(grant.resource, resource);
  EXPECT_EQ(must(scene.access.delegates.get(*scene.person(), grant.delegate)).depots,
            std::vector{depot.id});
  const auto nowhere =
      scene.begun(with(scene.asking(scene.client), "resource",
                       scene.origin.at("/mcp/workspaces/dpt_" + std::string(26, '0'))));
  EXPECT_THAT(scene.authorization->allow(nowhere, *scene.person(), {}, ""),
              FailsWith(Code::kDepotNotFound));
}

TEST(Authorization, AskedAgainChangesTheGrantAtOnce) {
  Scene scene;
  const auto tokens = scene.connected();
  const auto grant = must(scene.base.grants.list(scene.realm(), 10, std::nullopt)).grants.at(0);
  EXPECT_TRUE(must(scene.access.delegates.authenticate(tokens.access))->rights.can_upload());
  scene.clock().advance(1h);
  scene.code_for(scene.client, {.write = false});
  const auto grants = must(scene.base.grants.list(scene.realm(), 10, std::nullopt)).grants;
  ASSERT_EQ(grants.size(), 1);
  EXPECT_EQ(grants.at(0).delegate, grant.delegate);
  EXPECT_EQ(grants.at(0).created_at, grant.created_at);
  EXPECT_FALSE(must(scene.access.delegates.authenticate(tokens.access))->rights.can_upload());
  // One that was revoked is made anew.
  must(scene.base.grants.revoke(*scene.person(), grant.delegate));
  scene.code_for(scene.client);
  const auto after = must(scene.base.grants.list(scene.realm(), 10, std::nullopt)).grants;
  EXPECT_EQ(after.size(), 2);
  EXPECT_FALSE(scene.works(tokens.access));
}

TEST(Authorization, LimitsHowManyRequestsOneBegins) {
  Scene scene;
  for (int i = 0; i < 30; ++i) scene.begun(scene.asking(scene.client));
  EXPECT_EQ(refused(scene, scene.asking(scene.client)).error, "slow_down");
  EXPECT_TRUE(std::holds_alternative<Begun>(
      scene.authorization->begin(scene.asking(scene.client), scene.origin, true, "another")));
  scene.clock().advance(2s);
  scene.begun(scene.asking(scene.client));
}

TEST(Authorization, OfARemovedClientIsGone) {
  Scene scene;
  const auto request = scene.begun(scene.asking(scene.client));
  must(scene.base.clients.remove(scene.client));
  EXPECT_THAT(scene.authorization->asked(request), FailsWith(Code::kNotFound));
}

}  // namespace
}  // namespace cairn::oauth
