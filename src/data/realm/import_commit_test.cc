// Two people and a depot: what each import does to what the other put there.

#include "data/realm/import_commit.h"

#include "data/realm/gc.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A directory stands for itself as the root it was read as: a depot of its own makes these.
class ImportCommitTest : public ::testing::Test {
 protected:
  Result<ImportOutcome> try_import(DepotStory& directory, ImportRequest request = {}) {
    const auto source = directory.id.render();
    request.within = depot.place;
    request.source = source;
    request.root = directory.root();
    const Place place(request.within.depot, request.path);
    request.last = must(last_import(world.realm, place, source));
    auto done = commit_import(world.realm, request);
    if (done && !request.dry_run) {
      must(remember_import(world.realm, place, source, request.root));
    }
    return done;
  }
  ImportOutcome import(DepotStory& directory, ImportRequest request = {}) {
    return must(try_import(directory, std::move(request)));
  }

  World world;
  DepotStory depot = world.a_depot("shared");
  DepotStory ann = world.a_depot("ann's directory");
  DepotStory bob = world.a_depot("bob's directory");
};

TEST_F(ImportCommitTest, WhatOthersPutThereStays) {
  ann.with("a.md", "1").with("docs/b.md", "1").committed();
  import(ann);
  depot.with("notes/today.md", "a note").with("docs/c.md", "another").committed();
  ann.with("a.md", "2").without("docs/b.md").committed();
  const auto done = import(ann);
  EXPECT_EQ(depot.files(),
            (Files{{"a.md", "2"}, {"docs/c.md", "another"}, {"notes/today.md", "a note"}}));
  EXPECT_THAT(done.changes.changed.paths, ElementsAre("a.md"));
  EXPECT_THAT(done.changes.removed.paths, ElementsAre("docs/b.md"));
  EXPECT_THAT(done.changes.kept.paths, ElementsAre("docs/c.md", "notes/"));
  EXPECT_THAT(done.changes.added.paths, IsEmpty());
}

TEST_F(ImportCommitTest, BothSidesOfOneFileAreMerged) {
  ann.with("f.txt", "1\n2\n3\n4\n5\n").committed();
  import(ann);
  depot.with("f.txt", "1\n2\n3\n4\nfive\n").committed();
  ann.with("f.txt", "one\n2\n3\n4\n5\n").committed();
  const auto done = import(ann);
  EXPECT_EQ(depot.files(), (Files{{"f.txt", "one\n2\n3\n4\nfive\n"}}));
  EXPECT_THAT(done.changes.kept.paths, ElementsAre("f.txt"));
  EXPECT_TRUE(done.commit.merged);
  // The directory has not changed since: nor does the depot.
  const auto again = import(ann);
  EXPECT_FALSE(again.commit.changed);
  EXPECT_FALSE(again.commit.merged);
  EXPECT_EQ(depot.files().at("f.txt"), "one\n2\n3\n4\nfive\n");
}

TEST_F(ImportCommitTest, ChangesThatDoNotFitAreToldAndNothingHappens) {
  ann.with("f", "1").with("g", "1").with("h", "1").committed();
  import(ann);
  depot.with("f", "theirs").without("g").committed();
  ann.with("f", "mine").with("g", "mine").with("h", "2").committed();
  const auto before = depot.record();
  const auto refused = try_import(ann);
  ASSERT_THAT(refused, FailsWith(Code::kConflict));
  EXPECT_THAT(detail_paths(refused.error()), ElementsAre("f", "g"));
  EXPECT_THAT(refused.error().message, HasSubstr("'f', 'g' since the last import"));
  EXPECT_EQ(depot.record(), before);

  const auto shown = import(ann, {.dry_run = true});
  EXPECT_THAT(shown.changes.conflicts.paths, ElementsAre("f", "g"));
  EXPECT_EQ(depot.record(), before);

  const auto forced = import(ann, {.overwrite = true});
  EXPECT_EQ(depot.files(), (Files{{"f", "mine"}, {"g", "mine"}, {"h", "2"}}));
  EXPECT_THAT(forced.changes.overwritten.paths, ElementsAre("f", "g"));
}

TEST_F(ImportCommitTest, TheFirstOneAddsAndOverwritesNothingUnasked) {
  depot.with("a.md", "theirs").with("docs/b.md", "theirs").with("same", "1").committed();
  ann.with("a.md", "mine").with("docs/c.md", "mine").with("same", "1").committed();
  const auto refused = try_import(ann);
  ASSERT_THAT(refused, FailsWith(Code::kConflict));
  EXPECT_THAT(detail_paths(refused.error()), ElementsAre("a.md"));
  EXPECT_THAT(refused.error().message, HasSubstr("never came from this directory"));
  const auto forced = import(ann, {.overwrite = true});
  EXPECT_EQ(
      depot.files(),
      (Files{{"a.md", "mine"}, {"docs/b.md", "theirs"}, {"docs/c.md", "mine"}, {"same", "1"}}));
  EXPECT_THAT(forced.changes.overwritten.paths, ElementsAre("a.md"));
  EXPECT_THAT(forced.changes.kept.paths, ElementsAre("docs/b.md"));
}

TEST_F(ImportCommitTest, TwoDirectoriesInOneDepotDoNotTakeFromEachOther) {
  ann.with("ann/1", "1").with("ann/2", "1").committed();
  bob.with("bob/1", "1").committed();
  import(ann);
  import(bob);
  ann.without("ann/2").committed();
  EXPECT_THAT(import(ann).changes.removed.paths, ElementsAre("ann/2"));
  bob.with("bob/2", "1").committed();
  EXPECT_THAT(import(bob).changes.removed.paths, IsEmpty());
  EXPECT_EQ(depot.files(), (Files{{"ann/1", "1"}, {"bob/1", "1"}, {"bob/2", "1"}}));
}

TEST_F(ImportCommitTest, TheDepotBecomesTheDirectoryWhenOthersAreToGo) {
  ann.with("a", "1").committed();
  import(ann);
  depot.with("b/c", "theirs").with("a", "theirs").committed();
  const auto done = import(ann, {.remove_others = true});
  EXPECT_EQ(depot.files(), (Files{{"a", "1"}}));
  EXPECT_THAT(done.changes.removed.paths, ElementsAre("b/"));
  EXPECT_THAT(done.changes.changed.paths, ElementsAre("a"));
  EXPECT_THAT(done.changes.overwritten.paths, ElementsAre("a"));
  EXPECT_EQ(done.changes.removed.files, 1U);
}

TEST_F(ImportCommitTest, WhatOthersWroteIsNamedAlsoWhenOthersAreToGo) {
  depot.with("f", "theirs").with("same", "1").committed();
  ann.with("f", "mine").with("same", "1").with("docs/a", "1").with("docs/b", "1").committed();
  ann.with("text", "1\n2\n3\n4\n5\n").with("gone", "1").with("own", "1").committed();
  // Others are to go, but what both have is not taken from them unasked.
  const auto first = try_import(ann, {.remove_others = true});
  ASSERT_THAT(first, FailsWith(Code::kConflict));
  EXPECT_THAT(detail_paths(first.error()), ElementsAre("f"));
  EXPECT_THAT(first.error().message, HasSubstr("never came from this directory"));
  EXPECT_EQ(depot.files().at("f"), "theirs");
  EXPECT_THAT(import(ann, {.remove_others = true, .dry_run = true}).changes.conflicts.paths,
              ElementsAre("f"));
  const auto taken = import(ann, {.remove_others = true, .overwrite = true});
  EXPECT_THAT(taken.changes.overwritten.paths, ElementsAre("f"));
  EXPECT_FALSE(taken.commit.merged);

  // What the directory alone has changed is nobody else's, and what others alone did is named.
  depot.with("docs/a", "theirs").with("docs/c", "theirs").without("same").committed();
  ann.with("own", "2").without("docs/b").committed();
  const auto exact = import(ann, {.remove_others = true});
  EXPECT_THAT(exact.changes.overwritten.paths, ElementsAre("docs/a"));
  EXPECT_EQ(exact.changes.overwritten.files, 1U);
  EXPECT_EQ(depot.files().at("docs/a"), "1");

  // What both did is a conflict, though a merge would fit.
  depot.with("text", "1\n2\n3\n4\nfive\n").with("gone", "theirs").with("docs/a", "x").committed();
  ann.with("text", "one\n2\n3\n4\n5\n").without("gone").committed();
  const auto before = depot.record();
  const auto refused = try_import(ann, {.remove_others = true});
  ASSERT_THAT(refused, FailsWith(Code::kConflict));
  EXPECT_THAT(detail_paths(refused.error()), ElementsAre("gone", "text"));
  EXPECT_EQ(depot.record(), before);
  const auto shown = import(ann, {.remove_others = true, .dry_run = true});
  EXPECT_THAT(shown.changes.conflicts.paths, ElementsAre("gone", "text"));
  EXPECT_THAT(shown.changes.overwritten.paths, ElementsAre("docs/a"));
  const auto forced = import(ann, {.remove_others = true, .overwrite = true});
  EXPECT_THAT(forced.changes.overwritten.paths, ElementsAre("docs/a", "gone", "text"));
  EXPECT_EQ(depot.files(), ann.files());
}

TEST_F(ImportCommitTest, AtAPathOnlyThatIsTouched) {
  depot.with("a", "1").with("in/here/theirs", "1").committed();
  ann.with("a", "mine").committed();
  const ImportRequest below{.path = must(Path::parse("in/here"))};
  EXPECT_THAT(import(ann, below).changes.added.paths, ElementsAre("in/here/a"));
  EXPECT_EQ(depot.files(), (Files{{"a", "1"}, {"in/here/a", "mine"}, {"in/here/theirs", "1"}}));
  const ImportRequest new_place{.path = must(Path::parse("new/place"))};
  import(ann, new_place);
  EXPECT_EQ(depot.files().at("new/place/a"), "mine");
  EXPECT_THAT(try_import(ann, {.path = must(Path::parse("a"))}), FailsWith(Code::kNotADirectory));
  EXPECT_THAT(try_import(ann, {.path = must(Path::parse("a/b"))}), FailsWith(Code::kNotADirectory));
}

TEST_F(ImportCommitTest, ItIsRememberedForAsLongAsTheDepotIsThere) {
  ann.with("a", "1").with("b", "1").committed();
  depot.with("c", "theirs").committed();
  import(ann);
  must(world.realm.delete_depot(ann.id));
  must(world.realm.set_max_history(depot.id, 1));
  depot.with("x", "1").committed().with("x", "2").committed().with("b", "1").committed();
  world.clock.advance(std::chrono::hours(72));
  must(collect_garbage(world.realm));
  const auto last = must(last_import(world.realm, depot.place, ann.id.render()));
  ASSERT_TRUE(last);
  EXPECT_EQ(files_below(world.realm.nodes(), *last), (Files{{"a", "1"}, {"b", "1"}}));
  // Deleted, and past being restored.
  must(world.realm.delete_depot(depot.id));
  for (int i = 0; i < 2; ++i) {
    world.clock.advance(world.realm.options().restorable + std::chrono::hours(72));
    must(collect_garbage(world.realm));
  }
  EXPECT_FALSE(must(world.realm.nodes().has(*last)));
}

}  // namespace
}  // namespace cairn::realm_testing
