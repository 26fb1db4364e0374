#include "exposure/login/signed_in.h"

#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/login/testing.h"

namespace cairn::login {
namespace {

namespace fs = std::filesystem;
using testing::FakeAuthority;
using ::testing::HasSubstr;

class SignedInTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "signed-in-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    keep({});
  }
  void TearDown() override { fs::remove_all(folder_); }

  CredentialsFile file() const { return CredentialsFile(folder_ / "host"); }
  void keep(const std::string& server) {
    const auto now = clock_.now();
    ASSERT_TRUE(file().write({.server = server.empty() ? fake_.url() : server,
                              .issuer = fake_.url(),
                              .client = "client-1",
                              .token_endpoint = fake_.url() + "/token",
                              .revocation_endpoint = fake_.url() + "/revoke",
                              .tokens = {.access = "access-0",
                                         .refresh = fake_.a_refresh_token(),
                                         .scope = "cas:read",
                                         .lasts = std::chrono::seconds(3600)},
                              .signed_in_at = now,
                              .renewed_at = now}));
  }
  SignedIn somebody() { return {file(), fake_.url(), clock_, {}}; }

  ManualClock clock_;
  FakeAuthority fake_;
  fs::path folder_;
};

TEST_F(SignedInTest, SendsTheTokenAsLongAsItIsGood) {
  auto me = somebody();
  EXPECT_EQ(me.token({}), "access-0");
  EXPECT_EQ(me.token({}), "access-0");
  EXPECT_EQ(fake_.seen().refreshes, 0);
}

TEST_F(SignedInTest, RenewsItBeforeItEnds) {
  auto me = somebody();
  clock_.advance(std::chrono::minutes(59) + std::chrono::seconds(30));
  const auto token = me.token({});
  ASSERT_TRUE(token) << token.error().render();
  EXPECT_NE(*token, "access-0");
  EXPECT_EQ((*file().read())->tokens.access, *token);
  EXPECT_EQ(me.token({}), *token);
  EXPECT_EQ(fake_.seen().refreshes, 1);
}

TEST_F(SignedInTest, RenewsWhatWasRefused) {
  auto me = somebody();
  const auto token = me.token("access-0");
  ASSERT_TRUE(token);
  EXPECT_NE(*token, "access-0");
  EXPECT_EQ(fake_.seen().refreshes, 1);
}

TEST_F(SignedInTest, TakesWhatAnotherHasRenewed) {
  auto one = somebody();
  auto other = somebody();
  EXPECT_EQ(other.token({}), "access-0");
  const auto token = one.token("access-0");
  EXPECT_EQ(other.token("access-0"), *token);
  EXPECT_EQ(fake_.seen().refreshes, 1);
}

TEST_F(SignedInTest, ManyThatRenewAtOnceDoItOnce) {
  clock_.advance(std::chrono::hours(2));
  std::vector<std::thread> all;
  std::vector<std::string> tokens(16);
  for (auto& mine : tokens) {
    all.emplace_back([&] {
      auto me = somebody();
      const auto token = me.token({});
      mine = token ? *token : token.error().render();
    });
  }
  for (auto& one : all) one.join();
  for (const auto& mine : tokens) EXPECT_EQ(mine, tokens.front());
  const auto seen = fake_.seen();
  EXPECT_EQ(seen.refreshes, 1);
  EXPECT_EQ(seen.replays, 0);
}

TEST_F(SignedInTest, SaysWhenItIsOver) {
  fake_.behave({.refresh_status = 400});
  auto me = somebody();
  const auto over = me.token("access-0");
  EXPECT_EQ(over.error().code, Code::kInvalidToken);
  EXPECT_THAT(over.error().message, HasSubstr("cairn login --server " + fake_.url()));
  ASSERT_TRUE(file().remove());
  EXPECT_THAT(somebody().token({}).error().message, HasSubstr("signed out"));
}

TEST_F(SignedInTest, AServerThatIsAwayEndsNothing) {
  fake_.behave({.refresh_status = 503});
  auto me = somebody();
  // Nearly over is good still.
  clock_.advance(std::chrono::minutes(59) + std::chrono::seconds(30));
  EXPECT_EQ(me.token({}), "access-0");
  clock_.advance(std::chrono::hours(1));
  EXPECT_EQ(me.token({}).error().code, Code::kUnavailable);
  fake_.behave({});
  EXPECT_TRUE(me.token({}));
}

TEST_F(SignedInTest, NeverSendsItsTokensElsewhere) {
  keep("https://other.example");
  const auto refused = somebody().token({});
  EXPECT_EQ(refused.error().code, Code::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("not sent to " + fake_.url()));
  EXPECT_TRUE(fake_.seen().token_forms.empty());
}

}  // namespace
}  // namespace cairn::login
