// Delegates: nobody has more than whoever made it, nor a moment longer.

#include "data/access/delegates.h"

#include <barrier>
#include <thread>

#include "base/base64.h"
#include "data/access/access_testing.h"
#include "data/realm/gc.h"

namespace cairn::access_testing {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

const Wish kFull{.can_upload = true, .can_manage_depot = true};

TEST(Delegates, ARealmHasOneRootWithEveryRight) {
  Access access;
  const auto realm = access.world.realm.id();
  const auto root = must(access.delegates.root(realm));
  EXPECT_EQ(must(access.delegates.root(realm)), root);
  EXPECT_EQ(root.realm, realm);
  EXPECT_EQ(root.depth, 0U);
  EXPECT_FALSE(root.parent);
  const auto session = access.root();
  EXPECT_TRUE(session->rights.can_upload());
  EXPECT_TRUE(session->rights.can_manage_depot());
  EXPECT_TRUE(session->rights.realm_wide());
  EXPECT_THAT(session->owners, IsEmpty()) << "who sees everything need not own anything";
  EXPECT_FALSE(session->token);
  EXPECT_FALSE(session->valid_until);
  const auto other = must(access.delegates.root(realm_number(8)));
  EXPECT_NE(other.id, root.id);
  EXPECT_THAT(access.delegates.act_as(realm_number(8), root.id),
              FailsWith(Code::kDelegateNotFound));
}

TEST(Delegates, ManyWhoAskForTheRootFirstGetTheSame) {
  Access access;
  std::vector<std::jthread> threads;
  Guarded<std::vector<Delegate>> found;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      auto root = must(access.delegates.root(realm_number(9)));
      found.lock()->push_back(root);
    });
  }
  threads.clear();
  auto all = found.lock();
  ASSERT_EQ(all->size(), 8U);
  for (const auto& root : *all) EXPECT_EQ(root, all->front());
}

// ---- Making them --------------------------------------------------------------------------------

TEST(Delegates, ADirectoryIsGivenOnlyByWhoHasIt) {
  Access access;
  const auto root = access.root();
  const auto reader = access.child(root, {.directories = {{"notes"}}});
  EXPECT_EQ(reader->rights.directory_use("notes"), DirectoryUse::kRead);
  EXPECT_THAT(access.create(reader, {.directories = {{"notes", true}}}),
              FailsWith(Code::kPermissionExceeded));
  EXPECT_THAT(access.create(reader, {.directories = {{"logs"}}}),
              FailsWith(Code::kPermissionExceeded));
  EXPECT_THAT(access.create(reader, {.directories = {{"a/b"}}}), FailsWith(Code::kInvalidArgument));
  EXPECT_TRUE(access.create(reader, {.directories = {{"notes"}}}));
  const auto child = access.child(reader);
  EXPECT_EQ(child->rights.directory_use("notes"), DirectoryUse::kNone) << "none unless asked for";
}

TEST(Delegates, AChildIsWhatWasAskedFor) {
  Access access;
  auto depot = access.world.a_depot();
  const auto root = access.root();
  auto made = must(access.create(
      root,
      {.name = "doc-writer ✎", .can_upload = true, .depots = {{depot.id}}, .expires_in = 60s}));
  const auto now = access.world.clock.now();
  EXPECT_EQ(made.delegate.name, "doc-writer ✎");
  EXPECT_EQ(made.delegate.parent, root->who().id);
  EXPECT_EQ(made.delegate.depth, 1U);
  EXPECT_TRUE(made.delegate.can_upload);
  EXPECT_FALSE(made.delegate.can_manage_depot);
  EXPECT_EQ(made.delegate.created_at, now);
  EXPECT_EQ(made.delegate.expires_at, now + 60'000);
  EXPECT_EQ(must(access.delegates.get(*root, made.delegate.id)), made.delegate);
  const auto session = must(access.with(made.tokens.access));
  EXPECT_EQ(session->who(), made.delegate);
  EXPECT_EQ(session->token, made.tokens.access.hash());
  EXPECT_EQ(session->valid_until, now + 60'000);
  EXPECT_THAT(session->owners, ElementsAre(made.delegate.id));
}

TEST(Delegates, AChildHasNothingItWasNotGiven) {
  Access access;
  const auto child = access.child(access.root());
  EXPECT_FALSE(child->rights.can_upload());
  EXPECT_FALSE(child->rights.can_manage_depot());
  EXPECT_TRUE(child->rights.realm_wide()) << "what it sees is as its parent's";
}

TEST(Delegates, NobodyGivesWhatItDoesNotHave) {
  Access access;
  auto mine = access.world.a_depot().with("docs/a", "1").with("src/b", "1").committed();
  auto other = access.world.a_depot().with("docs/a", "1").committed();
  const auto limited = access.child(access.root(), {.depots = {{mine.id}}, .expires_in = 100s});
  const auto scoped = access.child(access.root(), {.scope = {{mine.id.render() + "/docs"}}});
  const auto frozen = access.child(access.root(), {.scope = {{mine.root().render()}}});
  struct Row {
    const char* what;
    SessionPtr parent;
    NewDelegate wanted;
  };
  auto wanting = [](auto change) {
    NewDelegate wanted;
    change(wanted);
    return wanted;
  };
  auto with_scope = [&](const Place& place) {
    return wanting([&](NewDelegate& w) { w.scope = {{place}}; });
  };
  auto with_depots = [&](std::vector<DepotId> depots) {
    return wanting([&](NewDelegate& w) { w.depots = std::move(depots); });
  };
  const std::vector<Row> rows = {
      {"upload", limited, wanting([](NewDelegate& w) { w.can_upload = true; })},
      {"manage", limited, wanting([](NewDelegate& w) { w.can_manage_depot = true; })},
      {"a longer life", limited, wanting([](NewDelegate& w) { w.expires_in = 101s; })},
      {"another depot", limited, with_depots({mine.id, other.id})},
      {"a place in another depot", limited, with_scope(other.id)},
      {"the depot around its place", scoped, with_scope(mine.id)},
      {"a place beside its own", scoped, with_scope({mine.id, path("src")})},
      {"a place that only begins like its own", scoped, with_scope({mine.id, path("docs2")})},
      {"the place of another depot", scoped, with_scope({other.id, path("docs")})},
      {"a live place for a frozen one", frozen, with_scope(mine.id)},
  };
  const auto before = access.world.everything();
  for (const auto& row : rows) {
    EXPECT_THAT(access.delegates.create(*row.parent, row.wanted),
                FailsWith(Code::kPermissionExceeded))
        << row.what;
  }
  EXPECT_EQ(access.world.everything(), before);
  EXPECT_THAT(access.delegates.create(*limited, wanting([](auto& w) { w.expires_in = 100s; })),
              IsOk());
  EXPECT_THAT(access.delegates.create(*limited, with_depots({mine.id})), IsOk());
  EXPECT_THAT(access.delegates.create(*limited, with_depots({})), IsOk());
  EXPECT_THAT(access.delegates.create(*scoped, with_scope({mine.id, path("docs/a")})), IsOk());
}

TEST(Delegates, ARightOnceLeftOutIsNotGivenFurtherDown) {
  Access access;
  const auto parent = access.child(access.root(), {.can_upload = true});
  const auto child = access.child(parent, {.can_upload = true});
  EXPECT_TRUE(child->rights.can_upload());
  EXPECT_THAT(access.create(child, {.can_manage_depot = true}),
              FailsWith(Code::kPermissionExceeded));
  EXPECT_THAT(access.create(access.child(child), {.can_upload = true}),
              FailsWith(Code::kPermissionExceeded));
}

TEST(Delegates, GoFifteenDeepAndNoDeeper) {
  Access access;
  auto at = access.root();
  for (unsigned depth = 1; depth <= 15; ++depth) {
    at = access.child(at, kFull);
    ASSERT_EQ(at->who().depth, depth);
    ASSERT_EQ(at->chain.size(), depth + 1);
  }
  EXPECT_TRUE(at->rights.can_upload());
  EXPECT_THAT(access.create(at, kFull), FailsWith(Code::kMaxDepthExceeded));
  EXPECT_THAT(access.delegates.get(*access.root(), at->who().id), IsOk());
  EXPECT_THAT(access.delegates.revoke(*access.root(), at->who().id), IsOk());
}

TEST(Delegates, ExpireBeforeAllAboveThem) {
  Access access;
  const auto now = access.world.clock.now();
  const auto century = std::chrono::hours(24 * 365 * 100);
  for (auto bad : {0s, -1s, std::chrono::seconds::min(), std::chrono::seconds::max(),
                   std::chrono::seconds(century) + 1s}) {
    EXPECT_THAT(access.create(access.root(), {.expires_in = bad}),
                FailsWith(Code::kInvalidArgument))
        << bad.count();
  }
  EXPECT_THAT(access.create(access.root(), {.expires_in = century}), IsOk());
  const auto parent = access.child(access.root(), {.expires_in = 100s});
  const auto child = access.child(parent);
  EXPECT_EQ(child->who().expires_at, now + 100'000) << "left out: as long as its parent";
  const auto shorter = access.child(child, {.expires_in = 50s});
  EXPECT_THAT(access.create(shorter, {.expires_in = 51s}), FailsWith(Code::kPermissionExceeded));
  access.world.clock.advance(30s);
  EXPECT_THAT(access.create(shorter, {.expires_in = 21s}), FailsWith(Code::kPermissionExceeded));
  auto last = access.create(shorter, {.expires_in = 20s});
  ASSERT_THAT(last, IsOk());
  EXPECT_EQ(last->delegate.expires_at, now + 50'000);
  EXPECT_EQ(last->tokens.access_expires_at, now + 50'000) << "a token ends with its delegate";
}

TEST(Delegates, HaveNamesForPeople) {
  Access access;
  const std::string long_one(200, 'x');
  for (const std::string& good : {std::string(), std::string("a b"), std::string("λ✎"), long_one}) {
    EXPECT_THAT(access.create(access.root(), {.name = good}), IsOk()) << good;
  }
  for (const std::string& bad : {long_one + "x", std::string("a\nb"), std::string("\x7f"),
                                 std::string("\xff"), std::string("\xc3"), std::string(1, '\0')}) {
    EXPECT_THAT(access.create(access.root(), {.name = bad}), FailsWith(Code::kInvalidArgument));
  }
}

// ---- Who sees whom ------------------------------------------------------------------------------

TEST(Delegates, AreKnownOnlyToThemselvesAndThoseAbove) {
  Access access;
  const auto root = access.root();
  const auto left = access.child(root, {.name = "left"});
  const auto right = access.child(root, {.name = "right"});
  const auto below = access.child(left, {.name = "below"});
  must(access.delegates.root(realm_number(8)));
  const auto elsewhere = must(
      access.delegates.act_as(realm_number(8), DelegateId::from_bytes(realm_number(8).bytes())));
  const auto nobody = DelegateId::from_bytes(Bytes(16, 'z'));
  struct Row {
    SessionPtr caller;
    DelegateId about;
    bool seen;
  };
  const std::vector<Row> rows = {
      {root, root->who().id, true},
      {root, left->who().id, true},
      {root, below->who().id, true},
      {left, left->who().id, true},
      {left, below->who().id, true},
      {below, below->who().id, true},
      {left, root->who().id, false},
      {left, right->who().id, false},
      {right, left->who().id, false},
      {right, below->who().id, false},
      {below, left->who().id, false},
      {below, right->who().id, false},
      {root, nobody, false},
      {root, elsewhere->who().id, false},
      {elsewhere, root->who().id, false},
      {elsewhere, left->who().id, false},
  };
  for (const auto& [caller, about, seen] : rows) {
    SCOPED_TRACE(caller->who().name + " about " + about.render());
    auto got = access.delegates.get(*caller, about);
    auto listed = access.delegates.list(*caller, about, 10, std::nullopt);
    if (seen) {
      EXPECT_THAT(got, IsOk());
      EXPECT_THAT(listed, IsOk());
      continue;
    }
    const auto before = access.world.everything();
    auto revoked = access.delegates.revoke(*caller, about);
    ASSERT_THAT(got, FailsWith(Code::kDelegateNotFound));
    ASSERT_THAT(listed, FailsWith(Code::kDelegateNotFound));
    ASSERT_THAT(revoked, FailsWith(Code::kDelegateNotFound));
    EXPECT_EQ(access.world.everything(), before);
    // Whether there is such a one cannot be told.
    const auto message = access.delegates.get(*caller, nobody).error().message;
    auto expected = message;
    expected.replace(expected.find(nobody.render()), nobody.render().size(), about.render());
    EXPECT_EQ(got.error().message, expected);
    EXPECT_EQ(listed.error().message, expected);
    EXPECT_EQ(revoked.error().message, expected);
  }
}

TEST(Delegates, AreListedInPagesOldestFirst) {
  Access access;
  const auto root = access.root();
  std::vector<DelegateId> made;
  for (int i = 0; i < 7; ++i) {
    access.world.clock.advance(1ms);
    made.push_back(access.child(root)->who().id);
  }
  access.world.clock.advance(1ms);
  const auto other = access.child(access.child(root));  // not a child of the root
  made.push_back(*other->who().parent);
  for (std::size_t limit : {1, 2, 3, 7, 8, 9, 1000}) {
    std::vector<DelegateId> seen;
    std::optional<std::string> cursor;
    do {
      auto page = must(access.delegates.list(*root, root->who().id, limit, cursor));
      EXPECT_LE(page.delegates.size(), limit);
      EXPECT_FALSE(page.delegates.empty());
      for (const auto& one : page.delegates) seen.push_back(one.id);
      cursor = page.next_cursor;
    } while (cursor);
    EXPECT_EQ(seen, made) << "pages of " << limit;
  }
  for (std::size_t limit : {0, 1001}) {
    EXPECT_THAT(access.delegates.list(*root, root->who().id, limit, std::nullopt),
                FailsWith(Code::kInvalidArgument));
  }
  for (const char* cursor : {"", "c", "x", "c00", "not a cursor"}) {
    EXPECT_THAT(access.delegates.list(*root, root->who().id, 10, cursor),
                FailsWith(Code::kInvalidCursor))
        << cursor;
  }
}

// ---- Revoking -----------------------------------------------------------------------------------

TEST(Delegates, RevokingEndsAllBelowAtOnceAlsoThoseAtWork) {
  Access access;
  const auto root = access.root();
  auto parent = must(access.create(root, kFull));
  const auto parents = must(access.with(parent.tokens.access));
  auto child = must(access.create(parents, kFull));
  auto grandchild = must(access.create(must(access.with(child.tokens.access)), kFull));
  auto sibling = must(access.create(root, kFull));
  for (const auto* one : {&parent, &child, &grandchild, &sibling}) {
    ASSERT_THAT(access.with(one->tokens.access), IsOk());
    ASSERT_THAT(access.with(one->tokens.access), IsOk()) << "from memory";
  }
  access.world.clock.advance(1s);
  const auto revoked = must(access.delegates.revoke(*root, parent.delegate.id));
  EXPECT_EQ(revoked.revoked_at, access.world.clock.now());
  for (const auto* one : {&parent, &child, &grandchild}) {
    EXPECT_THAT(access.with(one->tokens.access), FailsWith(Code::kDelegateRevoked));
    EXPECT_THAT(access.delegates.refresh(one->tokens.refresh.text()),
                FailsWith(Code::kDelegateRevoked));
    EXPECT_THAT(access.delegates.act_as(root->realm, one->delegate.id),
                FailsWith(Code::kDelegateRevoked));
  }
  EXPECT_THAT(access.with(sibling.tokens.access), IsOk());
  EXPECT_FALSE(must(access.delegates.get(*root, child.delegate.id)).revoked_at);

  // Whoever still holds the session of before makes nobody who can act.
  auto late = must(access.delegates.create(*parents, {}));
  EXPECT_THAT(access.with(late.tokens.access), FailsWith(Code::kDelegateRevoked));

  access.world.clock.advance(1s);
  EXPECT_EQ(must(access.delegates.revoke(*root, parent.delegate.id)), revoked) << "once is enough";
}

TEST(Delegates, OneMayEndItselfButNotTheRoot) {
  Access access;
  auto made = must(access.create(access.root(), kFull));
  const auto session = must(access.with(made.tokens.access));
  EXPECT_THAT(access.delegates.revoke(*session, made.delegate.id), IsOk());
  EXPECT_THAT(access.with(made.tokens.access), FailsWith(Code::kDelegateRevoked));
  EXPECT_THAT(access.delegates.revoke(*access.root(), access.root()->who().id),
              FailsWith(Code::kForbidden));
}

TEST(Delegates, ExpireToTheMillisecondWithAllBelow) {
  Access access;
  auto parent = must(access.create(access.root(), {.expires_in = 60s}));
  auto child = must(access.create(must(access.with(parent.tokens.access)), {}));
  // As if it had been made before expiries were bounded: use is checked all the same.
  auto unbounded = child.delegate;
  unbounded.expires_at.reset();
  access.plant(unbounded);
  const auto lasting = must(access.delegates.issue_lasting(unbounded.realm, unbounded.id));
  ASSERT_THAT(access.with(lasting), IsOk());
  access.world.clock.advance(59'999ms);
  EXPECT_THAT(access.with(parent.tokens.access), IsOk());
  EXPECT_THAT(access.with(lasting), IsOk());
  access.world.clock.advance(1ms);
  EXPECT_THAT(access.with(lasting), FailsWith(Code::kDelegateExpired));
  EXPECT_THAT(access.with(parent.tokens.access),
              AnyOf(FailsWith(Code::kDelegateExpired), FailsWith(Code::kTokenExpired)));
  EXPECT_THAT(access.delegates.act_as(unbounded.realm, parent.delegate.id),
              FailsWith(Code::kDelegateExpired));
  EXPECT_THAT(access.delegates.act_as(unbounded.realm, unbounded.id),
              FailsWith(Code::kDelegateExpired));
}

// ---- Tokens -------------------------------------------------------------------------------------

TEST(Tokens, AnAccessTokenEndsAfterAnHourToTheMillisecond) {
  Access access;
  auto made = must(access.create(access.root(), {}));
  EXPECT_EQ(made.tokens.access_expires_at, access.world.clock.now() + 3'600'000);
  ASSERT_THAT(access.with(made.tokens.access), IsOk());
  access.world.clock.advance(1h - 1ms);
  EXPECT_THAT(access.with(made.tokens.access), IsOk()) << "from memory";
  must(access.create(access.root(), {}));  // so that it is read again
  EXPECT_THAT(access.with(made.tokens.access), IsOk());
  access.world.clock.advance(1ms);
  EXPECT_THAT(access.with(made.tokens.access), FailsWith(Code::kTokenExpired));
  must(access.create(access.root(), {}));
  EXPECT_THAT(access.with(made.tokens.access), FailsWith(Code::kTokenExpired));
}

TEST(Tokens, ARefreshTokenEndsToTheMillisecond) {
  Access access({.access_lifetime = 1h, .refresh_lifetime = 48h});
  auto early = must(access.create(access.root(), {}));
  auto late = must(access.create(access.root(), {}));
  access.world.clock.advance(48h - 1ms);
  EXPECT_THAT(access.delegates.refresh(early.tokens.refresh.text()), IsOk());
  access.world.clock.advance(1ms);
  EXPECT_THAT(access.delegates.refresh(late.tokens.refresh.text()), FailsWith(Code::kTokenExpired));
}

TEST(Tokens, RefreshGivesNewOnesEachTime) {
  Access access;
  auto made = must(access.create(access.root(), {.can_upload = true}));
  auto tokens = made.tokens;
  for (int day = 0; day < 60; ++day) {
    access.world.clock.advance(24h);
    EXPECT_THAT(access.with(tokens.access), FailsWith(Code::kTokenExpired));
    auto next = must(access.delegates.refresh(tokens.refresh.text()));
    EXPECT_EQ(next.delegate, made.delegate);
    EXPECT_NE(next.tokens.access.text(), tokens.access.text());
    EXPECT_NE(next.tokens.refresh.text(), tokens.refresh.text());
    EXPECT_EQ(must(access.with(next.tokens.access))->who(), made.delegate);
    tokens = next.tokens;
  }
}

TEST(Tokens, AReplayedRefreshTokenVoidsAllTokensOfTheDelegate) {
  Access access;
  auto made = must(access.create(access.root(), {}));
  auto childs = must(access.create(must(access.with(made.tokens.access)), {}));
  auto others = must(access.create(access.root(), {}));
  auto second = must(access.delegates.refresh(made.tokens.refresh.text()));
  auto third = must(access.delegates.refresh(second.tokens.refresh.text()));
  for (const auto* token : {&made.tokens.access, &second.tokens.access, &third.tokens.access}) {
    ASSERT_THAT(access.with(*token), IsOk());
  }
  EXPECT_THAT(access.delegates.refresh(made.tokens.refresh.text()),
              FailsWith(Code::kTokenReplayed));
  for (const auto* token : {&made.tokens.access, &second.tokens.access, &third.tokens.access}) {
    EXPECT_THAT(access.with(*token), FailsWith(Code::kInvalidToken));
  }
  for (const auto* token : {&made.tokens.refresh, &second.tokens.refresh, &third.tokens.refresh}) {
    EXPECT_THAT(access.delegates.refresh(token->text()), FailsWith(Code::kInvalidToken));
  }
  EXPECT_THAT(access.with(childs.tokens.access), IsOk()) << "it is the delegate's tokens that end";
  EXPECT_THAT(access.with(others.tokens.access), IsOk());
  const auto again =
      must(access.delegates.issue(must(access.delegates.get(*access.root(), made.delegate.id))));
  EXPECT_THAT(access.with(again.access), IsOk());
}

TEST(Tokens, AreForOnePurposeEach) {
  Access access;
  auto made = must(access.create(access.root(), {}));
  const auto before = access.world.everything();
  EXPECT_THAT(access.with(made.tokens.refresh), FailsWith(Code::kInvalidToken));
  EXPECT_THAT(access.delegates.refresh(made.tokens.access.text()), FailsWith(Code::kInvalidToken));
  EXPECT_EQ(access.world.everything(), before);
  EXPECT_THAT(access.with(made.tokens.access), IsOk());
  EXPECT_THAT(access.delegates.refresh(made.tokens.refresh.text()), IsOk());
}

TEST(Tokens, ThatNobodyGaveOutAreNotValid) {
  Access access;
  auto made = must(access.create(access.root(), {}));
  SeededRandom random(99);
  auto nearly = made.tokens.access.text();
  nearly.back() = nearly.back() == 'A' ? 'B' : 'A';
  const auto hash = made.tokens.access.hash();
  const Bytes hash_bytes(reinterpret_cast<const char*>(hash.data()), hash.size());
  for (const auto& text : {Token::make(random).text(), nearly, std::string(), std::string("Bearer"),
                           made.tokens.access.text() + " ", made.delegate.id.render(), hash_bytes,
                           base64_encode(hash_bytes)}) {
    auto refused = access.delegates.authenticate(text);
    ASSERT_THAT(refused, FailsWith(Code::kInvalidToken));
    if (text.size() > 20) {
      EXPECT_THAT(refused.error().message, Not(HasSubstr(text)));
    }
    EXPECT_THAT(access.delegates.refresh(text), FailsWith(Code::kInvalidToken));
  }
}

TEST(Tokens, AreStoredAsHashesOnly) {
  Access access;
  auto made = must(access.create(access.root(), {}));
  auto refreshed = must(access.delegates.refresh(made.tokens.refresh.text()));
  const auto lasting = must(access.delegates.issue_lasting(made.delegate.realm, made.delegate.id));
  ASSERT_THAT(access.with(lasting), IsOk());
  std::string all;
  for (const auto& [key, value] : access.world.everything().rows) all += key.second + value + "|";
  for (const auto& token : {made.tokens.access, made.tokens.refresh, refreshed.tokens.access,
                            refreshed.tokens.refresh, lasting}) {
    EXPECT_FALSE(all.contains(token.text()));
    EXPECT_FALSE(all.contains(token.text().substr(0, 12)));
    EXPECT_FALSE(all.contains(*base64_decode(token.text())));
    const auto hash = token.hash();
    EXPECT_TRUE(all.contains(Bytes(reinterpret_cast<const char*>(hash.data()), hash.size())));
  }
}

TEST(Tokens, ALastingOneVoidsThoseBefore) {
  Access access;
  const auto root = access.root();
  const auto issued = must(access.delegates.issue(root->who()));
  const auto first = must(access.delegates.issue_lasting(root->realm, root->who().id));
  EXPECT_THAT(access.with(issued.access), FailsWith(Code::kInvalidToken));
  EXPECT_THAT(access.delegates.refresh(issued.refresh.text()), FailsWith(Code::kInvalidToken));
  access.world.clock.advance(24h * 365 * 50);
  EXPECT_THAT(access.with(first), IsOk());
  EXPECT_FALSE(must(access.with(first))->valid_until);
  const auto second = must(access.delegates.issue_lasting(root->realm, root->who().id));
  EXPECT_THAT(access.with(first), FailsWith(Code::kInvalidToken));
  EXPECT_THAT(access.with(second), IsOk());
  EXPECT_THAT(access.delegates.issue_lasting(root->realm, DelegateId::from_bytes(Bytes(16, 'z'))),
              FailsWith(Code::kDelegateNotFound));
}

// Without a token one could be locked out of everything.
TEST(Tokens, ALastingOneTakesTheOldOnesPlaceInOneStep) {
  Access access;
  const auto root = access.root();
  const auto first = must(access.delegates.issue_lasting(root->realm, root->who().id));
  access.world.backend->broken = true;
  EXPECT_THAT(access.delegates.issue_lasting(root->realm, root->who().id),
              FailsWith(Code::kIoError));
  access.world.backend->broken = false;
  EXPECT_THAT(access.with(first), IsOk());
  const int before = access.world.backend->writes;
  must(access.delegates.issue_lasting(root->realm, root->who().id));
  EXPECT_EQ(access.world.backend->writes, before + 1);
}

TEST(Tokens, ALastingOneOutlivesThoseThatAreIssued) {
  Access access;
  const auto root = access.root();
  const auto lasting = must(access.delegates.issue_lasting(root->realm, root->who().id));
  const auto issued = must(access.delegates.issue(must(access.delegates.root(root->realm))));
  must(access.delegates.refresh(issued.refresh.text()));
  EXPECT_THAT(access.delegates.refresh(issued.refresh.text()), FailsWith(Code::kTokenReplayed));
  EXPECT_THAT(access.with(issued.access), FailsWith(Code::kInvalidToken));
  EXPECT_THAT(access.with(lasting), IsOk());
  const auto again = must(access.delegates.issue(must(access.delegates.root(root->realm))));
  must(access.delegates.void_issued(root->realm));
  EXPECT_THAT(access.with(again.access), FailsWith(Code::kInvalidToken));
  EXPECT_THAT(access.with(lasting), IsOk());
  must(access.delegates.reissue(root->realm));
  EXPECT_THAT(access.with(lasting), FailsWith(Code::kInvalidToken));
}

TEST(Tokens, OfOneStoreAreKnownToAllWhoServeIt) {
  Access access;
  Delegates other(access.kv(), access.world.clock, access.world.random);
  auto made = must(access.create(access.root(), {}));
  ASSERT_THAT(other.authenticate(made.tokens.access.text()), IsOk());
  ASSERT_THAT(other.authenticate(made.tokens.access.text()), IsOk());
  must(access.delegates.revoke(*access.root(), made.delegate.id));
  EXPECT_THAT(other.authenticate(made.tokens.access.text()), FailsWith(Code::kDelegateRevoked));
}

TEST(Tokens, AreForgottenWhenTheyHaveExpired) {
  Access access({.access_lifetime = 1h, .refresh_lifetime = 48h});
  auto made = must(access.create(access.root(), {}));
  const auto lasting =
      must(access.delegates.issue_lasting(access.root()->realm, access.root()->who().id));
  EXPECT_EQ(must(access.delegates.forget_expired()), 0U);
  access.world.clock.advance(1h);
  EXPECT_EQ(must(access.delegates.forget_expired()), 1U);
  EXPECT_EQ(must(access.delegates.forget_expired()), 0U);
  EXPECT_THAT(access.with(made.tokens.access), FailsWith(Code::kInvalidToken));
  auto next = must(access.delegates.refresh(made.tokens.refresh.text()));
  access.world.clock.advance(47h);
  EXPECT_EQ(must(access.delegates.forget_expired()), 2U)
      << "the refresh token that was used, and the second access token";
  EXPECT_THAT(access.delegates.refresh(made.tokens.refresh.text()), FailsWith(Code::kInvalidToken));
  EXPECT_THAT(access.delegates.refresh(next.tokens.refresh.text()), IsOk());
  EXPECT_THAT(access.with(lasting), IsOk());
}

// ---- Many at once -------------------------------------------------------------------------------

TEST(Tokens, OfManyWhoRefreshAtOnceOneWinsAndTheTokensAreVoid) {
  Access access;
  for (int round = 0; round < 20; ++round) {
    auto made = must(access.create(access.root(), {}));
    constexpr int kThreads = 8;
    std::barrier start(kThreads);
    Guarded<std::vector<Result<CreatedDelegate>>> answers;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
          start.arrive_and_wait();
          auto answer = access.delegates.refresh(made.tokens.refresh.text());
          answers.lock()->push_back(std::move(answer));
        });
      }
    }
    int won = 0;
    int replayed = 0;
    auto all = answers.lock();
    for (const auto& answer : *all) {
      if (answer) {
        won += 1;
        // The others came with a token that was used: this one's are void with the rest.
        EXPECT_THAT(access.with(answer->tokens.access), FailsWith(Code::kInvalidToken));
        EXPECT_THAT(access.delegates.refresh(answer->tokens.refresh.text()),
                    FailsWith(Code::kInvalidToken));
      } else if (answer.error().code == Code::kTokenReplayed) {
        replayed += 1;
      } else {
        EXPECT_THAT(answer, FailsWith(Code::kInvalidToken));
      }
    }
    EXPECT_EQ(won, 1);
    EXPECT_GE(replayed, 1);
    EXPECT_THAT(access.with(made.tokens.access), FailsWith(Code::kInvalidToken));
    const auto now = must(access.delegates.get(*access.root(), made.delegate.id));
    EXPECT_GE(now.epoch, 1U);
    EXPECT_LE(now.epoch, static_cast<unsigned>(replayed));
    EXPECT_THAT(access.with(must(access.delegates.issue(now)).access), IsOk());
  }
}

TEST(Delegates, NobodyGetsInOnceRevokeHasReturned) {
  Access access;
  const auto root = access.root();
  for (int round = 0; round < 30; ++round) {
    auto made = must(access.create(root, {}));
    std::atomic<bool> revoked = false;
    std::atomic<bool> stop = false;
    std::atomic<int> late = 0;
    std::barrier start(4);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        while (!stop) {
          const bool before = revoked;
          const bool in = access.with(made.tokens.access).has_value();
          if (before && in) ++late;
          if (before) break;
        }
      });
    }
    start.arrive_and_wait();
    must(access.delegates.revoke(*root, made.delegate.id));
    revoked = true;
    EXPECT_THAT(access.with(made.tokens.access), FailsWith(Code::kDelegateRevoked));
    threads.clear();
    EXPECT_EQ(late, 0);
  }
}

// ---- Garbage ------------------------------------------------------------------------------------

constexpr auto kLongAgo = 24h + kRestampAfter + 2min;

TEST(FrozenRoots, AreKeptFromTheCollectorWhileSomebodyCanUseThem) {
  Access access;
  auto& world = access.world;
  auto depot = world.a_depot("short", 1);
  auto freeze = [&](const char* content, const SessionPtr& parent, const Wish& wish = {}) {
    depot.with("docs/a", content).committed();
    auto wanted = wish;
    wanted.scope = {{depot.root().render()}};
    return std::pair(access.child(parent, wanted)->who().id, depot.root());
  };
  const auto root = access.root();
  const auto [kept, kept_root] = freeze("kept", root);
  const auto [revoked, revoked_root] = freeze("revoked", root);
  const auto [expired, expired_root] = freeze("expired", root, {.expires_in = 60s});
  const auto parent = access.child(root);
  const auto [orphan, orphan_root] = freeze("below one that is revoked", parent);
  const auto kept_file = key_at(world, kept_root, "docs/a");
  const auto revoked_file = key_at(world, revoked_root, "docs/a");
  for (const char* content : {"x", "y"}) depot.with("docs/a", content).committed();

  EXPECT_THAT(must(access.delegates.frozen_roots(root->realm)),
              UnorderedElementsAre(kept_root, revoked_root, expired_root, orphan_root));
  EXPECT_THAT(must(access.delegates.frozen_roots(realm_number(8))), IsEmpty());
  world.clock.advance(59s);
  must(collect_garbage(world.realm, must(access.delegates.frozen_roots(root->realm))));
  for (const auto& key : {kept_root, revoked_root, expired_root, orphan_root}) {
    EXPECT_TRUE(world.has(key));
  }

  must(access.delegates.revoke(*root, revoked));
  must(access.delegates.revoke(*root, parent->who().id));
  world.clock.advance(kLongAgo);
  EXPECT_THAT(must(access.delegates.frozen_roots(root->realm)), ElementsAre(kept_root));
  must(collect_garbage(world.realm, must(access.delegates.frozen_roots(root->realm))));
  EXPECT_TRUE(world.has(kept_root));
  EXPECT_TRUE(world.has(kept_file));
  for (const auto& key : {revoked_root, revoked_file, expired_root, orphan_root}) {
    EXPECT_FALSE(world.has(key));
  }
  const auto session = must(access.delegates.act_as(root->realm, kept));
  EXPECT_EQ(must(access.sight(session).node(kept_root.render())), kept_root);
}

TEST(FrozenRoots, OfOneMadeWhileTheCollectorIsAtWorkAreKept) {
  Access access;
  auto& world = access.world;
  auto depot = world.a_depot("short", 1);
  depot.with("docs/a", "old").committed();
  const auto root = depot.root();
  for (const char* content : {"x", "y"}) depot.with("docs/a", content).committed();
  world.clock.advance(kLongAgo);
  const auto keep = must(access.delegates.frozen_roots(world.realm.id()));
  ASSERT_THAT(keep, IsEmpty());
  const auto parent = access.root();
  world.listing->after_listing = [&] { access.child(parent, {.scope = {{root.render()}}}); };
  must(collect_garbage(world.realm, keep));
  EXPECT_TRUE(world.has(root));
  EXPECT_EQ(depot.files(root).at("docs/a"), "old");
}

TEST(FrozenRoots, ThatAreGoneAreGivenToNobody) {
  Access access;
  NewDelegate wanted;
  wanted.scope = {{FrozenRoot{NodeKey::from_bytes(Bytes(32, 'x'))}}};
  const auto before = access.world.everything();
  auto root = access.root();
  EXPECT_THAT(access.delegates.create(*root, wanted), FailsWith(Code::kNodeNotFound));
  EXPECT_THAT(must(access.delegates.list(*root, root->who().id, 10, std::nullopt)).delegates,
              IsEmpty());
}

}  // namespace
}  // namespace cairn::access_testing
