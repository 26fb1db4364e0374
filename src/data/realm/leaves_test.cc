// Leaves: what an author has made and not committed is known, told once, and forgotten in time.

#include "data/realm/leaves.h"

#include "data/realm/gc.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const auto kAnn = DelegateId::from_bytes(Bytes(16, 'a'));
const auto kBob = DelegateId::from_bytes(Bytes(16, 'b'));

class LeavesTest : public testing::Test {
 protected:
  // A file written by somebody, from the depot or from a root.
  NodeKey write(const DelegateId& who, std::string_view path, ByteView content,
                std::optional<NodeKey> from = std::nullopt) {
    Stage stage(world_.realm.nodes());
    const auto start = from.value_or(depot_.root());
    auto done = must(cairn::write(stage, must(stage.get(start)), must(Path::parse(path)), content));
    SaveOptions options;
    if (!from) options.place = depot_.place;
    options.author = who;
    must(world_.realm.save(stage, done, start, options));
    world_.clock.advance(std::chrono::seconds(1));
    return done.root->key();
  }
  std::vector<NodeKey> roots_of(const DelegateId& who) {
    std::vector<NodeKey> out;
    for (const auto& leaf : must(world_.realm.leaves().of(who, depot_.place))) {
      out.push_back(leaf.root);
    }
    return out;
  }
  std::vector<Uncommitted> told(const DelegateId& who) {
    return must(world_.realm.uncommitted(who, depot_.place, depot_.root()));
  }
  Result<CommitResult> commit(const DelegateId& who, const NodeKey& root, bool keep = false) {
    return world_.realm.commit(
        {.depot = depot_.id, .root = root, .message = {}, .author = who, .keep_merged = keep});
  }

  World world_;
  DepotStory depot_ = world_.a_depot().with("a", "1\n").with("b", "1\n").committed();
};

TEST_F(LeavesTest, AChangeTakesThePlaceOfWhatItWasMadeOn) {
  const auto one = write(kAnn, "a", "2\n");
  EXPECT_THAT(roots_of(kAnn), ElementsAre(one));
  const auto two = write(kAnn, "b", "2\n", one);
  EXPECT_THAT(roots_of(kAnn), ElementsAre(two));
  const auto other = write(kAnn, "c", "2\n", one);
  EXPECT_THAT(roots_of(kAnn), ElementsAre(other, two)) << "the newest first";
  EXPECT_THAT(roots_of(kBob), IsEmpty());
}

TEST_F(LeavesTest, WhatIsLeftBesideACommitIsToldOnce) {
  const auto one = write(kAnn, "a", "2\n");
  const auto two = write(kAnn, "b", "2\n");
  write(kBob, "c", "bob's\n");
  must(commit(kAnn, two));
  const auto left = told(kAnn);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].root, one);
  EXPECT_THAT(left[0].paths, ElementsAre("a"));
  EXPECT_THAT(told(kAnn), IsEmpty());
  ASSERT_TRUE(must(commit(kAnn, one)).merged);
  EXPECT_EQ(depot_.files(), (Files{{"a", "2\n"}, {"b", "2\n"}}));
}

// Two programs with one token: what one of them is told of, the other is about to commit.
TEST_F(LeavesTest, WhatWasToldIsStillCommittedFromWhereItBegan) {
  const auto first = write(kAnn, "a", "2\n");
  must(commit(kAnn, first));
  must(commit(kAnn, write(kAnn, "a", "3\n")));
  const auto again = write(kAnn, "a", "2\n");
  ASSERT_EQ(again, first) << "it was committed before, and is made anew";
  EXPECT_EQ(told(kAnn).size(), 1U);
  EXPECT_THAT(told(kAnn), IsEmpty());
  depot_.with("b", "theirs\n").committed();
  must(commit(kAnn, again));
  EXPECT_EQ(depot_.files(), (Files{{"a", "2\n"}, {"b", "theirs\n"}}));
}

TEST_F(LeavesTest, WhatTheDepotHasByNowIsNotTold) {
  write(kAnn, "a", "2\n");
  const auto again = write(kAnn, "b", "2\n", write(kAnn, "a", "2\n", write(kAnn, "c", "x")));
  must(commit(kAnn, again));
  EXPECT_THAT(told(kAnn), IsEmpty());
}

TEST_F(LeavesTest, AnotherPlaceIsAnotherMatter) {
  write(kAnn, "a", "2\n");
  EXPECT_THAT(must(world_.realm.leaves().of(kAnn, Place(depot_.id, must(Path::parse("d"))))),
              IsEmpty());
}

TEST_F(LeavesTest, TheGarbageCollectorForgetsThem) {
  write(kAnn, "a", "2\n");
  world_.clock.advance(std::chrono::hours(23));
  must(collect_garbage(world_.realm));
  EXPECT_EQ(roots_of(kAnn).size(), 1U);
  world_.clock.advance(std::chrono::hours(3));
  must(collect_garbage(world_.realm));
  EXPECT_THAT(roots_of(kAnn), IsEmpty());
}

// The same root, made by two: each one's commit is merged from where that one began.
TEST_F(LeavesTest, ACommitBeginsWhereItsAuthorDid) {
  const auto anns = write(kAnn, "a", "2\n", write(kAnn, "b", "bob\n"));
  depot_.with("b", "bob\n").committed();
  const auto bobs = write(kBob, "a", "2\n");
  ASSERT_EQ(anns, bobs);
  must(commit(kAnn, anns));
  EXPECT_EQ(depot_.files(), (Files{{"a", "2\n"}, {"b", "bob\n"}}));
}

TEST_F(LeavesTest, AConflictKeepsWhatFitsAndTheRestIsDoneThere) {
  const auto mine = write(kAnn, "c", "new\n", write(kAnn, "a", "mine\n"));
  depot_.with("a", "theirs\n").with("b", "theirs\n").committed();
  auto refused = commit(kAnn, mine, true);
  ASSERT_THAT(refused, FailsWith(Code::kConflict));
  EXPECT_THAT(refused.error().message, HasSubstr("<<<<<<< theirs, line 1 of mergedRoot\ntheirs\n"));
  EXPECT_THAT(refused.error().message, testing::Not(HasSubstr("force")));
  const auto merged = must(NodeKey::parse(detail_text(refused.error(), "mergedRoot")));
  EXPECT_EQ(depot_.files(merged), (Files{{"a", "theirs\n"}, {"b", "theirs\n"}, {"c", "new\n"}}));
  EXPECT_THAT(roots_of(kAnn), IsEmpty()) << "she knows that hers is not committed";
  const auto both = write(kAnn, "a", "theirs and mine\n", merged);
  EXPECT_FALSE(must(commit(kAnn, both)).merged);
  EXPECT_EQ(depot_.files(), (Files{{"a", "theirs and mine\n"}, {"b", "theirs\n"}, {"c", "new\n"}}));
  EXPECT_THAT(told(kAnn), IsEmpty());
}

TEST_F(LeavesTest, AConflictWithNothingElseToMergeNamesTheCurrentRoot) {
  const auto mine = write(kAnn, "a", "mine\n");
  depot_.with("a", "theirs\n").committed();
  auto refused = commit(kAnn, mine, true);
  ASSERT_THAT(refused, FailsWith(Code::kConflict));
  EXPECT_EQ(detail_text(refused.error(), "mergedRoot"), depot_.root().render());
  must(commit(kAnn, write(kAnn, "a", "theirs and mine\n", depot_.root())));
  EXPECT_THAT(told(kAnn), IsEmpty()) << "the change that did not fit is in this one";
}

// The empty root is where every new depot began.
TEST_F(LeavesTest, AChangeOfARootOfManyDepotsIsALeafOfNone) {
  auto left = world_.a_depot("left");
  auto right = world_.a_depot("right");
  const auto of = [&](const DepotStory& depot) {
    return must(world_.realm.leaves().of(kAnn, depot.place)).size();
  };
  const auto made = write(kAnn, "a", "1", left.root());
  EXPECT_EQ(of(left) + of(right), 0U);
  must(left.commit(made, {.author = kAnn}));
  EXPECT_THAT(must(world_.realm.uncommitted(kAnn, right.place, right.root())), IsEmpty());
}

TEST_F(LeavesTest, AChangeGoesOnWhereItsAuthorMadeTheOneBefore) {
  auto other = world_.a_depot("other");
  must(other.commit(write(kAnn, "a", "2\n"), {.author = kBob}));
  const auto one = write(kAnn, "b", "2\n", write(kAnn, "a", "2\n"));
  EXPECT_THAT(roots_of(kAnn), ElementsAre(one));
  EXPECT_THAT(must(world_.realm.leaves().of(kAnn, other.place)), IsEmpty());
}

TEST_F(LeavesTest, ACommitToAnotherDepotIsACommit) {
  auto other = world_.a_depot("other");
  must(other.commit(write(kAnn, "a", "2\n"), {.author = kAnn}));
  EXPECT_THAT(told(kAnn), IsEmpty());
}

// Without a word of where it began: its leaf has it.
TEST_F(LeavesTest, WhatOthersHaveDoneAlreadyIsSaid) {
  const auto mine = write(kAnn, "a", "2\n");
  ASSERT_EQ(write(kBob, "a", "2\n"), mine);
  must(commit(kBob, mine));
  const auto done = must(commit(kAnn, mine));
  EXPECT_FALSE(done.changed);
  EXPECT_THAT(done.same_as_others, ElementsAre("a"));
  EXPECT_THAT(must(commit(kAnn, mine)).same_as_others, IsEmpty()) << "who comes again";
}

TEST_F(LeavesTest, ARecordIsReadAsItWasWritten) {
  const Leaf leaf{kAnn, Place(depot_.id, must(Path::parse("d/e"))), depot_.root(),
                  NodeKey::of("base"), 7};
  const auto key = records::leaf_key(world_.realm.id(), kAnn, depot_.id, leaf.root);
  EXPECT_EQ(must(records::decode_leaf(key, records::encode(leaf))), leaf);
  EXPECT_THAT(records::decode_leaf(key, records::encode(leaf) + "x"), FailsWith(Code::kIoError));
  EXPECT_THAT(records::decode_leaf(key, ""), FailsWith(Code::kIoError));
}

}  // namespace
}  // namespace cairn::realm_testing
