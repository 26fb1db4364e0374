// Files written while the machine fails have the old content or the new one, never a part of
// either.
#include <cerrno>

#include "base/os/disk_files.h"
#include "base/os/os_testing.h"

namespace cairn::os {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

int error_of(const auto& outcome) { return outcome ? 0 : outcome.error(); }

std::string long_text(char c) { return std::string(100'000, c); }

class Faulty : public testing::Test {
 protected:
  Handle new_file(const std::string& name) const {
    auto file = open_name(AT_FDCWD, tree.at(name), O_WRONLY | O_CREAT | O_EXCL, 0600);
    EXPECT_TRUE(file);
    return file ? *std::move(file) : Handle();
  }
  void SetUp() override { tree.file("a", long_text('o')); }
  Result<void> replace(Failing& failing) const {
    return replace_file(tree.at("a"), long_text('n'), 0600, failing.kernel());
  }
  // `old`, `new`, or how it is neither.
  std::string content() const {
    const auto text = tree.content("a");
    if (text == long_text('o')) return "old";
    return text == long_text('n') ? "new" : "damaged: " + text.substr(0, 40);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(tree.root()))
      out.push_back(entry.path().filename().string());
    return out;
  }

  TempTree tree;
};

TEST_F(Faulty, WritesAllInShortPortions) {
  Failing failing(std::size_t{7});
  EXPECT_TRUE(write_all(new_file("b").fd(), long_text('b'), failing.kernel()));
  EXPECT_EQ(tree.content("b"), long_text('b'));
  EXPECT_EQ(failing.made(Call::kWrite), (100'000 + 6) / 7);
}

TEST_F(Faulty, WritesOnAfterAnInterruption) {
  for (const int nth : {1, 2}) {
    const auto name = "b" + std::to_string(nth);
    Failing failing(EINTR, {.call = Call::kWrite, .nth = nth});
    const auto file = new_file(name);
    EXPECT_TRUE(write_all(file.fd(), "one ", failing.kernel()));
    EXPECT_TRUE(write_all(file.fd(), "two", failing.kernel()));
    EXPECT_TRUE(failing.failed());
    EXPECT_EQ(tree.content(name), "one two");
  }
}

TEST_F(Faulty, SaysWhyItCouldNotWrite) {
  for (const int error : {ENOSPC, EIO, EDQUOT}) {
    Failing failing(error, {.call = Call::kWrite});
    EXPECT_EQ(error_of(write_all(new_file(std::to_string(error)).fd(), "x", failing.kernel())),
              error);
  }
}

TEST_F(Faulty, ReadsOnAfterAnInterruption) {
  const auto file = *open_name(AT_FDCWD, tree.at("a"), O_RDONLY);
  Failing failing(EINTR, {.call = Call::kRead});
  std::string room(10, '\0');
  EXPECT_EQ(read(file.fd(), room, failing.kernel()), 10U);
  EXPECT_TRUE(failing.failed());
  Failing broken(EIO, {.call = Call::kRead});
  EXPECT_EQ(error_of(read_at(file.fd(), 0, room.data(), room.size(), broken.kernel())), EIO);
}

TEST_F(Faulty, ReplacesAFileThroughInterruptionsAndShortWrites) {
  Failing interrupted(EINTR, {});
  EXPECT_TRUE(replace(interrupted));
  EXPECT_EQ(content(), "new");
  SetUp();
  Failing short_ones(std::size_t{1000});
  EXPECT_TRUE(replace(short_ones));
  EXPECT_EQ(content(), "new");
  EXPECT_EQ(short_ones.made(Call::kWrite), 100);
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(Faulty, ForcesTheContentToTheDiskBeforeTheNameAndThenTheName) {
  Failing nothing(static_cast<std::size_t>(-1));
  EXPECT_TRUE(replace(nothing));
  EXPECT_EQ(nothing.made(Call::kSync), 2);
  SetUp();
  Failing first(EIO, {.call = Call::kSync, .nth = 1});
  EXPECT_FALSE(replace(first));
  EXPECT_EQ(first.made(Call::kRename), 0);
  EXPECT_EQ(content(), "old");
  Failing second(EIO, {.call = Call::kSync, .nth = 2});
  EXPECT_FALSE(replace(second));
  EXPECT_EQ(content(), "new");
}

// Each call that replacing makes fails once. Only forcing the name to the disk comes too late for
// the old content.
TEST_F(Faulty, KeepsTheOldFileWhicheverCallFails) {
  for (const int error : {ENOSPC, EIO, EDQUOT, EROFS}) {
    for (int nth = 1;; ++nth) {
      SCOPED_TRACE(fmt::format("errno {} in call {}", error, nth));
      ASSERT_LT(nth, 100);
      SetUp();
      Failing failing(error, {.nth = nth});
      const auto done = replace(failing);
      if (!failing.failed()) {
        EXPECT_TRUE(done);
        break;
      }
      // Clearing up before it begins may fail.
      if (done) continue;
      EXPECT_EQ(done.error().code, Code::kIoError);
      EXPECT_THAT(done.error().message, HasSubstr(tree.at("a")));
      const bool in_place = failing.made(Call::kRename) == 1 && content() == "new";
      EXPECT_EQ(content(), in_place ? "new" : "old");
      EXPECT_THAT(names(), ElementsAre("a"));
    }
  }
}

// The machine goes down at a call and comes back: there is one of the two, whole, and whatever lies
// around does not hinder the next one.
TEST_F(Faulty, KeepsAWholeFileWhenTheMachineGoesDown) {
  for (int nth = 1;; ++nth) {
    SCOPED_TRACE(nth);
    ASSERT_LT(nth, 100);
    SetUp();
    Failing failing(EIO, {.nth = nth, .all_after = true});
    const auto done = replace(failing);
    if (!failing.failed()) break;
    EXPECT_FALSE(done);
    EXPECT_THAT(content(), testing::AnyOf("old", "new"));
    Failing nothing(static_cast<std::size_t>(-1));
    EXPECT_TRUE(replace(nothing));
    EXPECT_EQ(content(), "new");
    EXPECT_THAT(names(), ElementsAre("a"));
  }
}

TEST_F(Faulty, MakesNoFileThatWasNotThere) {
  for (const int error : {ENOSPC, EIO}) {
    Failing failing(error, {.call = Call::kWrite});
    EXPECT_FALSE(replace_file(tree.at("b"), "new", 0600, failing.kernel()));
  }
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(Faulty, CopiesAllFilesOrSaysWhich) {
  for (const auto call : {Call::kRead, Call::kWrite, Call::kSync, Call::kClose, Call::kList}) {
    TempTree to;
    Failing failing(EIO, {.call = call});
    EXPECT_FALSE(copy_files(tree.root(), to.at("copy"), failing.kernel()));
    EXPECT_TRUE(failing.failed());
  }
}

}  // namespace
}  // namespace cairn::os
