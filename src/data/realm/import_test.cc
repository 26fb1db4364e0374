// Directories of the machine into a depot, and out again.

#include "data/realm/import.h"

#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/os_testing.h"
#include "data/cas/content_type.h"
#include "data/realm/fsck.h"
#include "data/realm/gc.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

// A directory on disk, and a depot to import it into. The clock is ten minutes ahead of the disk's,
// so that every file has settled unless a test says otherwise.
class ImportTest : public ::testing::Test {
 protected:
  ImportTest() {
    fs::create_directory(source);
    world.clock.advance(std::chrono::milliseconds(SystemClock().now() - world.clock.now()) + 10min);
  }

  fs::path at(std::string_view path) const { return source / path; }
  void write_file(std::string_view path, ByteView content) {
    fs::create_directories(at(path).parent_path());
    std::ofstream(at(path), std::ios::binary) << content;
  }
  void write_files(const Files& files) {
    for (const auto& [path, content] : files) {
      if (path.ends_with('/')) {
        fs::create_directories(at(path));
      } else {
        write_file(path, content);
      }
    }
  }
  // The files below a directory on disk, as build_tree has them.
  static Files on_disk(const fs::path& top) {
    Files files;
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      auto path = entry.path().lexically_relative(top).string();
      if (entry.is_directory()) {
        if (fs::is_empty(entry.path())) files[path + "/"] = "";
      } else {
        std::ifstream in(entry.path(), std::ios::binary);
        files[path] = Bytes(std::istreambuf_iterator<char>(in), {});
      }
    }
    return files;
  }

  Result<ImportResult> try_import(unsigned threads = 2) {
    Progress progress;
    auto result = import_directory(
        world.realm, depot.id, source,
        {.threads = threads, .message = "imported", .author = std::nullopt}, progress);
    if (result) {
      EXPECT_EQ(progress.files, result->files);
      EXPECT_EQ(progress.bytes, result->bytes);
    }
    return result;
  }
  // Files written after it have another time than those it read.
  ImportResult import(unsigned threads = 2) {
    auto result = must(try_import(threads));
    next_tick();
    return result;
  }
  // The disk's clock moves in steps of some milliseconds.
  void next_tick() const {
    auto touched = [&] {
      std::ofstream(world.dir / "tick") << 'x';
      return fs::last_write_time(world.dir / "tick");
    };
    for (auto before = touched(); touched() == before;) {
    }
  }

  World world;
  DepotStory depot = world.a_depot();
  const fs::path source = world.dir / "source";
};

Bytes random_bytes(std::size_t size) { return SeededRandom(5).bytes(size); }

const Files kTree{
    {"README.md", "# hello\n"},
    {"empty.txt", ""},
    {"deep/er/and/deeper.json", "{}"},
    {"deep/er/sibling.bin", Bytes("\0\1\2\xff", 4)},
    {"no files/", ""},
    {"no files in/here/", ""},
    {"gr\xc3\xbc\xc3\x9f"
     "e/\xe6\x97\xa5\xe6\x9c\xac.txt",
     "unicode"},
    {".hidden/.file", "dots"},
    {"spaces and 'quotes'\n\"", "odd"},
    {"~a", "no index"},
};

TEST_F(ImportTest, MakesTheDepotsTreeThatOfTheDirectory) {
  auto files = kTree;
  files["large.bin"] = random_bytes(1'500'000);
  files["large.txt"] = Bytes(5'000'000, 'x');
  write_files(files);
  auto result = import();
  EXPECT_EQ(depot.files(), files);
  EXPECT_EQ(result.root, depot.root());
  EXPECT_TRUE(result.commit.changed);
  EXPECT_EQ(result.files, 10U);
  EXPECT_EQ(result.bytes, 6'500'000 + 8 + 2 + 4 + 7 + 4 + 3 + 8);
  EXPECT_EQ(result.unchanged, 0U);
  EXPECT_THAT(result.skipped, IsEmpty());
  EXPECT_THAT(depot.messages(), ElementsAre("imported", "created"));
  EXPECT_TRUE(must(fsck(world.realm)).clean());
}

TEST_F(ImportTest, GivesTheSameTreeAsWritingTheFilesOneByOne) {
  write_files(kTree);
  write_file("large", random_bytes(400'000));
  auto result = import();
  Stage stage(world.realm.nodes());
  auto files = kTree;
  files["large"] = random_bytes(400'000);
  EXPECT_EQ(result.root, tree_testing::build_tree(stage, tree_testing::typed(files))->key());
}

TEST_F(ImportTest, TellsContentTypesFromNamesAndContent) {
  write_files({{"a.ts", "x"},
               {"b.png", "x"},
               {"c", "#!/bin/sh\n"},
               {"d", Bytes("\0", 1)},
               {"Makefile", "all:\n"},
               {"late", Bytes(5'000'000, ' ') + Bytes("\0", 1)}});
  import();
  for (auto& [path, typed] : tree_testing::typed_files(
           world.realm.nodes(), must(world.realm.nodes().get(depot.root())))) {
    EXPECT_EQ(typed.type, content_type(path, typed.bytes)) << path;
  }
}

TEST_F(ImportTest, SkipsWhatIsNoFileOrHasNoValidNameAndSaysSo) {
  write_files({{"kept", "1"},
               {"dir/kept", "2"},
               {"~3", "an index"},
               {"bad\xff"
                "name",
                "x"}});
  write_file("~12/below", "x");
  fs::create_symlink("kept", at("link"));
  fs::create_symlink("/nowhere", at("dir/dangling"));
  fs::create_directory_symlink("dir", at("loop"));
  ASSERT_EQ(::mkfifo(at("dir/fifo").c_str(), 0600), 0);
  auto result = import();
  EXPECT_EQ(depot.files(), (Files{{"kept", "1"}, {"dir/kept", "2"}}));
  auto skipped = [&](std::string_view path, std::string_view why) {
    return AllOf(StartsWith(fs::canonical(source).string() + "/" + std::string(path) + ": "),
                 HasSubstr(std::string(why)));
  };
  EXPECT_THAT(result.skipped,
              UnorderedElementsAre(skipped("link", "symbolic link"), skipped("loop", "symbolic"),
                                   skipped("dir/dangling", "symbolic"),
                                   skipped("dir/fifo", "neither a file nor a directory"),
                                   skipped("~3", "child indices"), skipped("~12", "child indices"),
                                   skipped("bad\xff"
                                           "name",
                                           "UTF-8")));
  EXPECT_EQ(result.files, 2U);
}

TEST_F(ImportTest, FollowsALinkThatIsTheSourceItself) {
  write_files(kTree);
  fs::create_directory_symlink(source, world.dir / "link");
  Progress progress;
  must(import_directory(world.realm, depot.id, world.dir / "link", {}, progress));
  EXPECT_EQ(depot.files(), kTree);
  EXPECT_THAT(depot.messages().front(), AllOf(StartsWith("import "), EndsWith("/link")));
}

TEST_F(ImportTest, OfAnEmptyDirectoryIsAnEmptyTree) {
  auto result = import();
  EXPECT_EQ(result.root, empty_dict()->key());
  EXPECT_FALSE(result.commit.changed);
}

TEST_F(ImportTest, KeepsWhatIsNotInTheDirectoryUnlessItIsToGo) {
  depot.with("before", "1").committed();
  write_file("now", "2");
  const auto kept = import();
  EXPECT_EQ(depot.files(), (Files{{"before", "1"}, {"now", "2"}}));
  EXPECT_THAT(kept.changes.kept.paths, ElementsAre("before"));
  Progress progress;
  const auto exact =
      must(import_directory(world.realm, depot.id, source, {.remove_others = true}, progress));
  EXPECT_EQ(depot.files(), (Files{{"now", "2"}}));
  EXPECT_THAT(exact.changes.removed.paths, ElementsAre("before"));
}

TEST_F(ImportTest, TakesAwayWhatTheDirectoryHasLostAndSaysSo) {
  write_files({{"a", "1"}, {"old/b", "1"}, {"old/c", "1"}});
  import();
  depot.with("notes/today.md", "of somebody else").committed();
  fs::remove_all(at("old"));
  const auto again = import();
  EXPECT_EQ(depot.files(), (Files{{"a", "1"}, {"notes/today.md", "of somebody else"}}));
  EXPECT_THAT(again.changes.removed.paths, ElementsAre("old/"));
  EXPECT_EQ(again.changes.removed.files, 2U);
  EXPECT_THAT(again.changes.kept.paths, ElementsAre("notes/"));
}

TEST_F(ImportTest, GoesBelowAPathAndHasAnIndexForEach) {
  write_files(kTree);
  import();
  Progress progress;
  const ImportOptions below{.path = must(Path::parse("deep/copy"))};
  const auto first = must(import_directory(world.realm, depot.id, source, below, progress));
  EXPECT_EQ(first.unchanged, 0U);
  auto expected = kTree;
  for (const auto& [path, content] : kTree) expected["deep/copy/" + path] = content;
  EXPECT_EQ(depot.files(), expected);
  EXPECT_THAT(first.changes.added.paths, Contains("deep/copy/README.md"));
  next_tick();
  const auto second = must(import_directory(world.realm, depot.id, source, below, progress));
  EXPECT_EQ(second.unchanged, second.files);
  EXPECT_FALSE(second.commit.changed);
  const auto whole = import();
  EXPECT_EQ(whole.unchanged, whole.files);
  EXPECT_EQ(depot.files(), expected);
}

TEST_F(ImportTest, ThatOnlyShowsWhatItWouldDoDoesNothing) {
  write_files({{"a", "1"}, {"b", "1"}});
  import();
  fs::remove(at("a"));
  write_files({{"b", "2"}, {"c", "3"}});
  const auto before = depot.record();
  Progress progress;
  for (int i = 0; i < 2; ++i) {
    const auto shown =
        must(import_directory(world.realm, depot.id, source, {.dry_run = true}, progress));
    EXPECT_THAT(shown.changes.removed.paths, ElementsAre("a"));
    EXPECT_THAT(shown.changes.changed.paths, ElementsAre("b"));
    EXPECT_THAT(shown.changes.added.paths, ElementsAre("c"));
    EXPECT_TRUE(shown.commit.changed);
    EXPECT_EQ(depot.record(), before);
  }
}

// Not even what it reads: a look costs no space.
TEST_F(ImportTest, ThatOnlyShowsWhatItWouldDoStoresNothing) {
  write_files(kTree);
  write_file("large.bin", random_bytes(1'500'000));
  Progress progress;
  const ImportOptions look{.dry_run = true};
  const auto empty = must(world.realm.usage());
  const auto first = must(import_directory(world.realm, depot.id, source, look, progress));
  EXPECT_EQ(first.files, 9U);
  EXPECT_EQ(first.changes.added.files, 9U);
  EXPECT_EQ(must(world.realm.usage()), empty);

  import();
  write_files({{"new/a", "1"}, {"README.md", "# hello, you\n"}});
  const auto before = must(world.realm.usage());
  const auto again = must(import_directory(world.realm, depot.id, source, look, progress));
  EXPECT_THAT(again.changes.added.paths, ElementsAre("new/"));
  EXPECT_THAT(again.changes.changed.paths, ElementsAre("README.md"));
  EXPECT_EQ(again.unchanged, again.files - 2);
  EXPECT_EQ(must(world.realm.usage()), before);
}

TEST_F(ImportTest, ThatOnlyShowsWhatItWouldDoKnowsWhatCanBeMerged) {
  write_files({{"fits.txt", "1\n2\n3\n4\n5\n"}, {"deep/er/not.txt", "1\n"}});
  import();
  depot.with("fits.txt", "1\n2\n3\n4\nfive\n").with("deep/er/not.txt", "theirs\n").committed();
  write_files({{"fits.txt", "one\n2\n3\n4\n5\n"}, {"deep/er/not.txt", "mine\n"}});
  const auto before = must(world.realm.usage());
  Progress progress;
  const auto shown =
      must(import_directory(world.realm, depot.id, source, {.dry_run = true}, progress));
  EXPECT_THAT(shown.changes.conflicts.paths, ElementsAre("deep/er/not.txt"));
  EXPECT_THAT(shown.changes.changed.paths, ElementsAre("deep/er/not.txt", "fits.txt"));
  EXPECT_TRUE(shown.commit.merged);
  EXPECT_EQ(must(world.realm.usage()), before);
}

TEST_F(ImportTest, ThatIsStoppedLeavesTheDepot) {
  write_files(kTree);
  const auto before = depot.record();
  Progress progress;
  progress.stop = true;
  EXPECT_THAT(import_directory(world.realm, depot.id, source, {}, progress),
              FailsWith(Code::kUnavailable));
  EXPECT_EQ(depot.record(), before);
}

TEST_F(ImportTest, GivesOneRootWhateverTheNumberOfThreads) {
  Files files;
  for (int i = 0; i < 300; ++i) {
    files[fmt::format("d{}/e{}/f{}", i % 17, i % 5, i)] = Bytes(static_cast<unsigned>(i) * 7, 'x');
  }
  write_files(files);
  const auto root = import(1).root;
  for (unsigned threads : {0U, 2U, 3U, 8U}) {
    auto another = world.a_depot();
    Progress progress;
    auto result = must(import_directory(world.realm, another.id, source,
                                        {.threads = threads, .message = "", .author = std::nullopt},
                                        progress));
    EXPECT_EQ(result.root, root) << threads;
    EXPECT_EQ(result.unchanged, 0U) << "every depot has an index of its own";
  }
}

// ---- Again --------------------------------------------------------------------------------------

TEST_F(ImportTest, ReadsNothingWhenNothingChanged) {
  write_files(kTree);
  const auto first = import();
  const auto before = world.everything();
  auto again = import();
  EXPECT_EQ(again.root, first.root);
  EXPECT_FALSE(again.commit.changed);
  EXPECT_EQ(again.files, first.files);
  EXPECT_EQ(again.bytes, first.bytes);
  EXPECT_EQ(again.unchanged, again.files);
  EXPECT_EQ(world.everything(), before);
}

TEST_F(ImportTest, SeesWhatChanged) {
  const Files start{{"a", "1"}, {"dir/b", "1"}, {"dir/c", "1"}, {"dir/sub/d", "1"}, {"old/e", "1"}};
  const struct {
    const char* what;
    std::function<void()> change;
    std::function<void(Files&)> expected;
    std::uint64_t unchanged;
  } cases[] = {
      {"a file changed", [&] { write_file("dir/b", "2"); }, [](Files& f) { f["dir/b"] = "2"; }, 4},
      {"a file changed in size", [&] { write_file("a", "long"); },
       [](Files& f) { f["a"] = "long"; }, 4},
      {"a file added", [&] { write_file("dir/sub/new", "n"); },
       [](Files& f) { f["dir/sub/new"] = "n"; }, 5},
      {"a file removed", [&] { fs::remove(at("dir/b")); }, [](Files& f) { f.erase("dir/b"); }, 4},
      {"a directory removed", [&] { fs::remove_all(at("old")); },
       [](Files& f) { f.erase("old/e"); }, 4},
      {"an empty directory added", [&] { fs::create_directory(at("dir/empty")); },
       [](Files& f) { f["dir/empty/"] = ""; }, 5},
      {"the last file of a directory removed", [&] { fs::remove(at("old/e")); },
       [](Files& f) {
         f.erase("old/e");
         f["old/"] = "";
       },
       4},
      {"a file replaced by a directory",
       [&] {
         fs::remove(at("a"));
         write_file("a/inside", "x");
       },
       [](Files& f) {
         f.erase("a");
         f["a/inside"] = "x";
       },
       4},
      {"a directory replaced by a file",
       [&] {
         fs::remove_all(at("dir"));
         write_file("dir", "x");
       },
       [](Files& f) {
         std::erase_if(f, [](const auto& file) { return file.first.starts_with("dir/"); });
         f["dir"] = "x";
       },
       2},
      {"a file renamed", [&] { fs::rename(at("dir/b"), at("dir/bb")); },
       [](Files& f) {
         f["dir/bb"] = f["dir/b"];
         f.erase("dir/b");
       },
       4},
      {"two files exchanged",
       [&] {
         write_file("dir/c", "2");
         import();
         fs::rename(at("dir/b"), at("x"));
         fs::rename(at("dir/c"), at("dir/b"));
         fs::rename(at("x"), at("dir/c"));
       },
       [](Files& f) { f["dir/b"] = "2"; }, 3},
      {"a file replaced by a link",
       [&] {
         fs::remove(at("a"));
         fs::create_symlink("dir/b", at("a"));
       },
       [](Files& f) { f.erase("a"); }, 4},
  };
  for (const auto& [what, change, expected, unchanged] : cases) {
    SCOPED_TRACE(what);
    fs::remove_all(source);
    write_files(start);
    import();
    change();
    auto files = start;
    expected(files);
    auto result = import();
    EXPECT_EQ(depot.files(), files);
    EXPECT_EQ(result.unchanged, unchanged);
    EXPECT_TRUE(result.commit.changed);
    EXPECT_EQ(import().unchanged, result.files) << "and the index has it";
  }
}

TEST_F(ImportTest, SeesAChangeThatKeptSizeAndTime) {
  write_file("a", "1");
  struct stat before{};
  ASSERT_EQ(::stat(at("a").c_str(), &before), 0);
  import();
  write_file("a", "2");
  const timespec times[] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, at("a").c_str(), times, 0), 0);
  struct stat after{};
  ASSERT_EQ(::stat(at("a").c_str(), &after), 0);
  ASSERT_EQ(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
  import();
  EXPECT_EQ(depot.files().at("a"), "2");
}

// A change within the disk's resolution of time after the import read the file leaves no trace, so
// what was changed shortly before is read again.
TEST_F(ImportTest, ReadsAgainWhatWasChangedShortlyBeforeTheLastTime) {
  World here;
  here.clock.advance(std::chrono::milliseconds(SystemClock().now() - here.clock.now()) + 1s);
  auto fresh = here.a_depot();  // a minute later
  write_file("a", "1");
  auto import_here = [&] {
    Progress progress;
    return must(import_directory(here.realm, fresh.id, source, {}, progress));
  };
  here.clock.advance(-1min);
  import_here();
  here.clock.advance(10min);
  EXPECT_EQ(import_here().unchanged, 0U) << "fresh when it was read the first time";
  EXPECT_EQ(import_here().unchanged, 1U) << "settled when it was read the second time";
}

TEST_F(ImportTest, BeginsWithTheLastOneHoweverLittleTheHistoryKeeps) {
  write_files(kTree);
  import();
  must(world.realm.set_keep(depot.id, must(Keep::parse("last=2"))));
  depot.with("x", "1").committed().with("x", "2").committed().with("x", "3").committed();
  world.clock.advance(std::chrono::hours(26));
  must(collect_garbage(world.realm));
  fs::remove(at("README.md"));
  auto again = import();
  EXPECT_EQ(again.unchanged, again.files);
  auto expected = kTree;
  expected.erase("README.md");
  expected["x"] = "3";
  EXPECT_EQ(depot.files(), expected);
  EXPECT_TRUE(must(fsck(world.realm)).clean());
}

TEST_F(ImportTest, DoesNotTrustAnIndexOfAnotherDirectory) {
  write_files(kTree);
  import();
  fs::rename(source, world.dir / "moved");
  fs::create_directory(source);
  Progress progress;
  auto moved = must(import_directory(world.realm, depot.id, world.dir / "moved", {}, progress));
  EXPECT_EQ(moved.unchanged, 0U);
  EXPECT_FALSE(moved.commit.changed);
}

TEST_F(ImportTest, UsesTheIndexAfterOthersCommittedAndLeavesWhatTheyDid) {
  write_files(kTree);
  import();
  depot.with("README.md", "edited by an agent").without("empty.txt").committed();
  auto again = import();
  EXPECT_EQ(again.unchanged, again.files);
  EXPECT_FALSE(again.commit.changed);
  auto expected = kTree;
  expected["README.md"] = "edited by an agent";
  expected.erase("empty.txt");
  EXPECT_EQ(depot.files(), expected);
  EXPECT_THAT(again.changes.kept.paths, ElementsAre("README.md"));
  EXPECT_THAT(again.changes.absent.paths, ElementsAre("empty.txt"));
}

TEST_F(ImportTest, IgnoresADamagedIndex) {
  write_files(kTree);
  import();
  auto key = records::import_key(world.realm.id(), depot.id, fs::canonical(source).string());
  const Bytes whole = must(world.store->kv().get(key)).value();
  for (std::size_t size = 0; size < whole.size(); size += 3) {
    world.plant(Table::kPointers, key, whole.substr(0, size));
    must(try_import());
    ASSERT_EQ(depot.files(), kTree) << "cut to " << size;
  }
}

// ---- What goes wrong, and who comes in between --------------------------------------------------

TEST_F(ImportTest, OfWhatCannotBeReadFailsWithThePathAndLeavesTheDepot) {
  write_files(kTree);
  import();
  const auto before = depot.record();
  Progress progress;
  for (const auto& missing : {source / "missing", source / "README.md"}) {
    auto refused = import_directory(world.realm, depot.id, missing, {}, progress);
    ASSERT_THAT(refused, FailsWith(Code::kIoError));
    EXPECT_THAT(refused.error().message, HasSubstr(missing.filename().string()));
  }
  EXPECT_EQ(depot.record(), before);
  EXPECT_THAT(import_directory(world.realm, DepotId(), source, {}, progress),
              FailsWith(Code::kDepotNotFound));
}

TEST_F(ImportTest, OfADirectoryTooDeepForThePathLimitFailsAndLeavesTheDepot) {
  write_file("kept", "1");
  import();
  const auto before = depot.record();
  // Deeper than a path can say: made by walking down.
  int dir = ::open(source.c_str(), O_RDONLY | O_DIRECTORY);
  const std::string name(200, 'n');
  for (int i = 0; i < 25; ++i) {
    ASSERT_EQ(::mkdirat(dir, name.c_str(), 0700), 0);
    int next = ::openat(dir, name.c_str(), O_RDONLY | O_DIRECTORY);
    ::close(dir);
    dir = next;
  }
  ::close(dir);
  EXPECT_THAT(try_import(), FailsWith(Code::kIoError));
  EXPECT_EQ(depot.record(), before);
}

TEST_F(ImportTest, BeyondTheQuotaLeavesTheDepotAndNoNodeWithoutItsChildren) {
  depot.with("kept", "1").committed();
  for (int i = 0; i < 200; ++i) {
    write_file(fmt::format("d{}/e{}/{}", i % 13, i % 7, i), SeededRandom(i).bytes(20'000));
  }
  must(world.realm.set_quota(must(world.realm.usage()).physical_bytes + 2'500'000));
  const auto before = depot.record();
  for (unsigned threads : {1U, 4U}) {
    EXPECT_THAT(try_import(threads), FailsWith(Code::kQuotaExceeded));
    EXPECT_EQ(depot.record(), before);
    EXPECT_TRUE(must(fsck(world.realm)).clean());
  }
  EXPECT_LE(must(world.realm.usage()).physical_bytes, must(world.realm.usage()).quota_limit);
}

// Something happens the next time somebody looks at the clock, or some times later.
class InterruptingClock final : public Clock {
 public:
  explicit InterruptingClock(const Clock& real) : real_(real) {}
  Millis now() const override {
    if (next && later-- == 0) std::exchange(next, nullptr)();
    return real_.now();
  }
  std::chrono::nanoseconds monotonic() const override { return real_.monotonic(); }

  mutable std::function<void()> next;
  mutable int later = 0;

 private:
  const Clock& real_;
};

TEST_F(ImportTest, MergesWithACommitThatCameMeanwhile) {
  InterruptingClock clock(world.clock);
  Realm realm(*world.store, world.realm.id(), clock, world.random);
  write_file("theirs", "1");
  import();
  write_file("new", "imported");
  auto other = depot.edit("theirs", "2");
  // The import has seen the depot and not yet read the directory.
  clock.next = [&] { must(depot.commit(other)); };
  Progress progress;
  auto result = must(import_directory(realm, depot.id, source, {}, progress));
  EXPECT_THAT(result.changes.kept.paths, ElementsAre("theirs"));
  EXPECT_EQ(depot.files(), (Files{{"new", "imported"}, {"theirs", "2"}}));
  EXPECT_EQ(depot.files(result.root), (Files{{"new", "imported"}, {"theirs", "1"}}));

  auto again = depot.edit("new", "theirs");
  write_file("new", "changed on disk, too");
  clock.next = [&] { must(depot.commit(again)); };
  clock.later = 0;
  auto refused = import_directory(realm, depot.id, source, {}, progress);
  ASSERT_THAT(refused, FailsWith(Code::kConflict));
  EXPECT_THAT(detail_paths(refused.error()), ElementsAre("new"));
  EXPECT_EQ(depot.root(), again.root);
}

// The history loses the root of the last import while this one relies on it.
TEST_F(ImportTest, KeepsTheNodesItDoesNotReadAgain) {
  InterruptingClock clock(world.clock);
  Realm realm(*world.store, world.realm.id(), clock, world.random);
  write_files(kTree);
  import();
  world.clock.advance(std::chrono::hours(48));
  must(realm.set_keep(depot.id, must(Keep::parse("last=2"))));
  auto other = world.a_depot("other").with("x", "1").committed().with("x", "2").committed();
  write_file("new", "1");
  bool happened = false;
  clock.next = [&] {
    happened = true;
    for (const auto& entry : other.history()) must(depot.commit(entry.root, {.force = true}));
    world.clock.advance(std::chrono::hours(48));
    must(collect_garbage(realm));
  };
  clock.later = 2;  // when the index is read and nothing else
  Progress progress;
  auto result = import_directory(realm, depot.id, source, {}, progress);
  ASSERT_TRUE(happened);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->unchanged, result->files - 1);
  EXPECT_EQ(depot.files(result->root).at("README.md"), "# hello\n");
  EXPECT_TRUE(must(fsck(world.realm)).clean());
}

// Directories are stored by several threads, each when it comes to it; a collection at any time
// finds every node with its children.
TEST_F(ImportTest, IsNotInTheWayOfTheGarbageCollectorNorTheOtherWayRound) {
  World busy({.realm = {.grace = 1ms}});
  busy.clock.advance(std::chrono::milliseconds(SystemClock().now() - busy.clock.now()) + 10min);
  Files files;
  for (int i = 0; i < 600; ++i) {
    files[fmt::format("d{}/e{}/f{}/{}", i % 11, i % 7, i % 3, i)] = SeededRandom(i).bytes(9'000);
  }
  write_files(files);
  std::jthread collector([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      busy.clock.advance(2h);
      EXPECT_THAT(collect_garbage(busy.realm), IsOk());
    }
  });
  for (int round = 0; round < 4; ++round) {
    auto target = busy.a_depot();
    Progress progress;
    for (int again = 0; again < 2; ++again) {
      EXPECT_THAT(import_directory(busy.realm, target.id, source,
                                   {.threads = 4, .message = "", .author = std::nullopt}, progress),
                  IsOk());
    }
    EXPECT_EQ(target.files(), files);
    must(busy.realm.delete_depot(target.id));
  }
  collector.request_stop();
  collector.join();
  EXPECT_TRUE(must(fsck(busy.realm)).clean());
}

// ---- Out ----------------------------------------------------------------------------------------

class ExportTest : public ImportTest {
 protected:
  Result<ExportResult> export_to(const fs::path& target) {
    Progress progress;
    auto result = export_directory(world.realm.nodes(), depot.root(), target, progress);
    if (result) {
      EXPECT_EQ(progress.files, result->files);
      EXPECT_EQ(progress.bytes, result->bytes);
    }
    return result;
  }
};

TEST_F(ExportTest, GivesBackTheBytesThatWereImported) {
  auto files = kTree;
  files["large.bin"] = random_bytes(1'500'000);
  write_files(files);
  auto imported = import();
  auto exported = must(export_to(world.dir / "new/target"));
  EXPECT_EQ(on_disk(world.dir / "new/target"), files);
  EXPECT_EQ(exported.files, imported.files);
  EXPECT_EQ(exported.bytes, imported.bytes);
}

TEST_F(ExportTest, FillsAnEmptyDirectoryAndNoOther) {
  depot.with("a", "1").committed();
  fs::create_directory(world.dir / "empty");
  EXPECT_THAT(export_to(world.dir / "empty"), IsOk());
  auto refused = export_to(world.dir / "empty");
  ASSERT_THAT(refused, FailsWith(Code::kTargetExists));
  EXPECT_THAT(refused.error().message, HasSubstr("is not empty"));
  EXPECT_EQ(on_disk(world.dir / "empty"), (Files{{"a", "1"}}));
  write_file("file", "not a directory");
  EXPECT_THAT(export_to(at("file")), FailsWith(Code::kIoError));
  EXPECT_THAT(export_to(at("file/below")), FailsWith(Code::kIoError));
}

TEST_F(ExportTest, SaysWhichFileTheDiskDidNotTake) {
  depot.with("a", "1").with("d/b", "2").committed();
  for (const auto call : {os::Call::kMakeDirectory, os::Call::kWrite, os::Call::kClose}) {
    os::Failing failing(ENOSPC, {.call = call});
    Progress progress;
    const auto target = world.dir / "full";
    auto failed =
        export_directory(world.realm.nodes(), depot.root(), target, progress, failing.kernel());
    ASSERT_THAT(failed, FailsWith(Code::kIoError));
    EXPECT_THAT(failed.error().message,
                HasSubstr(call == os::Call::kMakeDirectory ? "full/d'" : "full/a'"));
    EXPECT_THAT(failed.error().message, HasSubstr("No space left on device"));
    fs::remove_all(target);
  }
}

TEST_F(ImportTest, LeavesTheDepotAsItIsWhenTheDiskFails) {
  write_files(kTree);
  const auto before = depot.root();
  for (const auto call : {os::Call::kOpen, os::Call::kList, os::Call::kStat, os::Call::kRead}) {
    os::Failing failing(EIO, {.call = call, .nth = 2});
    Progress progress;
    EXPECT_THAT(
        import_directory(
            world.realm, depot.id, source,
            {.threads = 1, .message = "", .author = std::nullopt, .kernel = failing.kernel()},
            progress),
        FailsWith(Code::kIoError));
    EXPECT_EQ(depot.root(), before);
  }
  os::Failing interrupted(EINTR, {.call = os::Call::kRead});
  Progress progress;
  EXPECT_THAT(
      import_directory(
          world.realm, depot.id, source,
          {.threads = 1, .message = "", .author = std::nullopt, .kernel = interrupted.kernel()},
          progress),
      IsOk());
  EXPECT_EQ(depot.files(), kTree);
}

TEST_F(ExportTest, RefusesWhatIsNoDirectory) {
  depot.with("a", "1").committed();
  Progress progress;
  EXPECT_THAT(export_directory(world.realm.nodes(), key_at(world, depot.root(), "a"),
                               world.dir / "t", progress),
              FailsWith(Code::kNotADirectory));
  EXPECT_THAT(
      export_directory(world.realm.nodes(), NodeKey::of("nowhere"), world.dir / "t", progress),
      FailsWith(Code::kNodeNotFound));
  EXPECT_FALSE(fs::exists(world.dir / "t")) << "nothing is made for it";
}

TEST_F(ExportTest, RoundTripsAnyTreeAndAnyChangeOfIt) {
  for_seeds(10, [&](Dice& dice) {
    for (int version = 0; version < 3; ++version) {
      auto files = tree_testing::random_files(dice, 30);
      fs::remove_all(source);
      fs::create_directory(source);
      write_files(files);
      auto result = import(static_cast<unsigned>(1 + dice.below(4)));
      ASSERT_EQ(depot.files(), files);
      auto target = world.dir / "target";
      must(export_to(target));
      ASSERT_EQ(on_disk(target), files);
      fs::remove_all(target);
      ASSERT_EQ(must(try_import()).unchanged, result.files);
    }
  });
}

}  // namespace
}  // namespace cairn::realm_testing
