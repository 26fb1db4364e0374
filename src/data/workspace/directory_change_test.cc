#include <atomic>
#include <thread>

#include <sys/stat.h>
#include <sys/xattr.h>

#include "data/workspace/workspace_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DirectoryChanges : public WorkspaceTest {
 protected:
  static unsigned mode(const std::string& path) {
    struct stat stat = {};
    EXPECT_EQ(::lstat(path.c_str(), &stat), 0);
    return stat.st_mode & 07777;
  }
  Result<std::string> append(std::string_view path, std::string_view more) {
    return workspace->edit(path, [&](ByteView before, const std::string&) {
      return Result<Bytes>(Bytes(before) + std::string(more));
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Kernels, DirectoryChanges, testing::ValuesIn(kKernels), kernel_name);

TEST_P(DirectoryChanges, WritesANewFileAndReplacesAnOldOne) {
  const Bytes content("line\r\nno end\0\xff", 15);
  EXPECT_EQ(*workspace->write("a.txt", content), tree.at("a.txt"));
  EXPECT_EQ(tree.content("a.txt"), content);
  EXPECT_TRUE(workspace->write("a.txt", ""));
  EXPECT_EQ(tree.content("a.txt"), "");
  EXPECT_THAT(tree.picture("."), ElementsAre("a.txt="));
  EXPECT_EQ(outcome(workspace->write("no/such/a", "x")), "PATH_NOT_FOUND");
  EXPECT_EQ(outcome(workspace->write("a.txt/b", "x")), "NOT_A_DIRECTORY");
  EXPECT_EQ(outcome(workspace->write(".", "x")), "NOT_A_FILE");
  tree.directory("d");
  EXPECT_EQ(outcome(workspace->write("d", "x")), "NOT_A_FILE");
  EXPECT_THAT(tree.picture("."), ElementsAre("a.txt=", "d/"));
}

// Each call that it makes fails once.
TEST_P(DirectoryChanges, KeepsTheOldFileWhicheverCallFails) {
  for (int nth = 1;; ++nth) {
    SCOPED_TRACE(nth);
    ASSERT_LT(nth, 100);
    tree.file("a", "old");
    os::Kernel kernel = GetParam().kernel;
    os::Failing counting(0, {});
    kernel.faults = &counting;
    open_workspace({tree.root()}, {.kernel = kernel});
    os::Failing failing(ENOSPC, {.nth = counting.made() + nth});
    kernel.faults = &failing;
    const auto done = open_workspace({tree.root()}, {.kernel = kernel})->write("a", "new");
    EXPECT_THAT(tree.picture("."), ElementsAre(done ? "a=new" : "a=old"));
    EXPECT_EQ(outcome(done), done ? "ok" : "QUOTA_EXCEEDED");
    if (!failing.failed()) break;
  }
}

TEST_P(DirectoryChanges, KeepsTheModeAndGivesTheUsualOneToNewFiles) {
  const auto mask = ::umask(027);
  ASSERT_TRUE(workspace->write("new", "x"));
  EXPECT_EQ(mode(tree.at("new")), 0640U);
  ASSERT_TRUE(workspace->make_directory("d"));
  EXPECT_EQ(mode(tree.at("d")), 0750U);
  for (const unsigned bits : {0755U, 0600U, 0666U, 0444U, 0000U}) {
    ASSERT_EQ(::chmod(tree.at("new").c_str(), bits), 0);
    ASSERT_TRUE(workspace->write("new", "y"));
    EXPECT_EQ(mode(tree.at("new")), bits);
  }
  ASSERT_EQ(::chmod(tree.at("new").c_str(), 0711), 0);
  ASSERT_TRUE(append("new", "z"));
  EXPECT_EQ(mode(tree.at("new")), 0711U);
  EXPECT_EQ(tree.content("new"), "yz");
  ::umask(mask);
}

TEST_P(DirectoryChanges, KeepsOwnerAndAttributesWhereItMay) {
  tree.file("a", "x");
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(tree.at("a").c_str(), 12345, 54321), 0);
  }
  const bool attributes = ::setxattr(tree.at("a").c_str(), "user.tag", "blue", 4, 0) == 0;
  ASSERT_TRUE(workspace->write("a", "y"));
  struct stat stat = {};
  ASSERT_EQ(::stat(tree.at("a").c_str(), &stat), 0);
  if (::geteuid() == 0) {
    EXPECT_EQ(stat.st_uid, 12345U);
    EXPECT_EQ(stat.st_gid, 54321U);
  }
  char value[8] = {};
  if (attributes && GetParam().kernel.proc) {
    EXPECT_EQ(::getxattr(tree.at("a").c_str(), "user.tag", value, sizeof value), 4);
    EXPECT_STREQ(value, "blue");
  }
}

TEST_P(DirectoryChanges, WritesThroughALinkAndKeepsIt) {
  tree.file("real/file", "old");
  tree.link("real/file", "l");
  tree.link(tree.at("l"), "absolute");
  EXPECT_EQ(*workspace->write("l", "new"), tree.at("real/file"));
  EXPECT_EQ(*append("absolute", "er"), tree.at("real/file"));
  EXPECT_THAT(tree.picture("."), ElementsAre("absolute -> " + tree.at("l"), "l -> real/file",
                                             "real/", "real/file=newer"));
  // Nothing is made where a link dangles.
  tree.link("real/none", "dangling");
  EXPECT_EQ(outcome(workspace->write("dangling", "x")), "PATH_NOT_FOUND");
  EXPECT_EQ(outcome(workspace->make_directory("dangling")), "PATH_NOT_FOUND");
  EXPECT_EQ(outcome(workspace->make_directory("dangling/sub")), "PATH_NOT_FOUND");
  EXPECT_FALSE(tree.has("real/none"));
}

TEST_P(DirectoryChanges, LeavesAnotherHardLinkAsItWas) {
  tree.file("../outside/a", "old");
  fs::create_hard_link(tree.at("../outside/a"), tree.at("a"));
  EXPECT_EQ(read("a"), "old");
  ASSERT_TRUE(workspace->write("a", "new"));
  EXPECT_EQ(tree.content("../outside/a"), "old");
  fs::create_hard_link(tree.at("../outside/a"), tree.at("b"));
  ASSERT_TRUE(append("b", "er"));
  EXPECT_EQ(tree.content("b"), "older");
  EXPECT_EQ(tree.content("../outside/a"), "old");
}

TEST_P(DirectoryChanges, EditsWhatIsThere) {
  tree.file("a", "one\r\ntwo\r\n");
  std::string seen, where;
  const auto edited = workspace->edit("a", [&](ByteView before, const std::string& place) {
    seen = before;
    where = place;
    return Result<Bytes>("1\r\n2\r\n");
  });
  EXPECT_EQ(*edited, tree.at("a"));
  EXPECT_EQ(seen, "one\r\ntwo\r\n");
  EXPECT_EQ(where, tree.at("a"));
  EXPECT_EQ(tree.content("a"), "1\r\n2\r\n");
  const auto refused = workspace->edit("a", [](ByteView, const std::string&) -> Result<Bytes> {
    return fail(Code::kEditNoMatch, "no");
  });
  EXPECT_EQ(outcome(refused), "EDIT_NO_MATCH");
  EXPECT_EQ(outcome(append("none", "x")), "PATH_NOT_FOUND");
  EXPECT_EQ(outcome(append(".", "x")), "NOT_A_FILE");
  EXPECT_THAT(tree.picture("."), ElementsAre("a=1\r\n2\r\n"));
}

TEST_P(DirectoryChanges, EditsAgainWhenSomebodyElseChangedTheFile) {
  tree.file("a", "1");
  int calls = 0;
  const auto edited = workspace->edit("a", [&](ByteView before, const std::string&) {
    if (++calls == 1) tree.file("a", "other");
    if (calls == 2) {
      tree.file("new", "replaced");
      fs::rename(tree.at("new"), tree.at("a"));
    }
    return Result<Bytes>(Bytes(before) + "+");
  });
  EXPECT_TRUE(edited);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(tree.content("a"), "replaced+");
  calls = 0;
  const auto conflict = workspace->edit("a", [&](ByteView before, const std::string&) {
    tree.file("a", "changed " + std::to_string(++calls));
    return Result<Bytes>(Bytes(before) + "+");
  });
  EXPECT_EQ(outcome(conflict), "CONFLICT");
  EXPECT_EQ(calls, 50);
  EXPECT_THAT(tree.picture("."), ElementsAre("a=changed 50"));
}

TEST_P(DirectoryChanges, RefusesToEditWhatIsTooLarge) {
  tree.file("big", "");
  fs::resize_file(tree.at("big"), (256ULL << 20) + 1);
  EXPECT_EQ(outcome(append("big", "x")), "FILE_TOO_LARGE");
}

TEST_P(DirectoryChanges, MakesDirectoriesWithAllAboveThem) {
  EXPECT_EQ(*workspace->make_directory("a/b/c"), tree.at("a/b/c"));
  EXPECT_EQ(*workspace->make_directory("a/b/c/"), tree.at("a/b/c"));
  EXPECT_EQ(*workspace->make_directory("."), tree.root());
  tree.file("a/file", "x");
  tree.link("a/b", "l");
  EXPECT_EQ(*workspace->make_directory("l/d"), tree.at("a/b/d"));
  EXPECT_EQ(outcome(workspace->make_directory("a/file")), "TARGET_EXISTS");
  EXPECT_EQ(outcome(workspace->make_directory("a/file/x")), "NOT_A_DIRECTORY");
  EXPECT_THAT(tree.picture("."),
              ElementsAre("a/", "a/b/", "a/b/c/", "a/b/d/", "a/file=x", "l -> a/b"));
}

TEST_P(DirectoryChanges, Moves) {
  tree.file("a/file", "1");
  tree.link("file", "a/l");
  tree.directory("b");
  EXPECT_EQ(*workspace->move("a/file", "b/renamed"), tree.at("b/renamed"));
  EXPECT_EQ(*workspace->move("a/l", "b/l"), tree.at("b/l"));
  EXPECT_EQ(*workspace->move("b", "a/b"), tree.at("a/b"));
  EXPECT_THAT(tree.picture("."), ElementsAre("a/", "a/b/", "a/b/l -> file", "a/b/renamed=1"));
}

TEST_P(DirectoryChanges, MovesNothingOverAnything) {
  tree.file("a", "a");
  tree.file("b", "b");
  tree.directory("d");
  tree.directory("e");
  tree.link("nowhere", "l");
  const auto before = tree.picture(".");
  for (const auto* target : {"b", "d", "l", "a", "."}) {
    EXPECT_EQ(outcome(workspace->move("a", target)), "TARGET_EXISTS") << target;
    EXPECT_EQ(outcome(workspace->copy("a", target)), "TARGET_EXISTS") << target;
    EXPECT_EQ(outcome(workspace->move("e", target)), "TARGET_EXISTS") << target;
    EXPECT_EQ(outcome(workspace->copy("e", target)), "TARGET_EXISTS") << target;
  }
  EXPECT_EQ(outcome(workspace->move("d", "d/x")), "MOVE_INTO_SELF");
  EXPECT_EQ(outcome(workspace->copy("d", "d/x")), "MOVE_INTO_SELF");
  EXPECT_EQ(outcome(workspace->copy(".", "d/x")), "MOVE_INTO_SELF");
  EXPECT_EQ(outcome(workspace->move("none", "x")), "PATH_NOT_FOUND");
  EXPECT_EQ(outcome(workspace->move("a", "none/x")), "PATH_NOT_FOUND");
  EXPECT_EQ(outcome(workspace->move(".", "x")), "FORBIDDEN");
  EXPECT_EQ(tree.picture("."), before);
}

TEST_P(DirectoryChanges, CopiesFilesAndDirectoriesWithLinksAsLinks) {
  tree.file("d/a.sh", "#!/bin/sh\n");
  tree.file("d/sub/b", std::string(300'000, 'b'));
  tree.file("d/empty", "");
  tree.link("../../outside/secret", "d/out");
  fs::permissions(tree.at("d/a.sh"), fs::perms(0750));
  fs::permissions(tree.at("d/sub"), fs::perms(0710));
  EXPECT_EQ(*workspace->copy("d", "copy"), tree.at("copy"));
  EXPECT_EQ(tree.picture("copy"), tree.picture("d"));
  EXPECT_EQ(mode(tree.at("copy/a.sh")), 0750U);
  EXPECT_EQ(mode(tree.at("copy/sub")), 0710U);
  EXPECT_TRUE(workspace->copy("d/a.sh", "b.sh"));
  EXPECT_EQ(mode(tree.at("b.sh")), 0750U);
  // A path names the file that it leads to.
  tree.link("d/a.sh", "l");
  EXPECT_TRUE(workspace->copy("l", "c.sh"));
  EXPECT_FALSE(fs::is_symlink(tree.at("c.sh")));
  EXPECT_EQ(tree.content("c.sh"), "#!/bin/sh\n");
}

TEST_P(DirectoryChanges, CopiesAllOrNothing) {
  tree.file("d/a", "x");
  tree.directory("d/z");
  ASSERT_EQ(::mkfifo(tree.at("d/z/pipe").c_str(), 0600), 0);
  const auto copied = workspace->copy("d", "copy");
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, Code::kInvalidArgument);
  EXPECT_THAT(copied.error().message, HasSubstr(tree.at("d/z/pipe")));
  EXPECT_EQ(list("."), "d/");
  EXPECT_EQ(outcome(workspace->copy("d/z/pipe", "p")), "INVALID_ARGUMENT");
  // Moved, it is not looked into.
  EXPECT_TRUE(workspace->move("d", "e"));
  EXPECT_THAT(tree.picture("."), ElementsAre("e/", "e/a=x", "e/z/", "e/z/pipe"));
}

TEST_P(DirectoryChanges, CopiesNothingThatIsNestedTooDeeply) {
  std::string path = "deep";
  for (int i = 0; i < 105; ++i) path += "/d";
  tree.directory(path);
  EXPECT_EQ(outcome(workspace->copy("deep", "copy")), "INVALID_ARGUMENT");
  EXPECT_EQ(list("."), "deep/");
  EXPECT_TRUE(workspace->copy("deep/d/d/d/d/d/d", "copy"));
  EXPECT_TRUE(workspace->remove("copy", true));
  EXPECT_TRUE(workspace->remove("deep", true));
  EXPECT_THAT(tree.picture("."), IsEmpty());
}

TEST_P(DirectoryChanges, Removes) {
  tree.file("d/a", "x");
  tree.file("d/s/b", "x");
  tree.directory("empty");
  tree.file("../outside/secret", "s");
  tree.link("../../outside", "d/out");
  tree.link("../outside", "out");
  tree.link("../outside/secret", "out2");
  EXPECT_EQ(outcome(workspace->remove("d", false)), "INVALID_ARGUMENT");
  EXPECT_EQ(outcome(workspace->remove("none", true)), "PATH_NOT_FOUND");
  EXPECT_EQ(outcome(workspace->remove(".", true)), "FORBIDDEN");
  EXPECT_EQ(*workspace->remove("d/a", false), tree.at("d/a"));
  EXPECT_EQ(*workspace->remove("empty", false), tree.at("empty"));
  EXPECT_EQ(*workspace->remove("d", true), tree.at("d"));
  EXPECT_EQ(*workspace->remove("out", true), tree.at("out"));
  EXPECT_EQ(*workspace->remove("out2", false), tree.at("out2"));
  EXPECT_THAT(tree.picture("."), IsEmpty());
  EXPECT_EQ(tree.content("../outside/secret"), "s");
}

TEST_P(DirectoryChanges, MovesToAnotherFileSystem) {
  if (!fs::is_directory("/dev/shm")) GTEST_SKIP() << "no second file system";
  TempTree other("/dev/shm");
  struct stat here = {}, there = {};
  ASSERT_EQ(::stat(tree.root().c_str(), &here), 0);
  ASSERT_EQ(::stat(other.root().c_str(), &there), 0);
  if (here.st_dev == there.st_dev) GTEST_SKIP() << "no second file system";
  const auto both = open_workspace({tree.root(), other.root()}, {.kernel = GetParam().kernel});
  tree.file("d/a", "1");
  tree.file("d/s/b", "2");
  tree.link("a", "d/l");
  fs::permissions(tree.at("d/s"), fs::perms(0711));
  struct timespec times[] = {{1'600'000'000, 0}, {1'500'000'000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, tree.at("d/s").c_str(), times, 0), 0);
  const auto before = tree.picture("d");
  EXPECT_EQ(*both->move("d", other.at("d")), other.at("d"));
  EXPECT_EQ(other.picture("d"), before);
  EXPECT_EQ(both->info(other.at("d/s"))->info.modified, 1'500'000'000'000);
  EXPECT_EQ(mode(other.at("d/s")), 0711U);
  EXPECT_THAT(tree.picture("."), IsEmpty());
  other.file("x", "x");
  tree.file("y", "y");
  EXPECT_EQ(outcome(both->move(other.at("x"), "y")), "TARGET_EXISTS");
  EXPECT_TRUE(both->move(other.at("x"), "x"));
  EXPECT_THAT(tree.picture("."), ElementsAre("x=x", "y=y"));
  // A pipe cannot go: all stays.
  ASSERT_EQ(::mkfifo(other.at("d/pipe").c_str(), 0600), 0);
  EXPECT_EQ(outcome(both->move(other.at("d"), tree.at("d"))), "INVALID_ARGUMENT");
  EXPECT_THAT(tree.picture("."), ElementsAre("x=x", "y=y"));
  EXPECT_TRUE(other.has("d/a"));
}

TEST_P(DirectoryChanges, UsesTheNameThatIsThereForUnicode) {
  const std::string composed = "caf\xc3\xa9", decomposed = "cafe\xcc\x81";
  tree.file(decomposed, "old");
  EXPECT_EQ(*workspace->write(composed, "new"), tree.at(decomposed));
  EXPECT_EQ(outcome(workspace->move(decomposed, composed)), "TARGET_EXISTS");
  EXPECT_THAT(tree.picture("."), ElementsAre(decomposed + "=new"));
  EXPECT_TRUE(workspace->remove(composed, false));
  EXPECT_THAT(tree.picture("."), IsEmpty());
}

TEST_P(DirectoryChanges, ShowsLeftoversOfOthersAsTheFilesTheyAre) {
  tree.file(".cairn-0123456789abcdef.tmp", "left");
  EXPECT_EQ(list("."), ".cairn-0123456789abcdef.tmp");
}

TEST_P(DirectoryChanges, DoNotHappenWhenReadOnly) {
  tree.file("a", "x");
  tree.directory("d");
  const auto before = tree.picture(".");
  workspace = open_workspace({tree.root()}, {.read_only = true, .kernel = GetParam().kernel});
  EXPECT_EQ(read("a"), "x");
  EXPECT_EQ(outcome(workspace->write("a", "y")), "FORBIDDEN");
  EXPECT_EQ(outcome(append("a", "y")), "FORBIDDEN");
  EXPECT_EQ(outcome(workspace->make_directory("e")), "FORBIDDEN");
  EXPECT_EQ(outcome(workspace->move("a", "b")), "FORBIDDEN");
  EXPECT_EQ(outcome(workspace->copy("a", "b")), "FORBIDDEN");
  EXPECT_EQ(outcome(workspace->remove("a", true)), "FORBIDDEN");
  EXPECT_EQ(tree.picture("."), before);
}

// A file that is asked for by a path is at that path.
TEST_P(DirectoryChanges, ARootThatWasMovedAwayIsNotFollowed) {
  tree.file("old", "x");
  fs::rename(tree.root(), tree.top() + "/elsewhere");
  EXPECT_EQ(outcome(workspace->write("new", "y")), "PATH_NOT_FOUND");
  fs::create_directory(tree.root());
  ASSERT_TRUE(workspace->write("new", "y"));
  EXPECT_EQ(tree.content("new"), "y");
  EXPECT_FALSE(fs::exists(tree.top() + "/elsewhere/new"));
  fs::remove_all(tree.root());
  fs::create_directory_symlink(tree.outside(), tree.root());
  EXPECT_NE(outcome(workspace->write("new", "z")), "ok");
  EXPECT_TRUE(fs::is_empty(tree.outside()));
}

// Another workspace on the same directory is as another process: it has its own mutex.
TEST_P(DirectoryChanges, EditsOfSeveralWorkspacesAreAllThere) {
  tree.file("list", "");
  constexpr int kEdits = 100;
  std::vector<std::thread> threads;
  std::atomic<int> made = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      SeededRandom own(static_cast<std::uint64_t>(i) + 10);
      auto another = DirectoryWorkspace::open(std::vector{tree.root()}, own,
                                              {.home = "", .kernel = GetParam().kernel});
      for (int k = 0; another && k < kEdits; ++k) {
        const auto done = (*another)->edit("list", [](ByteView before, const std::string&) {
          return Result<Bytes>(Bytes(before) + "x");
        });
        if (done) ++made;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_GT(made, 0);
  EXPECT_EQ(tree.content("list").size(), static_cast<std::size_t>(made));
}

}  // namespace
}  // namespace cairn
