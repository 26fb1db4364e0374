// Purge: what was named is gone from every version, from the disk too; the rest stays, and what
// still holds it is named.
#include "data/realm/purge.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/realm/fsck.h"
#include "data/realm/gc.h"
#include "data/realm/import_commit.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = PurgeHolder::Kind;

// Long enough that nothing else has these bytes, and noise, so that nothing is compressed.
const std::string kSecret = "SSN 123-45-6789 / xK8#qPz!mW2@vLr9$tY6^nB4&hJ1*cF7(dG3)sA5";

class PurgeTest : public testing::Test {
 protected:
  explicit PurgeTest(BackendKind backend = BackendKind::kMemory) : world_({.backend = backend}) {}

  Realm& realm() { return world_.realm; }
  Result<PurgeReport> try_purge(const DepotStory& depot, std::string_view path,
                                const PurgeOptions& options = {}) {
    return purge(realm(), Place(depot.id, must(Path::parse(path))), options);
  }
  PurgeReport purged(const DepotStory& depot, std::string_view path,
                     const PurgeOptions& options = {}) {
    return must(try_purge(depot, path, options));
  }
  // Roots on the way to what was committed are drafts too, for a day.
  void a_day_later() { world_.clock.advance(26h); }
  NodeKey file(const DepotStory& depot, std::string_view path) {
    return key_at(world_, depot.root(), path);
  }
  void expect_clean() {
    const auto report = must(fsck(realm()));
    for (const auto& problem : report.problems) ADD_FAILURE() << problem.message;
    EXPECT_EQ(must(realm().usage()), world_.recounted());
    for (const auto& [row, value] : world_.everything().rows) {
      EXPECT_FALSE(row.first == 0 && row.second.starts_with('p')) << "a purge is not finished";
    }
  }
  static std::vector<std::string> paths(const PurgeReport& report) {
    std::vector<std::string> out;
    for (const auto& holder : report.holders) out.push_back(holder.path);
    return out;
  }

  World world_;
};

TEST_F(PurgeTest, WhatIsPurgedIsInNoVersionAndTheRestOfEachStays) {
  auto depot = world_.a_depot();
  depot.with("a", "1").committed("one");
  depot.with("secret", kSecret).committed("two");
  depot.with("a", "2").committed("three");
  depot.without("secret").committed("four");
  const auto before = depot.history();
  const auto secret = key_at(world_, before[1].root, "secret");

  const auto report = purged(depot, "secret");
  EXPECT_THAT(report.content, ElementsAre(secret));
  EXPECT_EQ(report.versions, 2U);
  EXPECT_EQ(report.depots, 1U);
  EXPECT_EQ(report.removed, 3U) << "the file and the two roots that had it";
  EXPECT_GT(report.freed_bytes, kSecret.size());
  EXPECT_EQ(report.kept, 0U);
  EXPECT_THAT(report.holders, IsEmpty());

  EXPECT_FALSE(world_.has(secret));
  EXPECT_EQ(realm().nodes().get(secret).error().code, Code::kNodeNotFound);
  const auto after = depot.history();
  ASSERT_THAT(after, SizeIs(5));
  for (std::size_t i = 0; i < after.size(); ++i) {
    const bool had_it = i == 1 || i == 2;
    auto expected = before[i];
    expected.purged = had_it;
    if (had_it) expected.root = after[i].root;
    EXPECT_EQ(after[i], expected) << i;
    EXPECT_EQ(world_.has(before[i].root), !had_it) << i;
  }
  EXPECT_EQ(depot.files(after[1].root), (Files{{"a", "2"}}));
  EXPECT_EQ(depot.files(after[2].root), (Files{{"a", "1"}}));
  EXPECT_EQ(depot.files(), (Files{{"a", "2"}}));
  expect_clean();
}

TEST_F(PurgeTest, EveryVersionOfThePathGoesAlsoTheOneThatIsThereNow) {
  auto depot = world_.a_depot().with("dir/f", "first of it").with("g", "1").committed();
  depot.with("dir/f", "second of it").committed();
  const auto first = key_at(world_, depot.history()[1].root, "dir/f");
  const auto second = file(depot, "dir/f");
  a_day_later();
  const auto report = purged(depot, "dir");
  EXPECT_EQ(report.versions, 2U);
  EXPECT_FALSE(world_.has(first));
  EXPECT_FALSE(world_.has(second));
  EXPECT_EQ(depot.files(), (Files{{"g", "1"}}));
  expect_clean();
}

TEST_F(PurgeTest, ADepotGoesOnAsBefore) {
  auto depot = world_.a_depot().with("secret", kSecret).with("a", "1").committed();
  purged(depot, "secret");
  const auto mine = depot.edit("b", "mine");
  depot.with("a", "theirs").committed();
  EXPECT_TRUE(must(depot.commit(mine)).merged);
  EXPECT_EQ(depot.files(), (Files{{"a", "theirs"}, {"b", "mine"}}));
  must(realm().revert(depot.id, depot.history().back().root, "back"));
  EXPECT_THAT(depot.files(), IsEmpty());
}

TEST_F(PurgeTest, ADryRunSaysTheSameAndChangesNothing) {
  auto depot = world_.a_depot().with("secret", kSecret).with("a", "1").committed();
  depot.with("copy/secret", kSecret).without("secret").committed();
  depot.with("secret", kSecret + "2").committed();
  a_day_later();
  const auto before = world_.everything();
  const auto planned = purged(depot, "secret", {.dry_run = true});
  EXPECT_EQ(world_.everything(), before);
  const auto done = purged(depot, "secret");
  EXPECT_EQ(planned.versions, done.versions);
  EXPECT_EQ(planned.removed, done.removed);
  EXPECT_EQ(planned.freed_bytes, done.freed_bytes);
  EXPECT_EQ(planned.kept, done.kept);
  EXPECT_EQ(paths(planned), paths(done));
  EXPECT_THAT(paths(done), ElementsAre("copy/secret"));
}

TEST_F(PurgeTest, WhatHoldsTheSameContentIsNamedAndKept) {
  auto depot = world_.a_depot("mine").with("secret", kSecret).with("copy", kSecret).committed();
  auto other = world_.a_depot("other").with("x/y", kSecret).committed();
  other.without("x/y").committed();
  auto deleted = world_.a_depot("deleted").with("z", kSecret).committed();
  must(realm().delete_depot(deleted.id));
  const auto secret = file(depot, "secret");
  a_day_later();
  const auto report = purged(depot, "secret");
  EXPECT_EQ(report.kept, 1U);
  ASSERT_THAT(report.holders, SizeIs(3));
  EXPECT_EQ(report.holders[0].kind, Kind::kDepot);
  EXPECT_EQ(report.holders[0].title, "mine");
  EXPECT_EQ(report.holders[0].path, "copy");
  EXPECT_FALSE(report.holders[0].version);
  EXPECT_EQ(report.holders[1].title, "other");
  EXPECT_EQ(report.holders[1].path, "x/y");
  EXPECT_EQ(report.holders[1].version, 1U);
  EXPECT_EQ(report.holders[2].kind, Kind::kDeletedDepot);
  EXPECT_TRUE(report.holders[2].until);
  EXPECT_TRUE(world_.has(secret));
  EXPECT_EQ(depot.files(), (Files{{"copy", kSecret}}));
  expect_clean();

  const auto all = purged(depot, "copy", {.everywhere = true});
  EXPECT_EQ(all.kept, 0U);
  EXPECT_EQ(all.depots, 3U);
  EXPECT_FALSE(world_.has(secret));
  must(realm().restore_depot(deleted.id));
  EXPECT_THAT(deleted.files(), IsEmpty());
  EXPECT_EQ(other.files(other.history()[1].root), (Files{{"x/", ""}}));
  expect_clean();
}

TEST_F(PurgeTest, APartOfADirectoryThatIsElsewhereIsNamed) {
  auto depot = world_.a_depot().with("dir/secret", kSecret).with("dir/b", "b").committed();
  depot.with("c", kSecret).committed();
  a_day_later();
  const auto report = purged(depot, "dir");
  EXPECT_EQ(report.kept, 1U);
  EXPECT_THAT(paths(report), ElementsAre("c"));
  EXPECT_EQ(depot.files(), (Files{{"c", kSecret}}));
}

TEST_F(PurgeTest, ADraftHoldsItUntilItIsGivenUp) {
  auto depot = world_.a_depot().with("secret", kSecret).committed();
  const auto secret = file(depot, "secret");
  const auto draft = depot.edit("a", "mine");
  const auto report = purged(depot, "secret");
  ASSERT_THAT(report.holders, SizeIs(1));
  EXPECT_EQ(report.holders[0].kind, Kind::kDraft);
  EXPECT_EQ(report.holders[0].root, draft.root);
  ASSERT_TRUE(report.holders[0].until);
  EXPECT_TRUE(world_.has(secret));
  // Committed now, it would bring the content back.
  EXPECT_EQ(depot.commit(draft).error().code, Code::kNodeNotFound);
  EXPECT_THAT(depot.files(), IsEmpty());
  expect_clean();
  const auto all = must(purge(realm(), secret, {}));
  EXPECT_EQ(all.drafts, 1U);
  EXPECT_EQ(all.kept, 0U);
  EXPECT_FALSE(world_.has(secret));
  expect_clean();
}

TEST_F(PurgeTest, ADraftWithoutItIsCommittedAndMerged) {
  auto depot = world_.a_depot().with("secret", kSecret).with("a", "1").committed();
  auto draft = depot.checkout();
  draft.rm("secret").write("b", "mine");
  // The first step of the draft has no origin of its own in the history, and ends by itself.
  const auto report = purged(depot, "secret", {.everywhere = true});
  EXPECT_EQ(report.kept, 0U);
  depot.with("a", "theirs").committed();
  EXPECT_TRUE(must(depot.commit(draft)).merged);
  EXPECT_EQ(depot.files(), (Files{{"a", "theirs"}, {"b", "mine"}}));
}

TEST_F(PurgeTest, AScopeHoldsIt) {
  auto depot = world_.a_depot().with("dir/secret", kSecret).committed();
  const FrozenScope scope{DelegateId::make(world_.clock, world_.random), "reader",
                          file(depot, "dir")};
  const auto secret = file(depot, "dir/secret");
  const auto report = purged(depot, "dir/secret", {.frozen = {&scope, 1}});
  ASSERT_THAT(report.holders, SizeIs(1));
  EXPECT_EQ(report.holders[0].kind, Kind::kScope);
  EXPECT_EQ(report.holders[0].delegate, scope.delegate);
  EXPECT_TRUE(world_.has(secret));
}

// Nothing names the directory any more that the scope was frozen to; it is as young as ever.
TEST_F(PurgeTest, AScopeThatEndedHoldsNothing) {
  auto depot = world_.a_depot().with("dir/secret", kSecret).with("dir/a", "1").committed();
  const FrozenScope scope{DelegateId::make(world_.clock, world_.random), "reader",
                          file(depot, "dir")};
  const auto secret = file(depot, "dir/secret");
  EXPECT_EQ(purged(depot, "dir/secret", {.frozen = {&scope, 1}}).kept, 1U);
  const auto foreseen = must(purge(realm(), secret, {.dry_run = true}));
  const auto report = must(purge(realm(), secret, {}));
  EXPECT_EQ(report.kept, 0U);
  EXPECT_THAT(report.holders, IsEmpty());
  EXPECT_FALSE(world_.has(secret));
  EXPECT_FALSE(world_.has(scope.root));
  EXPECT_EQ(foreseen.kept, 0U);
  EXPECT_EQ(foreseen.removed, report.removed);
  EXPECT_EQ(depot.files(), (Files{{"dir/a", "1"}}));
  expect_clean();
}

TEST_F(PurgeTest, WhatWasCommittedAtAPlaceGoesToo) {
  auto depot = world_.a_depot().with("docs/secret", kSecret).with("docs/a", "1").committed();
  auto docs = depot.at("docs").with("a", "2").committed();
  const auto report = purged(depot, "docs/secret");
  EXPECT_EQ(report.kept, 0U) << testing::PrintToString(paths(report));
  EXPECT_EQ(docs.files(), (Files{{"a", "2"}}));
  docs.with("a", "3").committed();
  EXPECT_EQ(depot.files(), (Files{{"docs/a", "3"}}));
  expect_clean();
}

TEST_F(PurgeTest, WhatAnImportRemembersIsForgottenWithIt) {
  auto depot = world_.a_depot().with("secret", kSecret).with("a", "1").committed();
  const auto secret = file(depot, "secret");
  must(remember_import(realm(), depot.id, "directory", depot.root()));
  auto other = world_.a_depot("other");
  must(remember_import(realm(), other.id, "directory", depot.root()));
  const auto report = purged(depot, "secret");
  EXPECT_EQ(report.imports, 1U);
  ASSERT_THAT(report.holders, SizeIs(1));
  EXPECT_EQ(report.holders[0].kind, Kind::kImport);
  EXPECT_EQ(report.holders[0].title, "other");
  EXPECT_FALSE(must(last_import(realm(), depot.id, "directory")));
  EXPECT_TRUE(must(last_import(realm(), other.id, "directory")));
  EXPECT_TRUE(must(purge(realm(), secret, {})).holders.empty());
  EXPECT_FALSE(must(last_import(realm(), other.id, "directory")));
  EXPECT_FALSE(world_.has(secret));
  expect_clean();
}

TEST_F(PurgeTest, ANodeIsPurgedWhereverItIs) {
  auto depot = world_.a_depot().with("dir/secret", kSecret).with("a", "1").committed();
  auto other = world_.a_depot().with("x", kSecret).committed();
  const auto secret = file(depot, "dir/secret");
  const auto report = must(purge(realm(), secret, {}));
  EXPECT_EQ(report.depots, 2U);
  EXPECT_FALSE(world_.has(secret));
  EXPECT_EQ(depot.files(), (Files{{"a", "1"}, {"dir/", ""}}));
  EXPECT_THAT(other.files(), IsEmpty());
  EXPECT_EQ(purge(realm(), secret, {}).error().code, Code::kNodeNotFound);
  expect_clean();
}

TEST_F(PurgeTest, ARootThatIsPurgedLeavesAnEmptyVersion) {
  auto depot = world_.a_depot().with("secret", kSecret).committed();
  const auto root = depot.root();
  must(purge(realm(), root, {}));
  EXPECT_FALSE(world_.has(root));
  EXPECT_THAT(depot.files(), IsEmpty());
  expect_clean();
}

TEST_F(PurgeTest, LargeFilesGoWithAllTheirPieces) {
  std::string large;
  SeededRandom random{5};
  while (large.size() < 3'000'000) large += random.bytes(1000);
  auto depot = world_.a_depot().with("large", large).with("a", "1").committed();
  const auto nodes = must(realm().usage()).node_count;
  const auto report = purged(depot, "large");
  EXPECT_GT(report.removed, 10U);
  EXPECT_GT(report.freed_bytes, 3'000'000U);
  EXPECT_EQ(must(realm().usage()).node_count, nodes - report.removed)
      << "what is left was stored on the way";
  expect_clean();
}

TEST_F(PurgeTest, WhatCannotBePurgedIsSaidAndChangesNothing) {
  std::string large(1'000'000, 'x');
  for (std::size_t i = 0; i < large.size(); i += 7) large[i] = static_cast<char>('a' + i % 23);
  auto depot = world_.a_depot().with("large", large).committed();
  const auto piece = must(realm().nodes().get(file(depot, "large")))->pieces().front().key;
  const auto before = world_.everything();
  EXPECT_EQ(try_purge(depot, "").error().code, Code::kInvalidArgument);
  EXPECT_EQ(try_purge(depot, "none").error().code, Code::kPathNotFound);
  EXPECT_EQ(try_purge(depot, "~0").error().code, Code::kInvalidPath);
  EXPECT_EQ(purge(realm(), piece, {}).error().code, Code::kInvalidArgument);
  EXPECT_EQ(purge(realm(), empty_dict()->key(), {}).error().code, Code::kInvalidArgument);
  EXPECT_EQ(purge(realm(), NodeKey::of("nothing"), {}).error().code, Code::kNodeNotFound);
  EXPECT_EQ(world_.everything(), before);
}

// However far it came before it broke off, the next one finishes it.
TEST_F(PurgeTest, OneThatIsBrokenOffIsFinishedByTheNext) {
  for (int writes = 0; writes < 100; ++writes) {
    World world;
    auto depot = world.a_depot().with("secret", kSecret).with("a", "1").committed();
    for (int i = 0; i < 150; ++i) depot.with("a", std::to_string(i)).committed();
    const auto secret = key_at(world, depot.root(), "secret");
    must(remember_import(world.realm, depot.id, "directory", depot.root()));
    const Place place(depot.id, must(Path::parse("secret")));
    int written = 0;
    world.backend->broken = writes == 0;
    world.backend->before_write = [&] {
      if (++written == writes) world.backend->broken = true;
    };
    const auto broken = purge(world.realm, place, {});
    world.backend->broken = false;
    world.backend->before_write = nullptr;
    if (broken) {
      EXPECT_GT(writes, 4) << "it takes several steps";
      return;
    }
    if (writes % 2 == 0) {
      must(purge(world.realm, place, {}));
    } else {
      // Or by the next collection, as far as histories were written anew.
      must(collect_garbage(world.realm));
      const auto again = purge(world.realm, place, {});
      if (!again) {
        EXPECT_EQ(again.error().code, Code::kPathNotFound);
      }
    }
    EXPECT_FALSE(world.has(secret)) << writes;
    EXPECT_EQ(depot.files(), (Files{{"a", "149"}}));
    EXPECT_THAT(depot.history(), SizeIs(152));
    for (const auto& version : depot.history()) {
      EXPECT_FALSE(depot.files(version.root).contains("secret"));
    }
    EXPECT_TRUE(must(fsck(world.realm)).clean()) << writes;
  }
  FAIL() << "it never came to its end";
}

// Whatever a purge has done already when somebody commits what was begun before.
TEST_F(PurgeTest, NoDraftBringsItBack) {
  for (int writes = 1; writes < 100; ++writes) {
    World world;
    auto depot = world.a_depot().with("secret", kSecret).with("a", "1").committed();
    auto draft = depot.checkout();
    draft.write("b", "mine");
    const Place place(depot.id, must(Path::parse("secret")));
    int written = 0;
    world.backend->before_write = [&] {
      if (++written == writes) world.backend->broken = true;
    };
    const bool whole = purge(world.realm, place, {.everywhere = true}).has_value();
    world.backend->broken = false;
    world.backend->before_write = nullptr;
    const bool rewritten = !depot.files().contains("secret");
    const auto done = depot.commit(draft);
    if (!done) {
      EXPECT_EQ(done.error().code, Code::kNodeNotFound) << done.error().message;
    }
    EXPECT_NE(depot.files().contains("secret"), rewritten) << writes;
    if (whole) return;
  }
  FAIL() << "it never came to its end";
}

TEST_F(PurgeTest, OthersCommitMeanwhileAndLoseNothing) {
  auto depot = world_.a_depot().with("secret", kSecret).committed();
  for (int i = 0; i < 300; ++i) depot.with("a", std::to_string(i)).committed();
  std::atomic<bool> stop = false;
  std::map<std::string, std::string> written;
  std::jthread writer([&] {
    // Without a pause, until the purge is done: it meets them at every step, and catches up. The
    // bound is for one that does not.
    for (int i = 0; i < 20'000 && (!stop || i < 20); ++i) {
      const auto path = fmt::format("w/{}", i % 10);
      try {
        auto draft = depot.edit(path, std::to_string(i));
        auto done = depot.commit(draft);
        if (done) {
          written[path] = std::to_string(i);
        } else {
          // Begun before the content went.
          EXPECT_EQ(done.error().code, Code::kNodeNotFound) << done.error().message;
        }
      } catch (const std::runtime_error& gone) {
        // What the draft was begun on went before it was saved.
        EXPECT_THAT(gone.what(), testing::HasSubstr("NODE_NOT_FOUND"));
      }
    }
  });
  const auto report = purged(depot, "secret", {.everywhere = true});
  stop = true;
  writer.join();
  EXPECT_FALSE(depot.files().contains("secret"));
  for (const auto& [path, content] : written) EXPECT_EQ(depot.files()[path], content);
  // A draft of the writer's may have been in the way; then it is said, and again it goes.
  if (report.kept > 0) {
    EXPECT_FALSE(report.holders.empty());
  }
  expect_clean();
}

class PurgeOnDisk : public PurgeTest {
 protected:
  PurgeOnDisk() : PurgeTest(BackendKind::kRocks) {}

  int files_with(std::string_view text) {
    int count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(world_.dir / "db")) {
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string all((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
      if (all.contains(text)) count += 1;
    }
    return count;
  }
};

TEST_F(PurgeOnDisk, TheBytesLeaveTheDisk) {
  std::string noise;
  SeededRandom random{7};
  while (noise.size() < 100'000) noise += random.bytes(1000);
  auto depot = world_.a_depot().with("secret", kSecret).with("large", noise).committed();
  depot.with("a", "1").without("secret").without("large").committed();
  EXPECT_GT(files_with(kSecret), 0);
  EXPECT_GT(files_with(noise.substr(50'000, 100)), 0);
  a_day_later();
  purged(depot, "secret");
  EXPECT_EQ(files_with(kSecret), 0);
  purged(depot, "large");
  EXPECT_EQ(files_with(noise.substr(50'000, 100)), 0);
  EXPECT_EQ(depot.files(), (Files{{"a", "1"}}));
}

}  // namespace
}  // namespace cairn::realm_testing
