#include "data/tree/change.h"

#include "data/cas/boundary.h"
#include "data/tree/editor.h"
#include "data/tree/tree_testing.h"

namespace cairn {
namespace {

using namespace tree_testing;
using testing::ElementsAre;

const Files kProject = {{"README.md", "hello\n"},
                        {"empty/", ""},
                        {"src/a.ts", "a"},
                        {"src/b.ts", "b"},
                        {"src/lib/c.ts", "c"}};

// kProject with some paths set and others taken away.
Files project(const Files& set, const std::vector<std::string>& without = {}) {
  Files files = kProject;
  for (const auto& where : without) files.erase(where);
  for (const auto& [where, bytes] : set) files[where] = bytes;
  return files;
}

// Every test here starts from kProject and ends by checking that it is as it was.
class ChangeTest : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(t.files(root), kProject) << "the old root has changed"; }

  Trees t;
  NodePtr root = t.tree(kProject);
};

// ---- write --------------------------------------------------------------------------------------

using Write = ChangeTest;

TEST_F(Write, CreatesOverwritesAndMakesParents) {
  struct Case {
    std::string where;
    std::string resolved;
    bool created;
    Files after;
  };
  const Case cases[] = {
      {"new.txt", "new.txt", true, project({{"new.txt", "X"}})},
      {"README.md", "README.md", false, project({{"README.md", "X"}})},
      {"src/lib/c.ts", "src/lib/c.ts", false, project({{"src/lib/c.ts", "X"}})},
      {"x/y/z.txt", "x/y/z.txt", true, project({{"x/y/z.txt", "X"}})},
      {"empty/in", "empty/in", true, project({{"empty/in", "X"}}, {"empty/"})},
      {"~0", "README.md", false, project({{"README.md", "X"}})},
      {"~2/~0", "src/a.ts", false, project({{"src/a.ts", "X"}})},
      {"src/~2/~0", "src/lib/c.ts", false, project({{"src/lib/c.ts", "X"}})},
      {"~1/new", "empty/new", true, project({{"empty/new", "X"}}, {"empty/"})},
      {"~", "~", true, project({{"~", "X"}})},
      {"~x", "~x", true, project({{"~x", "X"}})},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.where);
    auto result = must(write(t.stage, root, path(c.where), "X"));
    EXPECT_EQ(t.files(result.root), c.after);
    EXPECT_EQ(result.path.render(), c.resolved);
    EXPECT_EQ(result.created, c.created);
    EXPECT_EQ(result.file.bytes, 1U);
    EXPECT_EQ(result.file, EntryValue::of(must(locate(t.view(result.root), result.path)).entry));
  }
}

TEST_F(Write, RefusesWhatCannotBeAFile) {
  struct Case {
    std::string where;
    Code code;
  };
  const Case cases[] = {
      {"", Code::kInvalidPath},
      {"src", Code::kNotAFile},
      {"empty", Code::kNotAFile},
      {"~1", Code::kNotAFile},
      {"README.md/x", Code::kNotADirectory},
      {"src/a.ts/x/y", Code::kNotADirectory},
      {"~3", Code::kInvalidPath},
      {"src/~3", Code::kInvalidPath},
      {"empty/~0", Code::kInvalidPath},
      {"nowhere/~0", Code::kInvalidPath},
      {"README.md/~0", Code::kInvalidPath},
      {"~99999999999999999999", Code::kInvalidPath},
      {"~18446744073709551615", Code::kInvalidPath},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(write(t.stage, root, path(c.where), "X"), FailsWith(c.code)) << c.where;
  }
}

TEST_F(Write, TakesTheTypeFromTheNameUnlessGiven) {
  EXPECT_EQ(must(write(t.stage, root, path("a.json"), "{}")).file.type, "application/json");
  EXPECT_EQ(must(write(t.stage, root, path("~0"), "x")).file.type, "text/markdown");
  EXPECT_EQ(
      must(write(t.stage, root, path("a.json"), "{}", "Text/HTML;Charset=\"utf-8\"")).file.type,
      "text/html; charset=utf-8");
  EXPECT_THAT(write(t.stage, root, path("a"), "x", "nonsense"), FailsWith(Code::kInvalidArgument));
}

TEST_F(Write, OfTheSameContentGivesTheSameRoot) {
  auto result = must(write(t.stage, root, path("src/a.ts"), "a"));
  EXPECT_EQ(result.root->key(), root->key());
  EXPECT_FALSE(result.created);
}

TEST_F(Write, OfANodePutsThatNode) {
  auto file = must(write_file(t.stage, "text/x-mine", "given"));
  auto result = must(write_node(t.stage, root, path("~1/g"), file));
  EXPECT_EQ(t.files(result.root), project({{"empty/g", "given"}}, {"empty/"}));
  EXPECT_EQ(result.file.key, file->key());
  EXPECT_EQ(result.file.type, "text/x-mine");
  EXPECT_THAT(write_node(t.stage, root, path("src"), file), FailsWith(Code::kNotAFile));
  EXPECT_THAT(write_node(t.stage, root, Path(), file), FailsWith(Code::kInvalidPath));
}

TEST_F(Write, OfALargeFileIsReadBackWhole) {
  std::string large;
  for (int i = 0; large.size() < 700'000; ++i) large += std::to_string(i) + "\n";
  auto result = must(write(t.stage, root, path("large.txt"), large));
  EXPECT_EQ(t.files(result.root), project({{"large.txt", large}}));
}

TEST_F(Write, ToARootThatIsAFileIsRefused) {
  auto file = must(write_file(t.stage, "text/plain", "x"));
  EXPECT_THAT(write(t.stage, file, path("a"), "X"), FailsWith(Code::kNotADirectory));
  EXPECT_THAT(mkdir(t.stage, file, path("a")), FailsWith(Code::kNotADirectory));
  EXPECT_THAT(rm(t.stage, file, path("a")), FailsWith(Code::kNotADirectory));
  EXPECT_THAT(mv(t.stage, file, path("a"), path("b")), FailsWith(Code::kNotADirectory));
}

// ---- mkdir and rm -------------------------------------------------------------------------------

using Mkdir = ChangeTest;

TEST_F(Mkdir, MakesWhatIsMissingAndLeavesWhatIsThere) {
  struct Case {
    std::string where;
    std::string resolved;
    bool created;
    std::size_t children;
    Files after;
  };
  const Case cases[] = {
      {"new", "new", true, 0, project({{"new/", ""}})},
      {"x/y/z", "x/y/z", true, 0, project({{"x/y/z/", ""}})},
      {"empty/in", "empty/in", true, 0, project({{"empty/in/", ""}}, {"empty/"})},
      {"src", "src", false, 3, kProject},
      {"src/lib", "src/lib", false, 1, kProject},
      {"empty", "empty", false, 0, kProject},
      {"~2/~2", "src/lib", false, 1, kProject},
      {"", "", false, 3, kProject},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.where);
    auto result = must(mkdir(t.stage, root, path(c.where)));
    EXPECT_EQ(t.files(result.root), c.after);
    EXPECT_EQ(result.path.render(), c.resolved);
    EXPECT_EQ(result.created, c.created);
    EXPECT_EQ(result.dir.children, c.children);
    EXPECT_EQ(result.dir.kind, Kind::kDict);
    EXPECT_EQ(result.root->key() == root->key(), !c.created);
    EXPECT_EQ(must(mkdir(t.stage, result.root, path(c.where))).root->key(), result.root->key());
  }
}

TEST_F(Mkdir, RefusesFilesAndIndicesOfNothing) {
  EXPECT_THAT(mkdir(t.stage, root, path("README.md")), FailsWith(Code::kExistsAsFile));
  EXPECT_THAT(mkdir(t.stage, root, path("~0")), FailsWith(Code::kExistsAsFile));
  EXPECT_THAT(mkdir(t.stage, root, path("src/a.ts")), FailsWith(Code::kExistsAsFile));
  EXPECT_THAT(mkdir(t.stage, root, path("README.md/x")), FailsWith(Code::kNotADirectory));
  EXPECT_THAT(mkdir(t.stage, root, path("~3")), FailsWith(Code::kInvalidPath));
  EXPECT_THAT(mkdir(t.stage, root, path("x/~0")), FailsWith(Code::kInvalidPath));
}

TEST_F(Mkdir, InAnEmptyTreeStoresTheEmptyDirectory) {
  Stage stage(t.store);
  auto made = must(mkdir(stage, empty_dict(), path("a")));
  t.store.store(stage, made.root);
  EXPECT_THAT(typed_files(t.store, made.root), ElementsAre(testing::Key("a/")));
}

using Remove = ChangeTest;

TEST_F(Remove, TakesAwayFilesAndWholeDirectories) {
  struct Case {
    std::string where;
    std::string resolved;
    Kind kind;
    Files after;
  };
  const Case cases[] = {
      {"README.md", "README.md", Kind::kFile, project({}, {"README.md"})},
      {"~0", "README.md", Kind::kFile, project({}, {"README.md"})},
      {"src/lib", "src/lib", Kind::kDict, project({}, {"src/lib/c.ts"})},
      {"src/lib/c.ts", "src/lib/c.ts", Kind::kFile, project({{"src/lib/", ""}}, {"src/lib/c.ts"})},
      {"src", "src", Kind::kDict, {{"README.md", "hello\n"}, {"empty/", ""}}},
      {"empty", "empty", Kind::kDict, project({}, {"empty/"})},
      {"~2/~1", "src/b.ts", Kind::kFile, project({}, {"src/b.ts"})},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.where);
    auto result = must(rm(t.stage, root, path(c.where)));
    EXPECT_EQ(t.files(result.root), c.after);
    EXPECT_EQ(result.path.render(), c.resolved);
    EXPECT_EQ(result.removed.kind, c.kind);
    EXPECT_EQ(result.removed, EntryValue::of(must(locate(t.view(root), path(c.where))).entry));
  }
}

TEST_F(Remove, RefusesTheRootAndWhatIsNotThere) {
  EXPECT_THAT(rm(t.stage, root, Path()), FailsWith(Code::kInvalidPath));
  EXPECT_THAT(rm(t.stage, root, path("READMEE.md")),
              FailsSaying(Code::kPathNotFound, "nearest name is 'README.md'"));
  EXPECT_THAT(rm(t.stage, root, path("src/x/y")), FailsWith(Code::kPathNotFound));
  EXPECT_THAT(rm(t.stage, root, path("~3")), FailsWith(Code::kPathNotFound));
  EXPECT_THAT(rm(t.stage, root, path("README.md/x")), FailsWith(Code::kNotADirectory));
}

TEST_F(Remove, OfTheLastEntryLeavesAnEmptyTree) {
  auto one = t.tree({{"a", "1"}});
  auto result = must(rm(t.stage, one, path("a")));
  EXPECT_EQ(result.root->key(), empty_dict()->key());
  EXPECT_TRUE(t.stage.get(result.root->key()));
}

// ---- mv and cp ----------------------------------------------------------------------------------

struct TransferCase {
  std::string from;
  std::string to;
  std::string landed;
  Files moved;
  Files copied;
};

using Transfer = ChangeTest;

TEST_F(Transfer, MovesAndCopies) {
  const TransferCase cases[] = {
      {"src/a.ts", "z.ts", "z.ts", project({{"z.ts", "a"}}, {"src/a.ts"}),
       project({{"z.ts", "a"}})},
      {"src/a.ts", "x/y/z", "x/y/z", project({{"x/y/z", "a"}}, {"src/a.ts"}),
       project({{"x/y/z", "a"}})},
      // Onto a directory: into it.
      {"README.md", "src", "src/README.md", project({{"src/README.md", "hello\n"}}, {"README.md"}),
       project({{"src/README.md", "hello\n"}})},
      {"src/lib", "empty", "empty/lib",
       project({{"empty/lib/c.ts", "c"}}, {"empty/", "src/lib/c.ts"}),
       project({{"empty/lib/c.ts", "c"}}, {"empty/"})},
      {"src/lib", "", "lib", project({{"lib/c.ts", "c"}}, {"src/lib/c.ts"}),
       project({{"lib/c.ts", "c"}})},
      {"~2/~0", "~1", "empty/a.ts", project({{"empty/a.ts", "a"}}, {"empty/", "src/a.ts"}),
       project({{"empty/a.ts", "a"}}, {"empty/"})},
      {"src/lib/c.ts", "src", "src/c.ts",
       project({{"src/c.ts", "c"}, {"src/lib/", ""}}, {"src/lib/c.ts"}),
       project({{"src/c.ts", "c"}})},
      {"empty", "src/none", "src/none", project({{"src/none/", ""}}, {"empty/"}),
       project({{"src/none/", ""}})},
      {"src/a.ts", "src/c.ts", "src/c.ts", project({{"src/c.ts", "a"}}, {"src/a.ts"}),
       project({{"src/c.ts", "a"}})},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.from + " to " + c.to);
    auto moved = must(mv(t.stage, root, path(c.from), path(c.to)));
    EXPECT_EQ(t.files(moved.root), c.moved);
    EXPECT_EQ(moved.to.render(), c.landed);
    auto copied = must(cp(t.stage, root, path(c.from), path(c.to)));
    EXPECT_EQ(t.files(copied.root), c.copied);
    EXPECT_EQ(copied.to.render(), c.landed);
    EXPECT_EQ(copied.from, must(locate(t.view(root), path(c.from))).path);
  }
}

TEST_F(Transfer, RefusesTheSameWhetherItMovesOrCopies) {
  struct Case {
    std::string from;
    std::string to;
    Code code;
  };
  const Case cases[] = {
      {"src/a.ts", "README.md", Code::kTargetExists},
      {"src/a.ts", "src/a.ts", Code::kTargetExists},
      {"src/lib", "README.md", Code::kTargetExists},
      {"src/a.ts", "~0", Code::kTargetExists},
      {"src/a.ts", "src", Code::kTargetExists},  // there is one in it
      {"src/lib", "src", Code::kTargetExists},
      {"README.md", "", Code::kTargetExists},
      {"nothing", "x", Code::kPathNotFound},
      {"src/nothing", "src", Code::kPathNotFound},
      {"~7", "x", Code::kPathNotFound},
      {"README.md/x", "x", Code::kNotADirectory},
      {"src/a.ts", "README.md/x", Code::kNotADirectory},
      {"README.md", "README.md/x", Code::kNotADirectory},  // a file below itself
      {"README.md", "README.md/x/y", Code::kNotADirectory},
      {"src/a.ts", "~3", Code::kInvalidPath},
      {"src/a.ts", "x/~0", Code::kInvalidPath},
      {"", "x", Code::kInvalidPath},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.from + " to " + c.to);
    EXPECT_THAT(mv(t.stage, root, path(c.from), path(c.to)), FailsWith(c.code));
    EXPECT_THAT(cp(t.stage, root, path(c.from), path(c.to)), FailsWith(c.code));
  }
}

TEST_F(Transfer, OfADirectoryIntoItselfIsRefusedForAMoveAndASnapshotForACopy) {
  struct Case {
    std::string to;
    std::string landed;
    Files copied;
  };
  const Case cases[] = {
      {"src", "src/src",
       project({{"src/src/a.ts", "a"}, {"src/src/b.ts", "b"}, {"src/src/lib/c.ts", "c"}})},
      {"src/lib", "src/lib/src",
       project(
           {{"src/lib/src/a.ts", "a"}, {"src/lib/src/b.ts", "b"}, {"src/lib/src/lib/c.ts", "c"}})},
      {"src/x/y", "src/x/y",
       project({{"src/x/y/a.ts", "a"}, {"src/x/y/b.ts", "b"}, {"src/x/y/lib/c.ts", "c"}})},
      {"~2/lib", "src/lib/src",
       project(
           {{"src/lib/src/a.ts", "a"}, {"src/lib/src/b.ts", "b"}, {"src/lib/src/lib/c.ts", "c"}})},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.to);
    EXPECT_THAT(mv(t.stage, root, path("src"), path(c.to)), FailsWith(Code::kMoveIntoSelf));
    auto copied = must(cp(t.stage, root, path("src"), path(c.to)));
    EXPECT_EQ(t.files(copied.root), c.copied);
    EXPECT_EQ(copied.to.render(), c.landed);
  }
}

TEST_F(Transfer, ToANameThatOnlyBeginsLikeTheSourceIsNoMoveIntoSelf) {
  auto moved = must(mv(t.stage, root, path("empty"), path("empty2/x")));
  EXPECT_EQ(t.files(moved.root), project({{"empty2/x/", ""}}, {"empty/"}));
}

TEST_F(Transfer, KeepsTheContentType) {
  auto moved = must(mv(t.stage, root, path("src/a.ts"), path("a.json")));
  auto type = must(locate(t.view(root), path("src/a.ts"))).entry.type;
  EXPECT_EQ(must(locate(t.view(moved.root), path("a.json"))).entry.type, type);
}

// A name of `~` and digits can come in with a node that somebody else encoded.
TEST_F(Transfer, WorksOnNamesThatLookLikeIndices) {
  auto odd = t.tree({{"~5", "five"}, {"a", "1"}, {"d/~0", "zero"}, {"d/x", "2"}});
  EXPECT_EQ(t.files(must(write(t.stage, odd, path("~2"), "X")).root),
            (Files{{"~5", "X"}, {"a", "1"}, {"d/~0", "zero"}, {"d/x", "2"}}));
  EXPECT_EQ(t.files(must(rm(t.stage, odd, path("d/~1"))).root),
            (Files{{"~5", "five"}, {"a", "1"}, {"d/x", "2"}}));
  EXPECT_EQ(t.files(must(cp(t.stage, odd, path("~2"), path("d"))).root),
            (Files{{"~5", "five"}, {"a", "1"}, {"d/x", "2"}, {"d/~0", "zero"}, {"d/~5", "five"}}));
  const Replacement five[] = {{"five", "5"}};
  EXPECT_EQ(t.files(must(edit(t.stage, odd, path("~2"), five)).root),
            (Files{{"~5", "5"}, {"a", "1"}, {"d/~0", "zero"}, {"d/x", "2"}}));
}

// ---- edit ---------------------------------------------------------------------------------------

class Edit : public ChangeTest {
 protected:
  Result<TextEditResult> edited(const std::string& before, std::vector<Replacement> edits) {
    auto with = must(write(t.stage, root, path("f.txt"), before)).root;
    return edit(t.stage, with, path("f.txt"), edits);
  }
};

TEST_F(Edit, ReplacesExactTextInOrder) {
  struct Case {
    std::string before;
    std::vector<Replacement> edits;
    std::string after;
    std::vector<std::size_t> counts;
  };
  const Case cases[] = {
      {"one two\n", {{"two", "2"}}, "one 2\n", {1}},
      {"a b a\n", {{"a", "c", true}}, "c b c\n", {2}},
      {"a\nb\n", {{"a\nb", "x"}}, "x\n", {1}},
      {"a\n", {{"a", "b"}, {"b", "c"}}, "c\n", {1, 1}},
      {"a\r\nb\r\nc\r\n", {{"a\nb", "x\ny\nz"}}, "x\r\ny\r\nz\r\nc\r\n", {1}},
      {"gone", {{"gone", ""}}, "", {1}},
      {"é", {{"é", "è"}}, "è", {1}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.before);
    auto result = must(edited(c.before, c.edits));
    EXPECT_EQ(t.files(result.root), project({{"f.txt", c.after}}));
    EXPECT_EQ(result.counts, c.counts);
    EXPECT_EQ(result.file.bytes, c.after.size());
  }
}

TEST_F(Edit, ShowsAUnifiedDiff) {
  auto result = must(edited("one\ntwo\nthree\n", {{"two", "2"}}));
  EXPECT_EQ(result.diff, "--- f.txt\n+++ f.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
}

TEST_F(Edit, RefusesWithTheReason) {
  EXPECT_THAT(edited("a b\n", {{"c", "d"}}), FailsWith(Code::kEditNoMatch));
  EXPECT_THAT(edited("a a\n", {{"a", "b"}}), FailsWith(Code::kEditAmbiguous));
  EXPECT_THAT(edited("a b\n", {{"a", "x"}, {"a", "y"}}), FailsWith(Code::kEditNoMatch));
  EXPECT_THAT(edited("a\n", {{"", "x"}}), FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(edited(std::string("a\0b", 3), {{"a", "x"}}), FailsWith(Code::kNotText));
  EXPECT_THAT(edited("\xff\xfe", {{"a", "x"}}), FailsWith(Code::kNotText));
  EXPECT_THAT(edited(std::string(kMaxEditedSize + 1, 'x'), {{"a", "x"}}),
              FailsWith(Code::kFileTooLarge));
  const Replacement any[] = {{"a", "b"}};
  EXPECT_THAT(edit(t.stage, root, path("src"), any), FailsWith(Code::kNotAFile));
  EXPECT_THAT(edit(t.stage, root, Path(), any), FailsWith(Code::kNotAFile));
  EXPECT_THAT(edit(t.stage, root, path("nothing"), any), FailsWith(Code::kPathNotFound));
  EXPECT_THAT(edit(t.stage, root, path("README.md/x"), any), FailsWith(Code::kNotADirectory));
}

TEST_F(Edit, WorksUpToTheLargestSize) {
  std::string large(kMaxEditedSize, 'x');
  large[1'000'000] = 'a';
  auto result = must(edited(large, {{"a", "b"}}));
  large[1'000'000] = 'b';
  EXPECT_EQ(t.files(result.root), project({{"f.txt", large}}));
}

TEST_F(Edit, WorksByIndexAndKeepsTheType) {
  auto with = must(write(t.stage, root, path("f.txt"), "one", "text/x-mine")).root;
  const Replacement one[] = {{"one", "two"}};
  auto result = must(edit(t.stage, with, path("~2"), one));
  EXPECT_EQ(result.path.render(), "f.txt");
  EXPECT_EQ(result.file.type, "text/x-mine");
  EXPECT_EQ(t.files(result.root), project({{"f.txt", "two"}}));
}

// ---- rewrite ------------------------------------------------------------------------------------

class Rewrite : public ChangeTest {
 protected:
  struct Plan {
    std::map<std::string, std::string> from;
    std::vector<std::string> dirs;
    std::vector<std::string> deletes;
  };

  RewritePlan plan(const Plan& given) {
    RewritePlan out;
    for (const auto& [to, from] : given.from) out.entries[path(to)] = FromPath{path(from)};
    for (const auto& dir : given.dirs) out.entries[path(dir)] = EmptyDir{};
    for (const auto& where : given.deletes) out.deletes.push_back(path(where));
    return out;
  }
};

TEST_F(Rewrite, DescribesTheTreeThatComesOut) {
  struct Case {
    std::string what;
    Plan plan;
    Files after;
    std::optional<std::size_t> deleted = std::nullopt;  // otherwise all of them
  };
  const Case cases[] = {
      {"copy", {{{"x/a", "src/a.ts"}}, {}, {}}, project({{"x/a", "a"}})},
      {"move", {{{"x/a", "src/a.ts"}}, {}, {"src/a.ts"}}, project({{"x/a", "a"}}, {"src/a.ts"})},
      {"from reads the original, also below what is deleted",
       {{{"c", "src/lib/c.ts"}}, {}, {"src"}},
       {{"README.md", "hello\n"}, {"c", "c"}, {"empty/", ""}}},
      {"the same path deleted and written",
       {{{"src", "src/lib"}}, {}, {"src"}},
       {{"README.md", "hello\n"}, {"empty/", ""}, {"src/c.ts", "c"}}},
      {"a path replaces what is there",
       {{{"README.md", "src/a.ts"}}, {}, {}},
       project({{"README.md", "a"}})},
      {"a file replaces a directory",
       {{{"src", "README.md"}}, {}, {}},
       {{"README.md", "hello\n"}, {"empty/", ""}, {"src", "hello\n"}}},
      {"two files change places",
       {{{"src/a.ts", "src/b.ts"}, {"src/b.ts", "src/a.ts"}}, {}, {}},
       project({{"src/a.ts", "b"}, {"src/b.ts", "a"}})},
      {"a directory and what is below it change places",
       {{{"src", "src/lib"}, {"src/lib", "src"}}, {}, {}},
       {{"README.md", "hello\n"},
        {"empty/", ""},
        {"src/c.ts", "c"},
        {"src/lib/a.ts", "a"},
        {"src/lib/b.ts", "b"},
        {"src/lib/lib/c.ts", "c"}}},
      {"an entry below another entry",
       {{{"new", "src"}, {"new/lib/r", "README.md"}}, {}, {}},
       project({{"new/a.ts", "a"},
                {"new/b.ts", "b"},
                {"new/lib/c.ts", "c"},
                {"new/lib/r", "hello\n"}})},
      {"an entry below a new directory",
       {{{"d/r", "README.md"}}, {"d"}, {}},
       project({{"d/r", "hello\n"}})},
      {"an entry below what is deleted",
       {{{"src/r", "README.md"}}, {}, {"src"}},
       {{"README.md", "hello\n"}, {"empty/", ""}, {"src/r", "hello\n"}}},
      {"a new directory", {{}, {"x/y"}, {}}, project({{"x/y/", ""}})},
      {"a directory over a directory changes nothing", {{}, {"src", "empty"}, {}}, kProject},
      {"a directory over a deleted file",
       {{}, {"README.md"}, {"README.md"}},
       project({{"README.md/", ""}}, {"README.md"})},
      {"a directory over a deleted directory",
       {{}, {"src"}, {"src"}},
       {{"README.md", "hello\n"}, {"empty/", ""}, {"src/", ""}}},
      {"deletes of a directory and of what is in it",
       {{}, {}, {"src/a.ts", "src", "src/lib/c.ts"}},
       {{"README.md", "hello\n"}, {"empty/", ""}}},
      {"the same deleted twice, by its name and by its index",
       {{}, {}, {"src", "src", "~2"}},
       {{"README.md", "hello\n"}, {"empty/", ""}},
       1},
      {"indices are those of the original",
       {{{"~0", "~2/~1"}, {"~1/x", "~0"}}, {}, {"~2/~0"}},
       project({{"README.md", "b"}, {"empty/x", "hello\n"}}, {"empty/", "src/a.ts"})},
      {"the root as a source",
       {{{"old", ""}}, {}, {"src", "empty"}},
       {{"README.md", "hello\n"},
        {"old/README.md", "hello\n"},
        {"old/empty/", ""},
        {"old/src/a.ts", "a"},
        {"old/src/b.ts", "b"},
        {"old/src/lib/c.ts", "c"}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    auto result = must(rewrite(t.stage, root, plan(c.plan)));
    EXPECT_EQ(t.files(result.root), c.after);
    EXPECT_EQ(result.entries_applied, c.plan.from.size() + c.plan.dirs.size());
    EXPECT_EQ(result.deleted, c.deleted.value_or(c.plan.deletes.size()));
    EXPECT_TRUE(result.linked.empty());
  }
}

TEST_F(Rewrite, RefusesAsAWhole) {
  struct Case {
    std::string what;
    Plan plan;
    Code code;
  };
  const Case cases[] = {
      {"nothing to do", {}, Code::kEmptyRewrite},
      {"a source that is not there",
       {{{"x", "src/a.ts"}, {"y", "no"}}, {}, {}},
       Code::kPathNotFound},
      {"a delete that is not there", {{{"x", "src/a.ts"}}, {}, {"no"}}, Code::kPathNotFound},
      {"a directory over a file", {{}, {"README.md"}, {}}, Code::kExistsAsFile},
      {"a directory over a new file", {{{"x", "src/a.ts"}}, {"x/y"}, {}}, Code::kNotADirectory},
      {"below a file", {{{"README.md/x", "src/a.ts"}}, {}, {}}, Code::kNotADirectory},
      {"below a file put by another entry",
       {{{"x", "src/a.ts"}, {"x/y", "src/b.ts"}}, {}, {}},
       Code::kNotADirectory},
      {"through a file", {{{"x", "README.md/y"}}, {}, {}}, Code::kNotADirectory},
      {"the root as a target", {{{"", "src"}}, {}, {}}, Code::kInvalidPath},
      {"the root deleted", {{}, {}, {""}}, Code::kInvalidPath},
      {"an index that names nothing", {{{"~3", "src"}}, {}, {}}, Code::kInvalidPath},
      {"two spellings of one path",
       {{{"~0", "src/a.ts"}, {"README.md", "src/b.ts"}}, {}, {}},
       Code::kInvalidArgument},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(rewrite(t.stage, root, plan(c.plan)), FailsWith(c.code)) << c.what;
  }
}

TEST_F(Rewrite, TakesAHundredEntriesAndDeletesTogether) {
  Plan hundred;
  for (int i = 0; i < 98; ++i) hundred.from["n" + std::to_string(i)] = "src/a.ts";
  hundred.dirs = {"d"};
  hundred.deletes = {"empty"};
  auto result = must(rewrite(t.stage, root, plan(hundred)));
  EXPECT_EQ(result.entries_applied, 99U);
  EXPECT_EQ(t.files(result.root).size(), kProject.size() + 98);
  hundred.deletes.push_back("src");
  EXPECT_THAT(rewrite(t.stage, root, plan(hundred)), FailsSaying(Code::kTooManyEntries, "101"));
}

TEST_F(Rewrite, LinksNodesByKey) {
  auto other = t.tree({{"o/p", "P"}});
  RewritePlan linking;
  linking.entries[path("mounted/here")] = LinkNode{other->key()};
  linking.entries[path("src/a.ts")] = LinkNode{must(locate(t.view(other), path("o/p"))).entry.key};
  auto result = must(rewrite(t.stage, root, linking));
  EXPECT_EQ(t.files(result.root), project({{"mounted/here/o/p", "P"}, {"src/a.ts", "P"}}));
  EXPECT_EQ(result.linked.size(), 2U);
}

TEST_F(Rewrite, LinksWholeFilesAndDirectoriesOnly) {
  auto large = must(write_file(t.stage, "text/plain", std::string(500'000, 'x')));
  RewritePlan linking;
  linking.entries[path("x")] = LinkNode{large->key()};
  EXPECT_EQ(must(rewrite(t.stage, root, linking)).linked, std::vector{large->key()});
  linking.entries[path("x")] = LinkNode{large->pieces()[0].key};
  EXPECT_THAT(rewrite(t.stage, root, linking), FailsWith(Code::kInvalidArgument));
  linking.entries[path("x")] = LinkNode{NodeKey::of("nowhere")};
  EXPECT_THAT(rewrite(t.stage, root, linking), FailsWith(Code::kNodeNotFound));
}

// ---- The editor ---------------------------------------------------------------------------------

std::size_t dict_nodes(const Stage& stage, const NodePtr& root) {
  std::size_t count = 0;
  for (const auto& node : stage.reachable(root->key())) count += node->kind() == Kind::kDict;
  return count;
}

TEST(TreeEditor, EditsOfManyFilesAtOnceCostOneRebuild) {
  Trees t;
  Files many;
  for (int i = 0; i < 3000; ++i) many["dir/old" + std::to_string(i)] = "x";
  auto root = t.tree(many);
  t.store.store(t.stage, root);

  Stage stage(t.store);
  TreeEditor editor(stage, root);
  auto file = must(write_file(stage, "text/plain", "new"));
  for (int i = 0; i < 1000; ++i) {
    auto name = "new" + std::to_string(i);
    must(editor.put(path("dir/" + name), EntryValue::of(entry_for(name, *file))));
    many["dir/" + name] = "new";
  }
  auto edited = must(editor.finish());
  Stage scratch(t.store);
  EXPECT_EQ(edited->key(), build_tree(scratch, typed(many))->key());
  // A node holds at least kMin children: a thousand new names fill no more than these, and the
  // nodes where they meet the old ones.
  EXPECT_LE(dict_nodes(stage, edited), 1000 / DictBoundary::kMin + 8);
}

TEST(TreeEditor, LeavesBehindWhatALaterChangeReplaced) {
  Trees t;
  TreeEditor editor(t.stage, t.tree({{"a/b/c", "1"}, {"f", "2"}}));
  auto file = must(write_file(t.stage, "text/plain", "new"));
  auto value = EntryValue::of(entry_for("", *file));
  must(editor.put(path("a/b/d"), value));
  must(editor.remove(path("a")));
  EXPECT_EQ(must(editor.find(path("a/b/c"))), std::nullopt);
  must(editor.remove(path("not/there")));
  must(editor.put(path("a/x"), value));
  EXPECT_EQ(must(editor.find(path("a/x"))), value);
  EXPECT_THAT(editor.put(path("f/x"), value), FailsWith(Code::kNotADirectory));
  EXPECT_THAT(editor.make_dir(path("a/x")), FailsWith(Code::kNotADirectory));
  EXPECT_EQ(must(editor.find(path("f/x"))), std::nullopt);
  EXPECT_EQ(t.files(must(editor.finish())), (Files{{"a/x", "new"}, {"f", "2"}}));
}

TEST(TreeEditor, WithoutChangesGivesTheSameRoot) {
  Trees t;
  auto root = t.tree(kProject);
  TreeEditor editor(t.stage, root);
  must(editor.find(path("src/lib/c.ts")));
  must(editor.make_dir(path("src/lib")));
  EXPECT_EQ(must(editor.finish())->key(), root->key());
}

}  // namespace
}  // namespace cairn
