#include "exposure/oidc/key_set.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/base64url.h"
#include "base/sha256.h"
#include "exposure/oidc/oidc_testing.h"

namespace cairn::oidc {
namespace {

using oidc::testing::joined;
using oidc::testing::key_set;
using oidc::testing::SigningKey;
using oidc::testing::token;
using enum KeySet::Verdict;

const json::Object kClaims{{"sub", "u1"}};

KeySet::Verdict check(const KeySet& keys, std::string_view text) {
  const auto jwt = Jwt::parse(text);
  EXPECT_TRUE(jwt) << jwt.error().render();
  return keys.check(*jwt);
}

TEST(KeySet, FindsTheKeyByItsName) {
  const auto a = SigningKey::rsa(0);
  const auto b = SigningKey::rsa(1);
  const auto keys = *KeySet::parse(key_set({a.jwk("a"), b.jwk("b")}));
  EXPECT_EQ(keys.size(), 2U);
  EXPECT_EQ(check(keys, token("a", kClaims, Algorithm::kRs256, a)), kGood);
  EXPECT_EQ(check(keys, token("b", kClaims, Algorithm::kPs256, b)), kGood);
  EXPECT_EQ(check(keys, token("b", kClaims, Algorithm::kRs256, a)), kForged);
  EXPECT_EQ(check(keys, token("c", kClaims, Algorithm::kRs256, a)), kUnknownKey);
  // Its name is of a key for another algorithm.
  EXPECT_EQ(check(keys, token("a", kClaims, Algorithm::kEs256, SigningKey::p256())), kUnknownKey);
}

TEST(KeySet, WithoutANameThereMustBeOneThatFits) {
  const auto rsa = SigningKey::rsa();
  const auto p256 = SigningKey::p256();
  const json::Object bare{{"alg", "ES256"}};
  const auto one = *KeySet::parse(key_set({rsa.jwk("a"), p256.jwk("b")}));
  EXPECT_EQ(check(one, token(bare, kClaims, Algorithm::kEs256, p256)), kGood);
  const auto two = *KeySet::parse(key_set({p256.jwk("a"), SigningKey::p256(1).jwk("b")}));
  EXPECT_EQ(check(two, token(bare, kClaims, Algorithm::kEs256, p256)), kUnknownKey);
}

TEST(KeySet, NoKeyOfItsOwnIsBelieved) {
  const auto ours = SigningKey::p256();
  const auto theirs = SigningKey::p256(1);
  const auto keys = *KeySet::parse(key_set({ours.jwk("a")}));
  for (const auto* member : {"jwk", "x5c", "jku"}) {
    json::Object header{{"alg", "ES256"}, {"kid", "a"}};
    header[member] = theirs.jwk("a");
    EXPECT_EQ(check(keys, token(header, kClaims, Algorithm::kEs256, theirs)), kForged) << member;
  }
}

TEST(KeySet, APublicKeyIsNoSecret) {
  const auto key = SigningKey::rsa();
  const auto head = json::Object{{"alg", "HS256"}, {"kid", "a"}};
  const auto body =
      base64url_encode(json::write(head)) + "." + base64url_encode(json::write(kClaims));
  const auto mac = hmac_sha256(key.pem(), body);
  const auto text = joined(head, kClaims, {reinterpret_cast<const char*>(mac.data()), mac.size()});
  EXPECT_FALSE(Jwt::parse(text));
  // Nor is a secret in the set a key.
  const auto keys =
      *KeySet::parse(key_set({json::Object{{"kty", "oct"}, {"kid", "a"}, {"k", "c2VjcmV0"}}}));
  EXPECT_EQ(keys.size(), 0U);
}

TEST(KeySet, LeavesOutWhatItCannotUse) {
  auto jwk = SigningKey::ed25519().jwk("good");
  json::Array all{7, json::Object(), json::Object{{"kty", "RSA"}}, jwk};
  const auto keys = KeySet::parse(json::write(json::Object{{"keys", all}}));
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->size(), 1U);
  all = json::Array();
  for (int i = 0; i < 300; ++i) all.push_back(jwk);
  EXPECT_EQ(KeySet::parse(json::write(json::Object{{"keys", all}}))->size(), KeySet::kMaxKeys);
}

TEST(KeySet, RefusesWhatIsNone) {
  for (const std::string& bad :
       {std::string(), std::string("[]"), std::string("{}"), std::string(R"({"keys":{}})"),
        std::string("<html>"), std::string(KeySet::kMaxBytes + 1, ' ')}) {
    EXPECT_FALSE(KeySet::parse(bad));
  }
}

}  // namespace
}  // namespace cairn::oidc
