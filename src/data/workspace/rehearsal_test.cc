// Dry runs in a directory: they fail as the change would, and change nothing.
#include <unistd.h>

#include "data/workspace/workspace_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Rehearsal : public WorkspaceTest {
 protected:
  std::shared_ptr<DirectoryWorkspace> dry = workspace->rehearsal();
};
INSTANTIATE_TEST_SUITE_P(Kernels, Rehearsal, testing::ValuesIn(kKernels), kernel_name);

TEST_P(Rehearsal, AnswersAsTheChangeDoesAndMakesNone) {
  tree.file("a.txt", "1");
  tree.file("d/b.txt", "2");
  tree.directory("empty");
  const auto before = tree.picture(".");
  const auto upper = [](ByteView, const std::string&) { return Result<Bytes>("X"); };
  struct Case {
    std::string_view what;
    Result<std::string> (*run)(DirectoryWorkspace&, const Workspace::Rewrite&);
  };
  const Case cases[] = {
      {"write", [](auto& w, auto&) { return w.write("a.txt", "x"); }},
      {"write new", [](auto& w, auto&) { return w.write("d/new", "x"); }},
      {"write below nothing", [](auto& w, auto&) { return w.write("no/new", "x"); }},
      {"write on a directory", [](auto& w, auto&) { return w.write("d", "x"); }},
      {"write below a file", [](auto& w, auto&) { return w.write("a.txt/x", "x"); }},
      {"write outside", [](auto& w, auto&) { return w.write("../x", "x"); }},
      {"edit", [](auto& w, auto& rewrite) { return w.edit("d/b.txt", rewrite); }},
      {"edit nothing", [](auto& w, auto& rewrite) { return w.edit("no", rewrite); }},
      {"make over a file", [](auto& w, auto&) { return w.make_directory("a.txt"); }},
      {"make below a file", [](auto& w, auto&) { return w.make_directory("a.txt/x/y"); }},
      {"make what is there", [](auto& w, auto&) { return w.make_directory("d"); }},
      {"move onto", [](auto& w, auto&) { return w.move("a.txt", "d/b.txt"); }},
      {"move nothing", [](auto& w, auto&) { return w.move("no", "x"); }},
      {"move into itself", [](auto& w, auto&) { return w.move("d", "d/x"); }},
      {"move the root", [](auto& w, auto&) { return w.move(".", "x"); }},
      {"copy onto", [](auto& w, auto&) { return w.copy("a.txt", "d/b.txt"); }},
      {"copy into itself", [](auto& w, auto&) { return w.copy("d", "d/x"); }},
      {"copy below nothing", [](auto& w, auto&) { return w.copy("d", "no/x"); }},
      {"delete what is not empty", [](auto& w, auto&) { return w.remove("d", false); }},
      {"delete nothing", [](auto& w, auto&) { return w.remove("no", true); }},
      {"delete the root", [](auto& w, auto&) { return w.remove(".", true); }},
      // From here on the real ones change what the others see.
      {"make", [](auto& w, auto&) { return w.make_directory("x/y/z"); }},
      {"write with parents",
       [](auto& w, auto&) { return w.write("p/q/r.txt", "x", Parents::kAreMade); }},
      {"copy", [](auto& w, auto&) { return w.copy("d", "d2"); }},
      {"move", [](auto& w, auto&) { return w.move("a.txt", "empty/a.txt"); }},
      {"delete", [](auto& w, auto&) { return w.remove("d", true); }},
  };
  const Workspace::Rewrite rewrite = upper;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const auto as_it_was = tree.picture(".");
    const auto rehearsed = c.run(*dry, rewrite);
    EXPECT_EQ(tree.picture("."), as_it_was);
    const auto done = c.run(*workspace, rewrite);
    EXPECT_EQ(outcome(rehearsed), outcome(done));
    if (rehearsed && done) {
      EXPECT_EQ(*rehearsed, *done);
    }
    if (!rehearsed && !done) {
      EXPECT_EQ(rehearsed.error().message, done.error().message);
    }
  }
  EXPECT_NE(tree.picture("."), before);
}

TEST_P(Rehearsal, SeesADirectoryThatTakesNoChanges) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  tree.file("d/a.txt", "1");
  fs::permissions(tree.at("d"), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(outcome(dry->write("d/a.txt", "x")), "FORBIDDEN");
  EXPECT_EQ(outcome(dry->make_directory("d/x/y")), "FORBIDDEN");
  EXPECT_EQ(outcome(dry->remove("d/a.txt", false)), "FORBIDDEN");
  EXPECT_EQ(outcome(dry->move("d/a.txt", "a.txt")), "FORBIDDEN");
  fs::permissions(tree.at("d"), fs::perms::owner_all);
}

TEST_P(Rehearsal, OfAReadOnlyWorkspaceSaysThatItIsOne) {
  tree.file("a.txt", "1");
  const auto reading = open_workspace({tree.root()}, {.read_only = true})->rehearsal();
  EXPECT_TRUE(reading->remove("a.txt", false));
  EXPECT_THAT(reading->notes(), ElementsAre(HasSubstr("read-only")));
  EXPECT_THAT(dry->notes(), IsEmpty());
  EXPECT_EQ(tree.content("a.txt"), "1");
}

}  // namespace
}  // namespace cairn
