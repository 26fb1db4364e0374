#include "base/os/new_directory.h"

#include <cerrno>
#include <filesystem>

#include "base/os/os_testing.h"

namespace cairn::os {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

NewDirectory::Fill filled_with(std::string text) {
  return [text = std::move(text)](const NewDirectory::Sink& sink) { return sink(text); };
}

TEST(NewDirectory, IsMadeWithThoseAboveItAndFilled) {
  const TempTree tree;
  const auto made = NewDirectory::make(tree.at("a/b/new"));
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->add_directory("d"));
  EXPECT_TRUE(made->add_file("d/f", [](const NewDirectory::Sink& sink) -> Result<void> {
    TRY(sink("one "));
    return sink("two");
  }));
  EXPECT_TRUE(made->add_file("empty", filled_with("")));
  EXPECT_THAT(tree.picture("a/b/new"), ElementsAre("d/", "d/f=one two", "empty="));
}

TEST(NewDirectory, MayBeThereWhenNothingIsInIt) {
  const TempTree tree;
  tree.directory("empty");
  EXPECT_TRUE(NewDirectory::make(tree.at("empty")));
  for (const auto* name : {"x", ".hidden"}) {
    const TempTree other;
    other.file(std::string("full/") + name, "there before");
    const auto refused = NewDirectory::make(other.at("full"));
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, Code::kTargetExists);
    EXPECT_THAT(refused.error().message, HasSubstr("full' is not empty"));
    EXPECT_THAT(other.picture("full"), ElementsAre(std::string(name) + "=there before"));
  }
}

TEST(NewDirectory, IsNoFile) {
  const TempTree tree;
  tree.file("file", "x");
  for (const auto* path : {"file", "file/below"}) {
    const auto refused = NewDirectory::make(tree.at(path));
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().code, Code::kIoError) << path;
    EXPECT_THAT(refused.error().message, HasSubstr(path));
  }
  EXPECT_EQ(tree.content("file"), "x");
}

TEST(NewDirectory, WritesOverNothingAndThroughNoLink) {
  const TempTree tree;
  const auto made = *NewDirectory::make(tree.at("new"));
  tree.file("new/there", "before");
  tree.file("../outside/secret", "before");
  tree.link(tree.outside() + "/secret", "new/link");
  tree.link(tree.outside() + "/none", "new/dangling");
  for (const auto* name : {"there", "link", "dangling"}) {
    const auto refused = made.add_file(name, filled_with("after"));
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, Code::kIoError) << name;
    EXPECT_FALSE(made.add_directory(name)) << name;
  }
  EXPECT_EQ(tree.content("new/there"), "before");
  EXPECT_THAT(tree.picture("../outside"), ElementsAre("secret=before"));
}

TEST(NewDirectory, IsNotLeftThroughALinkThatTakesThePlaceOfADirectory) {
  const TempTree tree;
  const auto made = *NewDirectory::make(tree.at("new"));
  ASSERT_TRUE(made.add_directory("sub"));
  ASSERT_TRUE(made.add_file("sub/before", filled_with("x")));
  std::filesystem::rename(tree.at("new/sub"), tree.at("new/moved"));
  tree.directory("../outside/bait");
  tree.link(tree.outside() + "/bait", "new/sub");
  EXPECT_FALSE(made.add_file("sub/after", filled_with("x")));
  EXPECT_FALSE(made.add_directory("sub/below"));
  // The directory itself is the one that was made, whatever has its name now.
  std::filesystem::rename(tree.at("new"), tree.at("elsewhere"));
  tree.link(tree.outside() + "/bait", "new");
  EXPECT_TRUE(made.add_file("still", filled_with("here")));
  EXPECT_EQ(tree.content("elsewhere/still"), "here");
  EXPECT_THAT(tree.picture("../outside"), ElementsAre("bait/"));
}

TEST(NewDirectory, HasNoFileThatIsNotWholeAndTakesAnyName) {
  const TempTree tree;
  const auto made = *NewDirectory::make(tree.at("new"));
  // A tree may have names like those of parts.
  for (const auto* name : {".cairn-part-0", ".cairn-part-1"}) {
    EXPECT_TRUE(made.add_file(name, filled_with(name)));
  }
  EXPECT_TRUE(made.add_file("f", [&](const NewDirectory::Sink& sink) -> Result<void> {
    TRY(sink("half"));
    EXPECT_FALSE(std::filesystem::exists(tree.at("new/f")));
    return sink(" and half");
  }));
  EXPECT_FALSE(made.add_file("broken", [](const NewDirectory::Sink& sink) -> Result<void> {
    TRY(sink("half"));
    return fail(Code::kUnavailable, "interrupted");
  }));
  EXPECT_THAT(tree.picture("new"), ElementsAre(".cairn-part-0=.cairn-part-0",
                                               ".cairn-part-1=.cairn-part-1", "f=half and half"));
}

TEST(NewDirectory, PassesOnWhatFillingFailsWith) {
  const TempTree tree;
  const auto made = *NewDirectory::make(tree.at("new"));
  const auto refused = made.add_file("f", [](const NewDirectory::Sink&) -> Result<void> {
    return fail(Code::kCorruptNode, "the bytes are not those");
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kCorruptNode);
}

TEST(NewDirectory, SaysWhichFileCouldNotBeWritten) {
  struct Case {
    Call call;
    int error;
  };
  for (const auto& c :
       {Case{Call::kOpen, EACCES}, Case{Call::kWrite, ENOSPC}, Case{Call::kClose, EDQUOT}}) {
    const TempTree tree;
    // The directory is opened to look whether it is empty, to hold it, and to work in it.
    Failing failing(c.error, {.call = c.call, .nth = c.call == Call::kOpen ? 4 : 1});
    const auto made = NewDirectory::make(tree.at("new"), failing.kernel());
    ASSERT_TRUE(made) << made.error().message;
    const auto refused = made->add_file("some-file", filled_with("x"));
    ASSERT_FALSE(refused) << c.error;
    EXPECT_TRUE(failing.failed());
    EXPECT_EQ(refused.error().code, Code::kIoError);
    EXPECT_THAT(refused.error().message, HasSubstr("some-file"));
  }
}

TEST(NewDirectory, IsFilledFromDirectoriesThatAreHeldOpen) {
  const TempTree tree;
  const auto made = *NewDirectory::make(tree.at("new"));
  const auto top = made.open();
  ASSERT_TRUE(top);
  auto deep = top->add_directory("d");
  ASSERT_TRUE(deep);
  // Deeper than a path can be long.
  const std::string name(200, 'n');
  for (int i = 0; i < 30 && deep; ++i) {
    EXPECT_TRUE(deep->add_file(NewDirectory::kPart + std::to_string(0), filled_with("named so")));
    EXPECT_TRUE(deep->add_file("f", filled_with(std::to_string(i))));
    deep = deep->add_directory(name);
  }
  ASSERT_TRUE(deep);
  EXPECT_EQ(tree.content("new/d/f"), "0");
  EXPECT_EQ(tree.content("new/d/" + name + "/f"), "1");
  EXPECT_EQ(tree.content("new/d/" + name + "/.cairn-part-0"), "named so");
  // What is there already is not written over, and nothing is left of the attempt.
  EXPECT_FALSE(top->add_directory("d"));
  EXPECT_FALSE(top->add_file("d", filled_with("x")));
  EXPECT_FALSE(top->add_file("broken", [](const NewDirectory::Sink& sink) -> Result<void> {
    TRY(sink("half"));
    return fail(Code::kUnavailable, "interrupted");
  }));
  int entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(tree.at("new"))) {
    EXPECT_EQ(entry.path().filename(), "d");
    ++entries;
  }
  EXPECT_EQ(entries, 1);
  made.clear();
  EXPECT_TRUE(std::filesystem::is_empty(tree.at("new")));
}

}  // namespace
}  // namespace cairn::os
