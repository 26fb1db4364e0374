#include "exposure/cli/identity.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::string_view kServer = "https://cairn.example";

class IdentityTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "identity-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    for (const auto* variable : {"CAIRN_TOKEN", "CAIRN_TOKEN_FILE", "CAIRN_REFRESH_TOKEN"}) {
      ::unsetenv(variable);
    }
    ::setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  }
  void TearDown() override {
    SetUp();
    fs::remove_all(folder_);
  }

  std::string a_file(const std::string& content) const {
    const auto path = folder_ / "file";
    std::ofstream(path) << content;
    fs::permissions(path, fs::perms(0600));
    return path;
  }
  login::Credentials a_sign_in(const std::string& server = std::string(kServer)) const {
    return {.server = server,
            .issuer = server,
            .client = "c",
            .token_endpoint = server + "/token",
            .revocation_endpoint = {},
            .tokens = {.access = "signed-in",
                       .refresh = "r",
                       .scope = "cas:read",
                       .lasts = std::chrono::seconds(3600)},
            .signed_in_at = clock_.now(),
            .renewed_at = clock_.now()};
  }
  std::string token() {
    const auto who = identity(options_, std::string(kServer), clock_);
    if (!who) return who.error().render();
    if (!who->source) return who->token;
    const auto found = who->source({});
    return found ? *found : found.error().render();
  }

  ManualClock clock_;
  fs::path folder_;
  Options options_;
};

TEST_F(IdentityTest, IsASignInUnlessATokenIsGiven) {
  EXPECT_THAT(token(), HasSubstr("sign in with 'cairn login --server https://cairn.example'"));
  const login::CredentialsFile file(login::CredentialsFile::usual(*http::Url::parse(kServer)));
  {
    const auto lock = file.lock();
    ASSERT_TRUE(file.write(a_sign_in()));
  }
  EXPECT_EQ(token(), "signed-in");
  ::setenv("CAIRN_TOKEN", "from-environment", 1);
  EXPECT_EQ(token(), "from-environment");
  options_.token = "given";
  EXPECT_EQ(token(), "given");
}

TEST_F(IdentityTest, IsInAFileOfEitherKind) {
  ::setenv("CAIRN_TOKEN_FILE", a_file("first\n").c_str(), 1);
  EXPECT_EQ(token(), "first");
  a_file("second\n");
  EXPECT_EQ(token(), "second");
  a_file(a_sign_in().render());
  EXPECT_EQ(token(), "signed-in");
  EXPECT_THAT(given_token(options_).error().message, HasSubstr("name that server with --server"));
  ::setenv("CAIRN_TOKEN", "t", 1);
  EXPECT_THAT(token(), HasSubstr("are both set"));
}

TEST_F(IdentityTest, ReadsAFileAgainThatSomebodyElseKeeps) {
  options_.token_file = a_file("first\n");
  const auto who = identity(options_, std::string(kServer), clock_);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->source({}), "first");
  a_file("second\n");
  EXPECT_EQ(who->source("first"), "second");
}

TEST_F(IdentityTest, IsNeverOfAnotherServer) {
  options_.token_file = a_file(a_sign_in("https://other.example").render());
  EXPECT_THAT(token(), HasSubstr("not sent to https://cairn.example"));
}

TEST_F(IdentityTest, RefusesARefreshTokenInTheEnvironment) {
  ::setenv("CAIRN_REFRESH_TOKEN", "r", 1);
  EXPECT_THAT(token(), HasSubstr("INVALID_ARGUMENT: CAIRN_REFRESH_TOKEN is set"));
  EXPECT_THAT(token(), HasSubstr("cairn login"));
  EXPECT_THAT(token(), HasSubstr("cairn delegate create --key"));
  // Whoever says who one is does not look there.
  options_.token = "given";
  EXPECT_EQ(token(), "given");
}

TEST_F(IdentityTest, NeedsNoneOverASocket) {
  const auto who = identity(options_, "unix:/x/cairn.sock", clock_);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->token, "");
  EXPECT_FALSE(who->source);
}

}  // namespace
}  // namespace cairn::cli
