// Identities: who somebody is that a provider knows.

#include "data/access/identities.h"

#include <thread>

#include "data/access/access_testing.h"

namespace cairn::access_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kIssuer = "https://idp.example";

struct Club {
  World world;
  Users users{world.store->kv(), world.clock, world.random, 64};
  Identities identities{world.store->kv(), world.clock, world.random};

  User add(std::string_view name) { return must(users.add(name, Role::kAuthorized, std::nullopt)); }
};

TEST(Identities, ANewUserComesWithOne) {
  Club club;
  EXPECT_FALSE(must(club.identities.find(kIssuer, "s1")));
  const auto ada =
      must(club.identities.add_user("ada", Role::kUnauthorized, kIssuer, "s1", "ada@example.com"));
  EXPECT_EQ(ada.role, Role::kUnauthorized);
  EXPECT_EQ(must(club.users.get(ada.id)), ada);
  const auto found = must(club.identities.find(kIssuer, "s1"));
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (Identity{std::string(kIssuer), "s1", ada.id, "ada@example.com",
                              club.world.clock.now()}));
  EXPECT_THAT(must(club.identities.of(ada.id)), ElementsAre(*found));
}

TEST(Identities, IssuerAndSubjectAreOneNameTogether) {
  Club club;
  must(club.identities.add_user("ada", Role::kAuthorized, "https://a", "b", ""));
  EXPECT_FALSE(must(club.identities.find("https://", "ab")));
  EXPECT_FALSE(must(club.identities.find("https://a/", "b")));
  EXPECT_FALSE(must(club.identities.find("https://a", "B")));
  const auto bea = must(club.identities.add_user("bea", Role::kAuthorized, "https://b", "b", ""));
  EXPECT_EQ(must(club.identities.find("https://b", "b"))->user, bea.id);
}

TEST(Identities, NobodyTakesAnothers) {
  Club club;
  must(club.identities.add_user("ada", Role::kAuthorized, kIssuer, "s1", ""));
  const auto bea = club.add("bea");
  EXPECT_THAT(club.identities.link(bea.id, kIssuer, "s1", ""), FailsWith(Code::kNameTaken));
  EXPECT_THAT(club.identities.add_user("cyd", Role::kAuthorized, kIssuer, "s1", ""),
              FailsWith(Code::kNameTaken));
  EXPECT_THAT(club.users.find("cyd"), FailsWith(Code::kUserNotFound))
      << "made with it or not at all";
  EXPECT_THAT(club.identities.add_user("bea", Role::kAuthorized, kIssuer, "s2", ""),
              FailsWith(Code::kUserExists));
  EXPECT_FALSE(must(club.identities.find(kIssuer, "s2")));
  EXPECT_THAT(club.identities.add_user("owner", Role::kAuthorized, kIssuer, "s2", ""),
              FailsWith(Code::kUserExists));
}

TEST(Identities, AUserMayHaveSeveralAndLoseThem) {
  Club club;
  const auto ada = club.add("ada");
  must(club.identities.link(ada.id, kIssuer, "s1", "a@example.com"));
  must(club.identities.link(ada.id, kIssuer, "s1", ""));
  must(club.identities.link(ada.id, kIssuer, "s2", ""));
  EXPECT_THAT(must(club.identities.of(ada.id)), SizeIs(2));
  EXPECT_TRUE(must(club.identities.unlink(kIssuer, "s1")));
  EXPECT_FALSE(must(club.identities.unlink(kIssuer, "s1")));
  EXPECT_THAT(must(club.identities.of(ada.id)), SizeIs(1));
  EXPECT_TRUE(must(club.identities.unlink(kIssuer, "s2")));
  EXPECT_THAT(must(club.identities.of(ada.id)), IsEmpty());
  for (std::size_t i = 0; i < Identities::kMaxEach; ++i) {
    must(club.identities.link(ada.id, kIssuer, std::to_string(i), ""));
  }
  EXPECT_THAT(club.identities.link(ada.id, kIssuer, "one more", ""),
              FailsWith(Code::kTooManyEntries));
  EXPECT_THAT(club.identities.link(realm_number(9), kIssuer, "s9", ""),
              FailsWith(Code::kUserNotFound));
}

TEST(Identities, GoWithTheirUser) {
  Club club;
  const auto ada = must(club.identities.add_user("ada", Role::kAuthorized, kIssuer, "s1", ""));
  must(club.identities.link(ada.id, kIssuer, "s2", ""));
  must(club.identities.add_user("bea", Role::kAuthorized, kIssuer, "s3", ""));
  must(club.users.remove(ada.id));
  EXPECT_FALSE(must(club.identities.find(kIssuer, "s1")));
  EXPECT_FALSE(must(club.identities.find(kIssuer, "s2")));
  EXPECT_TRUE(must(club.identities.find(kIssuer, "s3")));
  EXPECT_THAT(must(club.identities.of(ada.id)), IsEmpty());
}

TEST(Identities, TheAddressOfMailFollowsTheProvider) {
  Club club;
  must(club.identities.add_user("ada", Role::kAuthorized, kIssuer, "s1", "old@example.com"));
  must(club.identities.set_email(*must(club.identities.find(kIssuer, "s1")), "new@example.com"));
  EXPECT_EQ(must(club.identities.find(kIssuer, "s1"))->email, "new@example.com");
}

TEST(Identities, OfManyAtOnceOneIsMade) {
  Club club;
  std::atomic<int> made = 0;
  {
    std::vector<std::jthread> crowd;
    for (int i = 0; i < 8; ++i) {
      crowd.emplace_back([&club, &made, i] {
        const auto user = club.identities.add_user("user" + std::to_string(i), Role::kAuthorized,
                                                   kIssuer, "s1", "");
        made += user ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(made, 1);
  EXPECT_THAT(must(club.users.list(10, std::nullopt)).users, SizeIs(1));
}

}  // namespace
}  // namespace cairn::access_testing
