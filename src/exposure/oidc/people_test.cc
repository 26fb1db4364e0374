// Who is let in.
#include "exposure/oidc/people.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/oidc/oidc_testing.h"

namespace cairn::oidc {
namespace {

using oidc::testing::Town;
using ::testing::HasSubstr;

Person ada() {
  return {.issuer = "https://idp.example",
          .subject = "s1",
          .email = "ada@example.com",
          .email_verified = true,
          .username = "ada",
          .groups = {"staff", "chess"}};
}

TEST(People, WhoIsNewIsTreatedByTheRule) {
  struct Case {
    NewPeople rule;
    std::string_view sentence;  // empty: let in
    std::size_t users;
  };
  for (const auto& [rule, sentence, users] :
       {Case{NewPeople::kRefuse, "new people are not let in", 0},
        Case{NewPeople::kUnauthorized, "cairn user role ada@example.com authorized", 1},
        Case{NewPeople::kAuthorized, "", 1}}) {
    Town town;
    auto people = town.people({.new_people = rule});
    for (int i = 0; i < 2; ++i) {
      const auto user = people.user_for(ada());
      if (sentence.empty()) {
        ASSERT_TRUE(user) << user.error().render();
        EXPECT_EQ(user->name, "ada@example.com");
        EXPECT_EQ(user->role, Role::kAuthorized);
        EXPECT_EQ(user->password, "");
      } else {
        ASSERT_FALSE(user);
        EXPECT_EQ(user.error().code, Code::kForbidden);
        EXPECT_THAT(user.error().message, HasSubstr(sentence));
      }
    }
    EXPECT_EQ(town.users.list(10, std::nullopt)->users.size(), users);
  }
}

TEST(People, WhoIsKnownIsKnownByIssuerAndSubjectAlone) {
  Town town;
  auto people = town.people({.new_people = NewPeople::kAuthorized});
  const auto first = *people.user_for(ada());
  auto renamed = ada();
  renamed.email = "ada@new.example";
  renamed.email_verified = false;
  EXPECT_EQ(people.user_for(renamed)->id, first.id);
  EXPECT_EQ(town.identities.of(first.id)->front().email, "ada@new.example");
  // The address is another's now.
  auto other = ada();
  other.subject = "s2";
  const auto second = *people.user_for(other);
  EXPECT_NE(second.id, first.id);
  EXPECT_EQ(second.name, "ada@example.com-2");
  auto elsewhere = ada();
  elsewhere.issuer = "https://evil.example";
  EXPECT_NE(people.user_for(elsewhere)->id, first.id);
}

TEST(People, WhoLostTheirRoleIsNotLetIn) {
  Town town;
  auto people = town.people({.new_people = NewPeople::kAuthorized});
  const auto user = *people.user_for(ada());
  ASSERT_TRUE(town.users.set_role(user.id, Role::kUnauthorized));
  EXPECT_EQ(people.user_for(ada()).error().code, Code::kForbidden);
  ASSERT_TRUE(town.users.set_role(user.id, Role::kAdmin));
  EXPECT_EQ(people.user_for(ada())->role, Role::kAdmin) << "an admin has said so";
}

TEST(People, TheListsAreAskedEachTime) {
  Town town;
  auto open = town.people({.new_people = NewPeople::kAuthorized});
  ASSERT_TRUE(open.user_for(ada()));
  struct Case {
    PeoplePolicy policy;
    std::function<void(Person&)> bend;
    std::string_view sentence;
  };
  const std::vector<std::string> domain{"Example.com"};
  const Case cases[] = {
      {{.domains = domain}, [](Person&) {}, ""},
      {{.domains = {"other.example", "example.com"}}, [](Person&) {}, ""},
      {{.domains = {"ample.com"}}, [](Person&) {}, "not of a domain"},
      {{.domains = domain}, [](Person& p) { p.email_verified = false; }, "not of a domain"},
      {{.domains = domain}, [](Person& p) { p.email = ""; }, "not of a domain"},
      {{.domains = domain}, [](Person& p) { p.email = "a@example.com@evil"; }, "not of a domain"},
      {{.domains = domain}, [](Person& p) { p.email = "a@sub.example.com"; }, "not of a domain"},
      {{.groups = {"staff"}}, [](Person&) {}, ""},
      {{.groups = {"boss", "chess"}}, [](Person&) {}, ""},
      {{.groups = {"Staff"}}, [](Person&) {}, "in none of the groups"},
      {{.groups = {"staff"}}, [](Person& p) { p.groups.clear(); }, "in none of the groups"},
      {{.domains = domain, .groups = {"boss"}}, [](Person&) {}, "in none of the groups"},
  };
  for (const auto& one : cases) {
    auto person = ada();
    one.bend(person);
    auto people = town.people(one.policy);
    const auto user = people.user_for(person);
    EXPECT_EQ(user.has_value(), one.sentence.empty());
    EXPECT_THAT(user ? "" : user.error().message, HasSubstr(one.sentence));
  }
}

TEST(People, AnAddressOfMailIsSomebodyOnlyWhereThatIsAllowed) {
  Town town;
  const auto old = *town.users.add("ada@example.com", Role::kAuthorized, std::nullopt);
  auto closed = town.people({});
  EXPECT_FALSE(closed.user_for(ada()));
  auto linking = town.people({.link_by_email = true});
  auto unverified = ada();
  unverified.email_verified = false;
  EXPECT_FALSE(linking.user_for(unverified));
  const auto user = linking.user_for(ada());
  ASSERT_TRUE(user) << user.error().render();
  EXPECT_EQ(user->id, old.id);
  EXPECT_TRUE(closed.user_for(ada())) << "known from now on";
  // Somebody else who has got the address since.
  auto later = ada();
  later.subject = "s2";
  EXPECT_FALSE(linking.user_for(later));
}

TEST(People, NoAdminIsGivenAway) {
  Town town;
  const auto boss = *town.users.add("ada@example.com", Role::kAdmin, std::nullopt);
  auto people = town.people({.new_people = NewPeople::kAuthorized, .link_by_email = true});
  const auto user = people.user_for(ada());
  ASSERT_FALSE(user);
  EXPECT_THAT(user.error().message, HasSubstr("no admin is given"));
  EXPECT_TRUE(town.identities.of(boss.id)->empty());
  // Nor the machine's owner, whatever somebody is called.
  auto owner = ada();
  owner.email = "";
  owner.email_verified = false;
  owner.username = "owner";
  EXPECT_EQ(people.user_for(owner)->name, "owner-2");
}

TEST(People, NewOnesComeOnlySoFast) {
  Town town;
  auto people = town.people({.new_people = NewPeople::kUnauthorized});
  auto person = ada();
  int limited = 0;
  for (int i = 0; i < 320; ++i) {
    person.subject = std::to_string(i);
    person.email = fmt::format("p{}@example.com", i);
    limited += people.user_for(person).error().code == Code::kRateLimited ? 1 : 0;
  }
  EXPECT_EQ(limited, 20);
  town.clock.advance(std::chrono::minutes(10));
  EXPECT_EQ(people.user_for(person).error().code, Code::kForbidden);
}

TEST(People, NamesAreMadeOfWhatMayBeInOne) {
  struct Case {
    std::string_view email, username;
    bool verified;
    std::string_view name;
  };
  for (const auto& [email, username, verified, name] :
       {Case{"a.b+c@x.example", "ab", true, "a.b+c@x.example"},
        Case{"boss@x.example", "ab", false, "ab"}, Case{"boss@x.example", "", false, "user"},
        // What nobody has verified does not look like an address.
        Case{"", "boss@x.example", false, "boss-x.example"},
        Case{"", "\xc3\xa4 b/../c<script>", false, "-b-..-c-script"},
        Case{"", "///", false, "user"}, Case{"\"a b\"@x.example", "", true, "-a-b-@x.example"}}) {
    EXPECT_EQ(user_name_for({.email = std::string(email),
                             .email_verified = verified,
                             .username = std::string(username)}),
              name);
  }
  EXPECT_EQ(user_name_for({.username = std::string(300, 'x')}).size(), 96U);
}

}  // namespace
}  // namespace cairn::oidc
