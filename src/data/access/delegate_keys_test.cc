// Keys of delegates: how long they live, and how one takes the place of another.

#include "data/access/access_testing.h"

namespace cairn::access_testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr auto kDay = 24h;

struct Keys {
  Access access;

  CreatedKey make(const SessionPtr& parent, std::optional<std::chrono::seconds> expires_in = {}) {
    NewDelegate wanted;
    wanted.name = "agent";
    wanted.can_upload = true;
    wanted.expires_in = expires_in;
    return must(access.delegates.create_key(*parent, std::move(wanted)));
  }
  CreatedKey make() { return make(access.root()); }
  Result<CreatedKey> rotate(const SessionPtr& caller, const CreatedKey& key,
                            std::chrono::seconds overlap = kMaxKeyOverlap,
                            std::optional<std::chrono::seconds> expires_in = {}) {
    return access.delegates.rotate_key(*caller, key.delegate.id, overlap, expires_in);
  }
  Millis now() { return access.world.clock.now(); }
  void wait(std::chrono::milliseconds time) { access.world.clock.advance(time); }
};

Millis ms(std::chrono::milliseconds time) { return time.count(); }

TEST(Keys, OneIsGoodForAsLongAsItsDelegate) {
  Keys keys;
  const auto made = keys.make();
  EXPECT_EQ(made.delegate.kind, DelegateKind::kKey);
  EXPECT_EQ(made.delegate.expires_at, keys.now() + ms(90 * kDay));
  EXPECT_EQ(made.delegate.key_made_at, keys.now());
  EXPECT_TRUE(made.key.is_key());
  keys.wait(90 * kDay - 1ms);
  EXPECT_TRUE(must(keys.access.with(made.key))->rights.can_upload());
  must(keys.access.delegates.change(*keys.access.root(), made.delegate.id, {.expires_in = {{2h}}}));
  keys.wait(1h);
  EXPECT_THAT(keys.access.with(made.key), IsOk()) << "its end was moved";
  keys.wait(1h);
  EXPECT_THAT(keys.access.with(made.key), FailsWith(Code::kDelegateExpired));
}

TEST(Keys, NoneLivesLongerThanAYearOrThanItsParent) {
  Keys keys;
  EXPECT_EQ(keys.make(keys.access.root(), kMaxKeyLifetime).delegate.expires_at,
            keys.now() + ms(kMaxKeyLifetime));
  NewDelegate longer;
  longer.expires_in = kMaxKeyLifetime + 1s;
  const auto refused = keys.access.delegates.create_key(*keys.access.root(), longer);
  ASSERT_THAT(refused, FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(refused.error().message, HasSubstr("366 days"));
  const auto parent = keys.access.child(keys.access.root(), {.can_upload = true, .expires_in = 1h});
  EXPECT_EQ(keys.make(parent).delegate.expires_at, keys.now() + ms(1h));
  const auto made = keys.make();
  EXPECT_THAT(keys.access.delegates.change(*keys.access.root(), made.delegate.id,
                                           {.expires_in = {{kMaxKeyLifetime + 1s}}}),
              FailsWith(Code::kInvalidArgument));
  const auto as_parent =
      must(keys.access.delegates.change(*keys.access.root(), made.delegate.id,
                                        {.expires_in = {std::optional<std::chrono::seconds>()}}));
  EXPECT_EQ(as_parent.expires_at, keys.now() + ms(90 * kDay)) << "the parent has no end";
}

TEST(Keys, AnOldOneIsGoodBesideTheNewOneForADayAtMost) {
  Keys keys;
  const auto first = keys.make();
  const auto second = must(keys.rotate(keys.access.root(), first));
  EXPECT_EQ(second.delegate.old_key_until, keys.now() + ms(kDay));
  EXPECT_EQ(second.delegate.expires_at, first.delegate.expires_at);
  EXPECT_EQ(must(keys.access.with(first.key))->valid_until, keys.now() + ms(kDay));
  EXPECT_THAT(keys.access.with(second.key), IsOk());
  keys.wait(kDay - 1ms);
  EXPECT_THAT(keys.access.with(first.key), IsOk());
  keys.wait(1ms);
  EXPECT_THAT(keys.access.with(first.key), FailsWith(Code::kInvalidToken));
  EXPECT_THAT(keys.access.with(second.key), IsOk());
  EXPECT_THAT(keys.rotate(keys.access.root(), first, kDay + 1s), FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(keys.rotate(keys.access.root(), first, -1s), FailsWith(Code::kInvalidArgument));
}

TEST(Keys, AnOldOneIsVoidAtOnceWithoutAnOverlapAndWithTheOneAfterTheNext) {
  Keys keys;
  const auto first = keys.make();
  const auto second = must(keys.rotate(keys.access.root(), first));
  const auto third = must(keys.rotate(keys.access.root(), first));
  EXPECT_THAT(keys.access.with(first.key), FailsWith(Code::kInvalidToken));
  EXPECT_THAT(keys.access.with(second.key), IsOk());
  const auto fourth = must(keys.rotate(keys.access.root(), first, 0s));
  for (const auto* old : {&second, &third}) {
    EXPECT_THAT(keys.access.with(old->key), FailsWith(Code::kInvalidToken));
  }
  EXPECT_THAT(keys.access.with(fourth.key), IsOk());
  must(keys.access.delegates.void_all(first.delegate.realm, first.delegate.id));
  EXPECT_THAT(keys.access.with(fourth.key), FailsWith(Code::kInvalidToken));
}

TEST(Keys, VoidingAllEndsAnOverlap) {
  Keys keys;
  const auto first = keys.make();
  const auto second = must(keys.rotate(keys.access.root(), first));
  must(keys.access.delegates.void_all(first.delegate.realm, first.delegate.id));
  EXPECT_THAT(keys.access.with(first.key), FailsWith(Code::kInvalidToken));
  EXPECT_THAT(keys.access.with(second.key), FailsWith(Code::kInvalidToken));
}

TEST(Keys, ItsHolderReplacesItButDoesNotProlongItsLife) {
  Keys keys;
  const auto first = keys.make();
  const auto self = must(keys.access.with(first.key));
  EXPECT_THAT(keys.rotate(self, first, kDay, 10h), FailsWith(Code::kForbidden));
  keys.wait(1h);
  const auto second = must(keys.rotate(self, first));
  EXPECT_EQ(second.delegate.expires_at, first.delegate.expires_at);
  EXPECT_EQ(second.delegate.key_made_at, keys.now());
  // The old one is for finishing what was begun: whoever has found it gets no new one.
  const auto by_the_old = must(keys.access.with(first.key));
  EXPECT_THAT(keys.rotate(by_the_old, first), FailsWith(Code::kForbidden));
  EXPECT_THAT(keys.access.with(second.key), IsOk());
}

TEST(Keys, ThoseAboveRenewOneThatHasExpired) {
  Keys keys;
  const auto first = keys.make(keys.access.root(), 1h);
  keys.wait(1h);
  EXPECT_THAT(keys.rotate(keys.access.root(), first), FailsWith(Code::kDelegateExpired));
  const auto second = must(keys.rotate(keys.access.root(), first, 0s, 30h));
  EXPECT_EQ(second.delegate.expires_at, keys.now() + ms(30h));
  EXPECT_THAT(keys.access.with(second.key), IsOk());
  EXPECT_THAT(keys.access.with(first.key), FailsWith(Code::kInvalidToken));
  EXPECT_THAT(keys.rotate(keys.access.root(), first, 0s, kMaxKeyLifetime + 1s),
              FailsWith(Code::kInvalidArgument));
}

TEST(Keys, OnlyThoseAboveAndItselfReplaceOneAndOnlyADelegateWithAKeyHasOne) {
  Keys keys;
  const auto made = keys.make();
  const auto other = keys.access.child(keys.access.root());
  EXPECT_THAT(keys.rotate(other, made), FailsWith(Code::kDelegateNotFound));
  EXPECT_THAT(keys.access.delegates.rotate_key(*keys.access.root(), other->who().id),
              FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(keys.access.delegates.rotate_key(*keys.access.root(), keys.access.root()->who().id),
              FailsWith(Code::kInvalidArgument));
  must(keys.access.delegates.revoke(*keys.access.root(), made.delegate.id));
  EXPECT_THAT(keys.rotate(keys.access.root(), made), FailsWith(Code::kDelegateRevoked));
}

TEST(Keys, AKeyIsNoRefreshToken) {
  Keys keys;
  const auto made = keys.make();
  EXPECT_THAT(keys.access.delegates.refresh(made.key.text()), FailsWith(Code::kInvalidToken));
  EXPECT_THAT(keys.access.with(made.key), IsOk());
}

TEST(Keys, RecordsOfThoseThatAreVoidAreForgotten) {
  Keys keys;
  const auto first = keys.make();
  const auto second = must(keys.rotate(keys.access.root(), first));
  const auto gone = keys.make();
  must(keys.access.delegates.revoke(*keys.access.root(), gone.delegate.id));
  EXPECT_EQ(must(keys.access.delegates.forget_expired()), 1U) << "of the revoked one";
  keys.wait(kDay);
  EXPECT_EQ(must(keys.access.delegates.forget_expired()), 1U) << "the first";
  EXPECT_THAT(keys.access.with(second.key), IsOk());
}

TEST(Uses, AreKnownToTheMinuteAndStayKnown) {
  Keys keys;
  auto& delegates = keys.access.delegates;
  const auto made = keys.make();
  const auto last = [&] {
    return must(delegates.last_used(made.delegate.realm, made.delegate.id));
  };
  EXPECT_EQ(last(), std::nullopt);
  must(keys.access.with(made.key));
  const auto minute = [&] { return keys.now() - keys.now() % 60'000; };
  const auto first = minute();
  EXPECT_EQ(last(), first);
  must(delegates.keep_uses());
  EXPECT_EQ(last(), first) << "also when it is written";
  keys.wait(59s);
  must(keys.access.with(made.key));
  EXPECT_EQ(last(), first) << "not more often than every minute";
  keys.wait(1s);
  must(keys.access.with(made.key));
  EXPECT_EQ(last(), minute());
  must(delegates.keep_uses());
  Delegates reopened(keys.access.kv(), keys.access.world.clock, keys.access.world.random);
  EXPECT_EQ(must(reopened.last_used(made.delegate.realm, made.delegate.id)), minute());
  must(delegates.remove_all(made.delegate.realm));
  EXPECT_EQ(last(), std::nullopt);
}

TEST(Uses, AreOfTheTokenThatWasGoodAndWriteNothingThatHasToBeCheckedAgain) {
  Keys keys;
  auto& delegates = keys.access.delegates;
  const auto made = must(keys.access.create(keys.access.root(), {}));
  const auto id = made.delegate.id;
  const auto session = must(keys.access.with(made.tokens.access));
  must(delegates.keep_uses());
  EXPECT_TRUE(delegates.is_current(*session));
  keys.wait(2h);
  const auto before = must(delegates.last_used(made.delegate.realm, id));
  EXPECT_THAT(keys.access.with(made.tokens.access), FailsWith(Code::kTokenExpired));
  EXPECT_EQ(must(delegates.last_used(made.delegate.realm, id)), before);
  must(delegates.refresh(made.tokens.refresh.text()));
  EXPECT_GT(must(delegates.last_used(made.delegate.realm, id)), before);
}

}  // namespace
}  // namespace cairn::access_testing
