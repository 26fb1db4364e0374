
#include <sys/stat.h>

#include "data/workspace/workspace_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

class DirectoryReads : public WorkspaceTest {};
INSTANTIATE_TEST_SUITE_P(Kernels, DirectoryReads, testing::ValuesIn(kKernels), kernel_name);

TEST_P(DirectoryReads, ReadsAFileByEverySpellingOfItsPath) {
  tree.file("notes/a.md", "hello");
  for (const auto& path :
       {std::string("notes/a.md"), std::string("./notes//a.md"), std::string("notes/../notes/a.md"),
        std::string("missing/../notes/a.md"), std::string("notes/a.md/"), tree.at("notes/a.md"),
        tree.root() + "//notes/./a.md", tree.outside() + "/../root/notes/a.md"}) {
    const auto file = workspace->open_file(path);
    ASSERT_TRUE(file) << path << ": " << file.error().render();
    EXPECT_EQ((*file)->place(), tree.at("notes/a.md"));
    EXPECT_EQ(read(path), "hello") << path;
  }
}

TEST_P(DirectoryReads, ReadsPartsOfAFile) {
  tree.file("a", "0123456789");
  const auto file = *workspace->open_file("a");
  std::string room(4, '.');
  EXPECT_EQ(*file->read(3, room), 4U);
  EXPECT_EQ(room, "3456");
  EXPECT_EQ(*file->read(8, room), 2U);
  EXPECT_EQ(*file->read(10, room), 0U);
  EXPECT_EQ(*file->read(1'000'000'000'000, room), 0U);
}

TEST_P(DirectoryReads, AnOpenFileStaysWhatItWas) {
  tree.file("a", "old");
  const auto file = *workspace->open_file("a");
  ASSERT_TRUE(workspace->write("a", "new"));
  std::string room(10, '\0');
  EXPECT_EQ(*file->read(0, room), 3U);
  EXPECT_THAT(room, StartsWith("old"));
}

TEST_P(DirectoryReads, TellsWhatThereIs) {
  tree.file("a", "12345");
  tree.directory("d");
  tree.link("a", "l");
  fs::permissions(tree.at("a"), fs::perms(0640));
  struct timespec times[] = {{1'600'000'000, 123'000'000}, {1'500'000'000, 456'999'999}};
  ASSERT_EQ(::utimensat(AT_FDCWD, tree.at("a").c_str(), times, 0), 0);
  const auto file = *workspace->info("a");
  EXPECT_EQ(file.place, tree.at("a"));
  EXPECT_EQ(file.info.kind, WorkKind::kFile);
  EXPECT_EQ(file.info.size, 5U);
  EXPECT_EQ(file.info.permissions, 0640U);
  EXPECT_EQ(file.info.accessed, 1'600'000'000'123);
  EXPECT_EQ(file.info.modified, 1'500'000'000'456);
  EXPECT_GT(file.info.created, 1'000'000'000'000);
  EXPECT_EQ(workspace->info("d")->info.kind, WorkKind::kDirectory);
  EXPECT_EQ(workspace->info("l")->info.kind, WorkKind::kFile);
  EXPECT_EQ(workspace->info("l")->place, tree.at("a"));
  EXPECT_EQ(workspace->info("")->place, tree.root());
  EXPECT_EQ(workspace->info(".")->place, tree.root());
  EXPECT_EQ(workspace->info(tree.root() + "/")->place, tree.root());
}

TEST_P(DirectoryReads, ListsByName) {
  for (const auto* name : {"b", "a", "B", ".hidden", "ü", "a b"}) tree.file(name, "");
  tree.directory("sub");
  tree.link("nowhere", "link");
  ASSERT_EQ(::mkfifo(tree.at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(list("."), ".hidden B a a b b link@ pipe? sub/ ü");
  EXPECT_EQ(list("sub"), "");
  EXPECT_EQ(list("a"), "NOT_A_DIRECTORY");
}

TEST_P(DirectoryReads, GoesDownThroughHandles) {
  tree.file("a/b/c.txt", "deep");
  tree.link("b", "a/l");
  tree.link("../../outside", "a/out");
  const auto top = *workspace->open_directory(".");
  const auto a = *top->enter("a");
  EXPECT_EQ(a->place(), tree.at("a"));
  // A directory that is held stays held, wherever it goes.
  fs::rename(tree.at("a"), tree.at("moved"));
  const auto b = *a->enter("b");
  EXPECT_EQ(list(*b), "c.txt");
  const auto file = *b->open("c.txt");
  std::string room(10, '\0');
  EXPECT_EQ(*file->read(0, room), 4U);
  EXPECT_EQ(outcome(a->enter("l")), "NOT_A_DIRECTORY");
  EXPECT_EQ(outcome(a->enter("out")), "NOT_A_DIRECTORY");
  EXPECT_EQ(outcome(a->open("l")), "NOT_A_FILE");
  EXPECT_EQ(outcome(a->open("b")), "NOT_A_FILE");
  for (const auto* name : {"..", ".", "", "b/c.txt", "/", "../root"}) {
    EXPECT_EQ(outcome(a->enter(name)), "INVALID_PATH") << name;
    EXPECT_EQ(outcome(a->open(name)), "INVALID_PATH") << name;
    EXPECT_EQ(outcome(a->info(name)), "INVALID_PATH") << name;
  }
}

TEST_P(DirectoryReads, TellsOfAnEntryOrOfWhatALinkLeadsTo) {
  tree.file("d/file", "123");
  tree.file("../outside/secret", "1234567");
  tree.link("file", "d/l");
  tree.link("../../outside/secret", "d/out");
  tree.link("gone", "d/dangling");
  const auto directory = *workspace->open_directory("d");
  EXPECT_EQ(directory->info("file")->size, 3U);
  EXPECT_EQ(directory->info("l")->size, 3U);
  EXPECT_EQ(outcome(directory->info("out")), "PATH_OUTSIDE");
  EXPECT_EQ(outcome(directory->info("dangling")), "PATH_NOT_FOUND");
  EXPECT_EQ(outcome(directory->info("none")), "PATH_NOT_FOUND");
}

TEST_P(DirectoryReads, SaysWhatIsMissingAndWhatIsNear) {
  tree.file("notes/readme.md", "");
  const auto file = workspace->open_file("notes/redme.md");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, Code::kPathNotFound);
  EXPECT_EQ(file.error().message, "'" + tree.at("notes/redme.md") +
                                      "' does not exist; did you mean '" +
                                      tree.at("notes/readme.md") + "'?");
  EXPECT_EQ(detail_of(file.error(), "place"), tree.at("notes/redme.md"));
  EXPECT_EQ(detail_of(file.error(), "errno"), "ENOENT");
  const auto deep = workspace->info("not/there/at/all");
  ASSERT_FALSE(deep);
  EXPECT_EQ(detail_of(deep.error(), "place"), tree.at("not/there/at/all"));
  EXPECT_EQ(detail_of(deep.error(), "missing"), tree.at("not"));
  const auto below = workspace->info("notes/readme.md/x");
  ASSERT_FALSE(below);
  EXPECT_EQ(below.error().code, Code::kNotADirectory);
  EXPECT_EQ(below.error().message, "'" + tree.at("notes/readme.md") + "' is not a directory");
  EXPECT_EQ(detail_of(below.error(), "errno"), "ENOTDIR");
  EXPECT_EQ(read("notes"), "NOT_A_FILE");
}

TEST_P(DirectoryReads, TakesANameThatIsTheSameForUnicode) {
  const std::string composed = "caf\xc3\xa9", decomposed = "cafe\xcc\x81";
  tree.file(decomposed + "/" + composed + ".txt", "x");
  EXPECT_EQ(read(composed + "/" + decomposed + ".txt"), "x");
  EXPECT_EQ(workspace->info(composed)->place, tree.at(decomposed));
  // The exact name comes first.
  tree.directory(composed);
  EXPECT_EQ(workspace->info(composed)->place, tree.at(composed));
  // The sign of kelvin and the letter.
  tree.file("\xe2\x84\xaa", "kelvin");
  EXPECT_EQ(read("K"), "kelvin");
  // Not UTF-8: bytes, and nothing else.
  tree.file("\xff\xfe", "bytes");
  EXPECT_EQ(read("\xff\xfe"), "bytes");
  EXPECT_EQ(read("\xff"), "PATH_NOT_FOUND");
}

TEST_P(DirectoryReads, RefusesToChooseBetweenTwoNamesThatAreTheSame) {
  // One letter with two marks, in two orders; neither is composed.
  tree.file("q\xcc\xa3\xcc\x87", "1");
  tree.file("q\xcc\x87\xcc\xa3", "2");
  tree.file("\xe1\xba\x9b\xcc\xa3", "3");
  EXPECT_EQ(read("q\xcc\x87\xcc\xa3"), "2");
  tree.file("\xe2\x84\xab", "angstrom sign");
  tree.file("A\xcc\x8a", "A with a ring");
  const auto file = workspace->open_file("\xc3\x85");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, Code::kInvalidPath);
  EXPECT_EQ(file.error().message, "Ambiguous Unicode path component: \xc3\x85");
}

TEST_P(DirectoryReads, TakesEveryNameThatLinuxTakes) {
  const std::string names[] = {
      "a\\b", "%2e%2e", "..%2f", "new\nline",          "tab\t", " ", "...", "-rf", "*",
      "\x01", "C:x",    "c|d",   std::string(255, 'n')};
  for (const auto& name : names) {
    ASSERT_TRUE(workspace->write(name, name)) << name;
    EXPECT_EQ(read(name), name);
    EXPECT_TRUE(tree.has(name));
  }
}

TEST_P(DirectoryReads, GoesVeryDeep) {
  std::string path;
  for (int i = 0; i < 1500; ++i) path += "d/";
  ASSERT_TRUE(workspace->make_directory(path));
  EXPECT_TRUE(workspace->write(path + "x", "deep"));
  EXPECT_EQ(read(path + "x"), "deep");
  EXPECT_EQ(read(path + "y"), "PATH_NOT_FOUND");
  // Up again further than handles are kept.
  std::string up;
  for (int i = 0; i < 1000; ++i) up += "../";
  const auto directory = *workspace->open_directory(path);
  std::string at_top;
  for (int i = 0; i < 500; ++i) at_top += "d/";
  ASSERT_TRUE(workspace->write(at_top + "high", "up"));
  const auto here = fs::current_path();
  fs::current_path(tree.root());
  for (int i = 0; i < 3; ++i) fs::current_path(path.substr(0, 1000));
  fs::create_symlink(up + "high", "l");
  fs::current_path(here);
  EXPECT_EQ(read(path + "l"), "up");
  EXPECT_TRUE(workspace->remove("d", true));
  EXPECT_EQ(list("."), "");
}

TEST_P(DirectoryReads, FindsARootThatWasMadeAgain) {
  fs::remove_all(tree.root());
  const auto gone = workspace->info(".");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, Code::kPathNotFound);
  tree.file("a", "again");
  EXPECT_EQ(read("a"), "again");
  // But not where a link stands in its place.
  fs::remove_all(tree.root());
  tree.file("../outside/a", "secret");
  fs::create_symlink("outside", tree.root());
  EXPECT_EQ(read("a"), GetParam().kernel.openat2 ? "INVALID_PATH" : "NOT_A_DIRECTORY");
  fs::remove(tree.root());
}

TEST(DirectoryRoots, AreListedAsSpelledAndAsTheyAre) {
  TempTree tree;
  fs::create_symlink("root", tree.top() + "/spelled");
  tree.file("a", "x");
  const auto workspace = open_workspace({tree.top() + "/./spelled/", tree.outside()});
  EXPECT_THAT(workspace->roots(),
              ElementsAre(tree.top() + "/spelled", tree.root(), tree.outside()));
  for (const auto& path : {tree.top() + "/spelled/a", tree.at("a"), std::string("a")})
    EXPECT_EQ(workspace->info(path)->place, tree.at("a"));
  EXPECT_EQ(workspace->relative(tree.at("a/b")), "a/b");
  EXPECT_EQ(workspace->relative(tree.root()), ".");
  EXPECT_EQ(workspace->relative(tree.top() + "/spelled/x"), "x");
  EXPECT_EQ(workspace->relative("/elsewhere"), "/elsewhere");
}

TEST(DirectoryRoots, ReachOneAnotherByLinks) {
  for (const auto& kernel : kKernels) {
    TempTree tree;
    tree.file("../outside/x", "other root");
    tree.link("../outside/x", "relative");
    tree.link(tree.outside() + "/x", "absolute");
    tree.link("../../root/../outside", "sub/round");
    const auto workspace = open_workspace({tree.root(), tree.outside()}, {.kernel = kernel.kernel});
    for (const auto* path : {"relative", "absolute", "sub/round/x", "../outside/x"}) {
      const auto found = workspace->info(path);
      ASSERT_TRUE(found) << kernel.name << " " << path << " " << found.error().render();
      EXPECT_EQ(found->place, tree.outside() + "/x");
    }
  }
}

TEST(DirectoryRoots, MayBeWithinOneAnother) {
  for (const auto& kernel : kKernels) {
    TempTree tree;
    tree.file("in/x", "x");
    tree.file("y", "y");
    tree.link("../y", "in/up");
    const auto workspace = open_workspace({tree.at("in"), tree.root()}, {.kernel = kernel.kernel});
    EXPECT_EQ(workspace->info("up")->place, tree.at("y"));
    EXPECT_EQ(workspace->info("../y")->place, tree.at("y"));
    EXPECT_EQ(outcome(workspace->remove(tree.at("in"), true)), "FORBIDDEN");
    EXPECT_EQ(outcome(workspace->move(tree.at("in"), tree.at("z"))), "FORBIDDEN");
    EXPECT_EQ(outcome(workspace->remove(tree.root(), true)), "FORBIDDEN");
    EXPECT_TRUE(tree.has("in/x"));
  }
}

TEST(DirectoryRoots, HaveToBeThere) {
  TempTree tree;
  tree.file("file", "");
  SystemRandom random;
  const auto opened = [&](std::string path) {
    return outcome(DirectoryWorkspace::open(std::vector{std::move(path)}, random, {}));
  };
  EXPECT_EQ(opened(tree.at("none")), "PATH_NOT_FOUND");
  EXPECT_EQ(opened(tree.at("file")), "NOT_A_DIRECTORY");
  EXPECT_EQ(opened(tree.root()), "ok");
}

TEST(DirectoryRoots, MayBeTheWholeMachine) {
  TempTree tree;
  tree.file("a", "x");
  for (const auto& kernel : kKernels) {
    const auto workspace = open_workspace({"/"}, {.kernel = kernel.kernel});
    EXPECT_EQ(workspace->info(tree.at("a"))->place, tree.at("a"));
    EXPECT_EQ(workspace->relative(tree.at("a")), tree.at("a").substr(1));
    EXPECT_EQ(workspace->info("/..")->place, "/");
    // The links of /proc lead where no path does.
    EXPECT_NE(outcome(workspace->open_directory("/proc/self/root/etc")), "ok") << kernel.name;
    EXPECT_NE(outcome(workspace->open_file("/proc/self/exe")), "ok") << kernel.name;
  }
}

TEST(DirectoryRoots, KnowHomeWhenTheyAreTold) {
  TempTree tree;
  tree.file("a", "x");
  const auto workspace = open_workspace({"~/root"}, {.home = tree.top()});
  EXPECT_EQ(workspace->info("~/root/a")->place, tree.at("a"));
  EXPECT_EQ(outcome(workspace->info("~")), "PATH_OUTSIDE");
  EXPECT_EQ(outcome(workspace->info("~other")), "PATH_NOT_FOUND");
  EXPECT_EQ(outcome(open_workspace({tree.root()})->info("~/a")), "INVALID_PATH");
}

}  // namespace
}  // namespace cairn
