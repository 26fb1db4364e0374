// Places: a part of a depot is read, committed to, listed and reverted as if it were the whole, and
// nothing outside it is named or changed.

#include <algorithm>
#include <thread>

#include "base/guarded.h"
#include "data/realm/fsck.h"
#include "data/realm/path_history.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using tree_testing::path;

DepotStory a_project(World& world) {
  return world.a_depot()
      .with("src/a.ts", "1")
      .with("docs/guide.txt", "1\n2\n3\n")
      .with("docs/api/index.txt", "1")
      .committed();
}

std::vector<std::string> messages_of(const HistoryPage& page) {
  std::vector<std::string> all;
  for (const auto& entry : page.entries) all.push_back(entry.message);
  return all;
}

TEST(Place, IsRenderedAsADepotAndAPath) {
  const auto depot = DepotId::from_bytes(Bytes(16, 'd'));
  EXPECT_EQ(Place(depot).render(), depot.render());
  EXPECT_EQ(Place(depot, path("a/b")).render(), depot.render() + "/a/b");
}

TEST(Place, HasTheRootOfWhatStandsThere) {
  World world;
  auto depot = a_project(world);
  EXPECT_EQ(must(world.realm.root_at(depot.id)), depot.record().root);
  EXPECT_EQ(depot.at("docs/api").files(), (Files{{"index.txt", "1"}}));
  EXPECT_EQ(must(world.realm.root_at({depot.id, path("src/a.ts")})),
            key_at(world, depot.root(), "src/a.ts"));
  for (const char* gone : {"secret", "docs/secret", "src/a.ts/secret"}) {
    auto refused = world.realm.root_at({depot.id, path(gone)});
    EXPECT_THAT(refused, FailsWith(Code::kPathNotFound));
    EXPECT_THAT(refused.error().message, HasSubstr("the part of the depot"));
    EXPECT_THAT(refused.error().message, Not(HasSubstr("secret"))) << "nor what is near it";
  }
  EXPECT_THAT(world.realm.root_at({depot.id, path("docs/~0")}), FailsWith(Code::kInvalidPath));
  EXPECT_THAT(world.realm.root_at(DepotId::from_bytes(Bytes(16, 'x'))),
              FailsWith(Code::kDepotNotFound));
}

// ---- Commits ------------------------------------------------------------------------------------

TEST(PlaceCommit, IsGraftedWhereThePlaceIs) {
  World world;
  auto depot = a_project(world);
  auto docs = depot.at("docs");
  auto mine = docs.checkout().write("guide.txt", "mine").rm("api").write("new/x", "1");
  auto done = must(docs.commit(mine, {.message = "docs"}));
  EXPECT_TRUE(done.changed);
  EXPECT_FALSE(done.merged);
  EXPECT_EQ(done.root, mine.root);
  EXPECT_EQ(docs.root(), mine.root);
  EXPECT_EQ(done.depot, depot.record());
  EXPECT_EQ(depot.files(),
            (Files{{"docs/guide.txt", "mine"}, {"docs/new/x", "1"}, {"src/a.ts", "1"}}));
  EXPECT_EQ(depot.history().front().root, done.depot.root) << "the history has the whole depot";
  EXPECT_EQ(depot.history().front().message, "docs");
  EXPECT_TRUE(must(fsck(world.realm)).clean());
}

TEST(PlaceCommit, OfAWholeDepotIsACommitAsEver) {
  World world;
  auto depot = a_project(world);
  auto mine = depot.edit("src/a.ts", "2");
  auto done = must(depot.commit(mine));
  EXPECT_EQ(done.root, mine.root);
  EXPECT_EQ(done.depot.root, mine.root);
  auto again = must(depot.commit(mine));
  EXPECT_FALSE(again.changed);
  EXPECT_EQ(again.root, mine.root);
}

TEST(PlaceCommit, IsNotConcernedByWhatOthersCommitOutside) {
  World world;
  auto depot = a_project(world);
  auto docs = depot.at("docs");
  auto mine = docs.edit("guide.txt", "mine");
  depot.with("src/a.ts", "theirs").with("docs2/x", "theirs").committed();
  depot.at("src").with("b.ts", "theirs").committed();
  auto done = must(docs.commit(mine));
  EXPECT_FALSE(done.merged);
  EXPECT_THAT(done.from_others, IsEmpty());
  EXPECT_EQ(depot.files(), (Files{{"docs/api/index.txt", "1"},
                                  {"docs/guide.txt", "mine"},
                                  {"docs2/x", "theirs"},
                                  {"src/a.ts", "theirs"},
                                  {"src/b.ts", "theirs"}}));
}

TEST(PlaceCommit, MergesWhatOthersCommittedInsideAndNamesItFromThePlace) {
  World world;
  auto depot = a_project(world);
  auto docs = depot.at("docs");
  auto mine = docs.checkout().write("guide.txt", "1\n2\n3\nmine\n");
  depot.with("docs/api/index.txt", "theirs").with("src/a.ts", "theirs").committed();
  depot.at("docs/api").with("more.txt", "theirs").committed();
  auto done = must(docs.commit(mine));
  EXPECT_TRUE(done.merged);
  EXPECT_THAT(done.from_others, ElementsAre("api"));
  EXPECT_EQ(done.root, docs.root());
  EXPECT_NE(done.root, mine.root);
  EXPECT_EQ(depot.files(), (Files{{"docs/api/index.txt", "theirs"},
                                  {"docs/api/more.txt", "theirs"},
                                  {"docs/guide.txt", "1\n2\n3\nmine\n"},
                                  {"src/a.ts", "theirs"}}));
  // It goes on from its own root, or from the one it was told.
  must(docs.commit(mine.write("guide.txt", "again")));
  depot.with("docs/api/index.txt", "last").committed();
  auto told = must(save_write(world.realm, done.root, std::nullopt, "told", "1"));
  EXPECT_TRUE(must(docs.commit(told)).merged);
  EXPECT_EQ(docs.files(), (Files{{"api/index.txt", "last"},
                                 {"api/more.txt", "theirs"},
                                 {"guide.txt", "again"},
                                 {"told", "1"}}));
}

TEST(PlaceCommit, IsMergedByThoseWhoHaveTheWholeDepot) {
  World world;
  auto depot = a_project(world);
  auto whole = depot.checkout().write("src/a.ts", "whole");
  depot.at("docs").with("guide.txt", "place").committed();
  auto done = must(depot.commit(whole));
  EXPECT_THAT(done.from_others, ElementsAre("docs"));
  auto clash = depot.edit("docs/guide.txt", "whole");
  depot.at("docs").with("guide.txt", "place again").committed();
  EXPECT_THAT(depot.commit(clash), FailsWith(Code::kConflict));
}

TEST(PlaceCommit, ThatDoesNotFitSaysNothingOfTheRestOfTheDepot) {
  World world;
  auto depot = a_project(world);
  auto docs = depot.at("docs");
  auto mine = docs.edit("guide.txt", "mine");
  depot.with("docs/guide.txt", "theirs").with("src/a.ts", "theirs").committed();
  const auto before = world.everything();
  auto refused = docs.commit(mine);
  ASSERT_THAT(refused, FailsWith(Code::kConflict));
  EXPECT_THAT(detail_paths(refused.error()), ElementsAre("guide.txt"));
  EXPECT_EQ(detail_text(refused.error(), "currentRoot"), docs.root().render());
  EXPECT_EQ(detail_text(refused.error(), "base"), mine.base.render());
  EXPECT_THAT(refused.error().message, HasSubstr(docs.root().render_short()));
  EXPECT_THAT(refused.error().message, HasSubstr("both changed 'guide.txt'"));
  EXPECT_THAT(refused.error().message, Not(HasSubstr("docs")));
  EXPECT_THAT(refused.error().message, Not(HasSubstr(depot.root().render_short())));
  EXPECT_EQ(world.everything(), before) << "nothing changes";
}

TEST(PlaceCommit, WithForceOverwritesThePlaceAndNothingElse) {
  World world;
  auto depot = a_project(world);
  auto docs = depot.at("docs");
  auto mine = docs.edit("guide.txt", "mine");
  depot.with("docs/guide.txt", "theirs").with("docs/x", "1").with("src/a.ts", "theirs").committed();
  auto done = must(docs.commit(mine, {.force = true}));
  EXPECT_FALSE(done.merged);
  EXPECT_EQ(
      depot.files(),
      (Files{{"docs/api/index.txt", "1"}, {"docs/guide.txt", "mine"}, {"src/a.ts", "theirs"}}));
}

TEST(PlaceCommit, DoesNothingWhenWhatItBringsIsThereAlready) {
  World world;
  auto depot = a_project(world);
  auto docs = depot.at("docs");
  auto mine = docs.edit("guide.txt", "mine");
  must(docs.commit(mine));
  depot.with("src/a.ts", "theirs").committed();
  const auto before = world.everything();
  auto again = must(docs.commit(mine));
  EXPECT_FALSE(again.changed);
  EXPECT_EQ(again.root, mine.root);
  EXPECT_EQ(again.depot, depot.record());
  EXPECT_EQ(world.everything(), before);
}

TEST(PlaceCommit, OfARootThatStoodAtThePlaceBeforeTakesNothingBack) {
  World world;
  auto depot = a_project(world);
  auto docs = depot.at("docs");
  const auto old = docs.root();  // it came with a commit of the whole depot
  depot.with("docs/guide.txt", "theirs").committed();
  EXPECT_FALSE(must(docs.commit(old)).changed);
  EXPECT_EQ(docs.files().at("guide.txt"), "theirs");
}

// Whatever the caller says that it was made on: a root that stood there is no change.
TEST(PlaceCommit, OfARootThatStoodAtThePlaceBeforeIsNotAChangeOfALaterOne) {
  World world;
  auto depot = a_project(world);
  const auto old = depot.at("docs").root();
  depot.with("docs/guide.txt", "2\n").committed();
  const auto later = depot.at("docs").root();
  depot.with("docs/more.txt", "3\n").committed();
  auto done = world.realm.commit({.depot = depot.id,
                                  .root = old,
                                  .expected_root = later,
                                  .message = {},
                                  .author = {},
                                  .place = path("docs")});
  EXPECT_TRUE(done) << done.error().message;
  EXPECT_EQ(depot.files().at("docs/guide.txt"), "2\n");
  EXPECT_EQ(depot.files().at("docs/more.txt"), "3\n");
}

TEST(PlaceCommit, StoresAStagedChangeTogetherWithTheCommit) {
  World world;
  auto depot = a_project(world);
  auto docs = depot.at("docs");
  const auto started = docs.root();
  auto staged = [&](std::string_view where, ByteView content, bool exact = false) {
    Stage stage(world.realm.nodes());
    auto changed = must(write(stage, must(stage.get(started)), path(where), content));
    return world.realm.commit({.depot = depot.id,
                               .root = changed.root->key(),
                               .expected_root = started,
                               .made_on = started,
                               .message = {},
                               .author = {},
                               .place = docs.place.path,
                               .exact = exact},
                              stage, changed.linked);
  };
  EXPECT_FALSE(must(staged("guide.txt", "2", true)).merged);
  depot.with("src/a.ts", "theirs").committed();
  EXPECT_TRUE(must(staged("x", "2")).merged);
  const auto before = world.everything();
  EXPECT_THAT(staged("guide.txt", "3"), FailsWith(Code::kConflict));
  EXPECT_THAT(staged("y", "3", true), FailsWith(Code::kPreconditionFailed));
  EXPECT_EQ(world.everything(), before) << "not even nodes are stored";
  EXPECT_EQ(depot.files(), (Files{{"docs/api/index.txt", "1"},
                                  {"docs/guide.txt", "2"},
                                  {"docs/x", "2"},
                                  {"src/a.ts", "theirs"}}));
  EXPECT_TRUE(must(fsck(world.realm)).clean());
}

TEST(PlaceCommit, RemembersBasesPerPlace) {
  World world;
  auto depot = world.a_depot().with("a/x", "1").with("b/x", "1").committed();
  auto a = depot.at("a");
  auto b = depot.at("b");
  ASSERT_EQ(a.root(), b.root());
  auto mine = a.edit("y", "mine");
  EXPECT_EQ(base_of(world.realm, mine.root, a.place), a.root());
  EXPECT_EQ(base_of(world.realm, mine.root, b.place), std::nullopt);
  EXPECT_EQ(base_of(world.realm, mine.root, depot.id), std::nullopt);
  a.with("x", "theirs").committed();
  b.with("x", "theirs").committed();
  EXPECT_TRUE(must(a.commit(mine)).merged);
  EXPECT_FALSE(must(b.commit(mine)).merged) << "it did not grow there, and is taken as it is";
  EXPECT_EQ(depot.files(),
            (Files{{"a/x", "theirs"}, {"a/y", "mine"}, {"b/x", "1"}, {"b/y", "mine"}}));
}

TEST(PlaceCommit, WhenThePlaceIsGoneIsAConflictAndWithForceMakesItAgain) {
  const struct {
    const char* what;
    std::function<void(DepotStory&)> happens;
    std::optional<Code> forced;  // nothing: force makes the place again
  } cases[] = {
      {"removed", [](DepotStory& depot) { depot.without("in/docs").committed(); }, {}},
      {"removed with what is above",
       [](DepotStory& depot) { depot.without("in").committed(); },
       {}},
      {"a file now",
       [](DepotStory& depot) {
         depot.without("in/docs").committed().with("in/docs", "").committed();
       },
       {}},
      {"a file above it now",
       [](DepotStory& depot) { depot.without("in").committed().with("in", "file").committed(); },
       Code::kNotADirectory},
  };
  for (const auto& [what, happens, forced] : cases) {
    SCOPED_TRACE(what);
    World world;
    auto depot = world.a_depot().with("in/docs/a", "1").with("out", "1").committed();
    auto docs = depot.at("in/docs");
    auto mine = docs.edit("a", "mine");
    happens(depot);
    const auto before = world.everything();
    auto refused = docs.commit(mine);
    ASSERT_THAT(refused, FailsWith(Code::kConflict));
    EXPECT_THAT(refused.error().message, HasSubstr("depot_revert"));
    EXPECT_THAT(refused.error().message, Not(HasSubstr("force")));
    EXPECT_THAT(refused.error().message, Not(HasSubstr("docs")));
    EXPECT_EQ(detail_text(refused.error(), "currentRoot"), "");
    auto exact = docs.commit(mine, {.expected = mine.base, .exact = true});
    ASSERT_THAT(exact, FailsWith(Code::kPreconditionFailed));
    EXPECT_EQ(detail_text(exact.error(), "currentRoot"), "");
    EXPECT_EQ(world.everything(), before);
    auto done = docs.commit(mine, {.force = true});
    if (forced) {
      ASSERT_THAT(done, FailsWith(*forced));
      EXPECT_THAT(done.error().message, Not(HasSubstr("'in")));
      EXPECT_EQ(world.everything(), before);
    } else {
      ASSERT_THAT(done, IsOk());
      EXPECT_EQ(done->root, mine.root);
      EXPECT_EQ(depot.files(), (Files{{"in/docs/a", "mine"}, {"out", "1"}}));
    }
  }
}

TEST(PlaceCommit, ThatIsExactGoesThroughOnlyFromTheExpectedRoot) {
  World world;
  auto depot = a_project(world);
  for (auto where : {depot, depot.at("docs")}) {
    SCOPED_TRACE(where.place.path.render());
    auto mine = where.checkout().write("mine.txt", "1");
    auto late = where.checkout().write("late.txt", "1");
    EXPECT_FALSE(must(where.commit(mine, {.expected = mine.base, .exact = true})).merged);
    const auto before = world.everything();
    auto refused = where.commit(late, {.expected = late.base, .exact = true});
    ASSERT_THAT(refused, FailsWith(Code::kPreconditionFailed));
    EXPECT_EQ(detail_text(refused.error(), "currentRoot"), mine.root.render());
    EXPECT_EQ(world.everything(), before);
    EXPECT_TRUE(must(where.commit(late, {.expected = late.base})).merged) << "as else it would be";
  }
}

TEST(PlaceCommit, RefusesWhatMakesNoSense) {
  World world;
  auto depot = a_project(world);
  auto docs = depot.at("docs");
  auto mine = docs.edit("a", "1");
  const auto file_key = key_at(world, depot.root(), "src/a.ts");
  const struct {
    const char* what;
    CommitRequest request;
    Code code;
    const char* says;
  } cases[] = {
      {"a child index as place",
       {depot.id, mine.root, {}, {}, "", false, {}, path("~0")},
       Code::kInvalidPath,
       "'~0' is a child index"},
      {"exact without an expected root",
       {depot.id, mine.root, {}, {}, "", false, {}, docs.place.path, true},
       Code::kInvalidArgument,
       "needs the root"},
      {"exact with force",
       {depot.id, mine.root, mine.base, {}, "", true, {}, docs.place.path, true},
       Code::kInvalidArgument,
       "choose one"},
      {"a file as root of a place",
       {depot.id, file_key, {}, {}, "", true, {}, docs.place.path},
       Code::kNotADirectory,
       "is not a directory"},
      {"a place nobody made",
       {depot.id, mine.root, {}, {}, "", false, {}, path("nowhere")},
       Code::kConflict,
       "depot_revert"},
  };
  for (const auto& [what, request, code, says] : cases) {
    SCOPED_TRACE(what);
    const auto before = world.everything();
    auto refused = world.realm.commit(request);
    ASSERT_THAT(refused, FailsWith(code));
    EXPECT_THAT(refused.error().message, HasSubstr(says));
    EXPECT_EQ(world.everything(), before);
  }
  Stage stage(world.realm.nodes());
  EXPECT_THAT(world.realm.save(stage, {empty_dict(), {}}, mine.root, Place(depot.id, path("~0"))),
              FailsWith(Code::kInvalidPath));
}

// ---- History ------------------------------------------------------------------------------------

TEST(PlaceHistory, HasTheCommitsThatTouchedThePlace) {
  World world;
  auto depot = world.a_depot().with("src/b", "1").committed("no docs yet");
  depot.with("docs/a", "1").committed("docs made");
  const auto first = depot.at("docs").root();
  depot.with("src/a", "2").committed("outside");
  depot.at("docs").with("a", "2").committed("at the place");
  const auto second = depot.at("docs").root();
  depot.without("docs").committed("docs removed");
  depot.with("src/a", "3").committed("outside again");
  depot.with("docs/a", "2").with("src/a", "4").committed("docs are back");
  depot.with("src/a", "5").committed("outside at last");
  auto docs = depot.at("docs");
  EXPECT_THAT(docs.messages(), ElementsAre("docs are back", "at the place", "docs made"));
  auto entries = docs.history();
  EXPECT_EQ(entries[0].root, second);
  EXPECT_EQ(entries[1].root, second);
  EXPECT_EQ(entries[2].root, first);
  EXPECT_EQ(entries[2].sequence, 2U);
  EXPECT_THAT(depot.at("docs/a").history(), SizeIs(3)) << "a file is a place, too";
  const auto all = must(path_history(world.realm, depot.at("docs/a").place, 10, std::nullopt));
  ASSERT_THAT(all.changes, SizeIs(4));
  EXPECT_EQ(all.changes[1].commit.message, "docs removed");
  EXPECT_FALSE(all.changes[1].key);
  EXPECT_THAT(depot.at("nowhere").history(), IsEmpty());
  EXPECT_TRUE(must(world.realm.in_history(docs.place, first)));
  EXPECT_FALSE(must(world.realm.in_history(depot.at("src").place, first)));
  EXPECT_FALSE(must(world.realm.in_history(docs.place, depot.root())));
}

TEST(PlaceHistory, OfAWholeDepotIsItsHistory) {
  World world;
  auto depot = a_project(world).with("src/a.ts", "2").committed();
  auto here = must(world.realm.history(depot.id, 2, std::nullopt));
  auto there = must(world.realm.history_at(depot.id, 2, std::nullopt));
  EXPECT_EQ(here.entries, there.entries);
  EXPECT_EQ(here.next_cursor, there.next_cursor);
}

TEST(PlaceHistory, ComesInPages) {
  World world;
  auto depot = world.a_depot();
  for (int i = 0; i < 7; ++i) {
    depot.with("docs/a", fmt::format("{}", i)).committed(fmt::format("docs {}", i));
    depot.with("src/a", fmt::format("{}", i)).committed("outside");
  }
  const Place docs{depot.id, path("docs")};
  auto first = must(world.realm.history_at(docs, 3, std::nullopt));
  EXPECT_THAT(messages_of(first), ElementsAre("docs 6", "docs 5", "docs 4"));
  ASSERT_TRUE(first.next_cursor);
  auto second = must(world.realm.history_at(docs, 3, first.next_cursor));
  EXPECT_THAT(messages_of(second), ElementsAre("docs 3", "docs 2", "docs 1"));
  ASSERT_TRUE(second.next_cursor);
  auto last = must(world.realm.history_at(docs, 3, second.next_cursor));
  EXPECT_THAT(messages_of(last), ElementsAre("docs 0"));
  EXPECT_EQ(last.next_cursor, std::nullopt);
  EXPECT_THAT(world.realm.history_at(docs, 0, std::nullopt), FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(world.realm.history_at(docs, 1, "?"), FailsWith(Code::kInvalidCursor));
  EXPECT_THAT(world.realm.history_at({depot.id, path("~0")}, 1, std::nullopt),
              FailsWith(Code::kInvalidPath));
}

TEST(PlaceHistory, LooksAtAThousandCommitsAPage) {
  World world;
  auto depot = world.a_depot("busy", Realm::kMaxMaxHistory).with("docs/a", "1").committed("docs");
  auto flip = [&](int i) {
    auto mine =
        must(save_write(world.realm, depot.root(), depot.id, "n", fmt::format("{}", i % 2)));
    must(depot.commit(mine));
  };
  for (int i = 0; i < 1000; ++i) flip(i);
  const Place docs{depot.id, path("docs")};
  auto page = must(world.realm.history_at(docs, 10, std::nullopt));
  EXPECT_THAT(page.entries, IsEmpty());
  ASSERT_TRUE(page.next_cursor);
  page = must(world.realm.history_at(docs, 10, page.next_cursor));
  EXPECT_THAT(messages_of(page), ElementsAre("docs"));
  EXPECT_EQ(page.next_cursor, std::nullopt);
}

TEST(PlaceHistory, BeginsWithTheOldestCommitThatIsKept) {
  World world;
  auto depot = world.a_depot("short").with("docs/a", "1").committed("docs");
  for (int i = 0; i < 4; ++i) depot.with("src", fmt::format("{}", i)).committed("outside");
  keep_only(world.realm, depot.id, 3);
  auto entries = depot.at("docs").history();
  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_EQ(entries[0].sequence, 3U);
}

TEST(PlaceRevert, BringsThePlaceBackAndLeavesTheRest) {
  World world;
  auto depot = a_project(world);
  auto docs = depot.at("docs");
  const auto old = docs.root();
  depot.with("docs/guide.txt", "2").with("src/a.ts", "2").committed();
  const auto author = DelegateId::from_bytes(Bytes(16, 'x'));
  auto done = must(world.realm.revert(docs.place, old, "", author));
  EXPECT_EQ(done.root, old);
  EXPECT_EQ(depot.files().at("src/a.ts"), "2");
  EXPECT_EQ(docs.root(), old);
  EXPECT_EQ(depot.history().front().message, "revert to " + old.render_short());
  EXPECT_EQ(depot.history().front().author, author);

  depot.without("docs").committed();
  must(world.realm.revert(docs.place, old, "back"));
  EXPECT_EQ(docs.root(), old) << "though the place was gone";
  EXPECT_FALSE(must(world.realm.revert(docs.place, old, "back")).changed);

  const auto before = world.everything();
  for (const auto& never : {depot.root(), depot.at("src").root(), NodeKey::of("x")}) {
    EXPECT_THAT(world.realm.revert(docs.place, never, ""), FailsWith(Code::kHistoryNotFound));
  }
  EXPECT_EQ(world.everything(), before);
}

// ---- Many at once -------------------------------------------------------------------------------

class ManyPlaces : public ::testing::TestWithParam<BackendKind> {};
INSTANTIATE_TEST_SUITE_P(Each, ManyPlaces, both_backends(), backend_name);

// Threads at sibling places, two at each, at a place above them, and at the whole depot. Nothing
// overlaps, so every commit is acknowledged, and each root of the history is the one before it and
// exactly one acknowledged change.
TEST_P(ManyPlaces, AreCommittedToAtOnceAndLoseNothing) {
  constexpr int kCommits = 10;
  const std::vector<std::string> places = {"in/a", "in/a", "in/b", "in/b", "in/c", "in", "", ""};
  World world({.backend = GetParam()});
  auto depot = world.a_depot("busy", Realm::kMaxMaxHistory)
                   .with("in/a/start", "0")
                   .with("in/b/start", "0")
                   .with("in/c/start", "0")
                   .committed();
  const Files start = depot.files();
  Guarded<std::map<std::uint64_t, std::pair<std::string, std::string>>> acknowledged;
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < places.size(); ++t) {
      threads.emplace_back([&, t] {
        auto here = depot.at(places[t]);
        auto draft = here.checkout();
        for (int i = 0; i < kCommits; ++i) {
          if (t % 2 == 0) draft = here.checkout();
          auto name = fmt::format("t{}/f{}", t, i);
          draft.write(name, "new");
          auto done = here.commit(draft);
          ASSERT_THAT(done, IsOk());
          ASSERT_TRUE(done->changed);
          auto whole = places[t].empty() ? name : places[t] + "/" + name;
          EXPECT_TRUE(
              acknowledged.lock()->emplace(done->depot.sequence, std::pair(whole, "new")).second);
        }
      });
    }
  }
  auto history = depot.history();
  ASSERT_THAT(history, SizeIs(2 + places.size() * kCommits));
  Files expected = start;
  for (std::uint64_t sequence = 2; sequence < history.size(); ++sequence) {
    expected.insert(acknowledged.lock()->at(sequence));
    const auto& entry = history[history.size() - 1 - sequence];
    ASSERT_EQ(entry.sequence, sequence);
    ASSERT_EQ(depot.files(entry.root), expected) << "commit " << sequence;
  }
  EXPECT_TRUE(must(fsck(world.realm)).clean());
}

// ---- Any sequence of doings, inside and outside -------------------------------------------------

// A depot told as maps: the oracle.
struct Model {
  Files files;
  std::set<std::string> dirs{""};

  static bool within(std::string_view where, std::string_view dir) {
    return dir.empty() || where == dir ||
           (where.starts_with(dir) && where.size() > dir.size() && where[dir.size()] == '/');
  }
  static std::string join(const std::string& dir, const std::string& name) {
    return dir.empty() || name.empty() ? dir + name : dir + "/" + name;
  }
  static std::string below(const std::string& where, const std::string& dir) {
    if (dir.empty()) return where;
    return where.size() == dir.size() ? "" : where.substr(dir.size() + 1);
  }

  void make_dir(const std::string& dir) {
    for (auto slash = dir.find('/'); slash != std::string::npos; slash = dir.find('/', slash + 1)) {
      dirs.insert(dir.substr(0, slash));
    }
    dirs.insert(dir);
  }
  void write(const std::string& where, const std::string& content) {
    if (auto slash = where.rfind('/'); slash != std::string::npos) make_dir(where.substr(0, slash));
    files[where] = content;
  }
  // Everything at and below a directory.
  void remove(const std::string& dir) {
    std::erase_if(files, [&](const auto& file) { return within(file.first, dir); });
    std::erase_if(dirs, [&](const auto& at) { return !at.empty() && within(at, dir); });
  }
  // The directory as if it were the whole.
  Model at(const std::string& dir) const {
    Model part;
    for (const auto& [where, content] : files) {
      if (within(where, dir)) part.files[below(where, dir)] = content;
    }
    for (const auto& where : dirs) {
      if (within(where, dir)) part.dirs.insert(below(where, dir));
    }
    return part;
  }
  void put(const std::string& dir, const Model& part) {
    remove(dir);
    make_dir(dir);
    for (const auto& [where, content] : part.files) write(join(dir, where), content);
    for (const auto& where : part.dirs) make_dir(join(dir, where));
  }
  bool operator==(const Model&) const = default;
};

Model model_of(const Files& files) {
  Model model;
  for (const auto& [where, content] : files) {
    if (where.ends_with('/')) {
      model.make_dir(where.substr(0, where.size() - 1));
    } else {
      model.write(where, content);
    }
  }
  return model;
}

// An agent at a place, and what it means, as in commit_test.cc: the changes since it last read or
// wrote the place. An acknowledged commit applies exactly these at the place, and touches nothing
// else.
struct PlaceAgent {
  std::string place;
  Draft draft;
  Model synced;
  Model now;

  std::map<std::string, std::optional<std::string>> means() const {
    std::map<std::string, std::optional<std::string>> changes;
    for (const auto& [where, content] : now.files) {
      if (!synced.files.contains(where) || synced.files.at(where) != content) {
        changes[where] = content;
      }
    }
    for (const auto& [where, content] : synced.files) {
      if (!now.files.contains(where)) changes[where] = std::nullopt;
    }
    return changes;
  }
};

class PlacesTest final {
 public:
  explicit PlacesTest(Dice& dice) : dice_(dice) {
    random_directories();
    for (int i = 0; i < 4; ++i) agents_.push_back(fresh(random_place()));
  }

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) step();
    check_histories();
    EXPECT_TRUE(must(fsck(world_.realm)).clean());
  }

 private:
  const Model& current() const { return snapshots_.back(); }

  // Every directory has a file that stays, so that directories go only when they are removed.
  void random_directories() {
    const std::vector<std::string> names = {"a", "b", "c"};
    Model model;
    for (int i = 0; i < 6; ++i) {
      auto dir = dice_.pick(model.dirs);
      if (std::ranges::count(dir, '/') < 2) model.make_dir(Model::join(dir, dice_.pick(names)));
    }
    for (const auto& dir : model.dirs) {
      model.files[Model::join(dir, "keep")] = "";
      depot_.with(Model::join(dir, "keep"), "");
    }
    depot_.committed();
    snapshots_.push_back(model);
  }

  std::string random_place() { return dice_.pick(current().dirs); }

  PlaceAgent fresh(const std::string& place) {
    return {place, depot_.at(place).checkout(), current().at(place), current().at(place)};
  }
  // Where it was, or elsewhere when that is gone.
  void refresh(PlaceAgent& agent) {
    const bool stays = current().dirs.contains(agent.place) && !dice_.one_in(3);
    agent = fresh(stays ? agent.place : random_place());
  }

  void step() {
    auto number = dice_.below(agents_.size());
    auto& agent = agents_[number];
    switch (dice_.below(12)) {
      case 0:
        refresh(agent);
        break;
      case 1:
        revert();
        break;
      case 2:
        overwrite(agent);
        break;
      case 3:
        commit_exactly(agent);
        break;
      case 4:
        if (dice_.one_in(3)) remove_a_directory();
        break;
      case 5:
      case 6:
      case 7:
        commit(agent);
        break;
      default:
        edit(agent, number);
        break;
    }
    ASSERT_EQ(depot_.record().sequence + 1, snapshots_.size());
    ASSERT_EQ(model_of(depot_.files()), current());
  }

  // The agent's own file makes its root one that no other has.
  void edit(PlaceAgent& agent, std::size_t number) {
    auto unique = [&] { return fmt::format("{}", ++counter_); };
    auto write = [&](const std::string& where) {
      agent.now.write(where, unique());
      agent.draft.write(where, agent.now.files.at(where));
    };
    write(fmt::format("agent{}", number));
    auto where = Model::join(dice_.pick(agent.now.dirs), dice_.pick(names_));
    if (agent.now.files.contains(where) && dice_.one_in(3)) {
      agent.draft.rm(where);
      agent.now.files.erase(where);
    } else {
      write(where);
    }
  }

  // The files of the agent that others changed meanwhile in other ways, or whose directory is gone.
  bool conflicts(const PlaceAgent& agent, const Model& theirs) const {
    auto in = [](const Files& files, const std::string& where) {
      auto found = files.find(where);
      return found == files.end() ? std::nullopt : std::optional(found->second);
    };
    for (const auto& [where, content] : agent.means()) {
      auto is = in(theirs.files, where);
      if (is != in(agent.synced.files, where) && is != content) return true;
      for (auto slash = where.rfind('/'); slash != std::string::npos && slash > 0;
           slash = where.rfind('/', slash - 1)) {
        auto dir = where.substr(0, slash);
        if (agent.synced.dirs.contains(dir) && !theirs.dirs.contains(dir)) return true;
      }
    }
    return false;
  }

  void commit(PlaceAgent& agent) {
    auto here = depot_.at(agent.place);
    auto done = here.commit(agent.draft);
    if (!current().dirs.contains(agent.place) || conflicts(agent, current().at(agent.place))) {
      ASSERT_THAT(done, FailsWith(Code::kConflict));
      if (dice_.one_in(2)) refresh(agent);
      return;
    }
    ASSERT_THAT(done, IsOk());
    EXPECT_EQ(done->root, here.root());
    auto next = current();
    for (const auto& [where, content] : agent.means()) {
      if (content) {
        next.write(Model::join(agent.place, where), *content);
      } else {
        next.files.erase(Model::join(agent.place, where));
      }
    }
    acknowledge(*done, std::move(next));
    agent.synced = agent.now;
  }

  void overwrite(PlaceAgent& agent) {
    auto done = depot_.at(agent.place).commit(agent.draft, {.force = true});
    ASSERT_THAT(done, IsOk());
    EXPECT_EQ(done->root, agent.draft.root);
    auto next = current();
    next.put(agent.place, agent.now);
    acknowledge(*done, std::move(next));
    agent.synced = agent.now;
  }

  void commit_exactly(PlaceAgent& agent) {
    const bool there = current().dirs.contains(agent.place);
    const auto is = there ? std::optional(depot_.at(agent.place).root()) : std::nullopt;
    // What was committed in between and taken back by somebody comes back on purpose only.
    const auto place = depot_.at(agent.place).place;
    const auto noted = must(world_.realm.origin_of(agent.draft.root, place));
    const bool as_said = noted ? noted->grew_from(agent.draft.base)
                               : !must(world_.realm.in_history(place, agent.draft.root));
    auto done =
        depot_.at(agent.place).commit(agent.draft, {.expected = agent.draft.base, .exact = true});
    if (is != agent.draft.base || (!as_said && is != agent.draft.root)) {
      ASSERT_THAT(done, FailsWith(Code::kPreconditionFailed));
      return;
    }
    ASSERT_THAT(done, IsOk());
    auto next = current();
    next.put(agent.place, agent.now);
    acknowledge(*done, std::move(next));
    agent.synced = agent.now;
  }

  void revert() {
    auto place = random_place();
    auto back = dice_.pick(snapshots_);
    if (!back.dirs.contains(place)) return;
    auto entry = std::ranges::find(snapshots_, back) - snapshots_.begin();
    auto history = depot_.history();
    auto root = history[history.size() - 1 - static_cast<std::size_t>(entry)].root;
    auto there = place.empty() ? root : key_at(world_, root, place);
    auto done = world_.realm.revert({depot_.id, path(place)}, there, "");
    ASSERT_THAT(done, IsOk());
    auto next = current();
    next.put(place, back.at(place));
    acknowledge(*done, std::move(next));
  }

  // Somebody with the whole depot, who has just read it.
  void remove_a_directory() {
    auto dir = random_place();
    if (dir.empty()) return;
    depot_.without(dir).committed();
    auto next = current();
    next.remove(dir);
    snapshots_.push_back(std::move(next));
  }

  void acknowledge(const CommitResult& done, Model next) {
    ASSERT_EQ(done.changed, next != current());
    if (done.changed) snapshots_.push_back(std::move(next));
  }

  // The history of every place, by looking at every commit.
  void check_histories() {
    auto whole = depot_.history();
    ASSERT_EQ(whole.size(), snapshots_.size());
    std::set<std::string> dirs;
    for (const auto& snapshot : snapshots_) dirs.insert(snapshot.dirs.begin(), snapshot.dirs.end());
    for (const auto& dir : dirs) {
      std::vector<HistoryEntry> expected;
      for (std::size_t i = 0; i < whole.size(); ++i) {
        const auto& snapshot = snapshots_[whole.size() - 1 - i];
        if (!snapshot.dirs.contains(dir)) continue;
        if (i + 1 < whole.size()) {
          const auto& older = snapshots_[whole.size() - 2 - i];
          if (older.dirs.contains(dir) && older.at(dir) == snapshot.at(dir)) continue;
        }
        auto entry = whole[i];
        if (!dir.empty()) entry.root = key_at(world_, entry.root, dir);
        expected.push_back(entry);
      }
      std::vector<HistoryEntry> listed;
      std::optional<std::string> cursor;
      do {
        auto page =
            must(world_.realm.history_at({depot_.id, path(dir)}, 1 + dice_.below(9), cursor));
        listed.insert(listed.end(), page.entries.begin(), page.entries.end());
        cursor = page.next_cursor;
      } while (cursor);
      ASSERT_EQ(listed, expected) << dir;
    }
  }

  Dice& dice_;
  World world_;
  DepotStory depot_ = world_.a_depot("model", Realm::kMaxMaxHistory);
  std::vector<Model> snapshots_{Model{}};  // by the commit's place in the history
  std::vector<PlaceAgent> agents_;
  const std::vector<std::string> names_ = {"x", "y.txt", "z.json"};
  int counter_ = 0;
};

TEST(PlaceCommit, IsWhatTheModelSaysWhateverAgentsInsideAndOutsideDo) {
  for_seeds(40, [](Dice& dice) { PlacesTest(dice).run(80); });
}

}  // namespace
}  // namespace cairn::realm_testing
