#include "exposure/oidc/jwt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64url.h"
#include "exposure/oidc/oidc_testing.h"

namespace cairn::oidc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string with_header(std::string_view header, std::string_view claims = R"({"sub":"secret"})") {
  return base64url_encode(header) + "." + base64url_encode(claims) + "." +
         base64url_encode("signature");
}

TEST(Jwt, IsTakenApart) {
  const auto text = with_header(R"({"alg":"ES256","kid":"k1","typ":"JWT","jku":"http://evil"})");
  const auto jwt = Jwt::parse(text);
  ASSERT_TRUE(jwt) << jwt.error().render();
  EXPECT_EQ(jwt->algorithm, Algorithm::kEs256);
  EXPECT_EQ(jwt->key_id, "k1");
  EXPECT_EQ(jwt->payload, R"({"sub":"secret"})");
  EXPECT_EQ(jwt->signature, "signature");
  EXPECT_EQ(jwt->signed_part, text.substr(0, text.rfind('.')));
  EXPECT_EQ(*jwt->claims(), (json::Object{{"sub", "secret"}}));
}

TEST(Jwt, EachAlgorithmThatIsNotAcceptedHasItsSentence) {
  struct Case {
    std::string_view header, sentence;
  };
  for (const auto& [header, sentence] : {
           Case{R"({"alg":"none"})", "is not signed (alg none)"},
           Case{R"({"alg":"None"})", "is not signed (alg none)"},
           Case{R"({"alg":"nOnE"})", "is not signed (alg none)"},
           Case{R"({"alg":"HS256"})", "shared secret (HS256)"},
           Case{R"({"alg":"HS512"})", "shared secret (HS512)"},
           Case{R"({"alg":"RS1"})", "signed with 'RS1'"},
           Case{R"({"alg":"rs256"})", "signed with 'rs256'"},
           Case{R"({"alg":"RS256 "})", "signed with 'RS256 '"},
           Case{R"({"alg":"ES256K"})", "signed with 'ES256K'"},
           Case{R"({"alg":""})", "does not say how"},
           Case{R"({})", "does not say how"},
           Case{R"({"alg":7})", "'alg'"},
           Case{R"({"alg":["RS256"]})", "'alg'"},
           Case{R"({"alg":"RS256","crit":["exp"]})", "'crit'"},
           Case{R"({"alg":"RS256","crit":null})", "'crit'"},
           Case{R"({"alg":"RS256","typ":"at+jwt"})", "type 'at+jwt'"},
           Case{R"({"alg":"RS256","typ":"logout+jwt"})", "type 'logout+jwt'"},
           Case{R"({"alg":"RS256","kid":3})", "'kid'"},
       }) {
    const auto jwt = Jwt::parse(with_header(header));
    ASSERT_FALSE(jwt) << header;
    EXPECT_EQ(jwt.error().code, Code::kInvalidToken);
    EXPECT_THAT(jwt.error().message, AllOf(HasSubstr(sentence), Not(HasSubstr("secret\""))))
        << header;
  }
}

TEST(Jwt, WhatIsNotThreePartsIsNone) {
  const auto good = with_header(R"({"alg":"RS256"})");
  ASSERT_TRUE(Jwt::parse(good));
  const auto head = base64url_encode(R"({"alg":"RS256"})");
  for (const std::string& bad :
       {std::string(), std::string("."), std::string(".."), std::string("..."), good + ".",
        good + ".x", "." + good, good + "=", good + " ", "\n" + good, head + "." + head,
        // The header twice over: a parser that takes the last would see another algorithm.
        base64url_encode(R"({"alg":"none","alg":"RS256"})") + ".e30.AA",
        base64url_encode(R"(["RS256"])") + ".e30.AA",
        base64url_encode("\xef\xbb\xbf{}") + ".e30.AA",
        // Of five parts: encrypted.
        head + ".e30.e30.e30.AA",
        // The same bytes spelled differently are another token.
        head + "=.e30.AA", head + ".e30.AB"}) {
    EXPECT_FALSE(Jwt::parse(bad)) << bad;
  }
  EXPECT_FALSE(Jwt::parse(with_header(R"({"alg":"RS256"})", std::string(Jwt::kMaxBytes, ' '))));
  const auto deep =
      R"({"alg":"RS256","x":)" + std::string(5000, '[') + std::string(5000, ']') + "}";
  EXPECT_FALSE(Jwt::parse(with_header(deep)));
}

TEST(Jwt, ClaimsAreAnObjectWithoutDoubles) {
  for (const auto* bad : {"", "[]", "7", "{", R"({"sub":"a","sub":"b"})", "{} {}", "\xff"}) {
    const auto jwt = Jwt::parse(with_header(R"({"alg":"RS256"})", bad));
    ASSERT_TRUE(jwt) << bad;
    EXPECT_FALSE(jwt->claims()) << bad;
  }
}

}  // namespace
}  // namespace cairn::oidc
