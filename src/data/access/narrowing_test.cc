// Delegates that are given to see less than before: nothing that they or those below them hold from
// before is a way around it.

#include "data/access/access_testing.h"

namespace cairn::access_testing {
namespace {

using namespace std::chrono_literals;
using Scope = std::vector<std::string>;

struct Story {
  Access access;
  realm_testing::DepotStory depot =
      access.world.a_depot().with("docs/a/x", "1").with("src/b", "2").committed();
  std::string id = depot.id.render();

  CreatedDelegate make(const SessionPtr& parent, std::optional<Scope> scope) {
    return must(access.create(parent, {.can_upload = true, .scope = std::move(scope)}));
  }
  SessionPtr session(const CreatedDelegate& made) { return must(access.with(made.tokens.access)); }
  void narrow(const CreatedDelegate& made, const Scope& scope) {
    const auto to = must(access.sight(access.root()).narrow(scope));
    must(access.delegates.change(*access.root(), made.delegate.id, {.scope = {to}}));
  }
  std::string docs() { return key_at(access.world, depot.root(), "docs").render(); }
};

TEST(Narrowing, APlaceIsSeenNoMore) {
  Story story;
  const auto made = story.make(story.access.root(), std::nullopt);
  const auto below = story.make(story.session(made), Scope{story.id + "/src"});
  story.narrow(made, {story.id + "/docs"});
  EXPECT_THAT(story.access.sight(story.session(made)).places(), IsOk());
  EXPECT_EQ(must(story.access.sight(story.session(made)).places()).front().path, path("docs"));
  EXPECT_TRUE(must(story.access.sight(story.session(below)).places()).empty());
}

// A frozen root is only a key: nothing tells whether it was below what is seen now.
TEST(Narrowing, WhatIsFrozenInScopesBelowIsSeenNoMore) {
  Story story;
  const auto made = story.make(story.access.root(), std::nullopt);
  const auto below = story.make(story.session(made), Scope{story.docs()});
  const auto own = story.make(story.session(below), std::nullopt);
  const auto sees = [&](const CreatedDelegate& who) {
    return story.access.sight(story.session(who)).node(story.docs()).has_value();
  };
  EXPECT_TRUE(sees(below));
  EXPECT_TRUE(sees(own));
  story.narrow(made, {story.id + "/src"});
  EXPECT_FALSE(sees(below));
  EXPECT_FALSE(sees(own));
  // Given anew it is seen again, by those to whom it is given.
  story.narrow(made, {story.docs()});
  EXPECT_TRUE(sees(made));
  EXPECT_FALSE(sees(below));
  const auto later = story.make(story.session(made), Scope{"0"});
  EXPECT_TRUE(sees(later)) << "in the same millisecond";
}

TEST(Narrowing, SeeingMoreTakesNothingAway) {
  Story story;
  const auto made = story.make(story.access.root(), Scope{story.docs()});
  const auto below = story.make(story.session(made), Scope{"0:0"});
  ASSERT_EQ(story.session(below)->rights.frozen().size(), 1U);
  story.narrow(made, {story.docs(), story.id + "/src"});
  EXPECT_EQ(story.session(below)->rights.frozen().size(), 1U);
  must(story.access.delegates.change(*story.access.root(), made.delegate.id,
                                     {.scope = {std::optional<std::vector<ScopeRoot>>()}}));
  EXPECT_EQ(story.session(below)->rights.frozen().size(), 1U);
  EXPECT_FALSE(story.session(made)->rights.scope());
}

TEST(Narrowing, OfDepotsEndsWhatIsFrozenToo) {
  Story story;
  const auto other = story.access.world.a_depot().with("o", "1").committed();
  const auto made = story.make(story.access.root(), std::nullopt);
  const auto below = story.make(story.session(made), Scope{story.docs()});
  must(story.access.delegates.change(*story.access.root(), made.delegate.id,
                                     {.depots = {{{story.depot.id, other.id}}}}));
  const auto again = story.make(story.session(made), Scope{story.id + "/docs"});
  must(story.access.delegates.change(*story.access.root(), made.delegate.id,
                                     {.depots = {{{other.id}}}}));
  EXPECT_TRUE(story.session(below)->rights.frozen().empty());
  EXPECT_TRUE(story.session(again)->rights.places(story.depot.id).empty());
}

// What a delegate wrote it may name by the key; what it wrote of the whole depot has all of it.
TEST(Narrowing, WhatWasWrittenBeforeIsNotNamedAnyMore) {
  Story story;
  const auto made = story.make(story.access.root(), Scope{story.id});
  const auto wrote = [&] {
    const auto session = story.session(made);
    const std::vector<NodeKey> nodes{key_at(story.access.world, story.depot.root(), "docs")};
    must(story.access.world.realm.ownership().own(session->owners, nodes));
  };
  const auto names = [&] {
    return story.access.sight(story.session(made)).node(story.docs()).has_value();
  };
  wrote();
  EXPECT_TRUE(names());
  story.access.world.clock.advance(1ms);
  story.narrow(made, {story.id + "/src"});
  EXPECT_FALSE(names());
  story.access.world.clock.advance(1ms);
  wrote();
  EXPECT_TRUE(names()) << "it came to the same since";
}

TEST(Narrowing, ASessionThatGoesOnForLongIsToldThatItsRightsAreOthers) {
  Story story;
  auto& delegates = story.access.delegates;
  const auto made = story.make(story.access.root(), std::nullopt);
  const auto session = story.session(made);
  must(delegates.change(*story.access.root(), made.delegate.id, {.name = "x"}));
  EXPECT_THAT(delegates.check_unchanged(*session), IsOk());
  const auto inner = confined(*session, Place{story.depot.id, path("docs")},
                              DelegateId::from_bytes(Bytes(16, 's')));
  EXPECT_THAT(delegates.check_unchanged(*inner), IsOk());
  must(delegates.change(*story.access.root(), made.delegate.id, {.can_upload = false}));
  EXPECT_THAT(delegates.check_again(*session), IsOk());
  EXPECT_THAT(delegates.check_unchanged(*session), FailsWith(Code::kForbidden));
  EXPECT_THAT(delegates.check_unchanged(*inner), FailsWith(Code::kForbidden));
  EXPECT_FALSE(must(delegates.as_now(session))->rights.can_upload());
  const auto inner_now = must(delegates.as_now(inner));
  EXPECT_FALSE(inner_now->rights.can_upload());
  EXPECT_EQ(inner_now->who().id, inner->who().id);
  EXPECT_EQ(inner_now->stand_ins, 1U);
  EXPECT_THAT(delegates.check_unchanged(*inner_now), IsOk());
  EXPECT_EQ(must(delegates.as_now(inner_now)), inner_now);
}

}  // namespace
}  // namespace cairn::access_testing
