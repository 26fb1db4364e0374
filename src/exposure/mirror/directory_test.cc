#include "exposure/mirror/directory.h"

#include <atomic>
#include <barrier>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/os_testing.h"

namespace cairn::mirror {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

class MirroredDirectory : public testing::Test {
 protected:
  void SetUp() override {
    auto pattern = (std::filesystem::temp_directory_path() / "cairn-mirror-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    top_ = pattern;
    root_ = top_ / "root";
    outside_ = top_ / "outside";
    std::filesystem::create_directory(root_);
    std::filesystem::create_directory(outside_);
  }
  void TearDown() override { std::filesystem::remove_all(top_); }

  MirrorDirectory open() {
    auto opened = MirrorDirectory::open(root_, {clock_, random_, 027});
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(*opened);
  }
  void put(const std::string& path, std::string_view text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  static std::string text_of(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  MirrorScan scan(const MirrorFilter& filter = {}, const ByPath<SeenFile>& seen = {},
                  MirrorDirectory::Leftovers leftovers = MirrorDirectory::Leftovers::kRemove) {
    auto scanned = open().scan(filter, seen, leftovers, {});
    EXPECT_TRUE(scanned) << scanned.error().message;
    return std::move(*scanned);
  }
  static std::vector<std::string> paths(const MirrorScan& scan) {
    std::vector<std::string> out;
    for (const auto& [path, entry] : scan.tree.entries) {
      out.push_back(path + (entry.kind == EntryKind::kDirectory ? "/" : ""));
    }
    return out;
  }
  static MirrorDirectory::Fill filling(std::string_view text) {
    return [text](const Client::Sink& sink) { return sink(text); };
  }
  // Everything that is in the directory, whatever it is.
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
      out.push_back(std::filesystem::relative(entry.path(), root_).string());
    }
    return out;
  }

  SystemClock clock_;
  SeededRandom random_{7};
  std::filesystem::path top_;
  std::filesystem::path root_;
  std::filesystem::path outside_;
};

TEST_F(MirroredDirectory, FindsFilesAndDirectories) {
  put("a.txt", "one");
  put("d/e/b.txt", "two");
  std::filesystem::create_directory(root_ / "empty");
  const auto found = scan();
  EXPECT_THAT(paths(found), ElementsAre("a.txt", "d/", "d/e/", "d/e/b.txt", "empty/"));
  EXPECT_EQ(found.tree.entries.at("a.txt").size, 3U);
  EXPECT_EQ(found.tree.entries.at("a.txt").key, *client::key_of(root_ / "a.txt"));
  EXPECT_THAT(found.tree.left_out, IsEmpty());
}

TEST_F(MirroredDirectory, LeavesOutWhatADepotCannotHold) {
  std::ofstream(outside_ / "secret") << "secret";
  std::filesystem::create_symlink(outside_ / "secret", root_ / "file-link");
  std::filesystem::create_symlink(outside_, root_ / "dir-link");
  std::filesystem::create_symlink("nowhere", root_ / "dangling");
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  put("~1", "an index");
  put("b\xff", "no UTF-8");
  put("skip.log", "x");
  put("data/x", "x");
  put("ok", "x");
  const MirrorFilter filter{.exclude = {*Glob::parse("*.log")},
                            .left_out = {{"data", "it is the data directory"}}};
  const auto found = scan(filter);
  EXPECT_THAT(paths(found), ElementsAre("ok"));
  EXPECT_THAT(found.tree.left_out,
              UnorderedElementsAre(
                  Pair("file-link", HasSubstr("links")), Pair("dir-link", HasSubstr("links")),
                  Pair("dangling", HasSubstr("links")), Pair("pipe", HasSubstr("neither")),
                  Pair("~1", HasSubstr("indices")), Pair("b\xff", HasSubstr("UTF-8")),
                  Pair("skip.log", ""), Pair("data", "it is the data directory")));
}

TEST_F(MirroredDirectory, DoesNotReadWhatItHasSeen) {
  put("a", "one");
  const auto signature = scan().files.at("a");
  const ByPath<SeenFile> seen{{"a", {"the key it had", signature}}};
  EXPECT_EQ(scan({}, seen).tree.entries.at("a").key, "the key it had");
  put("a", "two");
  EXPECT_EQ(scan({}, seen).tree.entries.at("a").key, *client::key_of(root_ / "a"));
}

TEST_F(MirroredDirectory, TrustsOnlyWhatIsOlderThanTheClockIsCoarse) {
  put("a", "one");
  const auto written = scan().files.at("a").modified / 1'000'000;
  ManualClock clock(written + 1000);
  auto young = MirrorDirectory::open(root_, {clock, random_, 022});
  EXPECT_THAT(young->scan({}, {}, MirrorDirectory::Leftovers::kKeep, {})->seen, IsEmpty());
  clock.advance(std::chrono::seconds(3));
  EXPECT_THAT(young->scan({}, {}, MirrorDirectory::Leftovers::kKeep, {})->seen,
              ElementsAre(Pair("a", testing::_)));
}

TEST_F(MirroredDirectory, GivesUpOnAFileThatIsAlwaysWrittenTo) {
  put("log", std::string(8 << 20, 'x'));
  put("ok", "x");
  std::atomic<bool> stop = false;
  std::jthread writer([&] {
    std::ofstream out(root_ / "log", std::ios::app);
    while (!stop) out << "more" << std::flush;
  });
  const auto found = scan();
  stop = true;
  EXPECT_THAT(found.unstable, ElementsAre("log"));
  EXPECT_THAT(paths(found), ElementsAre("ok"));
  EXPECT_TRUE(found.tree.left_out.contains("log"));
}

TEST_F(MirroredDirectory, WritesNewFilesWithTheirDirectories) {
  const auto key = open().write("d/e/a.txt", {}, filling("text"));
  ASSERT_TRUE(key) << key.error().message;
  EXPECT_EQ(text_of(root_ / "d/e/a.txt"), "text");
  EXPECT_EQ(*key, *client::key_of(root_ / "d/e/a.txt"));
  struct stat state{};
  ASSERT_EQ(::stat((root_ / "d/e/a.txt").c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777U, 0640U);
  ASSERT_EQ(::stat((root_ / "d").c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777U, 0750U);
  EXPECT_THAT(names(), UnorderedElementsAre("d", "d/e", "d/e/a.txt"));
}

TEST_F(MirroredDirectory, KeepsModesAndOtherLinksToAFile) {
  put("a", "one");
  std::filesystem::create_hard_link(root_ / "a", outside_ / "a");
  ASSERT_EQ(::chmod((root_ / "a").c_str(), 0751), 0);
  const auto seen = scan().files.at("a");
  ASSERT_TRUE(open().write("a", seen, filling("two")));
  EXPECT_EQ(text_of(root_ / "a"), "two");
  EXPECT_EQ(text_of(outside_ / "a"), "one");
  struct stat state{};
  ASSERT_EQ(::stat((root_ / "a").c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777U, 0751U);
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(MirroredDirectory, OverwritesNothingThatIsNotAsItWasSeen) {
  put("a", "one");
  const auto seen = scan().files.at("a");
  const auto directory = open();
  const auto refused = [&](const MirrorDirectory::Expected& expected,
                           const MirrorDirectory::Fill& fill) {
    const auto done = directory.write("a", expected, fill);
    return !done && done.error().code == Code::kConflict;
  };
  // There is something where nothing was, or it changes while the new text comes.
  EXPECT_TRUE(refused({}, filling("new")));
  EXPECT_EQ(text_of(root_ / "a"), "one");
  EXPECT_TRUE(refused(seen, [&](const Client::Sink& sink) {
    put("a", "mine");
    return sink("new");
  }));
  EXPECT_EQ(text_of(root_ / "a"), "mine");
  EXPECT_FALSE(directory.remove("a", seen));
  EXPECT_EQ(text_of(root_ / "a"), "mine");
  // It is gone, or something else.
  std::filesystem::remove(root_ / "a");
  EXPECT_TRUE(refused(seen, filling("new")));
  EXPECT_FALSE(std::filesystem::exists(root_ / "a"));
  std::filesystem::create_symlink(outside_ / "b", root_ / "a");
  EXPECT_TRUE(refused(seen, filling("new")));
  EXPECT_TRUE(refused({}, filling("new")));
  EXPECT_TRUE(std::filesystem::is_symlink(root_ / "a"));
  std::filesystem::remove(root_ / "a");
  std::filesystem::create_directory(root_ / "a");
  EXPECT_TRUE(refused(seen, filling("new")));
  EXPECT_TRUE(refused({}, filling("new")));
  EXPECT_FALSE(directory.remove("a", seen));
  EXPECT_THAT(names(), ElementsAre("a"));
  EXPECT_FALSE(std::filesystem::exists(outside_ / "b"));
}

TEST_F(MirroredDirectory, LeavesNothingBehindWhenTheBytesDoNotCome) {
  const auto done = open().write("a", {}, [](const Client::Sink& sink) -> Result<void> {
    TRY(sink("half"));
    return fail(Code::kUnavailable, "the server is gone");
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::kUnavailable);
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(MirroredDirectory, KeepsTheOldFileWhenTheDiskFails) {
  put("a", "old");
  const auto seen = scan().files.at("a");
  for (const auto call :
       {os::Call::kOpen, os::Call::kWrite, os::Call::kSetMode, os::Call::kRename}) {
    // Those that are opened first are the directory and the one the file is in.
    os::Failing failing(ENOSPC, {.call = call, .nth = call == os::Call::kOpen ? 3 : 1});
    auto directory = MirrorDirectory::open(root_, {clock_, random_, 022, failing.kernel()});
    ASSERT_TRUE(directory);
    const auto done = directory->write("a", seen, filling("new"));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Code::kIoError);
    EXPECT_THAT(done.error().message, HasSubstr("No space left on device"));
    EXPECT_EQ(text_of(root_ / "a"), "old");
    EXPECT_THAT(names(), ElementsAre("a"));
  }
}

TEST_F(MirroredDirectory, RemovesWhatWasSeen) {
  put("d/a", "one");
  const auto seen = scan().files.at("d/a");
  const auto directory = open();
  EXPECT_EQ(directory.remove_directory("d").error().code, Code::kConflict);
  EXPECT_TRUE(directory.remove("d/a", seen));
  EXPECT_TRUE(directory.remove("d/a", seen));
  EXPECT_TRUE(directory.remove_directory("d"));
  EXPECT_TRUE(directory.remove_directory("d"));
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(MirroredDirectory, NeverGoesThroughALink) {
  put("d/a", "one");
  const auto seen = scan().files.at("d/a");
  const auto directory = open();
  // Somebody swaps the directory for a link after it was looked at.
  std::filesystem::rename(root_ / "d", outside_ / "d");
  std::filesystem::create_directory_symlink(outside_ / "d", root_ / "d");
  const auto conflict = [](const auto& done) {
    return !done && done.error().code == Code::kConflict;
  };
  EXPECT_TRUE(conflict(directory.write("d/a", seen, filling("two"))));
  EXPECT_TRUE(conflict(directory.write("d/new", {}, filling("two"))));
  EXPECT_TRUE(conflict(directory.write("d/deep/new", {}, filling("two"))));
  EXPECT_TRUE(conflict(directory.remove("d/a", seen)));
  EXPECT_TRUE(conflict(directory.make_directory("d/x")));
  EXPECT_TRUE(conflict(directory.remove_directory("d")));
  EXPECT_TRUE(conflict(directory.read("d/a")));
  EXPECT_EQ(text_of(outside_ / "d/a"), "one");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(outside_ / "d"), {}), 1);
  // A link at the end of a path is not followed either.
  std::filesystem::create_symlink(outside_ / "d/a", root_ / "l");
  EXPECT_TRUE(conflict(directory.read("l")));
}

TEST_F(MirroredDirectory, ClearsAwayWhatOneThatWasKilledLeft) {
  const std::string dead = ".cairn-mirror-0123456789ABCDEFGHJKMNPQRS";
  const std::string live = ".cairn-mirror-1123456789ABCDEFGHJKMNPQRS";
  put("d/" + dead, "half");
  put(live, "half");
  put(".cairn-mirror-notes", "somebody's own");
  put(".cairn-mirror-this one is somebody's own", "26");
  const os::Handle held(::open((root_ / live).c_str(), O_RDONLY));
  ASSERT_EQ(::flock(held.fd(), LOCK_EX), 0);
  EXPECT_THAT(paths(scan({}, {}, MirrorDirectory::Leftovers::kKeep)),
              ElementsAre(".cairn-mirror-notes", ".cairn-mirror-this one is somebody's own", "d/"));
  EXPECT_TRUE(std::filesystem::exists(root_ / "d" / dead));
  const auto found = scan();
  EXPECT_THAT(paths(found),
              ElementsAre(".cairn-mirror-notes", ".cairn-mirror-this one is somebody's own", "d/"));
  EXPECT_THAT(found.tree.left_out, ElementsAre(Pair(live, "")));
  EXPECT_FALSE(std::filesystem::exists(root_ / "d" / dead));
  EXPECT_TRUE(std::filesystem::exists(root_ / live));
}

TEST_F(MirroredDirectory, IsNotThere) {
  EXPECT_EQ(MirrorDirectory::open(root_ / "x", {clock_, random_, 022}).error().code,
            Code::kNotFound);
  put("file", "x");
  EXPECT_EQ(MirrorDirectory::open(root_ / "file", {clock_, random_, 022}).error().code,
            Code::kNotADirectory);
}

// Somebody saves a file (beside it, then renamed over it) at the moment it is replaced: what was
// saved is there afterwards, or what came was based on it.
TEST_F(MirroredDirectory, LosesNoSaveThatComesInBetween) {
  constexpr int kRounds = 1500;
  int lost = 0;
  int littered = 0;
  int failed = 0;
  const auto directory = open();
  std::barrier turn(2);
  put("a", "saved 0");
  std::jthread saver([&] {
    for (int i = 1; i <= kRounds; ++i) {
      std::ofstream(outside_ / "next") << "saved " << i;
      turn.arrive_and_wait();
      std::filesystem::rename(outside_ / "next", root_ / "a");
      turn.arrive_and_wait();
      turn.arrive_and_wait();
    }
  });
  for (int i = 1; i <= kRounds; ++i) {
    const auto seen = scan().files["a"];
    const auto before = text_of(root_ / "a");
    turn.arrive_and_wait();
    const auto done = directory.write("a", seen, filling("based on " + before));
    turn.arrive_and_wait();
    if (!done && done.error().code != Code::kConflict) ++failed;
    if (text_of(root_ / "a") != fmt::format("saved {}", i)) ++lost;
    if (names().size() != 1) ++littered;
    turn.arrive_and_wait();
  }
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(littered, 0);
  EXPECT_EQ(failed, 0);
}

}  // namespace
}  // namespace cairn::mirror
