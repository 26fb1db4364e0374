// Clients and grants as they lie in the store.
#include <gtest/gtest.h>

#include "data/oauth/oauth_testing.h"

namespace cairn::oauth {
namespace {

using namespace std::chrono_literals;

TEST(Clients, AreTheSameRowHoweverOftenTheyRegister) {
  Scene scene;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(scene.enrolled("Prober"), scene.client);
  }
  EXPECT_EQ(must(scene.base.clients.list(100, std::nullopt)).clients.size(), 1);
}

TEST(Clients, GoAfterNinetyDaysUnlessAGrantIsOfThem) {
  Scene scene;
  scene.connected();
  const auto idle = scene.enrolled("Idle");
  const auto added = must(scene.base.clients.add({.name = "Added"})).client.id;
  scene.clock().advance(24h * 91);
  must(scene.base.tidy());
  EXPECT_EQ(must(scene.base.clients.find(idle)), std::nullopt);
  EXPECT_TRUE(must(scene.base.clients.find(added)));
  EXPECT_TRUE(must(scene.base.clients.find(scene.client)));
  EXPECT_EQ(scene.enrolled("Idle"), idle) << "it comes back under the same id";
}

TEST(Clients, ThatAreUsedStay) {
  Scene scene;
  for (int i = 0; i < 4; ++i) {
    scene.clock().advance(24h * 30);
    scene.begun(scene.asking(scene.client));
    must(scene.base.tidy());
  }
  EXPECT_TRUE(must(scene.base.clients.find(scene.client)));
}

TEST(Clients, AreAddedAndRemovedByAdmins) {
  Scene scene;
  auto& clients = scene.base.clients;
  const auto added = must(clients.add(
      {.name = "Mine", .redirects = {"my-editor://cb"}, .with_secret = true, .allowed = Scopes{}}));
  ASSERT_TRUE(added.secret);
  EXPECT_EQ(must(clients.find(added.client.id)), added.client);
  EXPECT_EQ(added.client.secret, sha256(*added.secret));
  EXPECT_THAT(clients.add({.name = "x", .redirects = {"http://evil.example"}}),
              FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(clients.add({.name = ""}), FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(clients.add({.name = "x", .id = "mine"}), FailsWith(Code::kInvalidArgument));
  const NewClient document{.name = "Doc", .id = "https://app.example/client.json"};
  EXPECT_THAT(clients.add(document), IsOk());
  EXPECT_THAT(clients.add(document), FailsWith(Code::kNameTaken));
  const auto first = must(clients.list(1, std::nullopt));
  ASSERT_TRUE(first.next_cursor);
  EXPECT_EQ(must(clients.list(10, *first.next_cursor)).clients.size(), 2);
  EXPECT_THAT(clients.remove(added.client.id), IsOk());
  EXPECT_THAT(clients.remove(added.client.id), FailsWith(Code::kNotFound));
}

TEST(Grants, AreListedAndRevoked) {
  Scene scene;
  const auto tokens = scene.connected();
  const auto grants = must(scene.base.grants.list(scene.realm(), 10, std::nullopt)).grants;
  ASSERT_EQ(grants.size(), 1);
  EXPECT_EQ(grants[0].client_name, "Prober");
  EXPECT_EQ(grants[0].redirect_place, "127.0.0.1:4711");
  EXPECT_EQ(grants[0].used_at, scene.clock().now());
  EXPECT_EQ(grants[0].address, "10.0.0.1");
  const auto agent = must(scene.access.create(scene.access.root(), {})).delegate.id;
  EXPECT_THAT(scene.base.grants.revoke(*scene.person(), agent), FailsWith(Code::kNotFound));
  must(scene.base.grants.revoke(*scene.person(), grants[0].delegate));
  EXPECT_FALSE(scene.works(tokens.access));
  EXPECT_EQ(error_of(scene.refresh(scene.client, tokens.refresh)), "invalid_grant");
}

TEST(Grants, ThatEndedAreForgottenAMonthLater) {
  Scene scene;
  scene.connected();
  const auto grant = must(scene.base.grants.list(scene.realm(), 10, std::nullopt)).grants.at(0);
  scene.clock().advance(24h * 31);
  must(scene.base.tidy());
  EXPECT_TRUE(must(scene.base.grants.of_delegate(scene.realm(), grant.delegate)));
  must(scene.base.grants.revoke(*scene.person(), grant.delegate));
  must(scene.base.tidy());
  EXPECT_FALSE(must(scene.base.grants.of_delegate(scene.realm(), grant.delegate)));
}

TEST(Grants, GoWithTheirRealm) {
  Scene scene;
  scene.connected();
  must(scene.base.grants.remove_all(scene.realm()));
  EXPECT_EQ(must(scene.base.grants.list(scene.realm(), 10, std::nullopt)).grants.size(), 0);
  EXPECT_EQ(must(scene.base.grants.find(scene.realm(), scene.client, "/mcp")), std::nullopt);
}

}  // namespace
}  // namespace cairn::oauth
