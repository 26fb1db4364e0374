#include "base/os/system.h"

#include <cerrno>

#include "base/os/os_testing.h"

namespace cairn::os {
namespace {

using testing::ElementsAre;

Handle root_of(const TempTree& tree) {
  return Handle(::open(tree.root().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

int error_of(const auto& outcome) { return outcome ? 0 : outcome.error(); }

TEST(System, OpensNothingThatIsNotBeneath) {
  TempTree tree;
  tree.file("d/file", "x");
  tree.file("../outside/secret", "x");
  tree.link("d", "in");
  tree.link("../outside", "out");
  tree.link(tree.at("d"), "absolute");
  tree.link("loop", "loop");
  tree.link("/proc/self/root", "proc");
  const auto root = root_of(tree);
  if (error_of(open_beneath(root.fd(), "", {})) == ENOSYS) GTEST_SKIP() << "no openat2";
  struct Case {
    const char* path;
    int error;
  };
  const Case cases[] = {{"", 0},
                        {"d/file", 0},
                        {"in/file", 0},
                        {"d/../in", 0},
                        {"..", EXDEV},
                        {"d/../../outside", EXDEV},
                        {"out/secret", EXDEV},
                        {"absolute/file", EXDEV},
                        {"proc", EXDEV},
                        {"loop", ELOOP},
                        {"none", ENOENT},
                        {"d/file/x", ENOTDIR}};
  for (const auto& c : cases)
    EXPECT_EQ(error_of(open_beneath(root.fd(), c.path, {})), c.error) << c.path;
  EXPECT_EQ(error_of(open_beneath(root.fd(), "d", {.openat2 = false})), ENOSYS);
}

TEST(System, RenamesOverNothing) {
  for (const auto& kernel : kKernels) {
    SCOPED_TRACE(kernel.name);
    TempTree tree;
    tree.file("file", "from");
    tree.file("directory/x", "from");
    tree.link("from", "link");
    tree.file("a", "there");
    tree.directory("b");
    tree.link("nowhere", "c");
    const auto root = root_of(tree);
    for (const auto* from : {"file", "directory", "link"}) {
      const auto before = tree.picture(".");
      for (const auto* to : {"a", "b", "c"}) {
        EXPECT_EQ(error_of(rename_new(root.fd(), from, root.fd(), to, kernel.kernel)), EEXIST)
            << from << " to " << to;
        EXPECT_EQ(tree.picture("."), before);
      }
      EXPECT_EQ(
          error_of(rename_new(root.fd(), from, root.fd(), std::string(from) + "2", kernel.kernel)),
          0);
    }
    EXPECT_THAT(tree.picture("."), ElementsAre("a=there", "b/", "c -> nowhere", "directory2/",
                                               "directory2/x=from", "file2=from", "link2 -> from"));
    EXPECT_NE(error_of(rename_new(root.fd(), "b", root.fd(), "b/in", kernel.kernel)), 0);
    EXPECT_EQ(error_of(rename_new(root.fd(), "none", root.fd(), "x", kernel.kernel)), ENOENT);
    EXPECT_TRUE(std::filesystem::is_empty(tree.at("b")));
  }
}

TEST(System, TellsWhereAHandleIs) {
  TempTree tree;
  tree.file("a (deleted)", "x");
  const auto root = root_of(tree);
  const auto file = *open_name(root.fd(), "a (deleted)", O_PATH);
  EXPECT_EQ(path_of(file.fd(), {}), tree.at("a (deleted)"));
  std::filesystem::rename(tree.at("a (deleted)"), tree.at("b"));
  EXPECT_EQ(path_of(file.fd(), {}), tree.at("b"));
  EXPECT_EQ(path_of(file.fd(), {.proc = false}), "");
  std::filesystem::remove(tree.at("b"));
  EXPECT_EQ(path_of(file.fd(), {}), "");
}

}  // namespace
}  // namespace cairn::os
