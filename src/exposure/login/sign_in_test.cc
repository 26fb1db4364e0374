#include "exposure/login/sign_in.h"

#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/login/testing.h"

namespace cairn::login {
namespace {

using ::testing::ElementsAre;
using testing::FakeAuthority;
using ::testing::HasSubstr;

class SignInTest : public ::testing::Test {
 protected:
  // A person who says yes: the browser comes back with a code.
  OpenPage browser(const std::string& more = {}) {
    return [this, more](const std::string& page) {
      const auto query = FakeAuthority::query_of(page);
      const auto back = *Address::parse(*query.get("redirect_uri"));
      const auto target =
          fmt::format("{}?{}", back.target,
                      form_of({{"state", std::string(*query.get("state"))}, {"iss", fake_.url()}}) +
                          (more.empty() ? "&code=" + FakeAuthority::code_for(page) : more));
      browser_ = std::jthread([port = back.origin.port, target] {
        http::testing::RawClient raw(port);
        raw.send(fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", target));
        raw.answer();
      });
    };
  }

  FakeAuthority fake_;
  SystemClock clock_;
  SystemRandom random_;
  Web web_{{}};
  std::vector<int> waited_;  // seconds
  Means means_{web_, clock_, random_,
               [this](std::chrono::seconds time) { waited_.push_back(time.count()); }};
  std::jthread browser_;
};

TEST_F(SignInTest, WorksInABrowser) {
  const auto authority = *discover(web_, fake_.url());
  const auto mine = sign_in_here(means_, authority, {.client_name = "cairn on here"}, browser());
  ASSERT_TRUE(mine) << mine.error().render();
  EXPECT_EQ(mine->server, fake_.url());
  EXPECT_EQ(mine->client, "client-1");
  EXPECT_EQ(mine->tokens.scope, "cas:read");
  EXPECT_TRUE(mine->fresh(clock_.now()));
  // What was asked for: all that the server suggests.
  EXPECT_THAT(fake_.seen().registered.at(0), HasSubstr(R"("scope":"cas:read cas:write")"));
}

TEST_F(SignInTest, UsesTheClientThatIsGiven) {
  const auto authority = *discover(web_, fake_.url());
  const auto mine =
      sign_in_here(means_, authority, {.scope = "cas:read", .client = "mine"}, browser());
  ASSERT_TRUE(mine);
  EXPECT_EQ(mine->client, "mine");
  EXPECT_TRUE(fake_.seen().registered.empty());
}

TEST_F(SignInTest, EndsWhenThePersonSaysNo) {
  const auto authority = *discover(web_, fake_.url());
  const auto mine = sign_in_here(means_, authority, {}, browser("&error=access_denied"));
  EXPECT_EQ(mine.error().code, Code::kForbidden);
}

TEST_F(SignInTest, WorksOnAnotherDevice) {
  const auto authority = *discover(web_, fake_.url());
  fake_.behave({.device_answers = {"authorization_pending", "slow_down", "server_error",
                                   "authorization_pending"}});
  std::string shown;
  const auto mine = sign_in_elsewhere(means_, authority, {}, [&](const DeviceRequest& request) {
    shown = request.user_code + " " + request.page;
  });
  ASSERT_TRUE(mine) << mine.error().render();
  EXPECT_EQ(shown, "BCDF-GHJK " + fake_.url() + "/oauth/device");
  EXPECT_EQ(mine->client, "client-1");
  EXPECT_THAT(waited_, ElementsAre(1, 1, 6, 11, 11));
}

TEST_F(SignInTest, EndsWhenTheOtherDeviceSaysNo) {
  const auto authority = *discover(web_, fake_.url());
  fake_.behave({.device_answers = {"access_denied"}});
  EXPECT_EQ(sign_in_elsewhere(means_, authority, {}, [](const auto&) {}).error().code,
            Code::kForbidden);
}

TEST_F(SignInTest, SaysThatADeviceHasNoPlace) {
  fake_.behave({.metadata = {{"device_authorization_endpoint", ""}}});
  const auto authority = *discover(web_, fake_.url());
  EXPECT_THAT(sign_in_elsewhere(means_, authority, {}, [](const auto&) {}).error().message,
              HasSubstr("leave --device out"));
}

}  // namespace
}  // namespace cairn::login
