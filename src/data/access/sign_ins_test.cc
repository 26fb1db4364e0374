// Sign-ins: who is let in by a cookie or a link, and until when.

#include "data/access/sign_ins.h"

#include <chrono>
#include <set>
#include <string>
#include <thread>

#include "data/access/access_testing.h"

namespace cairn::access_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr std::uint32_t kLittleWork = 64;

struct House {
  World world;
  Users users{world.store->kv(), world.clock, world.random, kLittleWork};
  SignIns sign_ins{world.store->kv(), users, world.clock, world.random};
  User ada = must(users.add("ada", Role::kAuthorized, "correct horse"));

  OpenedSignIn open(const User& user, std::string agent = "Firefox") {
    return must(sign_ins.open(user, SignInBy::kPassword,
                              {.address = "192.0.2.7", .agent = std::move(agent)}));
  }
  OpenedSignIn open() { return open(must(users.get(ada.id))); }
  void pass(std::chrono::milliseconds time) { world.clock.advance(time); }
  std::vector<std::string> agents() {
    std::vector<std::string> out;
    for (const auto& one : must(sign_ins.list(ada.id))) out.push_back(one.from.agent);
    return out;
  }
};

TEST(SignIns, ACookieSaysWhoIsThere) {
  House house;
  const auto opened = house.open();
  const auto known = must(house.sign_ins.verify(opened.cookie));
  EXPECT_EQ(known->id, opened.sign_in.id);
  EXPECT_EQ(known->realm, house.ada.id);
  EXPECT_EQ(known->by, SignInBy::kPassword);
  EXPECT_EQ(known->from.address, "192.0.2.7");
  EXPECT_EQ(known->csrf, opened.sign_in.csrf);
  EXPECT_EQ(must(SignInId::parse(known->id.render())), known->id);
  must(house.sign_ins.check_again(*known));
}

TEST(SignIns, WhatIsNoCookieOfOursLetsNobodyIn) {
  House house;
  const auto good = house.open().cookie;
  auto other_secret = good;
  other_secret.back() = other_secret.back() == 'A' ? 'B' : 'A';
  auto other_id = good;
  other_id[30] = other_id[30] == 'A' ? 'B' : 'A';
  for (const auto& bad : {std::string(), std::string("x"), good + "A", good.substr(4),
                          std::string(88, 'A'), other_secret, other_id}) {
    EXPECT_THAT(house.sign_ins.verify(bad), FailsWith(Code::kInvalidToken)) << bad;
  }
  for (const char* bad : {"", "sgn_", "sgn_0", "dlt_00000000000000000000000000"}) {
    EXPECT_THAT(SignInId::parse(bad), FailsWith(Code::kInvalidKey)) << bad;
  }
}

TEST(SignIns, TheStoreHasNeitherSecretNorTicket) {
  House house;
  const auto opened = house.open();
  const auto link = must(house.sign_ins.make_link(house.ada.id));
  must(house.world.store->kv().scan({}, Direction::kForward, [&](ByteView key, ByteView value) {
    for (const auto& part : {key, value}) {
      EXPECT_THAT(std::string(part), Not(HasSubstr(opened.cookie.substr(44))));
      EXPECT_THAT(std::string(part), Not(HasSubstr(link.ticket)));
    }
    return Scan::kContinue;
  }));
}

TEST(SignIns, EndWhenTheyWereNotUsedForAWeek) {
  House house;
  const auto opened = house.open();
  house.pass(SignIns::kIdle - std::chrono::milliseconds(1));
  must(house.sign_ins.verify(opened.cookie));
  // That was a use.
  house.pass(SignIns::kIdle - std::chrono::milliseconds(1));
  const auto known = must(house.sign_ins.verify(opened.cookie));
  house.pass(SignIns::kIdle);
  EXPECT_THAT(house.sign_ins.verify(opened.cookie), FailsWith(Code::kTokenExpired));
  EXPECT_THAT(house.sign_ins.check_again(*known), FailsWith(Code::kTokenExpired));
  EXPECT_THAT(house.agents(), IsEmpty());
}

TEST(SignIns, EndAfterThirtyDaysHoweverOftenTheyAreUsed) {
  House house;
  const auto opened = house.open();
  for (int day = 1; day < 30; ++day) {
    house.pass(std::chrono::hours(24));
    must(house.sign_ins.verify(opened.cookie));
  }
  house.pass(std::chrono::hours(24));
  EXPECT_THAT(house.sign_ins.verify(opened.cookie), FailsWith(Code::kTokenExpired));
}

TEST(SignIns, UsesReachTheStoreWhenTheyAreWritten) {
  House house;
  const auto opened = house.open();
  house.pass(std::chrono::hours(24 * 6));
  must(house.sign_ins.verify(opened.cookie));
  must(house.sign_ins.write_uses());
  SignIns another(house.world.store->kv(), house.users, house.world.clock, house.world.random);
  house.pass(std::chrono::hours(24 * 6));
  EXPECT_EQ(must(another.verify(opened.cookie))->opened_at, opened.sign_in.opened_at);
}

TEST(SignIns, EndWithTheirPasswordAndRole) {
  House house;
  const auto first = house.open();
  must(house.users.set_password(house.ada.id, "another horse"));
  EXPECT_THAT(house.sign_ins.verify(first.cookie), FailsWith(Code::kInvalidToken));
  const auto second = house.open();
  must(house.users.set_role(house.ada.id, Role::kAdmin));
  EXPECT_THAT(house.sign_ins.check_again(second.sign_in), FailsWith(Code::kInvalidToken));
  const auto third = house.open();
  must(house.users.change(house.ada.id, {.directories = {{{"notes", false}}}}));
  must(house.sign_ins.verify(third.cookie));
  must(house.users.remove(house.ada.id));
  EXPECT_THAT(house.sign_ins.verify(third.cookie), FailsWith(Code::kInvalidToken));
}

TEST(SignIns, OpenedUnderAPasswordThatWasJustReplacedTheyAreNone) {
  House house;
  const auto before = must(house.users.sign_in("ada", "correct horse"));
  must(house.users.set_password(house.ada.id, "another horse"));
  EXPECT_THAT(house.sign_ins.verify(house.open(before).cookie), FailsWith(Code::kInvalidToken));
}

TEST(SignIns, WhoeverChangesThePasswordStays) {
  House house;
  const auto mine = house.open();
  const auto other = house.open();
  must(house.users.set_password(house.ada.id, "another horse"));
  must(house.sign_ins.keep(mine.sign_in));
  must(house.sign_ins.verify(mine.cookie));
  EXPECT_THAT(house.sign_ins.verify(other.cookie), FailsWith(Code::kInvalidToken));
}

TEST(SignIns, AreListedAndEnded) {
  House house;
  const auto laptop = house.open(house.ada, "laptop");
  house.pass(std::chrono::hours(1));
  const auto phone = house.open(house.ada, "phone");
  house.pass(std::chrono::hours(1));
  const auto tablet = house.open(house.ada, "tablet");
  const auto bob = house.open(must(house.users.add("bob", Role::kAuthorized, std::nullopt)));
  EXPECT_THAT(house.agents(), ElementsAre("tablet", "phone", "laptop"));
  house.pass(std::chrono::hours(1));
  must(house.sign_ins.verify(laptop.cookie));
  EXPECT_THAT(house.agents(), ElementsAre("laptop", "tablet", "phone"));

  must(house.sign_ins.end(house.ada.id, phone.sign_in.id));
  EXPECT_THAT(house.sign_ins.verify(phone.cookie), FailsWith(Code::kInvalidToken));
  EXPECT_THAT(house.sign_ins.end(house.ada.id, phone.sign_in.id), FailsWith(Code::kNotFound));
  EXPECT_THAT(house.sign_ins.end(house.ada.id, bob.sign_in.id), FailsWith(Code::kNotFound));

  EXPECT_EQ(must(house.sign_ins.end_others(house.ada.id, tablet.sign_in.id)), 1U);
  EXPECT_THAT(house.agents(), ElementsAre("tablet"));
  EXPECT_EQ(must(house.sign_ins.end_others(house.ada.id, std::nullopt)), 1U);
  EXPECT_THAT(house.sign_ins.verify(tablet.cookie), FailsWith(Code::kInvalidToken));
  must(house.sign_ins.verify(bob.cookie));
}

TEST(SignIns, OneMoreThanThereMayBeEndsWhatWasUsedLongestAgo) {
  House house;
  const auto first = house.open();
  house.pass(std::chrono::minutes(1));
  const auto second = house.open();
  for (std::size_t i = 2; i < SignIns::kMaxEach; ++i) {
    house.pass(std::chrono::minutes(1));
    house.open();
  }
  must(house.sign_ins.verify(first.cookie));
  const auto last = house.open();
  EXPECT_THAT(must(house.sign_ins.list(house.ada.id)), SizeIs(SignIns::kMaxEach));
  EXPECT_THAT(house.sign_ins.verify(second.cookie), FailsWith(Code::kInvalidToken));
  must(house.sign_ins.verify(first.cookie));
  must(house.sign_ins.verify(last.cookie));
}

TEST(SignIns, ALinkOpensOne) {
  House house;
  const auto link = must(house.sign_ins.make_link(house.ada.id));
  EXPECT_THAT(link.ticket, SizeIs(32));
  const auto opened = must(house.sign_ins.redeem(link.ticket, {.address = "::1", .agent = "x"}));
  const auto known = must(house.sign_ins.verify(opened.cookie));
  EXPECT_EQ(known->realm, house.ada.id);
  EXPECT_EQ(known->by, SignInBy::kLink);
  EXPECT_THAT(house.sign_ins.redeem(link.ticket, {}), FailsWith(Code::kInvalidToken));
  EXPECT_THAT(must(house.sign_ins.list(house.ada.id)), SizeIs(1));
}

TEST(SignIns, ALinkIsTakenOnceByThoseWhoTryAtOnce) {
  House house;
  const auto link = must(house.sign_ins.make_link(house.ada.id));
  std::atomic<int> opened = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] { opened += house.sign_ins.redeem(link.ticket, {}) ? 1 : 0; });
    }
  }
  EXPECT_EQ(opened, 1);
}

TEST(SignIns, ALinkIsGoodForTenMinutesAndUnderTheSamePassword) {
  House house;
  const auto late = must(house.sign_ins.make_link(house.ada.id));
  house.pass(SignIns::kLinkLife);
  EXPECT_THAT(house.sign_ins.redeem(late.ticket, {}), FailsWith(Code::kTokenExpired));
  const auto old = must(house.sign_ins.make_link(house.ada.id));
  must(house.users.set_password(house.ada.id, "another horse"));
  EXPECT_THAT(house.sign_ins.redeem(old.ticket, {}), FailsWith(Code::kInvalidToken));
  for (const char* bad : {"", "!", "00000000000000000000000000000000"}) {
    EXPECT_THAT(house.sign_ins.redeem(bad, {}), FailsWith(Code::kInvalidToken)) << bad;
  }
}

TEST(SignIns, WhatIsOverIsForgotten) {
  House house;
  house.open();
  must(house.sign_ins.make_link(house.ada.id));
  house.pass(std::chrono::hours(24 * 6));
  const auto kept = house.open();
  const auto link = must(house.sign_ins.make_link(house.ada.id));
  EXPECT_EQ(must(house.sign_ins.forget_expired()), 1U) << "the link";
  house.pass(std::chrono::hours(24));
  EXPECT_EQ(must(house.sign_ins.forget_expired()), 2U);
  must(house.sign_ins.verify(kept.cookie));
  EXPECT_THAT(house.sign_ins.redeem(link.ticket, {}), FailsWith(Code::kInvalidToken));
}

TEST(SignIns, EachBrowserHasFormsOfItsOwn) {
  House house;
  std::set<std::string> seen;
  for (int i = 0; i < 10; ++i) {
    const auto opened = house.open();
    EXPECT_TRUE(seen.insert(opened.sign_in.csrf).second);
    EXPECT_THAT(opened.cookie, Not(HasSubstr(opened.sign_in.csrf)));
  }
  for (const auto& one : must(house.sign_ins.list(house.ada.id))) EXPECT_EQ(one.csrf, "");
}

TEST(SignIns, WhatABrowserSaysOfItselfIsCut) {
  House house;
  const auto opened = house.open(house.ada, std::string(5000, 'x') + "\x1b[31m");
  EXPECT_LE(must(house.sign_ins.verify(opened.cookie))->from.agent.size(), 210U);
}

}  // namespace
}  // namespace cairn::access_testing
