#include "base/os/disk_files.h"

#include <cerrno>

#include "base/os/os_error.h"
#include "base/os/os_testing.h"
#include "base/os/stamp.h"

namespace cairn::os {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

mode_t mode_of(const std::string& path) {
  return stat_name(AT_FDCWD, path).value_or(Stat{}).stx_mode & 07777U;
}

TEST(ReadFile, GivesAllOfIt) {
  TempTree tree;
  const std::string large(3'000'000, 'x');
  tree.file("large", large);
  tree.file("empty", "");
  EXPECT_EQ(read_file(tree.at("large")), large);
  EXPECT_EQ(read_file(tree.at("empty")), "");
  EXPECT_EQ(read_file(tree.at("large"), large.size()), large);
}

TEST(ReadFile, SaysWhyItCannot) {
  TempTree tree;
  tree.file("a", "four");
  EXPECT_EQ(read_file(tree.at("a"), 3), std::unexpected(EFBIG));
  EXPECT_EQ(read_file(tree.at("none")), std::unexpected(ENOENT));
  EXPECT_EQ(read_file(tree.root()), std::unexpected(EISDIR));
}

TEST(ReadFile, ReadsInPortionsAsTheyCome) {
  TempTree tree;
  tree.file("a", "one\ntwo\n");
  Failing slow(std::size_t{1});
  EXPECT_EQ(read_file(tree.at("a"), 100, slow.kernel()), "one\ntwo\n");
  Failing broken(EIO, {.call = Call::kRead, .nth = 1});
  EXPECT_EQ(read_file(tree.at("a"), 100, broken.kernel()), std::unexpected(EIO));
}

TEST(ReadLine, GivesTheFirstWithoutItsEnd) {
  TempTree tree;
  tree.file("two", "one\ntwo\n");
  tree.file("open", "one");
  tree.file("empty", "");
  EXPECT_EQ(read_line(tree.at("two")), "one");
  EXPECT_EQ(read_line(tree.at("open")), "one");
  EXPECT_EQ(read_line(tree.at("empty")), "");
}

TEST(RenamePath, TakesThePlaceOrSaysWhyNot) {
  TempTree tree;
  tree.file("a/x", "1");
  EXPECT_TRUE(rename_path(tree.at("a"), tree.at("b")));
  EXPECT_THAT(tree.picture("."), ElementsAre("b/", "b/x=1"));
  const auto refused = rename_path(tree.at("a"), tree.at("c"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kIoError);
  EXPECT_THAT(refused.error().message, HasSubstr("cannot rename to '" + tree.at("c") + "' '"));
}

TEST(ReplaceFile, MakesAndReplacesWithTheModeThatIsAskedFor) {
  TempTree tree;
  ASSERT_TRUE(replace_file(tree.at("a"), "one", 0600));
  EXPECT_EQ(tree.content("a"), "one");
  EXPECT_EQ(mode_of(tree.at("a")), 0600U);
  ASSERT_TRUE(replace_file(tree.at("a"), "", 0400));
  EXPECT_EQ(tree.content("a"), "");
  EXPECT_EQ(mode_of(tree.at("a")), 0400U);
  EXPECT_THAT(tree.picture("."), ElementsAre("a="));
}

TEST(ReplaceFile, IsNotHinderedByWhatOneThatWasKilledLeft) {
  TempTree tree;
  tree.file("a.new", "half");
  ASSERT_EQ(::chmod(tree.at("a.new").c_str(), 0644), 0);
  ASSERT_TRUE(replace_file(tree.at("a"), "whole", 0600));
  EXPECT_EQ(mode_of(tree.at("a")), 0600U);
  EXPECT_THAT(tree.picture("."), ElementsAre("a=whole"));
}

TEST(ReplaceFile, FollowsNoLink) {
  TempTree tree;
  tree.file("../outside/secret", "secret");
  tree.link(tree.outside() + "/secret", "a");
  tree.link(tree.outside() + "/secret", "a.new");
  ASSERT_TRUE(replace_file(tree.at("a"), "mine", 0600));
  EXPECT_THAT(tree.picture("."), ElementsAre("a=mine"));
  EXPECT_EQ(tree.content("../outside/secret"), "secret");
}

TEST(ReplaceFile, SaysWhatItCouldNotWrite) {
  TempTree tree;
  const auto done = replace_file(tree.at("none/a"), "x", 0600);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::kIoError);
  EXPECT_EQ(done.error().message,
            fmt::format("cannot write '{}': No such file or directory", tree.at("none/a")));
}

TEST(DiskFiles, MakesDirectoriesWithThoseAbove) {
  TempTree tree;
  EXPECT_TRUE(make_directories(tree.at("a/b/c/")));
  EXPECT_TRUE(make_directories(tree.at("a/b")));
  EXPECT_THAT(tree.picture("."), ElementsAre("a/", "a/b/", "a/b/c/"));
  tree.file("file", "x");
  EXPECT_FALSE(make_directories(tree.at("file")));
  EXPECT_FALSE(make_directories(tree.at("file/x")));
}

TEST(DiskFiles, CopiesFilesAndNothingElse) {
  TempTree tree;
  tree.file("from/a", "one");
  tree.file("from/large", std::string(3'000'000, 'x'));
  tree.file("from/d/below", "not");
  tree.link("a", "from/link");
  ASSERT_EQ(::mkfifo(tree.at("from/pipe").c_str(), 0600), 0);
  ASSERT_EQ(::chmod(tree.at("from/a").c_str(), 0640), 0);
  ASSERT_TRUE(copy_files(tree.at("from"), tree.at("to")));
  EXPECT_THAT(tree.picture("to"),
              ElementsAre("a=one", "large=" + std::string(3'000'000, 'x'), "link=one"));
  EXPECT_EQ(mode_of(tree.at("to/a")), 0640U);
  // Never over another.
  const auto again = copy_files(tree.at("from"), tree.at("to"));
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("cannot copy"));
}

TEST(Stamp, TellsAChangeAndARename) {
  TempTree tree;
  tree.file("a", "one");
  const auto before = stamp_of(*stat_name(AT_FDCWD, tree.at("a")));
  EXPECT_EQ(before.size, 3U);
  std::filesystem::rename(tree.at("a"), tree.at("b"));
  const auto renamed = stamp_of(*stat_name(AT_FDCWD, tree.at("b")));
  EXPECT_TRUE(renamed.is_renamed(before));
  EXPECT_EQ(renamed.inode, before.inode);
  tree.file("b", "three");
  EXPECT_FALSE(stamp_of(*stat_name(AT_FDCWD, tree.at("b"))).is_renamed(before));
  tree.file("c", "one");
  EXPECT_FALSE(stamp_of(*stat_name(AT_FDCWD, tree.at("c"))).is_renamed(before));
}

TEST(Stamp, IsKeptWithoutTheDevice) {
  const Stamp stamp{.size = 1, .modified = 2, .changed = 3, .inode = 4, .device = 5};
  const Stamp elsewhere{.size = 1, .modified = 2, .changed = 3, .inode = 4, .device = 6};
  EXPECT_NE(stamp, elsewhere);
  EXPECT_EQ(stamp.kept(), elsewhere.kept());
}

TEST(Stamp, SettlesSomeTimeAfterTheLastChange) {
  const Stamp stamp{.modified = 10, .changed = 20};
  EXPECT_FALSE(stamp.is_settled(20 + kStampSettles));
  EXPECT_TRUE(stamp.is_settled(21 + kStampSettles));
}

TEST(IoError, IsOneSentence) {
  const auto error = io_error("read", "/tmp/a\nb", EIO).error();
  EXPECT_EQ(error.code, Code::kIoError);
  EXPECT_EQ(error.message,
            "cannot read '/tmp/a\xEF\xBF\xBD"
            "b': Input/output error");
}

}  // namespace
}  // namespace cairn::os
