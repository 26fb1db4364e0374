// Where a root began, when it is committed: what is noted, what the caller says, what others did.
#include "data/realm/origin.h"

#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Origin, KnowsBetterThanTheExpectedRootWhereAChangeBegan) {
  World world;
  auto depot = world.a_depot().with("a", "1\n2\n3\n4\n").committed();
  auto stale = depot.edit("a", "mine\n2\n3\n4\n");
  depot.with("a", "theirs\n2\n3\n4\n").with("b", "theirs").committed();
  // As somebody does who was told of the conflict, and of the root that is current.
  for (int i = 0; i < 2; ++i) {
    auto refused = depot.commit(stale, {.expected = depot.root()});
    ASSERT_THAT(refused, FailsWith(Code::kConflict));
    EXPECT_THAT(detail_paths(refused.error()), ElementsAre("a"));
  }
  EXPECT_THAT(depot.commit(stale, {.expected = depot.root(), .exact = true}),
              FailsWith(Code::kPreconditionFailed));
  EXPECT_EQ(depot.files(), (Files{{"a", "theirs\n2\n3\n4\n"}, {"b", "theirs"}}));

  auto elsewhere = depot.checkout().write("a", "theirs\n2\n3\nmine\n");
  depot.with("c", "theirs").committed();
  auto done = must(depot.commit(elsewhere, {.expected = depot.root()}));
  EXPECT_TRUE(done.merged);
  EXPECT_EQ(depot.files(),
            (Files{{"a", "theirs\n2\n3\nmine\n"}, {"b", "theirs"}, {"c", "theirs"}}));
}

TEST(Origin, BringsAnOldRootBackOnPurposeOnly) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  const auto old = depot.root();
  depot.with("a", "2").with("b", "theirs").committed();
  const auto current = depot.root();
  EXPECT_THAT(depot.commit(old, {.expected = current}), FailsWith(Code::kConflict));
  EXPECT_EQ(depot.root(), current);
  auto refused = depot.commit(old, {.expected = current, .exact = true});
  ASSERT_THAT(refused, FailsWith(Code::kPreconditionFailed));
  EXPECT_THAT(refused.error().message, HasSubstr("depot_revert"));
  EXPECT_EQ(depot.root(), current);
  must(depot.commit(old, {.force = true}));
  EXPECT_EQ(depot.files(), (Files{{"a", "1"}}));
  must(world.realm.revert(depot.id, current, ""));
  EXPECT_EQ(depot.root(), current);
}

// It came to the place with a commit of the whole depot, so that nothing was noted of it there.
TEST(Origin, BringsAnOldRootOfAPlaceBackOnPurposeOnly) {
  World world;
  auto depot = world.a_depot().with("docs/a", "1").committed();
  auto docs = depot.at("docs");
  const auto old = docs.root();
  depot.with("docs/a", "2").with("docs/b", "theirs").committed();
  const auto current = docs.root();
  EXPECT_THAT(docs.commit(old, {.expected = current, .exact = true}),
              FailsWith(Code::kPreconditionFailed));
  EXPECT_THAT(docs.commit(old, {.expected = current}), FailsWith(Code::kConflict));
  EXPECT_EQ(docs.root(), current);
}

TEST(Origin, LetsALockReturnToWhatItWasWithExact) {
  World world;
  auto depot = world.a_depot().with("lock", "free").committed();
  const auto free = depot.root();
  for (int i = 0; i < 3; ++i) {
    for (const char* state : {"taken", "free"}) {
      const auto began = depot.root();
      must(depot.commit(depot.edit("lock", state), {.expected = began, .exact = true}));
    }
    EXPECT_EQ(depot.root(), free);
  }
}

// Keys are made of content: a draft may be a root that was there before.
TEST(Origin, KeepsApartWhoBeganWhereWhenARootArisesAgain) {
  World world;
  auto depot = world.a_depot().with("flag", "off").committed();
  const auto off = depot.root();
  depot.with("flag", "on").committed();
  const auto on = depot.root();
  // Somebody turns it back and commits nothing yet; this is the first root again.
  auto theirs = depot.edit("flag", "off");
  ASSERT_EQ(theirs.root, off);
  // What was begun at the first root has not seen the flag change.
  const auto mine = must(save_write(world.realm, off, std::nullopt, "f", "1"));
  EXPECT_TRUE(must(depot.commit(mine, {.expected = off})).merged);
  EXPECT_EQ(depot.files(), (Files{{"f", "1"}, {"flag", "on"}}));
  // And whoever turned it back gets what it wants.
  EXPECT_TRUE(must(depot.commit(theirs)).changed);
  EXPECT_EQ(depot.files(), (Files{{"f", "1"}, {"flag", "off"}}));
  EXPECT_NE(on, depot.root());
}

// A draft that is the depot's root again does not stand in the way of what is made on that root.
TEST(Origin, GoesOnFromTheCurrentRootThoughItAroseAgain) {
  World world;
  auto depot = world.a_depot().with("n", "1").committed();
  const auto first = depot.root();
  depot.with("n", "2").committed();
  const auto second = depot.root();
  // Somebody who has read the first writes the same.
  ASSERT_EQ(must(save_write(world.realm, first, std::nullopt, "n", "2")), second);
  for (const auto& expected : {std::optional(second), std::optional<NodeKey>()}) {
    const auto next = must(save_write(world.realm, depot.root(), std::nullopt, "n", "3"));
    EXPECT_FALSE(must(depot.commit(next, {.expected = expected})).merged);
    EXPECT_EQ(depot.files(), (Files{{"n", "3"}}));
    must(world.realm.revert(depot.id, second, ""));
    ASSERT_EQ(must(save_write(world.realm, first, std::nullopt, "n", "2")), second);
  }
}

TEST(Origin, SaysWhatOthersHaveDoneAlready) {
  World world;
  auto depot = world.a_depot().with("n", "1").with("o.json", R"({"n": 1, "x": 1, "y": 1})");
  depot.with("dir/t", "1\n2\n3\n4\n5\n").committed();
  const auto began = depot.root();
  auto first = depot.edit("n", "2");
  auto second = depot.edit("n", "2");
  EXPECT_THAT(must(depot.commit(first, {.expected = began})).same_as_others, IsEmpty());
  auto done = must(depot.commit(second, {.expected = began}));
  EXPECT_FALSE(done.changed);
  EXPECT_THAT(done.same_as_others, ElementsAre("n"));

  auto mine = depot.checkout();
  mine.write("o.json", R"({"n": 2, "x": 2, "y": 1})").write("dir/t", "1\n2\n3\n4\nfive\n");
  depot.with("o.json", R"({"n": 2, "x": 1, "y": 2})").committed();
  depot.with("dir/t", "one\n2\n3\n4\nfive\n").committed();
  EXPECT_THAT(must(depot.commit(mine)).same_as_others, ElementsAre("dir/t", "o.json"));

  mine = depot.checkout();
  mine.write("o.json", R"({"n": 2, "x": 3, "y": 2})").write("dir/t", "one\n2\n3\n4\n5\n");
  depot.with("o.json", R"({"n": 2, "x": 2, "y": 3})").with("dir/t", "1\n2\n3\n4\nfive\n");
  depot.committed();
  EXPECT_THAT(must(depot.commit(mine)).same_as_others, IsEmpty());
}

TEST(Origin, RemembersBasesPerDepot) {
  World world;
  auto left = world.a_depot("left").with("a", "1").committed();
  auto right = world.a_depot("right");
  must(right.commit(left.root()));
  auto draft = left.edit("a", "2");  // it began at the left depot, though both have that root
  right.with("b", "theirs").committed();
  left.with("b", "theirs").committed();
  EXPECT_EQ(base_of(world.realm, draft.root, right.id), std::nullopt);
  EXPECT_TRUE(must(left.commit(draft)).merged);
  EXPECT_FALSE(must(right.commit(draft)).merged);
}

TEST(Origin, RemembersTheBaseThroughAChainOfEdits) {
  World world;
  auto depot = world.a_depot().with("a.txt", "1").committed();
  auto mine = depot.checkout();
  mine.write("one", "1").write("two", "2").rm("one").write("sub/three", "3");
  EXPECT_EQ(base_of(world.realm, mine.root, depot.id), mine.base);
  depot.with("a.txt", "theirs").committed();
  auto done = must(depot.commit(mine));
  EXPECT_TRUE(done.merged);
  EXPECT_THAT(done.from_others, ElementsAre("a.txt"));
  EXPECT_EQ(depot.files(), (Files{{"a.txt", "theirs"}, {"sub/three", "3"}, {"two", "2"}}));
}

TEST(Origin, SaysSimplyThatAllIsThereToWhoComesAgainLongAfter) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  auto mine = depot.edit("a", "2");
  must(depot.commit(mine));
  auto done = must(depot.commit(mine, {.expected = NodeKey::of("swept since")}));
  EXPECT_FALSE(done.changed);
  EXPECT_THAT(done.same_as_others, IsEmpty());
}

TEST(Origin, KeepsThatARootWasCommittedWhateverElseIsNoted) {
  const auto key = [](int number) { return NodeKey::of(std::to_string(number)); };
  const auto root = key(0);
  Origin noted{.place = {}, .base = root};
  for (int i = 1; i < 10; ++i) {
    Origin next{.place = {}, .base = key(i)};
    next.add(noted, root);
    noted = next;
    EXPECT_TRUE(noted.grew_from(root)) << i;
    EXPECT_LE(noted.others.size(), Origin::kMaxOthers);
  }
  EXPECT_EQ(noted.base_for(root, std::nullopt, std::nullopt), key(9));
  EXPECT_EQ(noted.base_for(root, key(8), key(9)), key(8));
  EXPECT_EQ(noted.base_for(root, key(77), key(8)), key(8));
  EXPECT_EQ(noted.base_for(root, key(77), key(78)), key(9));
  EXPECT_THAT(std::move(noted).of_what_is_made_on(root).others, ElementsAre(root));
}

}  // namespace
}  // namespace cairn::realm_testing
