// The small parts: forms, scopes, PKCE, origins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/oauth/origin.h"
#include "data/oauth/parameters.h"
#include "data/oauth/pkce.h"
#include "data/oauth/scopes.h"
#include "data/tree/tree_testing.h"

namespace cairn::oauth {
namespace {

TEST(Forms, AreReadWithWhatCameTwice) {
  const auto form = parse_form("a=1&b=x%20y+z&a=2&empty=&bare&&c=%26%3D");
  ASSERT_TRUE(form);
  EXPECT_EQ(parameter(*form, "a"), "1");
  EXPECT_EQ(parameter(*form, "b"), "x y z");
  EXPECT_EQ(parameter(*form, "empty"), std::nullopt) << "an empty one is none";
  EXPECT_EQ(parameter(*form, "c"), "&=");
  EXPECT_THAT(every_parameter(*form, "a"), testing::ElementsAre("1", "2"));
  EXPECT_EQ(repeated(*form), "a");
  EXPECT_EQ(repeated(*form, "a"), std::nullopt);
  for (const auto* bad : {"a=%", "a=%2", "a=%zz", "a=%00", "%0"})
    EXPECT_FALSE(parse_form(bad)) << bad;
}

TEST(Forms, AreWrittenSoThatTheyAreReadAgain) {
  const Parameters all{{"state", "a b+c&d=e/é\"<>"}, {"iss", "https://x.example:1"}};
  EXPECT_EQ(parse_form(write_form(all)), all);
}

TEST(Scopes, AreReadAndWritten) {
  struct Case {
    std::string_view text;
    std::optional<Scopes> scopes;
  };
  const Case cases[] = {
      {"", kBaseline},
      {"cas:read", Scopes{}},
      {"cas:write", Scopes{.write = true}},
      {"cas:read cas:write", Scopes{.write = true}},
      {"depot:manage", Scopes{.manage = true}},
      {"cas:write depot:manage cas:read", Scopes{.write = true, .manage = true}},
      {"openid profile email offline_access", kBaseline},
      {"cas:read openid", Scopes{}},
      {"cas:read unheard:of", Scopes{}},
      {"unheard:of", std::nullopt},
      {"admin", std::nullopt},
      {"openid unheard:of", std::nullopt},
      {"CAS:READ", std::nullopt},
  };
  for (const auto& one : cases) EXPECT_EQ(parse_scopes(one.text), one.scopes) << one.text;
  EXPECT_EQ(kBaseline.render(), "cas:read cas:write");
  EXPECT_EQ((Scopes{.write = false, .manage = true}.render()), "cas:read depot:manage");
  EXPECT_TRUE(kBaseline.covers({}));
  EXPECT_FALSE(kBaseline.covers({.manage = true}));
}

TEST(Pkce, ProvesTheVerifierOfRfc7636) {
  constexpr auto kVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  constexpr auto kChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
  EXPECT_EQ(challenge_of(kVerifier), kChallenge);
  EXPECT_TRUE(proves(kVerifier, kChallenge));
  EXPECT_FALSE(proves(kChallenge, kChallenge)) << "plain is no proof";
  EXPECT_FALSE(proves("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjX", challenge_of("")));
}

TEST(Pkce, KnowsChallengesAndVerifiersByTheirLooks) {
  const std::string a43(43, 'a');
  EXPECT_TRUE(is_challenge(a43));
  for (const auto& bad : {std::string(42, 'a'), std::string(44, 'a'), std::string(42, 'a') + "=",
                          std::string(42, 'a') + "~", std::string()}) {
    EXPECT_FALSE(is_challenge(bad)) << bad;
  }
  EXPECT_TRUE(is_verifier(a43));
  EXPECT_TRUE(is_verifier(std::string(125, 'a') + "-._"));
  for (const auto& bad :
       {std::string(42, 'a'), std::string(129, 'a'), std::string(43, 'a') + "+"}) {
    EXPECT_FALSE(is_verifier(bad)) << bad;
  }
}

TEST(Origins, AreTheSameHoweverTheyAreWritten) {
  using tree_testing::must;
  struct Case {
    std::string_view text;
    std::string_view origin;  // empty: none
  };
  const Case cases[] = {
      {"https://cairn.example", "https://cairn.example"},
      {"https://cairn.example/", "https://cairn.example"},
      {"HTTPS://Cairn.Example:443", "https://cairn.example"},
      {"http://localhost:80", "http://localhost"},
      {"http://localhost:8765", "http://localhost:8765"},
      {"http://[::1]:8765", "http://[::1]:8765"},
      {"https://cairn.example/path", ""},
      {"https://cairn.example?x", ""},
      {"https://cairn.example#x", ""},
      {"https://user@cairn.example", ""},
      {"ftp://cairn.example", ""},
      {"cairn.example", ""},
      {"https://", ""},
      {"https://a b", ""},
      {"https://cairn.example:0", ""},
      {"https://cairn.example:70000", ""},
  };
  for (const auto& one : cases) {
    const auto origin = Origin::parse(one.text);
    EXPECT_EQ(origin ? origin->text() : "", one.origin) << one.text;
  }
  EXPECT_TRUE(must(Origin::parse("http://[::1]:1")).is_loopback());
  EXPECT_TRUE(must(Origin::parse("http://127.1.2.3:1")).is_loopback());
  EXPECT_FALSE(must(Origin::parse("http://127.example:1")).is_loopback());
  EXPECT_FALSE(must(Origin::parse("https://localhost.example")).is_loopback());
}

}  // namespace
}  // namespace cairn::oauth
