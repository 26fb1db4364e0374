#include "exposure/oidc/foreign_sign_in.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os/os_testing.h"
#include "exposure/oidc/oidc_testing.h"

namespace cairn::oidc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Settings usual() { return {.issuer = "https://idp.example", .client_id = "cairn"}; }

TEST(ForeignSignIn, SaysWhichOptionIsWrong) {
  EXPECT_TRUE(check(usual()));
  struct Case {
    std::function<void(Settings&)> bend;
    std::string_view sentence;
  };
  for (const auto& [bend, sentence] : {
           Case{[](Settings& s) { s.issuer = "idp.example"; }, "--oidc-issuer 'idp.example'"},
           Case{[](Settings& s) { s.issuer = "http://idp.example"; }, "https://"},
           Case{[](Settings& s) { s.issuer = "https://idp.example/?a=b"; }, "no query"},
           Case{[](Settings& s) { s.issuer = "https://me@idp.example"; }, "without a user"},
           Case{[](Settings& s) { s.client_id = ""; }, "--oidc-client-id"},
           Case{[](Settings& s) { s.scope = "email openidx"; }, "--oidc-scope"},
           Case{[](Settings& s) { s.people.domains = {"@example.com"}; }, "--oidc-domain"},
           Case{[](Settings& s) { s.people.domains = {"*"}; }, "--oidc-domain"},
       }) {
    auto settings = usual();
    bend(settings);
    const auto checked = check(settings);
    ASSERT_FALSE(checked) << sentence;
    EXPECT_EQ(checked.error().code, Code::kInvalidArgument);
    EXPECT_THAT(checked.error().message, HasSubstr(sentence));
  }
  auto here = usual();
  here.issuer = "http://localhost:9000/realms/a";
  EXPECT_TRUE(check(here));
}

TEST(ForeignSignIn, TakesNoSecretThatOthersMayRead) {
  testing::Town town;
  testing::FakeProvider fake(town.clock);
  const os::TempTree tree;
  const auto open = [&](const Settings& settings) {
    return ForeignSignIn::open(settings, {.kv = town.store->kv(),
                                          .users = town.users,
                                          .clock = town.clock,
                                          .random = town.random,
                                          .fetch = fake.fetch(),
                                          .origin = nullptr,
                                          .open = nullptr});
  };
  auto settings = usual();
  EXPECT_TRUE(open(settings));
  settings.secret_file = tree.at("secret");
  EXPECT_FALSE(open(settings));
  tree.file("secret", "a secret\n");
  std::filesystem::permissions(tree.at("secret"), std::filesystem::perms(0644));
  const auto open_to_all = open(settings);
  ASSERT_FALSE(open_to_all);
  EXPECT_THAT(open_to_all.error().message,
              AllOf(HasSubstr("chmod 600"), Not(HasSubstr("a secret"))));
  std::filesystem::permissions(tree.at("secret"), std::filesystem::perms(0600));
  EXPECT_TRUE(open(settings));
  tree.file("secret", "\n");
  std::filesystem::permissions(tree.at("secret"), std::filesystem::perms(0600));
  EXPECT_FALSE(open(settings));
  EXPECT_TRUE(fake.requests.empty()) << "nobody is asked before somebody signs in";
}

}  // namespace
}  // namespace cairn::oidc
