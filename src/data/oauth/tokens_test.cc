#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "data/oauth/oauth_testing.h"

namespace cairn::oauth {
namespace {

using namespace std::chrono_literals;

Parameters with(Parameters all, const std::string& name, const std::string& value) {
  std::erase_if(all, [&](const auto& entry) { return entry.first == name; });
  if (!value.empty()) all.emplace_back(name, value);
  return all;
}

Parameters code_form(const std::string& client, const std::string& code) {
  return {{"grant_type", "authorization_code"},
          {"client_id", client},
          {"code", code},
          {"redirect_uri", std::string(Scene::kRedirect)},
          {"code_verifier", std::string(Scene::kVerifier)}};
}

TEST(Tokens, AreGivenForACodeWithItsVerifier) {
  Scene scene;
  const auto tokens = granted(scene.trade_code(scene.client, scene.code_for(scene.client)));
  const auto session = must(scene.access.delegates.authenticate(tokens.access));
  EXPECT_EQ(session->client, scene.client);
  EXPECT_EQ(session->audience, "/mcp");
  EXPECT_TRUE(session->rights.can_upload());
  EXPECT_EQ(tokens.expires_in, 8h);
  EXPECT_EQ(tokens.scopes, kBaseline);
  EXPECT_THAT(scene.audited(), testing::Contains("oauth_token ok"));
}

TEST(Tokens, AreNotGivenForACodeThatDoesNotFit) {
  Scene scene;
  const auto other = scene.enrolled("Other");
  const auto good = code_form(scene.client, scene.code_for(scene.client));
  struct Case {
    Parameters form;
    std::string_view error;
  };
  auto twice = good;
  twice.emplace_back("code", "x");
  const Case cases[] = {
      {with(good, "code", "nonsense"), "invalid_grant"},
      {with(good, "code", ""), "invalid_request"},
      {with(good, "code_verifier", ""), "invalid_request"},
      {with(good, "code_verifier", std::string(43, 'x')), "invalid_grant"},
      {with(good, "code_verifier", challenge_of(Scene::kVerifier)), "invalid_grant"},
      {with(good, "redirect_uri", "http://127.0.0.1:4712/callback"), "invalid_grant"},
      {with(good, "client_id", other), "invalid_grant"},
      {with(good, "client_id", "clt_nobody"), "invalid_client"},
      {with(good, "client_id", ""), "invalid_request"},
      {with(good, "grant_type", "password"), "unsupported_grant_type"},
      {with(good, "grant_type", ""), "invalid_request"},
      {with(good, "resource", "https://evil.example/mcp"), "invalid_target"},
      {with(good, "resource", scene.origin.at("/api")), "invalid_target"},
      {twice, "invalid_request"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(error_of(scene.tokens->trade(scene.call(one.form))), one.error)
        << write_form(one.form);
  }
  const auto elsewhere = must(Origin::parse("http://localhost:8765"));
  EXPECT_EQ(error_of(scene.tokens->trade({good, "", elsewhere, "10.0.0.1"})), "invalid_grant");
  EXPECT_TRUE(scene.tokens->trade(scene.call(with(good, "redirect_uri", "")))) << "still good";
}

TEST(Tokens, OfACodeThatComesAgainAreVoid) {
  Scene scene;
  const auto code = scene.code_for(scene.client);
  const auto tokens = granted(scene.trade_code(scene.client, code));
  EXPECT_TRUE(scene.works(tokens.access));
  // Somebody without the verifier brings nobody's tokens to an end.
  EXPECT_EQ(error_of(scene.trade_code(scene.client, code, std::string(43, 'x'))), "invalid_grant");
  EXPECT_TRUE(scene.works(tokens.access));
  scene.clock().advance(9min);
  EXPECT_EQ(error_of(scene.trade_code(scene.client, code)), "invalid_grant");
  EXPECT_FALSE(scene.works(tokens.access));
  EXPECT_EQ(error_of(scene.refresh(scene.client, tokens.refresh)), "invalid_grant");
  EXPECT_THAT(scene.audited(), testing::Contains("oauth_replay TOKEN_REPLAYED"));
  const auto grant = must(scene.base.grants.list(scene.realm(), 10, std::nullopt)).grants.at(0);
  EXPECT_EQ(grant.replayed_at, scene.clock().now());
}

TEST(Tokens, OfACodeComeWithinTwoMinutes) {
  Scene scene;
  const auto code = scene.code_for(scene.client);
  scene.clock().advance(120s + 1ms);
  EXPECT_EQ(error_of(scene.trade_code(scene.client, code)), "invalid_grant");
}

TEST(Tokens, AreNotGivenOnceTheGrantOrThePersonIsGone) {
  Scene scene;
  const auto code = scene.code_for(scene.client);
  const auto grant = must(scene.base.grants.list(scene.realm(), 10, std::nullopt)).grants.at(0);
  must(scene.base.grants.revoke(*scene.person(), grant.delegate));
  EXPECT_EQ(error_of(scene.trade_code(scene.client, code)), "invalid_grant");

  const auto user = must(scene.users.add("ada", Role::kAuthorized, std::nullopt));
  must(scene.access.delegates.root(user.id));
  const auto ada =
      must(scene.access.delegates.act_as(user.id, DelegateId::from_bytes(user.id.bytes())));
  const auto request = scene.begun(scene.asking(scene.client));
  const auto hers =
      of_url(must(scene.authorization->allow(request, *ada, {.write = true}, "")), "code");
  must(scene.users.set_role(user.id, Role::kUnauthorized));
  EXPECT_EQ(error_of(scene.trade_code(scene.client, hers)), "invalid_grant");
}

TEST(Tokens, AreRenewedByTheirClientOnlyAndSayWhatTheyMay) {
  Scene scene;
  const auto other = scene.enrolled("Other");
  const auto tokens = scene.connected();
  EXPECT_EQ(error_of(scene.refresh(other, tokens.refresh)), "invalid_grant");
  EXPECT_EQ(error_of(scene.refresh(scene.client, tokens.access)), "invalid_grant");
  EXPECT_EQ(error_of(scene.refresh(scene.client, "nonsense")), "invalid_grant");
  const Parameters form{{"grant_type", "refresh_token"},
                        {"client_id", scene.client},
                        {"refresh_token", tokens.refresh},
                        {"resource", scene.origin.at("/mcp")},
                        {"scope", "openid email profile cas:read cas:write depot:manage"}};
  const auto next = granted(scene.tokens->trade(scene.call(form)));
  EXPECT_EQ(next.scopes, kBaseline) << "whatever was asked for";
  EXPECT_EQ(must(scene.access.delegates.authenticate(next.access))->audience, "/mcp");
  EXPECT_EQ(error_of(scene.tokens->trade(scene.call(with(form, "resource", scene.origin.text())))),
            "invalid_target");
  EXPECT_EQ(error_of(scene.tokens->trade(scene.call(with(form, "scope", "admin")))),
            "invalid_scope");
}

TEST(Tokens, OfThoseWhoShareARefreshTokenAllWork) {
  Scene scene;
  const auto tokens = scene.connected();
  const auto one = granted(scene.refresh(scene.client, tokens.refresh));
  scene.clock().advance(60s);
  const auto two = granted(scene.refresh(scene.client, tokens.refresh));
  for (const auto* each : {&tokens, &one, &two}) EXPECT_TRUE(scene.works(each->access));
  scene.clock().advance(1ms);
  EXPECT_EQ(error_of(scene.refresh(scene.client, tokens.refresh)), "invalid_grant");
  for (const auto* each : {&tokens, &one, &two}) EXPECT_FALSE(scene.works(each->access));
  EXPECT_THAT(scene.audited(), testing::Contains("oauth_replay TOKEN_REPLAYED"));
  // The grant is there still: the person reconnects, and the others' grants live on.
  const auto again = scene.connected();
  EXPECT_TRUE(scene.works(again.access));
}

TEST(Tokens, OfAnotherGrantLiveOnWhenOneIsReplayed) {
  Scene scene;
  const auto other = scene.enrolled("Other");
  const auto theirs = granted(scene.trade_code(other, scene.code_for(other)));
  const auto tokens = scene.connected();
  granted(scene.refresh(scene.client, tokens.refresh));
  scene.clock().advance(61s);
  EXPECT_FALSE(scene.refresh(scene.client, tokens.refresh));
  EXPECT_TRUE(scene.works(theirs.access));
  EXPECT_TRUE(scene.refresh(other, theirs.refresh));
}

TEST(Tokens, AreGivenBack) {
  Scene scene;
  const auto other = scene.enrolled("Other");
  const auto tokens = scene.connected();
  EXPECT_TRUE(scene.revoke(scene.client, "nonsense"));
  EXPECT_EQ(error_of(scene.revoke(other, tokens.access)), "unauthorized_client");
  EXPECT_EQ(error_of(scene.revoke("clt_nobody", tokens.access)), "invalid_client");
  EXPECT_TRUE(scene.revoke(scene.client, tokens.access));
  EXPECT_FALSE(scene.works(tokens.access));
  const auto next = granted(scene.refresh(scene.client, tokens.refresh));
  EXPECT_TRUE(scene.works(next.access));
  EXPECT_TRUE(scene.revoke(scene.client, next.refresh));
  EXPECT_FALSE(scene.works(next.access)) << "a refresh token ends its grant";
  EXPECT_EQ(error_of(scene.refresh(scene.client, tokens.refresh)), "invalid_grant");
  EXPECT_THAT(scene.audited(), testing::Contains("oauth_revoke ok"));
}

TEST(Tokens, OfAPlainDelegateAreNoClients) {
  Scene scene;
  const auto plain = must(scene.access.create(scene.access.root(), {}));
  EXPECT_EQ(error_of(scene.refresh(scene.client, plain.tokens.refresh.text())), "invalid_grant");
  EXPECT_EQ(error_of(scene.revoke(scene.client, plain.tokens.access.text())),
            "unauthorized_client");
  EXPECT_TRUE(scene.works(plain.tokens.access.text()));
}

TEST(Tokens, OfAClientWithASecretNeedIt) {
  Scene scene;
  const auto added = must(scene.base.clients.add(
      {.name = "Secretive", .redirects = {"http://127.0.0.1/callback"}, .with_secret = true}));
  const auto& id = added.client.id;
  const auto form = code_form(id, scene.code_for(id));
  const auto bare = with(form, "client_id", "");
  const auto basic = [&](const std::string& secret) {
    return "Basic " + base64_encode(id + ":" + secret);
  };
  const auto error = [&](const Parameters& given, const std::string& header) {
    const auto result = scene.tokens->trade(scene.call(given, header));
    if (result) return std::string("(none)");
    return fmt::format("{} {}{}", result.error().status, result.error().error,
                       result.error().challenge ? " Basic" : "");
  };
  EXPECT_EQ(error(form, ""), "401 invalid_client");
  EXPECT_EQ(error(with(form, "client_secret", "wrong"), ""), "401 invalid_client");
  EXPECT_EQ(error(bare, basic("wrong")), "401 invalid_client Basic");
  EXPECT_EQ(error(bare, "Basic nonsense!"), "400 invalid_request");
  EXPECT_EQ(error(with(form, "client_secret", *added.secret), basic(*added.secret)),
            "400 invalid_request")
      << "never two ways at once";
  EXPECT_EQ(error(with(form, "client_id", scene.client), basic(*added.secret)),
            "400 invalid_request");
  EXPECT_EQ(error(bare, basic(*added.secret)), "(none)");
  EXPECT_EQ(error(with(code_form(id, scene.code_for(id)), "client_secret", *added.secret), ""),
            "(none)");
  EXPECT_EQ(error(with(code_form(scene.client, "x"), "client_secret", "x"), ""),
            "401 invalid_client")
      << "a public client has none";
}

TEST(Tokens, AndCodesCanBeTriedSoOftenOnly) {
  Scene scene;
  auto form = code_form(scene.client, "nonsense");
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(error_of(scene.tokens->trade(scene.call(form))), "invalid_grant");
  }
  const auto refused = scene.tokens->trade(scene.call(form));
  EXPECT_EQ(error_of(refused), "slow_down");
  EXPECT_EQ(refused.error().status, 429);
  EXPECT_TRUE(refused.error().retry_after);
  scene.clock().advance(6s);
  EXPECT_TRUE(scene.trade_code(scene.client, scene.code_for(scene.client)));
  for (int i = 0; i < 40; ++i) (void)scene.refresh(scene.client, "nonsense");
  EXPECT_EQ(error_of(scene.refresh(scene.client, "nonsense")), "slow_down");
}

TEST(Registrations, AreLimitedForOneAddressAndForAll) {
  Scene scene;
  const json::Object metadata{{"redirect_uris", json::Array{"http://127.0.0.1/"}}};
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(scene.tokens->enroll(metadata, "10.1.1.1"));
  EXPECT_EQ(error_of(scene.tokens->enroll(metadata, "10.1.1.1")), "slow_down");
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    refused += scene.tokens->enroll(metadata, fmt::format("10.2.{}.1", i)) ? 0 : 1;
  }
  EXPECT_GT(refused, 90);
  EXPECT_LT(refused, 120);
}

struct Device {
  Scene scene;
  GivenDeviceCode given = granted(scene.tokens->device(
      scene.call({{"client_id", scene.client}, {"scope", "cas:read cas:write"}})));

  std::expected<GivenTokens, Denied> poll() {
    return scene.tokens->trade(
        scene.call({{"grant_type", "urn:ietf:params:oauth:grant-type:device_code"},
                    {"client_id", scene.client},
                    {"device_code", given.device_code}}));
  }
};

TEST(DeviceCodes, AreAllowedByWhoeverTypesTheUserCode) {
  Device device;
  EXPECT_EQ(device.given.user_code.size(), 9);
  EXPECT_EQ(device.given.user_code[4], '-');
  EXPECT_EQ(device.given.expires_in, 15min);
  EXPECT_EQ(error_of(device.poll()), "authorization_pending");
  auto typed = device.given.user_code;
  typed.erase(4, 1);
  for (auto& c : typed) c = static_cast<char>(c - 'A' + 'a');
  const auto request = must(device.scene.authorization->device_request(typed, "ada"));
  const auto asked = must(device.scene.authorization->asked(request));
  ASSERT_TRUE(asked.device);
  EXPECT_EQ(asked.device->user_code, device.given.user_code);
  EXPECT_EQ(asked.device->address, "10.0.0.1");
  EXPECT_EQ(asked.device->at, device.scene.clock().now());
  EXPECT_EQ(asked.redirect_host, "");
  EXPECT_EQ(must(device.scene.authorization->allow(request, *device.scene.person(), {.write = true},
                                                   "10.0.0.9")),
            "");
  device.scene.clock().advance(5s);
  const auto tokens = granted(device.poll());
  EXPECT_TRUE(device.scene.works(tokens.access));
  EXPECT_EQ(error_of(device.poll()), "invalid_grant") << "once";
  EXPECT_THAT(device.scene.authorization->device_request(typed, "ada"), FailsWith(Code::kNotFound));
}

TEST(DeviceCodes, AreDeniedAndExpire) {
  Device denied;
  const auto request =
      must(denied.scene.authorization->device_request(denied.given.user_code, "ada"));
  EXPECT_EQ(must(denied.scene.authorization->deny(request, *denied.scene.person())), "");
  EXPECT_EQ(error_of(denied.poll()), "access_denied");
  Device late;
  late.scene.clock().advance(15min);
  EXPECT_EQ(error_of(late.poll()), "expired_token");
  EXPECT_THAT(late.scene.authorization->device_request(late.given.user_code, "ada"),
              FailsWith(Code::kNotFound));
}

TEST(DeviceCodes, ArePolledSlowly) {
  Device device;
  EXPECT_EQ(error_of(device.poll()), "authorization_pending");
  EXPECT_EQ(error_of(device.poll()), "slow_down");
  device.scene.clock().advance(5s);
  EXPECT_EQ(error_of(device.poll()), "slow_down") << "it is ten seconds now, and then fifteen";
  device.scene.clock().advance(15s);
  EXPECT_EQ(error_of(device.poll()), "authorization_pending");
}

TEST(DeviceCodes, CannotBeGuessed) {
  Device device;
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(device.scene.authorization->device_request("BBBB-BBBB", "mallory"),
                FailsWith(Code::kNotFound));
  }
  EXPECT_THAT(device.scene.authorization->device_request(device.given.user_code, "mallory"),
              FailsWith(Code::kRateLimited));
  EXPECT_THAT(device.scene.authorization->device_request(device.given.user_code, "ada"), IsOk());
  for (int i = 0; i < 25; ++i) {
    (void)device.scene.authorization->device_request("BBBB-BBBB", fmt::format("m{}", i));
  }
  EXPECT_THAT(device.scene.authorization->device_request(device.given.user_code, "ada"),
              FailsWith(Code::kRateLimited))
      << "of all together there are thirty an hour";
}

TEST(DeviceCodes, LeaveNoSecretInTheStore) {
  Device device;
  const auto request =
      must(device.scene.authorization->device_request(device.given.user_code, "ada"));
  must(device.scene.access.kv().scan(
      KeyRange{}, Direction::kForward, [&](ByteView key, ByteView value) {
        EXPECT_FALSE(key.contains(device.given.device_code));
        EXPECT_FALSE(value.contains(device.given.device_code));
        EXPECT_FALSE(key.contains(request) || value.contains(request));
        return Scan::kContinue;
      }));
}

}  // namespace
}  // namespace cairn::oauth
