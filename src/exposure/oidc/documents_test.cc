#include "exposure/oidc/documents.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/oidc/oidc_testing.h"

namespace cairn::oidc {
namespace {

using namespace std::chrono_literals;
using oidc::testing::FakeProvider;
using oidc::testing::key_set;
using oidc::testing::SigningKey;
using oidc::testing::token;
using ::testing::HasSubstr;

const std::string kIssuer(FakeProvider::kIssuer);
const std::string kKeys = kIssuer + "/keys";
const std::string kSelf = kIssuer + "/.well-known/openid-configuration";

struct DocumentsTest : ::testing::Test {
  Jwt signed_by(const SigningKey& key, std::string_view id) {
    return *Jwt::parse(token(id, json::Object{{"sub", "s"}}, Algorithm::kEs256, key));
  }
  std::string refusal(const Jwt& jwt) {
    const auto checked = documents.check_signature(jwt);
    return checked ? "" : checked.error().message;
  }

  ManualClock clock;
  FakeProvider provider{clock};
  Documents documents{kIssuer, provider.fetch(), clock};
  SigningKey next = SigningKey::p256(1);
};

TEST_F(DocumentsTest, AreFetchedOnceAndKept) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(refusal(signed_by(provider.key, "k1")), "");
    clock.advance(10min);
  }
  EXPECT_EQ(provider.asked(kSelf), 1U);
  EXPECT_EQ(provider.asked(kKeys), 1U);
  clock.advance(31min);  // an hour is over, as its Cache-Control says
  EXPECT_EQ(refusal(signed_by(provider.key, "k1")), "");
  EXPECT_EQ(provider.asked(kKeys), 2U);
  clock.advance(24h);
  EXPECT_EQ(refusal(signed_by(provider.key, "k1")), "");
  EXPECT_EQ(provider.asked(kSelf), 2U);
}

TEST_F(DocumentsTest, AnUnknownKeyHasThemFetchedAnewOnceAMinute) {
  EXPECT_EQ(refusal(signed_by(provider.key, "k1")), "");
  provider.keys = key_set({provider.key.jwk("k1"), next.jwk("k2")});
  EXPECT_EQ(refusal(signed_by(next, "k2")), "") << "the provider has rotated its keys";
  EXPECT_EQ(provider.asked(kKeys), 2U);
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(refusal(signed_by(next, "k3")), HasSubstr("does not publish"));
    clock.advance(2s);
  }
  EXPECT_EQ(provider.asked(kKeys), 2U) << "whoever makes up names of keys causes no traffic";
  clock.advance(30s);
  EXPECT_THAT(refusal(signed_by(next, "k3")), HasSubstr("does not publish"));
  EXPECT_EQ(provider.asked(kKeys), 3U);
}

TEST_F(DocumentsTest, AKeyThatIsGoneIsNotBelieved) {
  EXPECT_EQ(refusal(signed_by(provider.key, "k1")), "");
  provider.keys = key_set({next.jwk("k2")});
  EXPECT_EQ(refusal(signed_by(next, "k2")), "");
  EXPECT_THAT(refusal(signed_by(provider.key, "k1")), HasSubstr("does not publish"));
}

TEST_F(DocumentsTest, AForgeryCausesNoTraffic) {
  EXPECT_EQ(refusal(signed_by(provider.key, "k1")), "");
  EXPECT_THAT(refusal(signed_by(next, "k1")), HasSubstr("not by the provider's key"));
  EXPECT_EQ(provider.asked(kKeys), 1U);
}

TEST_F(DocumentsTest, WhatWasGoodStaysWhileTheProviderIsGone) {
  EXPECT_EQ(refusal(signed_by(provider.key, "k1")), "");
  for (const auto* broken : {"", "<html>", "{}", R"({"keys":[]})"}) {
    provider.keys = broken;
    clock.advance(25h);
    EXPECT_EQ(refusal(signed_by(provider.key, "k1")), "") << broken;
    EXPECT_THAT(refusal(signed_by(next, "k9")), HasSubstr("does not publish")) << broken;
  }
  provider.down = true;
  clock.advance(25h);
  EXPECT_EQ(refusal(signed_by(provider.key, "k1")), "");
}

TEST_F(DocumentsTest, AProviderThatIsGoneIsNotAskedAllTheTime) {
  provider.down = true;
  for (int i = 0; i < 10; ++i) {
    const auto asked = documents.metadata();
    ASSERT_FALSE(asked);
    EXPECT_EQ(asked.error().code, Code::kUnavailable);
  }
  EXPECT_EQ(provider.requests.size(), 1U);
  clock.advance(5s);
  provider.down = false;
  EXPECT_TRUE(documents.metadata());
}

TEST_F(DocumentsTest, AnswersThatAreNoneAreNotTaken) {
  for (const auto& answer :
       {Inbound{.status = 302, .content_type = "application/json", .body = "{}"},
        Inbound{.status = 500},
        Inbound{.status = 200, .content_type = "text/html", .body = "{}"}}) {
    provider.instead = [&](const Outbound&) { return answer; };
    EXPECT_EQ(documents.metadata().error().code, Code::kUnavailable);
    clock.advance(5s);
  }
}

TEST_F(DocumentsTest, ManyAtOnceFetchOnce) {
  {
    std::vector<std::jthread> crowd;
    for (int i = 0; i < 8; ++i) {
      crowd.emplace_back([this] { EXPECT_EQ(refusal(signed_by(provider.key, "k1")), ""); });
    }
  }
  EXPECT_EQ(provider.asked(kSelf), 1U);
  EXPECT_EQ(provider.asked(kKeys), 1U);
}

TEST(LifeOf, IsFiveMinutesToADay) {
  struct Case {
    std::string_view header;
    std::chrono::seconds life;
  };
  for (const auto& [header, life] :
       {Case{"", 5min}, Case{"max-age=3600", 1h}, Case{"public, Max-Age=7200", 2h},
        Case{"max-age=1", 5min}, Case{"max-age=99999999", 24h},
        Case{"no-store, max-age=3600", 5min}, Case{"max-age=x", 5min}, Case{"max-age=-5", 5min},
        Case{"max-age=99999999999999999999999", 5min}}) {
    EXPECT_EQ(life_of(header), life) << header;
  }
}

}  // namespace
}  // namespace cairn::oidc
