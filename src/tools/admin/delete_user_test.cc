// delete_user: the user with all it has, and nobody else.
#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using tools_testing::column;
using tools_testing::Says;
using tools_testing::text;

class DeleteUserTest : public tools_testing::ToolTest {
 protected:
  static std::int64_t number(const json::Object& answer, std::string_view name) {
    return answer.at(name).to_number<std::int64_t>();
  }
  std::size_t keys_with(ByteView part) {
    std::size_t count = 0;
    EXPECT_TRUE(engine_->services().realms.store().kv().scan(
        {}, Direction::kForward, [&](ByteView key, ByteView value) {
          if (key.contains(part) || value.contains(part)) count += 1;
          return Scan::kContinue;
        }));
    return count;
  }
};

TEST_F(DeleteUserTest, AllOfItGoesAndNothingOfAnother) {
  put("a", "mine");
  const auto made = call("add_user", {{"name", "carol"}, {"quota", 1'000'000}});
  const auto id = text(made, "userId");
  const auto carol = with_token(text(made, "accessToken"));
  const auto depot = text(call(carol, "create_depot", {{"title", "hers"}}), "depotId");
  const auto written =
      call(carol, "fs_write", {{"nodeKey", depot}, {"path", "f.json"}, {"content", "{\"a\": 1}"}});
  call(carol, "depot_commit", {{"depotId", depot}, {"root", text(written, "newRoot")}});
  const auto child = delegate(carol, {{"name", "child"}, {"canUpload", true}});
  const json::Object tool{{"operationType", "query"}, {"depotId", depot}, {"path", "f.json"}};
  const auto endpoint =
      call(carol, "create_endpoint", {{"bindings", json::Array{json::Object{{"tool", tool}}}}});
  ASSERT_TRUE(engine_->services().audit.flush());

  const auto counted = call("delete_user", {{"userId", "carol"}, {"dryRun", true}});
  EXPECT_EQ(number(counted, "depots"), 1);
  EXPECT_GT(number(counted, "nodes"), 2);
  call(carol, "list_depots", {});
  const auto gone = call("delete_user", {{"userId", "carol"}});
  EXPECT_EQ(number(gone, "nodes"), number(counted, "nodes"));
  EXPECT_EQ(text(gone, "userId"), id);

  for (const auto& caller : {carol, child}) {
    EXPECT_FALSE(executor().run(caller, "list_depots", json::Object()));
  }
  EXPECT_FALSE(executor().authenticate(text(made, "accessToken"), "me", Entrance::kMcp));
  EXPECT_FALSE(engine_->services().endpoints.open(text(endpoint, "apiKey")));
  EXPECT_THAT(column(call("list_users", {}), "users", "name"), ElementsAre("owner"));
  // What is left of it is an empty account, and what the owner's audit log says.
  EXPECT_EQ(keys_with(RealmId::parse(id).value().bytes()), 0U);
  EXPECT_EQ(content("a"), "mine");
  // The name is free again, and a new user of that name has nothing.
  const auto again = call("add_user", {{"name", "carol"}});
  EXPECT_NE(text(again, "userId"), id);
  EXPECT_TRUE(call(with_token(text(again, "accessToken")), "list_depots", {})
                  .at("depots")
                  .get_array()
                  .empty());
}

TEST_F(DeleteUserTest, TheOwnerStaysAndNobodyDeletesThemselves) {
  const auto made = call("add_user", {{"name", "carol"}, {"role", "admin"}});
  const auto carol = with_token(text(made, "accessToken"));
  EXPECT_THAT(refused(carol, "delete_user", {{"userId", "owner"}}),
              Says(Code::kForbidden, "owner"));
  EXPECT_THAT(refused("delete_user", {{"userId", engine_->owner().render()}}),
              Says(Code::kForbidden, "owner"));
  EXPECT_THAT(refused(carol, "delete_user", {{"userId", "carol"}}),
              Says(Code::kForbidden, "themselves"));
  EXPECT_EQ(refused("delete_user", {{"userId", "nobody"}}).code, Code::kUserNotFound);
}

TEST_F(DeleteUserTest, OnlyAdminsDeleteUsers) {
  const auto carol = another_user("carol");
  another_user("dave");
  EXPECT_EQ(refused(carol, "delete_user", {{"userId", "dave"}}).code, Code::kForbidden);
  EXPECT_EQ(refused(carol, "delete_user", {{"userId", "dave"}, {"dryRun", true}}).code,
            Code::kForbidden);
  EXPECT_EQ(refused(delegate({{"canManageDepot", true}}), "delete_user", {{"userId", "dave"}}).code,
            Code::kForbidden);
}

}  // namespace
}  // namespace cairn
