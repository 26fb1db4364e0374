// A provider as its client sees it; what it answers, good and bad.
#include "exposure/oidc/provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64url.h"
#include "base/sha256.h"
#include "exposure/oidc/oidc_testing.h"

namespace cairn::oidc {
namespace {

using namespace std::chrono_literals;
using oidc::testing::FakeProvider;
using oidc::testing::joined;
using oidc::testing::SigningKey;
using oidc::testing::token;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

ProviderOptions usual() {
  return {.issuer = std::string(FakeProvider::kIssuer),
          .client_id = "cairn",
          .client_secret = "s3cret: with/signs"};
}
const Provider::Ask kAsk{.redirect_uri = "https://cairn.example/api/oauth/callback",
                         .state = "the state",
                         .nonce = "n-1",
                         .verifier = std::string(43, 'v')};

struct ProviderTest : ::testing::Test {
  explicit ProviderTest() { fake.nonce = kAsk.nonce; }
  std::string refusal(const ProviderOptions& options = usual()) {
    Provider provider(options, fake.fetch(), clock);
    const auto person = provider.identify("code-1", kAsk);
    return person ? "" : person.error().message;
  }
  Person person(const ProviderOptions& options = usual()) {
    Provider provider(options, fake.fetch(), clock);
    auto out = provider.identify("code-1", kAsk);
    EXPECT_TRUE(out) << out.error().render();
    return out ? *out : Person();
  }

  ManualClock clock;
  FakeProvider fake{clock};
};

TEST_F(ProviderTest, TheBrowserIsSentWithEverythingThatBindsTheAnswer) {
  auto options = usual();
  options.max_age = 600s;
  Provider provider(options, fake.fetch(), clock);
  const auto address = provider.address_for(kAsk);
  ASSERT_TRUE(address) << address.error().render();
  EXPECT_THAT(*address, ::testing::StartsWith(
                            "https://idp.example/pool/authorize?tenant=1&response_type=code&"
                            "client_id=cairn&redirect_uri=https%3A%2F%2Fcairn.example%2Fapi%2Foauth"
                            "%2Fcallback&scope=openid%20email%20profile&state=the%20state&nonce=n-1"
                            "&code_challenge="));
  EXPECT_THAT(*address, HasSubstr("&code_challenge_method=S256&max_age=600"));
  EXPECT_THAT(*address, Not(HasSubstr(kAsk.verifier)));
}

TEST_F(ProviderTest, SaysWhoItIs) {
  const auto known = person();
  EXPECT_EQ(known.issuer, FakeProvider::kIssuer);
  EXPECT_EQ(known.subject, "s1");
  EXPECT_EQ(known.email, "ada@example.com");
  EXPECT_TRUE(known.email_verified);
  const auto& exchange = fake.requests.at(1);
  EXPECT_THAT(
      exchange.form,
      ElementsAre(Pair("grant_type", "authorization_code"), Pair("code", "code-1"),
                  Pair("redirect_uri", kAsk.redirect_uri), Pair("code_verifier", kAsk.verifier)));
  // cairn:s3cret%3A%20with%2Fsigns
  EXPECT_THAT(exchange.headers,
              Contains(Pair("Authorization", "Basic Y2Fpcm46czNjcmV0JTNBJTIwd2l0aCUyRnNpZ25z")));
}

TEST_F(ProviderTest, TheSecretGoesWhereTheProviderWantsIt) {
  fake.metadata["token_endpoint_auth_methods_supported"] = json::Array{"client_secret_post"};
  person();
  EXPECT_THAT(fake.requests.at(1).form, Contains(Pair("client_secret", "s3cret: with/signs")));
  EXPECT_THAT(fake.requests.at(1).headers, ElementsAre());
  auto options = usual();
  options.client_secret.reset();
  fake.requests.clear();
  person(options);
  EXPECT_THAT(fake.requests.at(1).form, Contains(Pair("client_id", "cairn")));
  EXPECT_THAT(fake.requests.at(1).form, Not(Contains(Pair("client_secret", ::testing::_))));
}

TEST_F(ProviderTest, EachHostileTokenIsRefusedWithItsSentence) {
  struct Case {
    std::string_view what;
    std::function<void(json::Object&)> bend;
    std::function<std::string(const json::Object&)> sign;
    std::string_view sentence;
  };
  const auto stranger = SigningKey::p256(7);
  const auto now = clock.now() / 1000;
  const Case cases[] = {
      {"nonce", [](auto& c) { c["nonce"] = "another"; }, nullptr, "(nonce)"},
      {"audience", [](auto& c) { c["aud"] = "another"; }, nullptr, "(aud)"},
      {"issuer", [](auto& c) { c["iss"] = "https://evil.example"; }, nullptr, "another provider"},
      {"expired", [now](auto& c) { c["exp"] = now - 60; }, nullptr, "has expired"},
      {"future", [now](auto& c) { c["iat"] = now + 100; }, nullptr, "in the future"},
      {"unsigned", nullptr, [](const auto& c) { return joined({{"alg", "none"}}, c, ""); },
       "is not signed (alg none)"},
      {"signature left out", nullptr,
       [](const auto& c) { return joined({{"alg", "ES256"}, {"kid", "k1"}}, c, ""); },
       "signature of the ID token"},
      {"by a stranger", nullptr,
       [&](const auto& c) { return token("k1", c, Algorithm::kEs256, stranger); },
       "signature of the ID token"},
      {"unknown key", nullptr,
       [&](const auto& c) { return token("k7", c, Algorithm::kEs256, stranger); },
       "does not publish"},
      {"HS256 with the public key", nullptr,
       [&](const auto& c) {
         const json::Object head{{"alg", "HS256"}, {"kid", "k1"}};
         const auto body =
             base64url_encode(json::write(head)) + "." + base64url_encode(json::write(c));
         const auto mac = hmac_sha256(fake.key.pem(), body);
         return joined(head, c, {reinterpret_cast<const char*>(mac.data()), mac.size()});
       },
       "shared secret (HS256)"},
      {"no token", nullptr, [](const auto&) { return "not a token"; }, "three parts"},
      {"empty", nullptr, [](const auto&) { return ""; }, "did not give an ID token"},
  };
  for (const auto& one : cases) {
    fake.bend = one.bend;
    fake.sign = one.sign;
    EXPECT_THAT(refusal(), HasSubstr(one.sentence)) << one.what;
  }
}

TEST_F(ProviderTest, ARefusedCodeIsSaidWithoutTheProvidersWords) {
  const auto usual_fetch = fake.fetch();
  const auto answers = [&](Inbound inbound) {
    fake.instead = [&fake = fake, inbound](const Outbound& asked) -> Result<Inbound> {
      if (asked.url == "https://tokens.example/token") return inbound;
      return Inbound{
          .status = 200, .content_type = "application/json", .body = json::write(fake.metadata)};
    };
    return refusal();
  };
  EXPECT_THAT(answers({.status = 400,
                       .content_type = "application/json",
                       .body = R"({"error":"invalid_grant","error_description":"<script>"})"}),
              ::testing::AllOf(HasSubstr("invalid_grant"), Not(HasSubstr("script"))));
  EXPECT_THAT(answers({.status = 401, .body = R"({"error":"<b>boo"})"}),
              ::testing::AllOf(HasSubstr("401"), Not(HasSubstr("boo"))));
  EXPECT_THAT(answers({.status = 503}), HasSubstr("out of order"));
  EXPECT_THAT(answers({.status = 302}), HasSubstr("did not give"));
  EXPECT_THAT(answers({.status = 200, .content_type = "application/json", .body = "[]"}),
              HasSubstr("did not give"));
}

TEST_F(ProviderTest, WhatTheTokenDoesNotSayUserinfoMay) {
  fake.bend = [](json::Object& claims) {
    claims.erase("email");
    claims.erase("email_verified");
  };
  fake.userinfo = {{"sub", "s1"},
                   {"email", "info@example.com"},
                   {"email_verified", "true"},
                   {"preferred_username", "ada"},
                   {"iss", "https://evil.example"}};
  const auto known = person();
  EXPECT_EQ(known.email, "info@example.com");
  EXPECT_TRUE(known.email_verified);
  EXPECT_EQ(known.username, "ada");
  EXPECT_THAT(fake.requests.back().headers,
              Contains(Pair("Authorization", "Bearer provider-access")));
  fake.userinfo["sub"] = "s2";
  EXPECT_THAT(refusal(), HasSubstr("somebody else"));
  fake.userinfo = {};
  EXPECT_THAT(refusal(), HasSubstr("somebody else"));
}

TEST_F(ProviderTest, AnAddressIsNotVerifiedByWhatIsSaidOfAnother) {
  fake.bend = [](json::Object& claims) { claims["email_verified"] = false; };
  fake.userinfo = {{"sub", "s1"},
                   {"email", "info@example.com"},
                   {"email_verified", true},
                   {"groups", json::Array{"staff"}}};
  auto options = usual();
  options.wants_groups = true;
  const auto known = person(options);
  EXPECT_EQ(known.email, "ada@example.com");
  EXPECT_FALSE(known.email_verified);
  EXPECT_THAT(known.groups, ElementsAre("staff"));
}

TEST_F(ProviderTest, AnswersOfAnotherProviderAreRefused) {
  Provider provider(usual(), fake.fetch(), clock);
  EXPECT_TRUE(provider.check_issuer(std::string(FakeProvider::kIssuer)));
  EXPECT_TRUE(provider.check_issuer(std::nullopt));
  EXPECT_FALSE(provider.check_issuer("https://evil.example"));
  FakeProvider careful(clock);
  careful.metadata["authorization_response_iss_parameter_supported"] = true;
  Provider other(usual(), careful.fetch(), clock);
  EXPECT_TRUE(other.check_issuer(std::string(FakeProvider::kIssuer)));
  EXPECT_FALSE(other.check_issuer(std::nullopt));
}

}  // namespace
}  // namespace cairn::oidc
