#include "exposure/login/loopback.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/login/testing.h"

namespace cairn::login {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Authority an_authority() {
  return {.resource = "https://cairn.example",
          .issuer = "https://cairn.example",
          .authorization_endpoint = {},
          .token_endpoint = {},
          .names_itself = true};
}

class LoopbackTest : public ::testing::Test {
 protected:
  std::string open(const std::string& rest) {
    const auto address = *Address::parse(loopback_->address());
    http::testing::RawClient browser(address.origin.port);
    browser.send(fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", rest));
    return browser.answer();
  }
  Result<std::string> outcome() { return loopback_->wait(std::chrono::minutes(1)); }

  std::unique_ptr<Loopback> loopback_ = *Loopback::listen(an_authority(), "the-state");
};

TEST_F(LoopbackTest, TakesTheCodeThatComesBack) {
  EXPECT_THAT(loopback_->address(), HasSubstr("http://127.0.0.1:"));
  const auto page = open("/callback?code=c%2B1&state=the-state&iss=https%3A%2F%2Fcairn.example");
  EXPECT_THAT(page, HasSubstr("200"));
  EXPECT_THAT(page, HasSubstr("Signed in"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_EQ(outcome(), "c+1");
}

TEST_F(LoopbackTest, ABrowsersOtherConnectionsAreInNobodysWay) {
  const auto port = Address::parse(loopback_->address())->origin.port;
  const http::testing::RawClient speculative(port);
  http::testing::RawClient slow(port);
  slow.send("GET /callback?co");
  EXPECT_THAT(open("/favicon.ico"), HasSubstr("404"));
  open("/callback?code=c&state=the-state&iss=https://cairn.example");
  EXPECT_EQ(outcome(), "c");
}

TEST_F(LoopbackTest, OnlyTheStateThatWasSentCounts) {
  for (const auto* wrong : {"/callback?code=evil&iss=https://cairn.example",
                            "/callback?code=evil&state=other&iss=https://cairn.example",
                            "/callback?code=evil&state=the-state&state=the-state"}) {
    EXPECT_THAT(open(wrong), HasSubstr("Nothing was done")) << wrong;
  }
  EXPECT_THAT(open("/callback?code=good&state=the-state&iss=https://cairn.example"),
              HasSubstr("Signed in"));
  EXPECT_THAT(open("/callback?code=late&state=the-state&iss=https://cairn.example"),
              HasSubstr("is over"));
  EXPECT_EQ(outcome(), "good");
}

TEST_F(LoopbackTest, AnAnswerOfAnotherServerIsNone) {
  EXPECT_THAT(open("/callback?code=c&state=the-state&iss=https://evil.example"),
              HasSubstr("Not signed in"));
  EXPECT_EQ(outcome().error().code, Code::kInvalidToken);
}

TEST_F(LoopbackTest, AnAnswerOfNobodyIsNoneWhereAllNameThemselves) {
  open("/callback?code=c&state=the-state");
  EXPECT_EQ(outcome().error().code, Code::kInvalidToken);
}

TEST_F(LoopbackTest, APersonMaySayNo) {
  const auto page = open(
      "/callback?error=access_denied&error_description=%3Cb%3Eno%3C/b%3E&state=the-state"
      "&iss=https://cairn.example");
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_EQ(outcome().error().code, Code::kForbidden);
}

TEST_F(LoopbackTest, NobodyIsWaitedForForEver) {
  const auto nobody = loopback_->wait(std::chrono::milliseconds(1));
  EXPECT_EQ(nobody.error().code, Code::kRequestTimeout);
  EXPECT_THAT(nobody.error().message, HasSubstr("--device"));
}

}  // namespace
}  // namespace cairn::login
