// People about themselves: who they are, where they are signed in, their password.

#include "tools/tools_testing.h"

namespace cairn {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using tools_testing::column;
using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

constexpr const char* kPassword = "correct horse";

class PeopleTest : public tools_testing::ToolTest {
 protected:
  PeopleTest() { call("add_user", {{"name", "ada"}, {"password", kPassword}}); }

  OpenedSignIn sign_in(std::string_view password = kPassword) {
    return executor().open_sign_in("ada", password, from_).value();
  }
  Result<Caller> with_cookie(const std::string& cookie) {
    return executor().signed_in(cookie, "me", Entrance::kRest);
  }
  Caller ada() { return with_cookie(sign_in().cookie).value(); }

  const BrowserSeen from_{.address = "192.0.2.7", .agent = "Firefox"};
};

TEST_F(PeopleTest, ACookieIsItsUserWithAllRights) {
  const auto caller = ada();
  const auto me = call(caller, "get_me", {});
  EXPECT_EQ(text(me.at("user").as_object(), "name"), "ada");
  EXPECT_TRUE(is_true(me.at("rights").as_object(), "owner"));
  EXPECT_FALSE(is_true(me.at("rights").as_object(), "admin"));
  EXPECT_EQ(text(me, "csrf"), caller.sign_in()->csrf);
  EXPECT_EQ(text(me.at("signIn").as_object(), "browser"), "Firefox");
  EXPECT_THAT(call(caller, "list_depots", {}).at("depots").as_array(), SizeIs(0));
}

TEST_F(PeopleTest, ADelegateLearnsWhoseItIsAndHasNoForms) {
  const auto reader = delegate({{"name", "reader"}});
  const auto me = call(reader, "get_me", {});
  EXPECT_EQ(text(me.at("delegate").as_object(), "name"), "reader");
  EXPECT_FALSE(is_true(me.at("rights").as_object(), "owner"));
  EXPECT_TRUE(me.at("csrf").is_null());
  EXPECT_TRUE(me.at("signIn").is_null());
  for (const auto* tool : {"list_sign_ins", "end_sign_in", "create_sign_in_link"}) {
    EXPECT_EQ(refused(reader, tool, {}).code, Code::kForbidden) << tool;
  }
  EXPECT_EQ(refused(reader, "change_password", {{"newPassword", "long enough"}}).code,
            Code::kForbidden);
}

TEST_F(PeopleTest, SignInsAreNotTokensOfTheRootDelegate) {
  const auto first = sign_in();
  const auto second = sign_in();
  const auto issued = executor().sign_in("ada", kPassword, "::1", Entrance::kRest).value();
  const auto token = text(issued, "accessToken");
  // One refresh token used twice voids what the root delegate was issued.
  const auto refresh = text(issued, "refreshToken");
  ASSERT_TRUE(executor().refresh(refresh, Entrance::kRest));
  ASSERT_FALSE(executor().refresh(refresh, Entrance::kRest));
  EXPECT_FALSE(executor().authenticate(token, "me", Entrance::kRest));
  EXPECT_TRUE(with_cookie(first.cookie));
  EXPECT_TRUE(with_cookie(second.cookie));
}

TEST_F(PeopleTest, ACallEndsWithItsSignIn) {
  const auto laptop = ada();
  const auto phone = ada();
  ASSERT_TRUE(executor().still_valid(phone));
  const auto listed = call(laptop, "list_sign_ins", {});
  ASSERT_THAT(listed.at("signIns").as_array(), SizeIs(2));
  call(laptop, "end_sign_in", {{"signInId", phone.sign_in()->id.render()}});
  EXPECT_FALSE(executor().still_valid(phone));
  EXPECT_EQ(refused(phone, "list_depots", {}).code, Code::kInvalidToken);
  EXPECT_EQ(refused(laptop, "end_sign_in", {{"signInId", phone.sign_in()->id.render()}}).code,
            Code::kNotFound);
  EXPECT_TRUE(executor().still_valid(laptop));
}

TEST_F(PeopleTest, WithoutANameAllOthersEnd) {
  const auto laptop = ada();
  const auto phone = ada();
  const auto tablet = ada();
  EXPECT_EQ(call(laptop, "end_sign_in", {}).at("ended").to_number<int>(), 2);
  EXPECT_FALSE(executor().still_valid(phone));
  EXPECT_FALSE(executor().still_valid(tablet));
  const auto left = call(laptop, "list_sign_ins", {});
  ASSERT_THAT(left.at("signIns").as_array(), SizeIs(1));
  EXPECT_TRUE(is_true(left.at("signIns").as_array()[0].as_object(), "current"));
}

TEST_F(PeopleTest, AnotherPasswordNeedsTheOldOneAndSignsOutEverywhereElse) {
  const auto laptop = ada();
  const auto phone = ada();
  const json::Object wanted{{"newPassword", "another horse"}};
  EXPECT_THAT(refused(laptop, "change_password", wanted),
              Says(Code::kInvalidArgument, "currentPassword"));
  auto wrong = wanted;
  wrong["currentPassword"] = "wrong horse";
  EXPECT_EQ(refused(laptop, "change_password", wrong).code, Code::kForbidden);
  EXPECT_TRUE(executor().still_valid(phone));
  auto right = wanted;
  right["currentPassword"] = kPassword;
  EXPECT_EQ(call(laptop, "change_password", right).at("ended").to_number<int>(), 1);
  EXPECT_FALSE(executor().still_valid(phone));
  EXPECT_TRUE(executor().still_valid(laptop));
  EXPECT_FALSE(executor().open_sign_in("ada", kPassword, from_));
  EXPECT_TRUE(executor().open_sign_in("ada", "another horse", from_));
}

TEST_F(PeopleTest, GuessingTheCurrentPasswordGetsSlow) {
  const auto laptop = ada();
  const json::Object guess{{"currentPassword", "wrong horse"}, {"newPassword", "another horse"}};
  for (int i = 0; i < 5; ++i) refused(laptop, "change_password", guess);
  EXPECT_EQ(refused(laptop, "change_password", guess).code, Code::kRateLimited);
}

TEST_F(PeopleTest, WhoeverHasNoPasswordSetsTheFirst) {
  const auto link = call("create_sign_in_link", {});
  const auto opened = executor().open_sign_in(text(link, "ticket"), from_).value();
  const auto owner = with_cookie(opened.cookie).value();
  EXPECT_TRUE(is_true(call(owner, "get_me", {}).at("rights").as_object(), "admin"));
  call(owner, "change_password", {{"newPassword", "long enough"}});
  EXPECT_TRUE(executor().open_sign_in("owner", "long enough", from_));
}

TEST_F(PeopleTest, AdminsInviteOthers) {
  const auto link = call("create_sign_in_link", {{"userId", "ada"}});
  EXPECT_EQ(text(link, "path"), "/sign-in#" + text(link, "ticket"));
  const auto opened = executor().open_sign_in(text(link, "ticket"), from_).value();
  EXPECT_EQ(
      text(call(with_cookie(opened.cookie).value(), "get_me", {}).at("user").as_object(), "name"),
      "ada");
  const auto caller = ada();
  for (const auto* whose : {"owner", "ada", "nobody"}) {
    EXPECT_THAT(refused(caller, "create_sign_in_link", {{"userId", whose}}),
                Says(Code::kForbidden, "only admins"));
  }
  call("update_user", {{"userId", "ada"}, {"role", "admin"}});
  EXPECT_THAT(refused(ada(), "create_sign_in_link", {{"userId", "owner"}}),
              Says(Code::kForbidden, "owner of the machine"));
  call("update_user", {{"userId", "ada"}, {"role", "unauthorized"}});
  EXPECT_EQ(refused("create_sign_in_link", {{"userId", "ada"}}).code, Code::kForbidden);
}

TEST_F(PeopleTest, SomebodyWhoMayNotUseTheServerIsNotSignedIn) {
  const auto laptop = ada();
  call("update_user", {{"userId", "ada"}, {"role", "unauthorized"}});
  EXPECT_FALSE(executor().still_valid(laptop));
  EXPECT_EQ(executor().open_sign_in("ada", kPassword, from_).error().code, Code::kForbidden);
}

TEST_F(PeopleTest, ADeletedUserIsSignedOutForGood) {
  const auto opened = sign_in();
  call("delete_user", {{"userId", "ada"}});
  EXPECT_EQ(with_cookie(opened.cookie).error().code, Code::kInvalidToken);
}

TEST_F(PeopleTest, EverySignInIsInTheLogAndNoSecretIs) {
  const auto opened = sign_in();
  ASSERT_FALSE(executor().open_sign_in("ada", "wrong horse", from_));
  const auto link = call("create_sign_in_link", {{"userId", "ada"}});
  ASSERT_TRUE(executor().open_sign_in(text(link, "ticket"), from_));
  const auto caller = with_cookie(opened.cookie).value();
  const auto log = call(caller, "get_audit", {});
  EXPECT_THAT(column(log, "entries", "tool"), ElementsAre("sign_in_by_link", "sign_in", "sign_in"));
  EXPECT_THAT(column(log, "entries", "outcome"), ElementsAre("ok", "INVALID_TOKEN", "ok"));
  const auto written =
      json::write(json::Value(log)) + json::write(json::Value(call("get_audit", {})));
  EXPECT_THAT(written, ::testing::Not(::testing::HasSubstr(text(link, "ticket"))));
  EXPECT_THAT(written, ::testing::Not(::testing::HasSubstr(opened.cookie.substr(44))));
}

}  // namespace
}  // namespace cairn
