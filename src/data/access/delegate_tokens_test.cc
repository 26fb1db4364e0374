// Tokens of grants: for one client and one audience, and traded in by all who share one.

#include "data/access/access_testing.h"

namespace cairn::access_testing {
namespace {

using namespace std::chrono_literals;

const TokenTerms kTerms{.client = "client", .audience = "/mcp", .access_lifetime = 8h};
constexpr auto kWindow = 60s;

struct Granted {
  Access access;
  Delegate delegate = must(access.create(access.root(), {.can_upload = true})).delegate;
  IssuedTokens tokens = must(access.delegates.issue(delegate, kTerms));

  Result<CreatedDelegate> trade(const Token& token) {
    return access.delegates.refresh_granted(token.text(), kTerms, kWindow);
  }
};

TEST(GrantedTokens, ASessionKnowsTheirClientAndAudience) {
  Granted granted;
  const auto session = must(granted.access.with(granted.tokens.access));
  EXPECT_EQ(session->client, "client");
  EXPECT_EQ(session->audience, "/mcp");
  EXPECT_EQ(granted.tokens.access_expires_at,
            granted.access.world.clock.now() + std::chrono::milliseconds(8h).count());
  const auto next = must(granted.trade(granted.tokens.refresh));
  const auto renewed = must(granted.access.with(next.tokens.access));
  EXPECT_EQ(renewed->client, "client");
  EXPECT_EQ(renewed->audience, "/mcp");
}

TEST(GrantedTokens, AreTradedInByTheirClientOnly) {
  Granted granted;
  const auto& text = granted.tokens.refresh.text();
  EXPECT_THAT(granted.access.delegates.refresh(text), FailsWith(Code::kInvalidToken));
  auto foreign = kTerms;
  foreign.client = "another";
  EXPECT_THAT(granted.access.delegates.refresh_granted(text, foreign, kWindow),
              FailsWith(Code::kInvalidToken));
  const auto plain = must(granted.access.create(granted.access.root(), {}));
  EXPECT_THAT(granted.trade(plain.tokens.refresh), FailsWith(Code::kInvalidToken));
  EXPECT_THAT(granted.trade(granted.tokens.refresh), IsOk()) << "nothing was void by that";
}

TEST(GrantedTokens, AreGivenAgainWithinTheWindowAndVoidAfterIt) {
  Granted granted;
  const auto first = must(granted.trade(granted.tokens.refresh));
  granted.access.world.clock.advance(60s);
  const auto second = must(granted.trade(granted.tokens.refresh));
  for (const auto* made : {&first, &second}) {
    EXPECT_THAT(granted.access.with(made->tokens.access), IsOk());
  }
  granted.access.world.clock.advance(1ms);
  EXPECT_THAT(granted.trade(granted.tokens.refresh), FailsWith(Code::kTokenReplayed));
  for (const auto* made : {&first, &second}) {
    EXPECT_THAT(granted.access.with(made->tokens.access), FailsWith(Code::kInvalidToken));
    EXPECT_THAT(granted.trade(made->tokens.refresh), FailsWith(Code::kInvalidToken));
  }
  const auto again =
      must(granted.access.delegates.get(*granted.access.root(), granted.delegate.id));
  EXPECT_FALSE(again.revoked_at) << "the person may connect the program again";
}

TEST(PlainTokens, OfADelegateOfAnEarlierVersionAreRenewed) {
  Access access;
  const auto made = must(access.create(access.root(), {}));
  const auto key = access_records::delegate_key(made.delegate.realm, made.delegate.id);
  auto plain = made.delegate;
  plain.scope_at = 0;
  auto old = access_records::encode(plain);
  old.front() = 2;
  old.resize(old.size() - 6);  // what came with the third version
  ASSERT_TRUE(access_records::decode_delegate(key, old));
  Batch batch;
  batch.puts.push_back({key, old});
  must(access.kv().commit(std::move(batch)));
  EXPECT_THAT(access.delegates.refresh(made.tokens.refresh.text()), IsOk());
}

TEST(Change, IsInForceWithTheNextCall) {
  Access access;
  const auto made = must(access.create(access.root(), {.can_upload = true}));
  const auto below =
      must(access.create(must(access.with(made.tokens.access)), {.can_upload = true}));
  const auto changed =
      must(access.delegates.change(*access.root(), made.delegate.id,
                                   {.name = "reader", .can_upload = false, .expires_in = {{1h}}}));
  EXPECT_EQ(changed.name, "reader");
  EXPECT_FALSE(must(access.with(made.tokens.access))->rights.can_upload());
  EXPECT_FALSE(must(access.with(below.tokens.access))->rights.can_upload());
  must(access.delegates.change(*access.root(), made.delegate.id, {.can_upload = true}));
  EXPECT_TRUE(must(access.with(below.tokens.access))->rights.can_upload());
  access.world.clock.advance(1h);
  EXPECT_THAT(access.with(made.tokens.access), FailsWith(Code::kTokenExpired));
}

TEST(Change, GivesNothingThatTheParentHasNot) {
  Access access;
  const auto parent = access.child(access.root(), {.can_upload = false, .expires_in = 2h});
  const auto made = must(access.create(parent, {}));
  const auto id = made.delegate.id;
  EXPECT_THAT(access.delegates.change(*parent, id, {.can_upload = true}),
              FailsWith(Code::kPermissionExceeded));
  // Nor does somebody further up, over the parent's head.
  EXPECT_THAT(access.delegates.change(*access.root(), id, {.can_upload = true}),
              FailsWith(Code::kPermissionExceeded));
  EXPECT_THAT(access.delegates.change(*parent, id, {.expires_in = {{3h}}}),
              FailsWith(Code::kPermissionExceeded));
  const auto depot = access.world.a_depot().with("a/b", "1").committed();
  const auto narrow = access.child(access.root(), {.scope = {{depot.id.render() + "/a"}}});
  const auto child = must(access.create(narrow, {}));
  const auto whole = Place{depot.id, path("")};
  EXPECT_THAT(access.delegates.change(*narrow, child.delegate.id, {.scope = {{{whole}}}}),
              FailsWith(Code::kPermissionExceeded));
}

TEST(Change, IsForThoseAboveOnly) {
  Access access;
  const auto one = must(access.create(access.root(), {}));
  const auto other = must(access.create(access.root(), {}));
  const auto session = must(access.with(one.tokens.access));
  EXPECT_THAT(access.delegates.change(*session, other.delegate.id, {.name = "x"}),
              FailsWith(Code::kDelegateNotFound));
  EXPECT_THAT(access.delegates.change(*session, one.delegate.id, {.name = "x"}),
              FailsWith(Code::kForbidden));
  EXPECT_THAT(access.delegates.change(*access.root(), access.root()->who().id, {.name = "x"}),
              FailsWith(Code::kForbidden));
  must(access.delegates.revoke(*access.root(), one.delegate.id));
  EXPECT_THAT(access.delegates.change(*access.root(), one.delegate.id, {.name = "x"}),
              FailsWith(Code::kDelegateRevoked));
}

}  // namespace
}  // namespace cairn::access_testing
