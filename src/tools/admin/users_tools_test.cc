#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using tools_testing::all_pages;
using tools_testing::column;
using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

class UsersToolsTest : public tools_testing::ToolTest {
 protected:
  json::Object user(std::string_view id) {
    const auto all = call("list_users", {});
    for (const auto& one : all.at("users").get_array()) {
      if (json::text(one.at("userId")) == id) return one.get_object();
    }
    return {};
  }
};

TEST_F(UsersToolsTest, AUserHasARealmOfItsOwnAndSeesNoOther) {
  put("a", "1");
  const auto made = call("add_user", {{"name", "carol"}});
  const auto carol = with_token(text(made, "accessToken"));
  EXPECT_EQ(text(made, "role"), "authorized");
  EXPECT_TRUE(call(carol, "list_depots", {}).at("depots").get_array().empty());
  EXPECT_EQ(refused(carol, "fs_read", {{"nodeKey", depot_}, {"path", "a"}}).code,
            Code::kDepotNotFound);
  EXPECT_EQ(refused(carol, "fs_read", {{"nodeKey", root()}, {"path", "a"}}).code,
            Code::kNodeNotFound);
}

TEST_F(UsersToolsTest, OnlyAdminsManageUsersAndNoDelegateOfTheirs) {
  const auto carol = another_user("carol");
  const auto all = delegate({{"canUpload", true}, {"canManageDepot", true}});
  for (const auto& caller : {carol, all}) {
    EXPECT_THAT(refused(caller, "list_users", {}), Says(Code::kForbidden, "admins"));
    EXPECT_EQ(refused(caller, "add_user", {{"name", "dave"}}).code, Code::kForbidden);
    EXPECT_EQ(refused(caller, "update_user", {{"userId", "carol"}, {"role", "admin"}}).code,
              Code::kForbidden);
  }
}

TEST_F(UsersToolsTest, ANameIsTakenOnce) {
  call("add_user", {{"name", "carol"}});
  EXPECT_THAT(refused("add_user", {{"name", "carol"}}), Says(Code::kUserExists, "carol"));
  EXPECT_EQ(refused("add_user", {{"name", "owner"}}).code, Code::kUserExists);
  for (const auto* name : {"", "two words", "a/b"}) {
    EXPECT_EQ(refused("add_user", {{"name", name}}).code, Code::kInvalidArgument) << name;
  }
}

TEST_F(UsersToolsTest, WhatIsWrongWithANewUserMakesNone) {
  EXPECT_THAT(refused("add_user", {{"name", "carol"}, {"password", "short"}}),
              Says(Code::kInvalidArgument, "5 bytes"));
  EXPECT_THAT(refused("add_user", {{"name", "carol"}, {"role", "king"}}),
              Says(Code::kInvalidArgument, "role"));
  call("add_user", {{"name", "carol"}});
}

TEST_F(UsersToolsTest, WhoIsNotAuthorisedDoesNothingAndLosesNothing) {
  const auto made = call("add_user", {{"name", "carol"}});
  const auto carol = with_token(text(made, "accessToken"));
  call(carol, "create_depot", {{"title", "hers"}});
  call("update_user", {{"userId", "carol"}, {"role", "unauthorized"}});
  EXPECT_THAT(refused(carol, "list_depots", {}), Says(Code::kForbidden, "not authorised"));
  call("update_user", {{"userId", text(made, "userId")}, {"role", "authorized"}});
  EXPECT_THAT(column(call(carol, "list_depots", {}), "depots", "title"),
              testing::ElementsAre("hers"));
}

TEST_F(UsersToolsTest, AnUpdateHappensAsAWholeOrNotAtAll) {
  const auto id = engine_->owner().render();
  EXPECT_THAT(refused("update_user",
                      {{"userId", id}, {"password", "a good password"}, {"role", "unauthorized"}}),
              Says(Code::kForbidden, "stays an admin"));
  EXPECT_FALSE(is_true(user(id), "hasPassword"));
  const auto carol = call("add_user", {{"name", "carol"}});
  EXPECT_EQ(
      refused("update_user", {{"userId", "carol"}, {"password", "short"}, {"role", "admin"}}).code,
      Code::kInvalidArgument);
  EXPECT_EQ(text(user(text(carol, "userId")), "role"), "authorized");
}

TEST_F(UsersToolsTest, AnotherAdminDoesNotChangeTheOwner) {
  const auto made = call("add_user", {{"name", "carol"}, {"role", "admin"}});
  const auto carol = with_token(text(made, "accessToken"));
  EXPECT_THAT(refused(carol, "update_user", {{"userId", "owner"}, {"newToken", true}}),
              Says(Code::kForbidden, "owner"));
  call(carol, "add_user", {{"name", "dave"}});
}

TEST_F(UsersToolsTest, NewTokensVoidTheOldOnes) {
  const auto made = call("add_user", {{"name", "carol"}});
  const auto old = with_token(text(made, "accessToken"));
  const auto changed = call("update_user", {{"userId", "carol"}, {"newToken", true}});
  EXPECT_EQ(refused(old, "list_depots", {}).code, Code::kInvalidToken);
  call(with_token(text(changed, "accessToken")), "list_depots", {});
}

TEST_F(UsersToolsTest, NoAnswerOrLogHasAPassword) {
  call("add_user", {{"name", "carol"}, {"password", "a good password"}});
  const auto seen = json::write(call("list_users", {})) + json::write(call("get_audit", {}));
  EXPECT_THAT(seen, testing::Not(HasSubstr("a good password")));
  EXPECT_THAT(seen, testing::Not(HasSubstr("argon2")));
}

TEST_F(UsersToolsTest, PagesTogetherAreAllUsers) {
  for (int i = 0; i < 5; ++i) {
    clock_.advance(std::chrono::milliseconds(1));  // ids sort by age
    call("add_user", {{"name", fmt::format("u{}", i)}});
  }
  std::vector<std::string> names;
  for (const auto& page : all_pages({{"limit", 2}}, [&](const json::Object& arguments) {
         return call("list_users", arguments);
       })) {
    for (auto& name : column(page, "users", "name")) names.push_back(std::move(name));
  }
  EXPECT_THAT(names, testing::ElementsAre("owner", "u0", "u1", "u2", "u3", "u4"));
  EXPECT_THAT(refused("update_user", {{"userId", "u9"}, {"role", "admin"}}),
              Says(Code::kUserNotFound, "u9"));
}

}  // namespace
}  // namespace cairn
