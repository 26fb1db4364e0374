#include "exposure/oidc/metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/json/json.h"
#include "exposure/oidc/oidc_testing.h"

namespace cairn::oidc {
namespace {

using ::testing::HasSubstr;

const std::string kIssuer(testing::FakeProvider::kIssuer);

json::Object good() {
  const ManualClock clock;
  return testing::FakeProvider(clock).metadata;
}

TEST(Metadata, IsReadAsFarAsItMatters) {
  const auto read = Metadata::parse(json::write(good()), kIssuer);
  ASSERT_TRUE(read) << read.error().render();
  EXPECT_EQ(read->authorization_endpoint, kIssuer + "/authorize?tenant=1");
  EXPECT_EQ(read->token_endpoint, "https://tokens.example/token");
  EXPECT_TRUE(read->basic) << "what the standard says when nothing is said";
  EXPECT_FALSE(read->says_issuer_back);
  auto other = good();
  other["token_endpoint_auth_methods_supported"] =
      json::Array{"private_key_jwt", "client_secret_post"};
  other["authorization_response_iss_parameter_supported"] = true;
  other.erase("userinfo_endpoint");
  const auto second = Metadata::parse(json::write(other), kIssuer);
  ASSERT_TRUE(second) << second.error().render();
  EXPECT_FALSE(second->basic);
  EXPECT_TRUE(second->says_issuer_back);
  EXPECT_EQ(second->userinfo_endpoint, "");
}

TEST(Metadata, RefusesWhatLeadsElsewhere) {
  struct Case {
    std::string_view name;
    json::Value value;
    std::string_view sentence;
  };
  const Case cases[] = {
      {"issuer", "https://idp.example/pool/", "calls itself 'https://idp.example/pool/'"},
      {"issuer", "https://evil.example", "calls itself 'https://evil.example'"},
      {"token_endpoint", "http://tokens.example/token", "token_endpoint"},
      {"token_endpoint", "http://127.0.0.1/token", "token_endpoint"},
      {"token_endpoint", 7, "token_endpoint"},
      {"jwks_uri", "file:///etc/passwd", "jwks_uri"},
      {"jwks_uri", "https://user@host/keys", "jwks_uri"},
      {"userinfo_endpoint", "gopher://x", "userinfo_endpoint"},
      {"authorization_endpoint", "javascript:alert(1)", "authorization_endpoint"},
      {"authorization_endpoint", "https://a/#x", "authorization_endpoint"},
      {"authorization_endpoint", "https://a/\nSet-Cookie: x", "authorization_endpoint"},
      {"response_types_supported", json::Array{"id_token"}, "'code'"},
      {"id_token_signing_alg_values_supported", json::Array{"HS256", "none"}, "HS256, none only"},
  };
  for (const auto& one : cases) {
    auto document = good();
    document[one.name] = one.value;
    const auto read = Metadata::parse(json::write(document), kIssuer);
    ASSERT_FALSE(read) << one.name;
    EXPECT_THAT(read.error().message, HasSubstr(one.sentence));
  }
  for (const auto* bad : {"", "[]", "<html>", "{}"}) EXPECT_FALSE(Metadata::parse(bad, kIssuer));
}

TEST(Metadata, OnThisMachineItMayBePlain) {
  auto document = json::write(good());
  for (std::string_view from : {"https://idp.example/pool", "https://tokens.example"}) {
    for (auto at = document.find(from); at != document.npos; at = document.find(from)) {
      document.replace(at, from.size(), "http://127.0.0.1:9000");
    }
  }
  EXPECT_TRUE(Metadata::parse(document, "http://127.0.0.1:9000"));
  EXPECT_FALSE(check_address("http://192.0.2.1/keys", "http://127.0.0.1:9000", "x"));
}

TEST(Metadata, IsBelowItsIssuer) {
  EXPECT_EQ(metadata_address("https://a"), "https://a/.well-known/openid-configuration");
  EXPECT_EQ(metadata_address("https://a/b"), "https://a/b/.well-known/openid-configuration");
  EXPECT_EQ(metadata_address("https://a/b/"), "https://a/b/.well-known/openid-configuration");
}

}  // namespace
}  // namespace cairn::oidc
