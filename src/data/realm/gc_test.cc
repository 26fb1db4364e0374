// Garbage: nothing that is in use is ever taken, and nothing else stays.

#include "data/realm/gc.h"

#include <thread>

#include "data/cas/file.h"
#include "data/realm/fsck.h"
#include "data/realm/realm_testing.h"
#include "data/tree/editor.h"

namespace cairn::realm_testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kGrace = std::chrono::hours(24);
// After this, what was stored before and is not in use goes: stamps are lazy, in whole minutes.
constexpr auto kLongAgo = kGrace + kRestampAfter + 2min;

void expect_clean(World& world) {
  auto report = must(fsck(world.realm));
  for (const auto& problem : report.problems) ADD_FAILURE() << problem.message;
  EXPECT_EQ(must(world.realm.usage()), world.recounted());
}

TEST(Garbage, KeepsADepotsRootsAndThoseOfItsHistory) {
  World world;
  auto depot = world.a_depot();
  for (const char* content : {"1", "2", "3"}) depot.with("dir/a", content).committed();
  world.clock.advance(kLongAgo);
  const auto before = world.everything();
  auto report = must(collect_garbage(world.realm));
  EXPECT_EQ(report.removed, 0U);
  EXPECT_EQ(report.freed_bytes, 0U);
  EXPECT_EQ(report.marked, must(world.realm.usage()).node_count);
  EXPECT_EQ(world.everything(), before);
  for (const auto& entry : depot.history()) EXPECT_NO_THROW(depot.files(entry.root));
}

TEST(Garbage, TakesWhatFellOutOfTheHistory) {
  World world;
  auto depot = world.a_depot("short", 1);
  depot.with("a", "first").committed();
  const auto first = depot.root();
  const auto first_file = key_at(world, first, "a");
  depot.with("a", "second").committed();
  const auto second = depot.root();
  depot.with("a", "third").committed();
  world.clock.advance(kLongAgo);
  const auto physical = must(world.realm.usage()).physical_bytes;
  auto report = must(collect_garbage(world.realm));
  EXPECT_EQ(report.removed, 3U) << "the empty root, the first root and its file";
  EXPECT_FALSE(world.has(first));
  EXPECT_FALSE(world.has(first_file));
  EXPECT_THAT(world.realm.nodes().get(first), FailsWith(Code::kNodeNotFound));
  EXPECT_EQ(depot.files(), (Files{{"a", "third"}}));
  EXPECT_EQ(depot.files(second), (Files{{"a", "second"}}));
  EXPECT_EQ(must(world.realm.usage()).physical_bytes, physical - report.freed_bytes);
  expect_clean(world);
}

TEST(Garbage, OfADeletedDepotGoesWhenTheGraceTimeIsOver) {
  World world;
  auto kept = world.a_depot("kept").with("shared", "s").with("own", "k").committed();
  auto gone =
      world.a_depot("gone").with("shared", "s").with("big", Bytes(400'000, 'x')).committed();
  const auto root = gone.root();
  must(world.realm.delete_depot(gone.id));
  EXPECT_EQ(must(collect_garbage(world.realm)).removed, 0U) << "within the grace time";
  EXPECT_TRUE(world.has(root));
  world.clock.advance(world.realm.options().restorable + kLongAgo);
  auto report = must(collect_garbage(world.realm));
  EXPECT_GT(report.removed, 2U);
  EXPECT_GT(report.forgotten, 0U);
  EXPECT_FALSE(world.has(root));
  EXPECT_EQ(kept.files(), (Files{{"own", "k"}, {"shared", "s"}}));
  expect_clean(world);
  must(world.realm.delete_depot(kept.id));
  world.clock.advance(world.realm.options().restorable + kLongAgo);
  must(collect_garbage(world.realm));
  EXPECT_EQ(must(world.realm.usage()), Usage{});
}

TEST(Garbage, KeepsEveryPieceOfLargeFilesAndLargeDirectories) {
  World world;
  auto depot = world.a_depot();
  std::mt19937_64 random(1);
  Bytes large(3 << 20, '\0');
  for (auto& c : large) c = static_cast<char>(random());
  Stage stage(world.realm.nodes());
  Files files{{"large.bin", large}};
  for (int i = 0; i < 3000; ++i) files[fmt::format("many/{}", i)] = fmt::format("{}", i);
  auto root = tree_testing::build_tree(stage, tree_testing::typed(files));
  must(world.realm.save(stage, {root, {}}, depot.root(), depot.id));
  must(depot.commit(root->key()));
  world.clock.advance(kLongAgo);
  EXPECT_EQ(must(collect_garbage(world.realm)).removed, 0U);
  EXPECT_EQ(depot.files(), files);
  expect_clean(world);
}

TEST(Garbage, SparesARootSomebodyWorksOnAndWhatItGrewFrom) {
  World world;
  auto depot = world.a_depot("short", 1).with("a", "1").committed();
  world.clock.advance(kLongAgo);
  auto mine = depot.checkout().write("b", "mine").write("c", "mine");
  for (const char* content : {"2", "3", "4"}) depot.with("a", content).committed();
  // The base is in no history any more, and its nodes are old.
  world.clock.advance(kGrace - 1min);
  must(collect_garbage(world.realm));
  EXPECT_TRUE(world.has(mine.base));
  EXPECT_TRUE(must(depot.commit(mine)).merged);
  EXPECT_EQ(depot.files(), (Files{{"a", "4"}, {"b", "mine"}, {"c", "mine"}}));
  expect_clean(world);
}

TEST(Garbage, SparesAPlacesRootSomebodyWorksOnAndWhatItGrewFrom) {
  World world;
  auto depot = world.a_depot("short", 1).with("docs/a", "1").with("src/b", "1").committed();
  auto docs = depot.at("docs");
  world.clock.advance(kLongAgo);
  auto mine = docs.checkout().write("b", "mine").write("c", "mine");
  for (const char* content : {"2", "3", "4"}) depot.with("docs/a", content).committed();
  world.clock.advance(kGrace - 1min);
  must(collect_garbage(world.realm));
  EXPECT_TRUE(world.has(mine.base));
  EXPECT_TRUE(must(docs.commit(mine)).merged);
  EXPECT_EQ(docs.files(), (Files{{"a", "4"}, {"b", "mine"}, {"c", "mine"}}));
  expect_clean(world);
  world.clock.advance(kLongAgo);
  EXPECT_GT(must(collect_garbage(world.realm)).forgotten, 0U);
  EXPECT_FALSE(world.has(mine.base));
}

TEST(Garbage, SparesWhatARootGrewFromAsLongAsSomebodyGoesOnFromIt) {
  World world;
  auto depot = world.a_depot("short", 1).with("a", "1").committed();
  auto mine = depot.edit("b", "mine");
  for (const char* content : {"2", "3", "4"}) depot.with("a", content).committed();
  for (int day = 0; day < 4; ++day) {
    world.clock.advance(kGrace - 1h);
    mine.write("b", fmt::format("day {}", day));
    must(collect_garbage(world.realm));
    ASSERT_TRUE(world.has(mine.base)) << "day " << day;
  }
  must(depot.commit(mine));
  EXPECT_EQ(depot.files(), (Files{{"a", "4"}, {"b", "day 3"}}));
}

TEST(Garbage, IsCollectedThoughWhatARootGrewFromIsGone) {
  World world;
  auto depot = world.a_depot("short", 1).with("a", "1").committed();
  auto mine = depot.edit("b", "mine");
  must(world.realm.create_depot("keeps it", mine.root));
  for (const char* content : {"2", "3", "4"}) depot.with("a", content).committed();
  world.clock.advance(kLongAgo);
  must(collect_garbage(world.realm));
  ASSERT_FALSE(world.has(mine.base));
  mine.write("b", "going on");
  EXPECT_THAT(collect_garbage(world.realm), IsOk());
  auto refused = depot.commit(mine);
  ASSERT_THAT(refused, FailsWith(Code::kNodeNotFound));
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("is not stored any more"));
  EXPECT_EQ(depot.files(), (Files{{"a", "4"}}));
}

TEST(Garbage, SparesNodesThatWereJustPut) {
  World world;
  auto lone = file("nobody holds this");
  auto folder = dict_of("name", file("nor this"));
  must(world.realm.nodes().put(std::vector{lone}));
  must(world.realm.nodes().put(std::vector{file("nor this")}));
  must(world.realm.nodes().put(std::vector{folder}));
  world.clock.advance(kGrace - 1min);
  EXPECT_EQ(must(collect_garbage(world.realm)).removed, 0U);
  world.clock.advance(kRestampAfter + 3min);
  EXPECT_EQ(must(collect_garbage(world.realm)).removed, 3U);
  EXPECT_EQ(must(world.realm.usage()), Usage{});
}

TEST(Garbage, CountsAnOldNodeThatIsPutAgainAsNew) {
  for (auto gap : {1min, 30min, 59min, 60min, 61min, std::chrono::minutes(kGrace)}) {
    World world;
    auto lone = file("again");
    must(world.realm.nodes().put(std::vector{lone}));
    world.clock.advance(gap);
    must(world.realm.nodes().put(std::vector{lone}));
    world.clock.advance(kGrace - 1min);
    EXPECT_EQ(must(collect_garbage(world.realm)).removed, 0U) << gap.count() << " minutes";
    EXPECT_TRUE(world.has(lone->key()));
  }
}

TEST(Garbage, SparesTheChildrenOfAYoungNode) {
  World world;
  auto child = file("old");
  must(world.realm.nodes().put(std::vector{child}));
  world.clock.advance(kLongAgo);
  must(world.realm.nodes().put(std::vector{dict_of("name", child)}));
  EXPECT_EQ(must(collect_garbage(world.realm)).removed, 0U);
  expect_clean(world);
}

TEST(Garbage, MakesACommitOfAnExpiredRootFailClearly) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  auto mine = depot.edit("a", "mine");
  world.clock.advance(kLongAgo);
  auto report = must(collect_garbage(world.realm));
  EXPECT_EQ(report.removed, 2U);
  EXPECT_EQ(report.forgotten, 1U);
  const auto before = world.everything();
  auto refused = depot.commit(mine);
  ASSERT_THAT(refused, FailsWith(Code::kNodeNotFound));
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr(mine.root.render()));
  EXPECT_THAT(save_write(world.realm, mine.root, {}, "b", "1"), FailsWith(Code::kNodeNotFound));
  EXPECT_EQ(world.everything(), before);
}

TEST(Garbage, TakenUnderAnEditInProgressMakesItsSaveFail) {
  World world;
  auto depot = world.a_depot();
  auto mine = depot.edit("dir/a", "mine");
  Stage stage(world.realm.nodes());
  auto changed = must(write(stage, must(stage.get(mine.root)), must(Path::parse("b")), "more"));
  world.clock.advance(kLongAgo);
  must(collect_garbage(world.realm));
  const auto before = world.everything();
  EXPECT_THAT(world.realm.save(stage, changed, mine.root, std::nullopt),
              FailsWith(Code::kNodeNotFound));
  EXPECT_EQ(world.everything(), before);
}

// Nodes outlive their root's grace time a little, as stamps are lazy. As long as a root is there,
// so is the knowledge of what it grew from: it never overwrites what others did meanwhile.
TEST(Garbage, NeverForgetsWhereARootThatIsStillThereCameFrom) {
  for (auto age = kGrace - 2min; age < kLongAgo + 4min; age += 1min) {
    World world;
    auto depot = world.a_depot().with("a", "1").committed();
    auto mine = depot.edit("b", "mine");
    depot.with("a", "theirs").committed();
    world.clock.advance(age);
    must(collect_garbage(world.realm));
    auto done = depot.commit(mine);
    if (!done) {
      EXPECT_THAT(done, FailsWith(Code::kNodeNotFound));
    }
    EXPECT_EQ(depot.files().at("a"), "theirs") << std::chrono::minutes(age).count() << " minutes";
  }
}

TEST(Garbage, SparesAnUploadThatTakesLongerThanTheGraceTime) {
  World world;
  auto first = file("uploaded first");
  {
    Realm::Upload upload(world.realm);
    must(world.realm.nodes().put(std::vector{first}));
    for (int i = 0; i < 5; ++i) {
      world.clock.advance(kLongAgo);
      EXPECT_EQ(must(collect_garbage(world.realm)).removed, 0U);
      Realm::Upload another(world.realm);  // a younger one changes nothing
    }
    EXPECT_TRUE(world.has(first->key()));
    EXPECT_EQ(must(fsck(world.realm)).nodes, 1U);
  }
  EXPECT_EQ(world.realm.oldest_upload(), std::nullopt);
  EXPECT_EQ(must(collect_garbage(world.realm)).removed, 1U);
}

TEST(Garbage, TakesOldNodesWhileAYoungerUploadRuns) {
  World world;
  must(world.realm.nodes().put(std::vector{file("old")}));
  world.clock.advance(kLongAgo);
  Realm::Upload upload(world.realm);
  must(world.realm.nodes().put(std::vector{file("new")}));
  world.clock.advance(1h);
  EXPECT_EQ(must(collect_garbage(world.realm)).removed, 1U);
}

TEST(Garbage, OfOneRealmIsNoneOfAnothers) {
  World world;
  Realm other(*world.store, realm_number(8), world.clock, world.random);
  must(other.nodes().put(std::vector{file("theirs")}));
  must(world.realm.nodes().put(std::vector{file("theirs")}));
  world.clock.advance(kLongAgo);
  EXPECT_EQ(must(collect_garbage(world.realm)).removed, 1U);
  EXPECT_TRUE(must(other.nodes().has(file("theirs")->key())));
}

TEST(Garbage, IsCollectedByOneAtATime) {
  World world;
  auto running = must(world.realm.nodes().begin_sweep());
  EXPECT_THAT(collect_garbage(world.realm), FailsWith(Code::kConflict));
  running.reset();
  EXPECT_THAT(collect_garbage(world.realm), IsOk());
}

// A damaged node may have held what would be taken now.
TEST(Garbage, IsLeftAloneWhenSomethingInUseIsDamaged) {
  const struct {
    const char* what;
    Code code;
    void (*damage)(World&, DepotStory&);
  } cases[] = {
      {"a corrupt directory", Code::kCorruptNode,
       [](World& world, DepotStory& depot) { world.corrupt(key_at(world, depot.root(), "dir")); }},
      {"a lost directory", Code::kNodeNotFound,
       [](World& world, DepotStory& depot) { world.lose(key_at(world, depot.root(), "dir")); }},
      {"a corrupt root of the history", Code::kCorruptNode,
       [](World& world, DepotStory& depot) { world.corrupt(depot.history()[1].root); }},
      {"a damaged depot record", Code::kIoError,
       [](World& world, DepotStory& depot) {
         world.plant(Table::kPointers, records::depot_key(world.realm.id(), depot.id), "?");
       }},
      {"a damaged history record", Code::kIoError,
       [](World& world, DepotStory& depot) {
         world.plant(Table::kPointers, records::history_key(world.realm.id(), depot.id, 1), "?");
       }},
  };
  for (const auto& [what, code, damage] : cases) {
    SCOPED_TRACE(what);
    World world(uncached());
    auto depot = world.a_depot().with("dir/a", "1").committed().with("b", "1").committed();
    must(world.realm.nodes().put(std::vector{file("garbage")}));
    world.clock.advance(kLongAgo);
    damage(world, depot);
    const auto before = world.everything();
    EXPECT_THAT(collect_garbage(world.realm), FailsWith(code));
    EXPECT_EQ(world.everything(), before);
  }
}

TEST(Garbage, StaysWhenTheDiskFails) {
  World world;
  must(world.realm.nodes().put(std::vector{file("garbage")}));
  world.clock.advance(kLongAgo);
  const auto before = world.everything();
  world.backend->broken = true;
  EXPECT_THAT(collect_garbage(world.realm), FailsWith(Code::kIoError));
  world.backend->broken = false;
  EXPECT_EQ(world.everything(), before);
  EXPECT_EQ(must(collect_garbage(world.realm)).removed, 1U);
}

// Much garbage is taken in several steps, between which others write: after each, whatever is there
// has all its children.
TEST(Garbage, NeverTakesAChildBeforeItsParent) {
  World world;
  Files files;
  for (int i = 0; i < 22'000; ++i)
    files[fmt::format("a{}/b{}/{}", i % 7, i % 113, i)] = fmt::format("{}", i);
  {
    Stage stage(world.realm.nodes());
    auto root = tree_testing::build_tree(stage, tree_testing::typed(files));
    must(world.realm.nodes().put(stage.reachable(root->key())));
  }
  world.clock.advance(kLongAgo);
  int steps = 0;
  world.backend->before_write = [&] {
    steps += 1;
    must(world.realm.nodes().for_each([&](const NodeInfo& info) {
      for (const auto& child : must(world.realm.nodes().get_uncached(info.key))->children()) {
        EXPECT_TRUE(world.has(child)) << "before step " << steps;
      }
      return !testing::Test::HasFailure();
    }));
  };
  EXPECT_GT(must(collect_garbage(world.realm)).removed, files.size());
  EXPECT_GT(steps, 1);
  EXPECT_EQ(must(world.realm.usage()), Usage{});
}

// ---- Between marking and sweeping ---------------------------------------------------------------

TEST(Garbage, IsNoneAnyMoreWhenItIsPutAgainWhileMarking) {
  World world;
  auto child = file("child");
  auto folder = dict_of("name", child);
  must(world.realm.nodes().put(std::vector{child, folder, file("other")}));
  world.clock.advance(kLongAgo);
  world.listing->after_listing = [&] { must(world.realm.nodes().put(std::vector{folder})); };
  EXPECT_EQ(must(collect_garbage(world.realm)).removed, 1U) << "only what nobody put again";
  EXPECT_TRUE(world.has(child->key()));
  expect_clean(world);
}

TEST(Garbage, IsNoneAnyMoreWhenSomebodyBuildsOnItWhileMarking) {
  World world;
  auto depot = world.a_depot("short", 1).with("a", "1").with("dir/x", "1").committed();
  auto mine = depot.edit("b", "mine");
  for (const char* content : {"2", "3", "4"}) depot.with("a", content).committed();
  world.clock.advance(kLongAgo);
  // By now the root and what it grew from would go.
  world.listing->after_listing = [&] { mine.write("c", "just in time"); };
  must(collect_garbage(world.realm));
  EXPECT_TRUE(world.has(mine.base));
  EXPECT_TRUE(must(depot.commit(mine)).merged);
  EXPECT_EQ(depot.files(),
            (Files{{"a", "4"}, {"b", "mine"}, {"c", "just in time"}, {"dir/x", "1"}}));
  expect_clean(world);
}

TEST(Garbage, IsNoneAnyMoreWhenItIsCommittedWhileMarking) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  auto mine = depot.edit("dir/b", "mine");
  world.clock.advance(kLongAgo);
  world.listing->after_listing = [&] { must(depot.commit(mine)); };
  EXPECT_EQ(must(collect_garbage(world.realm)).removed, 0U);
  EXPECT_EQ(depot.files(), (Files{{"a", "1"}, {"dir/b", "mine"}}));
  expect_clean(world);
}

TEST(Garbage, TakenUnderAStagedChangeMakesItsCommitFailEvenWithForce) {
  World world;
  auto depot = world.a_depot("short", 1).with("a", "1").with("dir/x", "1").committed();
  const auto started = depot.root();
  Stage stage(world.realm.nodes());
  auto changed = must(write(stage, must(stage.get(started)), must(Path::parse("a")), "mine"));
  for (int i = 0; i < 3; ++i) depot.with("dir/x", fmt::format("new {}", i)).committed();
  world.clock.advance(kLongAgo);
  must(collect_garbage(world.realm));
  const auto before = world.everything();
  for (bool force : {false, true}) {
    EXPECT_THAT(world.realm.commit({.depot = depot.id,
                                    .root = changed.root->key(),
                                    .made_on = started,
                                    .message = {},
                                    .force = force,
                                    .author = {}},
                                   stage, changed.linked),
                FailsWith(Code::kNodeNotFound));
  }
  EXPECT_EQ(world.everything(), before);
}

TEST(Garbage, IsRemovedInSlicesWhenThereIsMuchOfIt) {
  World world;
  auto depot = world.a_depot().with("keep", "1").committed();
  // One directory of directories of files, saved and never committed.
  Stage stage(world.realm.nodes());
  TreeEditor editor(stage, must(stage.get(depot.root())));
  constexpr int kFiles = 12'000;
  for (int i = 0; i < kFiles; ++i) {
    auto node = must(write_file(stage, "text/plain", fmt::format("garbage {}", i)));
    ASSERT_THAT(editor.put(must(Path::parse(fmt::format("d{}/f{}", i / 100, i))),
                           EntryValue::of(entry_for("", *node))),
                IsOk());
  }
  Changed change{must(editor.finish()), {}};
  ASSERT_THAT(world.realm.save(stage, change, depot.root(), depot.id), IsOk());
  world.clock.advance(kLongAgo);
  auto report = must(collect_garbage(world.realm));
  EXPECT_GT(report.removed, static_cast<std::uint64_t>(kFiles));
  EXPECT_EQ(depot.files(), (Files{{"keep", "1"}}));
  EXPECT_FALSE(world.has(change.root->key()));
  expect_clean(world);
}

// ---- While others write -------------------------------------------------------------------------

TEST(Garbage, SaysWhatTheGraceTimeSparedAndUntilWhen) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  const auto draft = depot.edit("b", "a draft");
  auto report = must(collect_garbage(world.realm));
  EXPECT_EQ(report.removed, 0U);
  EXPECT_EQ(report.spared, 2U) << "the draft's root and its file";
  EXPECT_GT(report.spared_bytes, 0U);
  EXPECT_EQ(report.marked, must(world.realm.usage()).node_count);
  ASSERT_TRUE(report.spared_until);
  EXPECT_GE(*report.spared_until, world.clock.now() + std::chrono::milliseconds(kGrace).count());
  EXPECT_LE(*report.spared_until, world.clock.now() + std::chrono::milliseconds(kLongAgo).count());
  world.clock.advance(kLongAgo);
  report = must(collect_garbage(world.realm));
  EXPECT_EQ(report.removed, 2U);
  EXPECT_EQ(report.spared, 0U);
  EXPECT_FALSE(report.spared_until);
}

TEST(Garbage, IsOnlyCountedInADryRun) {
  World world;
  auto depot = world.a_depot("short", 1);
  for (const char* content : {"1", "2", "3"}) depot.with("a", content).committed();
  world.clock.advance(kLongAgo);
  const auto before = world.everything();
  const auto counted = must(collect_garbage(world.realm, {}, {.dry_run = true}));
  EXPECT_EQ(world.everything(), before);
  const auto done = must(collect_garbage(world.realm));
  EXPECT_GT(done.removed, 0U);
  EXPECT_EQ(counted.removed, done.removed);
  EXPECT_EQ(counted.freed_bytes, done.freed_bytes);
}

TEST(Garbage, GoesAtOnceWithoutAnyGraceSaveForUploadsInProgress) {
  World world;
  auto depot = world.a_depot("short", 1);
  for (const char* content : {"1", "2", "3"}) depot.with("a", content).committed();
  const auto draft = depot.edit("b", "a draft").root;
  {
    Realm::Upload upload(world.realm);
    const auto uploading = depot.edit("c", "an upload").root;
    must(collect_garbage(world.realm, {}, {.grace = 0ms}));
    EXPECT_TRUE(world.has(uploading));
    EXPECT_TRUE(world.has(draft)) << "of the same minute";
  }
  const auto report = must(collect_garbage(world.realm, {}, {.grace = 0ms}));
  EXPECT_GT(report.removed, 0U);
  EXPECT_EQ(report.spared, 0U);
  EXPECT_FALSE(world.has(draft));
  EXPECT_EQ(depot.files(), (Files{{"a", "3"}}));
  expect_clean(world);
  const auto again = must(collect_garbage(world.realm, {}, {.grace = 0ms}));
  EXPECT_EQ(again.removed, 0U);
}

class GarbageRace : public ::testing::TestWithParam<BackendKind> {};
INSTANTIATE_TEST_SUITE_P(Each, GarbageRace, both_backends(), backend_name);

// A grace time that is nearly nothing, and a clock that jumps: everything that no root holds is
// garbage at once, and what writers build on is taken away under their hands. They may be told that
// their root is gone. They must never be told that a commit went through when it is not whole.
TEST_P(GarbageRace, LosesNothingThatWasAcknowledged) {
  constexpr int kWriters = 4;
  constexpr int kCommits = 40;
  World world({.backend = GetParam(), .realm = {.grace = 1ms}});
  auto depot = world.a_depot("busy", 3);
  // Content comes back after it was taken: nodes are stored, removed and stored again.
  auto content = [](int t, int i) { return fmt::format("{}", (t + i) % 7) + Bytes(2000, 'x'); };

  Guarded<Files> acknowledged;
  std::atomic<int> expired = 0;
  std::atomic<std::uint64_t> removed = 0;
  {
    std::jthread collector([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        world.clock.advance(40min);
        auto report = collect_garbage(world.realm);
        EXPECT_THAT(report, IsOk());
        if (report) removed += report->removed;
      }
    });
    std::vector<std::jthread> writers;
    for (int t = 0; t < kWriters; ++t) {
      writers.emplace_back([&, t] {
        auto commit_one = [&](int i) -> Result<CommitResult> {
          auto path = fmt::format("t{}/f{}", t, i % 10);
          auto root = TRY(world.realm.get_depot(depot.id)).root;
          auto step = TRY(save_write(world.realm, root, depot.id, path, "unfinished"));
          if (t == 0) world.clock.advance(2h);  // this one dawdles
          auto mine = TRY(save_write(world.realm, step, std::nullopt, path, content(t, i)));
          world.clock.advance(20min);
          return world.realm.commit(
              {.depot = depot.id, .root = mine, .expected_root = {}, .message = {}, .author = {}});
        };
        // On a busy machine the collector may come late: the race is on until it took something.
        for (int i = 0; i < kCommits || (removed == 0 && i < 100 * kCommits);) {
          auto done = commit_one(i);
          if (done) {
            acknowledged.lock()->insert_or_assign(fmt::format("t{}/f{}", t, i % 10), content(t, i));
            i += 1;
          } else {
            ASSERT_THAT(done, FailsWith(Code::kNodeNotFound));
            expired += 1;
          }
        }
      });
    }
    writers.clear();
    collector.request_stop();
    collector.join();
  }
  EXPECT_EQ(depot.files(), *acknowledged.lock());
  EXPECT_GT(removed, 0U);
  RecordProperty("expired", expired);
  expect_clean(world);
  for (const auto& entry : depot.history()) EXPECT_NO_THROW(depot.files(entry.root));

  world.clock.advance(kLongAgo);
  must(collect_garbage(world.realm));
  EXPECT_EQ(depot.files(), *acknowledged.lock());
  expect_clean(world);
}

TEST_P(GarbageRace, TakesNothingFromAnUploadThatIsHeld) {
  World world({.backend = GetParam(), .realm = {.grace = 1ms}});
  auto depot = world.a_depot();
  Files files;
  {
    std::jthread collector([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        world.clock.advance(2h);
        EXPECT_THAT(collect_garbage(world.realm), IsOk());
      }
    });
    Realm::Upload upload(world.realm);
    auto draft = depot.checkout();
    for (int i = 0; i < 60; ++i) {
      auto path = fmt::format("dir{}/f", i % 5);
      draft.write(path, files[path] = fmt::format("{}", i));
    }
    must(depot.commit(draft));
  }
  EXPECT_EQ(depot.files(), files);
  expect_clean(world);
}

// ---- When ---------------------------------------------------------------------------------------

TEST(GcSchedule, IsRememberedByTheStore) {
  World world;
  auto& kv = world.store->kv();
  const auto now = world.clock.now();
  const Millis day = std::chrono::milliseconds(24h).count();
  EXPECT_TRUE(must(is_collection_due(kv, now, 24h))) << "it never was";
  must(note_collection(kv, now));
  EXPECT_FALSE(must(is_collection_due(kv, now, 24h)));
  EXPECT_FALSE(must(is_collection_due(kv, now + day - 1, 24h)));
  EXPECT_TRUE(must(is_collection_due(kv, now + day, 24h)));
  // With a clock that was a year ahead once.
  must(note_collection(kv, now + 365 * day));
  EXPECT_TRUE(must(is_collection_due(kv, now, 24h)));
}

// Commits wait while a slice is removed: how long must not depend on how many roots there are.
TEST(GcSlices, DoNotReadTheHistoriesAgain) {
  World world;
  auto depot = world.a_depot();
  for (int i = 0; i < 50; ++i) depot.with("f", std::to_string(i)).committed();
  std::vector<NodePtr> garbage;
  for (int i = 0; i < 5000; ++i) garbage.push_back(file(fmt::format("garbage {}", i)));
  must(world.realm.nodes().put(garbage));
  world.clock.advance(48h);
  // When the roots are marked, a record of the history becomes one that cannot be read.
  const auto record = records::history_key(world.realm.id(), depot.id, 7);
  const auto whole = must(world.store->kv().get(record));
  world.listing->after_listing = [&] { world.plant(Table::kPointers, record, "damaged"); };
  const auto before = world.backend->writes.load();
  const auto report = collect_garbage(world.realm);
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->removed, 5000U);
  EXPECT_GE(world.backend->writes - before, 10) << "a slice is small";
  world.plant(Table::kPointers, record, whole);
  EXPECT_EQ(depot.history().size(), 51U);
}

}  // namespace
}  // namespace cairn::realm_testing
