#include "exposure/oidc/id_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::oidc {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kNow = 1'800'000'000;
const Expected kExpected{.issuer = "https://idp.example", .client_id = "cairn", .nonce = "n-1"};

json::Object good() {
  return {{"iss", "https://idp.example"},
          {"aud", "cairn"},
          {"sub", "u1"},
          {"exp", kNow + 300},
          {"iat", kNow},
          {"nonce", "n-1"}};
}

std::string refusal(const json::Object& claims, const Expected& expected = kExpected) {
  const auto subject = check_claims(claims, expected, kNow * 1000);
  EXPECT_FALSE(subject);
  if (subject) return "";
  EXPECT_EQ(subject.error().code, Code::kInvalidToken);
  return subject.error().message;
}

TEST(IdToken, SaysWhoSignedIn) {
  EXPECT_EQ(*check_claims(good(), kExpected, kNow * 1000), "u1");
  auto claims = good();
  claims["aud"] = json::Array{"cairn"};
  claims["azp"] = "cairn";
  claims["iat"] = static_cast<double>(kNow) + 0.5;
  EXPECT_TRUE(check_claims(claims, kExpected, kNow * 1000));
  claims["aud"] = json::Array{"other", "cairn"};
  EXPECT_TRUE(check_claims(claims, kExpected, kNow * 1000));
}

TEST(IdToken, EachThingThatIsWrongHasItsSentence) {
  struct Case {
    std::string_view claim;
    json::Value value;  // null: left out
    std::string_view sentence;
  };
  const Case cases[] = {
      {"iss", "https://idp.example/", "another provider (iss 'https://idp.example/')"},
      {"iss", nullptr, "another provider"},
      {"iss", json::Array{"https://idp.example"}, "another provider"},
      {"aud", "other", "another program (aud)"},
      {"aud", nullptr, "another program (aud)"},
      {"aud", json::Array(), "another program (aud)"},
      {"aud", json::Array{"other"}, "another program (aud)"},
      {"aud", "cairn2", "another program (aud)"},
      {"aud", json::Array{"cairn", "other"}, "another program (azp)"},
      {"azp", "other", "another program (azp)"},
      {"azp", 7, "another program (azp)"},
      {"exp", kNow - 60, "has expired"},
      {"exp", 0, "has expired"},
      {"exp", nullptr, "has no 'exp'"},
      {"exp", "tomorrow", "'exp' in the provider's ID token is not a time"},
      {"exp", -1, "not a time"},
      {"exp", 1e300, "not a time"},
      {"iat", kNow + 61, "issued in the future"},
      {"iat", nullptr, "has no 'iat'"},
      {"nbf", kNow + 61, "not valid yet"},
      {"nonce", "n-2", "(nonce)"},
      {"nonce", "", "(nonce)"},
      {"nonce", nullptr, "(nonce)"},
      {"sub", nullptr, "does not say who"},
      {"sub", "", "does not say who"},
      {"sub", 7, "does not say who"},
      {"sub", json::Value(std::string(256, 'x')), "does not say who"},
  };
  for (const auto& one : cases) {
    auto claims = good();
    if (one.value.is_null()) {
      claims.erase(one.claim);
    } else {
      claims[one.claim] = one.value;
    }
    EXPECT_THAT(refusal(claims), HasSubstr(one.sentence)) << one.claim;
  }
}

TEST(IdToken, ClocksMayDifferByAMinute) {
  auto claims = good();
  claims["exp"] = kNow - 59;
  claims["iat"] = kNow + 60;
  claims["nbf"] = kNow + 60;
  EXPECT_TRUE(check_claims(claims, kExpected, kNow * 1000));
}

TEST(IdToken, WhenANewPasswordWasAskedForItIsLookedAt) {
  auto expected = kExpected;
  expected.max_age = std::chrono::minutes(10);
  auto claims = good();
  EXPECT_THAT(refusal(claims, expected), HasSubstr("has no 'auth_time'"));
  claims["auth_time"] = kNow - 661;
  EXPECT_THAT(refusal(claims, expected), HasSubstr("(auth_time)"));
  claims["auth_time"] = kNow - 600;
  EXPECT_TRUE(check_claims(claims, expected, kNow * 1000));
}

TEST(IdToken, NoNonceIsNeverRight) {
  auto expected = kExpected;
  expected.nonce = "";
  auto claims = good();
  claims.erase("nonce");
  EXPECT_THAT(refusal(claims, expected), HasSubstr("(nonce)"));
}

}  // namespace
}  // namespace cairn::oidc
