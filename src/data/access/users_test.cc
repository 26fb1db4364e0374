// Users: who they are, what they may, and how they prove it.

#include "data/access/users.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <thread>

#include "data/access/access_testing.h"

namespace cairn::access_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::uint32_t kLittleWork = 64;

struct House {
  World world;
  RealmId owners = realm_number(7);
  Users users{world.store->kv(), world.clock, world.random, kLittleWork};

  User add(std::string_view name, Role role = Role::kAuthorized,
           std::optional<std::string_view> password = std::nullopt) {
    world.clock.advance(std::chrono::milliseconds(1));
    return must(users.add(name, role, password));
  }
};

TEST(Users, AnAdminUsesEveryDirectoryAndOthersThoseTheyWereGiven) {
  House house;
  const auto owner = must(house.users.owner(house.owners));
  const auto ada = house.add("ada");
  const auto use = [&](const User& user, std::string_view name) {
    return must(house.users.directory_use(user.id, name));
  };
  EXPECT_EQ(use(owner, "notes"), DirectoryUse::kWrite);
  EXPECT_EQ(use(ada, "notes"), DirectoryUse::kNone);
  must(house.users.change(ada.id, {.directories = {{{"notes", false}, {"logs", true}}}}));
  EXPECT_EQ(use(ada, "notes"), DirectoryUse::kRead);
  EXPECT_EQ(use(ada, "logs"), DirectoryUse::kWrite);
  must(house.users.set_role(ada.id, Role::kUnauthorized));
  EXPECT_EQ(use(ada, "logs"), DirectoryUse::kNone);
  EXPECT_EQ(must(house.users.get(ada.id)).directories.size(), 2U) << "a role changes nothing else";
  EXPECT_THAT(house.users.change(ada.id, {.directories = {{{"a/b", false}}}}),
              FailsWith(Code::kInvalidArgument));
}

TEST(Users, AUserOfTheFirstVersionHasNoDirectories) {
  House house;
  const auto ada = house.add("ada");
  const auto key = "u" + Bytes(ada.id.bytes());
  auto old = *must(house.world.store->kv().get(key));
  ASSERT_EQ(old.front(), 2);
  old.front() = 1;
  old.pop_back();
  Batch batch;
  batch.puts.push_back({key, old});
  must(house.world.store->kv().commit(std::move(batch)));
  EXPECT_EQ(must(house.users.get(ada.id)), ada);
}

TEST(Users, RolesAreReadBackAsTheyAreWritten) {
  for (auto role : {Role::kUnauthorized, Role::kAuthorized, Role::kAdmin}) {
    EXPECT_EQ(must(parse_role(name(role))), role);
  }
  for (const char* bad : {"", "Admin", "root", "admin "}) {
    EXPECT_THAT(parse_role(bad), FailsWith(Code::kInvalidArgument)) << bad;
  }
}

TEST(Users, AreAddedAndFound) {
  House house;
  const auto ann = house.add("ann", Role::kAdmin);
  const auto bob = house.add("bob@example.org", Role::kUnauthorized, "correct horse");
  EXPECT_EQ(ann.created_at + 1, bob.created_at);
  EXPECT_NE(ann.id, bob.id);
  for (const auto& user : {ann, bob}) {
    EXPECT_EQ(must(house.users.get(user.id)), user);
    EXPECT_EQ(must(house.users.find(user.name)), user);
    EXPECT_EQ(must(house.users.role_of(user.id)), user.role);
  }
  EXPECT_THAT(house.users.find("Ann"), FailsWith(Code::kUserNotFound));
  EXPECT_THAT(house.users.find(""), FailsWith(Code::kUserNotFound));
  EXPECT_THAT(house.users.get(realm_number(9)), FailsWith(Code::kUserNotFound));
  Users again(house.world.store->kv(), house.world.clock, house.world.random, kLittleWork);
  EXPECT_EQ(must(again.find("ann")), ann);
}

TEST(Users, HaveNamesOfTheirOwn) {
  House house;
  house.add("ann");
  const auto before = house.world.everything();
  EXPECT_THAT(house.users.add("ann", Role::kAdmin, std::nullopt), FailsWith(Code::kUserExists));
  EXPECT_THAT(house.users.add("owner", Role::kAuthorized, std::nullopt),
              FailsWith(Code::kUserExists))
      << "also before there is one";
  const std::vector<std::string> bad = {
      "", "a b", "a/b", "ann\n", "änne", std::string(101, 'x'), std::string("a\0b", 3), "a:b"};
  for (const auto& name : bad) {
    EXPECT_THAT(house.users.add(name, Role::kAuthorized, std::nullopt),
                FailsWith(Code::kInvalidArgument))
        << name;
  }
  EXPECT_EQ(house.world.everything(), before);
  for (const auto& name : {std::string(100, 'x'), std::string("A.b_c-d@e+9"), std::string("0")}) {
    EXPECT_THAT(house.users.add(name, Role::kAuthorized, std::nullopt), IsOk());
  }
}

TEST(Users, OfManyWhoWantANameOneGetsIt) {
  House house;
  std::atomic<int> made = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        auto added = house.users.add("ann", Role::kAuthorized, std::nullopt);
        if (added) ++made;
        if (!added) {
          EXPECT_THAT(added, FailsWith(Code::kUserExists));
        }
      });
    }
  }
  EXPECT_EQ(made, 1);
  EXPECT_EQ(must(house.users.list(10, std::nullopt)).users.size(), 1U);
}

TEST(Users, AreListedInPagesOldestFirst) {
  House house;
  std::vector<std::string> names;
  for (int i = 9; i >= 3; --i) {
    names.push_back(fmt::format("user{}", i));
    house.add(names.back());
  }
  for (std::size_t limit : {1, 2, 6, 7, 8, 1000}) {
    std::vector<std::string> seen;
    std::optional<std::string> cursor;
    do {
      auto page = must(house.users.list(limit, cursor));
      EXPECT_LE(page.users.size(), limit);
      EXPECT_FALSE(page.users.empty());
      for (const auto& user : page.users) seen.push_back(user.name);
      cursor = page.next_cursor;
    } while (cursor);
    EXPECT_EQ(seen, names) << "pages of " << limit;
  }
  for (std::size_t limit : {0, 1001}) {
    EXPECT_THAT(house.users.list(limit, std::nullopt), FailsWith(Code::kInvalidArgument));
  }
  EXPECT_THAT(house.users.list(10, "nonsense"), FailsWith(Code::kInvalidCursor));
  EXPECT_THAT(house.users.list(10, "c00"), FailsWith(Code::kInvalidCursor));
}

TEST(Users, TheOwnerIsMadeOnceAndStaysAnAdmin) {
  House house;
  const auto owner = must(house.users.owner(house.owners));
  EXPECT_EQ(owner.id, house.owners);
  EXPECT_EQ(owner.role, Role::kAdmin);
  EXPECT_EQ(must(house.users.owner(house.owners)), owner);
  EXPECT_EQ(must(house.users.find("owner")), owner);
  for (auto role : {Role::kUnauthorized, Role::kAuthorized}) {
    EXPECT_THAT(house.users.set_role(house.owners, role), FailsWith(Code::kForbidden));
  }
  EXPECT_THAT(house.users.set_role(house.owners, Role::kAdmin), IsOk());
  EXPECT_EQ(must(house.users.role_of(house.owners)), Role::kAdmin);
  EXPECT_THAT(house.users.sign_in("owner", ""), FailsWith(Code::kInvalidToken));
}

TEST(Users, ARoleThatChangesIsSeenAtOnce) {
  House house;
  Users other(house.world.store->kv(), house.world.clock, house.world.random, kLittleWork);
  const auto ann = house.add("ann");
  const auto nobody = realm_number(9);
  EXPECT_EQ(must(other.role_of(nobody)), Role::kUnauthorized);
  for (auto role : {Role::kAdmin, Role::kUnauthorized, Role::kAuthorized}) {
    must(house.users.set_role(ann.id, role));
    for (int twice = 0; twice < 2; ++twice) {
      EXPECT_EQ(must(house.users.role_of(ann.id)), role);
      EXPECT_EQ(must(other.role_of(ann.id)), role);
    }
  }
  must(house.users.owner(nobody));
  EXPECT_EQ(must(other.role_of(nobody)), Role::kAdmin) << "who was nobody may come to be somebody";
  EXPECT_THAT(house.users.set_role(realm_number(10), Role::kAdmin), FailsWith(Code::kUserNotFound));
}

TEST(Users, NobodyHasARoleAnyMoreOnceItsChangeHasReturned) {
  House house;
  const auto ann = house.add("ann", Role::kAdmin);
  std::atomic<bool> stop = false;
  std::vector<std::jthread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!stop) must(house.users.role_of(ann.id));
    });
  }
  for (int round = 0; round < 200; ++round) {
    const auto role = round % 2 == 0 ? Role::kUnauthorized : Role::kAdmin;
    must(house.users.set_role(ann.id, role));
    ASSERT_EQ(must(house.users.role_of(ann.id)), role);
  }
  stop = true;
}

// ---- Passwords ----------------------------------------------------------------------------------

TEST(Users, APasswordIsStoredAsItsArgon2idHashOnly) {
  House house;
  const std::string password = "correct horse battery";
  const auto ann = house.add("ann", Role::kAuthorized, password);
  const auto bob = house.add("bob", Role::kAuthorized, password);
  EXPECT_THAT(ann.password, StartsWith("$argon2id$v=19$m=64,t=2,p=1$"));
  EXPECT_NE(ann.password, bob.password) << "each has a salt of its own";
  for (const auto& [key, value] : house.world.everything().rows) {
    EXPECT_FALSE(key.second.contains(password) || value.contains(password));
    EXPECT_FALSE(value.contains(password.substr(0, 8)));
  }
}

TEST(Users, SignInWithNameAndPassword) {
  House house;
  const std::string longest(1000, 'p');
  const auto ann = house.add("ann", Role::kAuthorized, "correct horse");
  const auto bob = house.add("bob");
  const auto eve = house.add("eve", Role::kUnauthorized, longest);
  const auto nul = house.add("nul", Role::kAuthorized, std::string_view("12345678\0abc", 12));
  EXPECT_EQ(must(house.users.sign_in("ann", "correct horse")), ann);
  EXPECT_EQ(must(house.users.sign_in("eve", longest)), eve);
  struct Row {
    const char* what;
    std::string name;
    std::string password;
  };
  const std::vector<Row> rows = {
      {"wrong", "ann", "correct hors"},
      {"longer", "ann", "correct horse "},
      {"empty", "ann", ""},
      {"far too long", "ann", std::string(100'000, 'p')},
      {"longer than the longest", "eve", longest + "p"},
      {"up to a NUL", "nul", "12345678"},
      {"who has none", "bob", ""},
      {"who has none, with the one nobody has", "bob", "a password that nobody has"},
      {"nobody", "zoe", "correct horse"},
      {"nobody, with the one nobody has", "zoe", "a password that nobody has"},
      {"no name", "", "correct horse"},
      {"a name too long", std::string(100'000, 'a'), "correct horse"},
      {"its hash", "ann", ann.password},
  };
  std::set<std::string> messages;
  for (const auto& row : rows) {
    auto refused = house.users.sign_in(row.name, row.password);
    ASSERT_THAT(refused, FailsWith(Code::kInvalidToken)) << row.what;
    messages.insert(refused.error().render());
  }
  EXPECT_EQ(messages.size(), 1U) << "the answer does not tell what was wrong";
}

TEST(Users, APasswordMayBeSetAndReplaced) {
  House house;
  const auto ann = house.add("ann");
  must(house.users.set_password(ann.id, "first password"));
  EXPECT_THAT(house.users.sign_in("ann", "first password"), IsOk());
  must(house.users.set_password(ann.id, "second password"));
  EXPECT_THAT(house.users.sign_in("ann", "first password"), FailsWith(Code::kInvalidToken));
  EXPECT_THAT(house.users.sign_in("ann", "second password"), IsOk());
  EXPECT_EQ(must(house.users.get(ann.id)).role, ann.role);
  EXPECT_THAT(house.users.set_password(realm_number(9), "long enough"),
              FailsWith(Code::kUserNotFound));
}

TEST(Users, APasswordIsNeitherTooShortNorTooLong) {
  House house;
  const auto ann = house.add("ann", Role::kAuthorized, "12345678");
  for (std::size_t size : {0, 1, 7, 1001}) {
    const std::string bad(size, 'p');
    auto refused = house.users.set_password(ann.id, bad);
    ASSERT_THAT(refused, FailsWith(Code::kInvalidArgument));
    EXPECT_THAT(refused.error().message, Not(HasSubstr("ppp")));
    EXPECT_THAT(house.users.add("bob", Role::kAuthorized, bad), FailsWith(Code::kInvalidArgument));
  }
  EXPECT_THAT(house.users.find("bob"), FailsWith(Code::kUserNotFound));
  EXPECT_THAT(house.users.sign_in("ann", "12345678"), IsOk());
}

// A refusal without hashing takes a thousandth of one with it. Neighbours that share the memory
// make the same work up to twice as slow, so the three take turns and the least of each counts.
TEST(Users, TimeDoesNotTellWhoIsKnown) {
  World world;
  Users users(world.store->kv(), world.clock, world.random, 8 * 1024);
  must(users.add("ann", Role::kAuthorized, "correct horse"));
  must(users.add("bob", Role::kAuthorized, std::nullopt));
  const WorkClock clock;
  std::map<std::string, std::chrono::nanoseconds> least;
  for (int round = 0; round < 7; ++round) {
    for (const auto* who : {"ann", "bob", "zoe"}) {
      const auto began = clock.monotonic();
      ASSERT_FALSE(users.sign_in(who, "a wrong guess").has_value());
      const auto took = clock.monotonic() - began;
      auto& seen = least.try_emplace(who, took).first->second;
      seen = std::min(seen, took);
    }
  }
  for (const auto* unknown : {"bob", "zoe"}) {
    EXPECT_LT(least.at(unknown), 3 * least.at("ann")) << unknown;
    EXPECT_GT(least.at(unknown), least.at("ann") / 3) << unknown;
  }
}

TEST(Users, ADamagedRecordIsSaidToBe) {
  House house;
  const auto ann = house.add("ann");
  Batch batch;
  batch.puts.push_back({"u" + Bytes(ann.id.bytes()), Bytes("\1x", 2)});
  must(house.world.store->kv().commit(std::move(batch)));
  EXPECT_THAT(house.users.get(ann.id), FailsWith(Code::kIoError));
  EXPECT_THAT(house.users.find("ann"), FailsWith(Code::kIoError));
  EXPECT_THAT(house.users.role_of(ann.id), FailsWith(Code::kIoError));
  EXPECT_THAT(house.users.list(10, std::nullopt), FailsWith(Code::kIoError));
  EXPECT_THAT(house.users.sign_in("ann", "whatever"), FailsWith(Code::kIoError));
}

}  // namespace
}  // namespace cairn::access_testing
