#include "exposure/login/credentials.h"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace cairn::login {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr Millis kNow = 1'700'000'000'000;

Credentials some() {
  return {.server = "https://cairn.example",
          .issuer = "https://cairn.example",
          .client = "client-1",
          .token_endpoint = "https://cairn.example/api/auth/token",
          .revocation_endpoint = "https://cairn.example/api/auth/revoke",
          .tokens = {.access = "a",
                     .refresh = "r",
                     .scope = "cas:read",
                     .lasts = std::chrono::seconds(3600)},
          .signed_in_at = kNow,
          .renewed_at = kNow};
}

class CredentialsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "credentials-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  static mode_t mode_of(const fs::path& path) {
    struct stat about{};
    EXPECT_EQ(::stat(path.c_str(), &about), 0);
    return about.st_mode & 0777U;
  }

  fs::path folder_;
};

TEST_F(CredentialsTest, AreReadAsTheyWereWritten) {
  const CredentialsFile file(folder_ / "deep/er/host");
  EXPECT_FALSE(file.read()->has_value());
  {
    const auto lock = file.lock();
    ASSERT_TRUE(lock) << lock.error().render();
    ASSERT_TRUE(file.write(some()));
  }
  const auto found = file.read();
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->render(), some().render());
  EXPECT_EQ((*found)->tokens.lasts, std::chrono::seconds(3600));
  EXPECT_EQ(mode_of(file.path()), 0600U);
  EXPECT_EQ(mode_of(folder_ / "deep/er"), 0700U);
  ASSERT_TRUE(file.remove());
  ASSERT_TRUE(file.remove());
  EXPECT_FALSE(file.read()->has_value());
}

TEST_F(CredentialsTest, ThatOthersMayReadAreRefused) {
  const CredentialsFile file(folder_ / "host");
  ASSERT_TRUE(file.write(some()));
  fs::permissions(file.path(), fs::perms(0644));
  const auto found = file.read();
  EXPECT_EQ(found.error().code, Code::kForbidden);
  EXPECT_THAT(found.error().message, HasSubstr("chmod 600"));
}

TEST_F(CredentialsTest, ThatAreSomethingElseAreSaidToBe) {
  const CredentialsFile file(folder_ / "host");
  for (const auto* text :
       {"", "token", "{}", R"({"version": 2})", R"({"version": 1, "server": "https://a"})"}) {
    std::ofstream(file.path()) << text;
    fs::permissions(file.path(), fs::perms(0600));
    const auto found = file.read();
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().code, Code::kInvalidArgument) << text;
    EXPECT_THAT(found.error().message, HasSubstr("sign in again")) << text;
  }
}

TEST_F(CredentialsTest, AreInAFileForEachServer) {
  ::setenv("XDG_CONFIG_HOME", "/c", 1);
  const auto name = [](std::string_view url) {
    return CredentialsFile::usual(*http::Url::parse(url)).string();
  };
  EXPECT_EQ(name("https://Cairn.Example"), "/c/cairn/credentials/cairn.example");
  EXPECT_EQ(name("https://cairn.example:443"), "/c/cairn/credentials/cairn.example");
  EXPECT_EQ(name("http://cairn.example"), "/c/cairn/credentials/cairn.example:80");
  EXPECT_EQ(name("http://[::1]:8765"), "/c/cairn/credentials/[::1]:8765");
  ::setenv("XDG_CONFIG_HOME", "relative", 1);
  ::setenv("HOME", "/home/ada", 1);
  EXPECT_EQ(name("http://127.0.0.1:8765"), "/home/ada/.config/cairn/credentials/127.0.0.1:8765");
}

TEST_F(CredentialsTest, AreLockedForOneAtATime) {
  const CredentialsFile file(folder_ / "host");
  auto lock = file.lock();
  ASSERT_TRUE(lock);
  std::atomic<bool> second = false;
  std::thread other([&] {
    const auto mine = file.lock();
    EXPECT_TRUE(mine);
    second = true;
  });
  EXPECT_FALSE(second);
  *lock = os::Handle();
  other.join();
  EXPECT_TRUE(second);
}

TEST(Credentials, AreRenewedBeforeTheyEnd) {
  auto mine = some();
  constexpr Millis kSecond = 1000;
  EXPECT_TRUE(mine.fresh(kNow));
  EXPECT_TRUE(mine.fresh(kNow + 3500 * kSecond));
  EXPECT_FALSE(mine.fresh(kNow + 3541 * kSecond));
  // Of a short life a tenth.
  mine.tokens.lasts = std::chrono::seconds(10);
  EXPECT_TRUE(mine.fresh(kNow + 8 * kSecond));
  EXPECT_FALSE(mine.fresh(kNow + 9 * kSecond));
  // A clock that went back a day knows nothing.
  EXPECT_FALSE(some().fresh(kNow - 86'400 * kSecond));
}

TEST(Credentials, KeepWhatARenewalLeavesOut) {
  auto mine = some();
  mine.renewed({.access = "b", .refresh = "", .scope = "", .lasts = std::chrono::seconds(60)},
               kNow + 1);
  EXPECT_EQ(mine.tokens.access, "b");
  EXPECT_EQ(mine.tokens.refresh, "r");
  EXPECT_EQ(mine.tokens.scope, "cas:read");
  EXPECT_EQ(mine.expires_at(), kNow + 1 + 60'000);
  EXPECT_EQ(mine.signed_in_at, kNow);
}

}  // namespace
}  // namespace cairn::login
