#include "exposure/client/local_tree.h"

#include <cerrno>

#include <sys/stat.h>

#include "base/os/os_testing.h"
#include "base/os/system.h"
#include "data/cas/content_type.h"

namespace cairn::client {
namespace {

using os::TempTree;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr auto kFile = EntryKind::kFile;
constexpr auto kDirectory = EntryKind::kDirectory;

Result<std::string> all_of(const Client::Source& source, std::size_t portion) {
  std::string out;
  std::string room(portion, '\0');
  while (const auto filled = TRY(source(room))) out.append(room, 0, filled);
  return out;
}

TEST(Scan, FindsEverythingBelowADirectory) {
  const TempTree tree;
  tree.file("a/b/c.txt", "c");
  tree.file("a-b", "x");
  tree.file(".hidden", "x");
  tree.directory("empty");
  const auto found = scan(tree.root());
  ASSERT_TRUE(found);
  EXPECT_THAT(found->entries, ElementsAre(Pair(".hidden", kFile), Pair("a", kDirectory),
                                          Pair("a-b", kFile), Pair("a/b", kDirectory),
                                          Pair("a/b/c.txt", kFile), Pair("empty", kDirectory)));
  EXPECT_THAT(found->skipped, IsEmpty());
}

TEST(Scan, SkipsAndSaysWhatATreeCannotHold) {
  const TempTree tree;
  tree.file("../outside/secret", "x");
  tree.file("d/file", "x");
  tree.link(tree.outside(), "d/link");
  tree.link("nowhere", "dangling");
  tree.file("not-utf8-\xff", "x");
  tree.file("~1", "x");
  ASSERT_EQ(::mkfifo(tree.at("fifo").c_str(), 0600), 0);
  const auto found = scan(tree.root());
  ASSERT_TRUE(found);
  EXPECT_THAT(found->entries, ElementsAre(Pair("d", kDirectory), Pair("d/file", kFile)));
  EXPECT_THAT(
      found->skipped,
      ElementsAre(HasSubstr("/d/link: symbolic links are not followed"),
                  HasSubstr("/dangling: symbolic links are not followed"),
                  HasSubstr("/fifo: neither a file nor a directory"), HasSubstr("/not-utf8-\xff: "),
                  HasSubstr("/~1: names of '~' and digits stand for child indices")));
}

TEST(Scan, FollowsALinkThatIsWhatWasNamed) {
  const TempTree tree;
  tree.file("real/file", "x");
  tree.link("real", "link");
  const auto found = scan(tree.at("link"));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->entries, ElementsAre(Pair("file", kFile)));
}

TEST(Scan, TellsNothingFromNoDirectory) {
  const TempTree tree;
  tree.file("file", "x");
  EXPECT_EQ(scan(tree.at("none")).error().code, Code::kNotFound);
  EXPECT_EQ(scan(tree.at("file")).error().code, Code::kInvalidArgument);
  EXPECT_THAT(scan(tree.at("file")).error().message, HasSubstr("file' is not a directory"));
}

TEST(OpenSource, GivesAFilesBytesInPortions) {
  const TempTree tree;
  const std::string text(1000, 'x');
  tree.file("file", text + "end");
  tree.file("empty", "");
  for (const std::size_t portion : {1U, 7U, 5000U}) {
    EXPECT_EQ(*all_of(*open_source(tree.at("file")), portion), text + "end") << portion;
  }
  EXPECT_EQ(*all_of(*open_source(tree.at("empty")), 10), "");
}

TEST(OpenSource, OpensNoLink) {
  const TempTree tree;
  tree.file("../outside/secret", "x");
  tree.link(tree.outside() + "/secret", "link");
  for (const auto* name : {"link", "none"}) {
    const auto opened = open_source(tree.at(name));
    ASSERT_FALSE(opened) << name;
    EXPECT_EQ(opened.error().code, Code::kIoError) << name;
    EXPECT_THAT(opened.error().message, HasSubstr(name));
  }
}

TEST(SourceOf, SaysWhichFileCouldNotBeRead) {
  const TempTree tree;
  tree.file("file", "x");
  os::Failing failing(EIO, {.call = os::Call::kRead});
  auto file = os::open_name(AT_FDCWD, tree.at("file"), O_RDONLY);
  const auto source = source_of(std::move(*file), tree.at("file"), failing.kernel());
  const auto read = all_of(source, 10);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kIoError);
  EXPECT_THAT(read.error().message, HasSubstr(tree.at("file")));
}

// A file's key as a writer of trees makes it, in one go.
std::string key_in_a_tree(std::string_view name, const std::string& content) {
  struct NoSink final : NodeSink {
    Result<void> add(NodePtr) override { return {}; }
  } sink;
  FileWriter writer(sink);
  EXPECT_TRUE(writer.append(content));
  const auto sample = std::string_view(content).substr(0, kContentTypeSample);
  return (*writer.finish(content_type(name, sample)))->key().render();
}

TEST(KeyOf, IsTheKeyThatTheFileWouldHaveInATree) {
  const TempTree tree;
  std::string large;
  for (int i = 0; i < 100'000; ++i) large += fmt::format("{} ", i);
  for (const auto& [name, content] : {std::pair<std::string, std::string>{"a.json", "{}"},
                                      {"a.txt", "{}"},
                                      {"empty", ""},
                                      {"binary", std::string("\0\xff", 2)},
                                      {"large.txt", large}}) {
    tree.file(name, content);
    EXPECT_EQ(*key_of(tree.at(name)), key_in_a_tree(name, content)) << name;
  }
  // The type is part of it.
  EXPECT_NE(*key_of(tree.at("a.json")), *key_of(tree.at("a.txt")));
}

TEST(KeyMaker, DoesNotDependOnThePortions) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += fmt::format("{} ", i);
  for (const std::size_t portion : {1000U, 4097U, 1'000'000U}) {
    KeyMaker key("large");
    for (std::string_view left = text; !left.empty();) {
      const auto next = left.substr(0, portion);
      EXPECT_TRUE(key.append(next));
      left.remove_prefix(next.size());
    }
    EXPECT_EQ(*key.finish(), key_in_a_tree("large", text)) << portion;
  }
}

}  // namespace
}  // namespace cairn::client
