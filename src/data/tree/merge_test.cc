#include "data/tree/merge.h"

#include <algorithm>

#include "data/tree/tree_testing.h"

namespace cairn {
namespace {

using namespace tree_testing;
using testing::ElementsAre;
using testing::IsEmpty;

class Merge : public testing::Test {
 protected:
  MergeResult merged(const Files& base, const Files& ours, const Files& theirs) {
    return must(merge_unbounded(t.stage, t.tree(base), t.tree(ours), t.tree(theirs)));
  }
  // The files of a clean merge.
  Files clean(const Files& base, const Files& ours, const Files& theirs) {
    auto result = merged(base, ours, theirs);
    EXPECT_THAT(result.conflicts, IsEmpty());
    return result.root ? t.files(result.root) : Files{{"conflict", ""}};
  }
  std::vector<std::string> conflicts(const Files& base, const Files& ours, const Files& theirs) {
    auto result = merged(base, ours, theirs);
    EXPECT_EQ(result.root == nullptr, !result.conflicts.empty());
    return result.conflicts;
  }

  Trees t;
};

// ---- Examples -----------------------------------------------------------------------------------

const Files kBase = {{"a", "1\n"}, {"d/b", "2\n"}, {"d/e/c", "3\n"}, {"empty/", ""}};

Files with(Files files, const Files& set, const std::vector<std::string>& without = {}) {
  for (const auto& where : without) files.erase(where);
  for (const auto& [where, bytes] : set) files[where] = bytes;
  return files;
}

TEST_F(Merge, TakesBothSidesOfDisjointChanges) {
  struct Case {
    std::string what;
    Files ours;
    Files theirs;
    Files merged;
  };
  const Case cases[] = {
      {"two files", with(kBase, {{"a", "x"}}), with(kBase, {{"d/b", "y"}}),
       with(kBase, {{"a", "x"}, {"d/b", "y"}})},
      {"additions in one directory", with(kBase, {{"d/x", "x"}}), with(kBase, {{"d/y", "y"}}),
       with(kBase, {{"d/x", "x"}, {"d/y", "y"}})},
      {"additions in a directory both made", with(kBase, {{"n/m/x", "x"}}),
       with(kBase, {{"n/m/y", "y"}}), with(kBase, {{"n/m/x", "x"}, {"n/m/y", "y"}})},
      {"a change and a removal", with(kBase, {{"a", "x"}}), with(kBase, {}, {"d/b"}),
       with(kBase, {{"a", "x"}}, {"d/b"})},
      {"a change beside a removed directory", with(kBase, {{"d/b", "x"}}),
       with(kBase, {}, {"d/e/c"}), with(kBase, {{"d/b", "x"}}, {"d/e/c"})},
      {"both removed the same", with(kBase, {}, {"a"}), with(kBase, {}, {"a"}),
       with(kBase, {}, {"a"})},
      {"both added the same", with(kBase, {{"n", "x"}}), with(kBase, {{"n", "x"}}),
       with(kBase, {{"n", "x"}})},
      {"both changed to the same", with(kBase, {{"a", "x"}}), with(kBase, {{"a", "x"}}),
       with(kBase, {{"a", "x"}})},
      {"both removed the last of a directory", with(kBase, {{"d/e/", ""}}, {"d/e/c"}),
       with(kBase, {{"d/e/", ""}, {"n", "x"}}, {"d/e/c"}),
       with(kBase, {{"d/e/", ""}, {"n", "x"}}, {"d/e/c"})},
      {"an empty directory removed here, another made there", with(kBase, {}, {"empty/"}),
       with(kBase, {{"empty2/", ""}}), with(kBase, {{"empty2/", ""}}, {"empty/"})},
      {"a file that became a directory on both sides", with(kBase, {{"a/x", "x"}}, {"a"}),
       with(kBase, {{"a/y", "y"}}, {"a"}), with(kBase, {{"a/x", "x"}, {"a/y", "y"}}, {"a"})},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(clean(kBase, c.ours, c.theirs), c.merged);
    EXPECT_EQ(clean(kBase, c.theirs, c.ours), c.merged);
  }
}

TEST_F(Merge, ReportsWhatDoesNotFit) {
  struct Case {
    std::string what;
    Files ours;
    Files theirs;
    std::vector<std::string> conflicts;
  };
  const Case cases[] = {
      {"one line, two ways", with(kBase, {{"a", "x\n"}}), with(kBase, {{"a", "y\n"}}), {"a"}},
      {"removed and changed", with(kBase, {}, {"a"}), with(kBase, {{"a", "x"}}), {"a"}},
      {"a directory removed and changed below",
       with(kBase, {}, {"d/b", "d/e/c"}),
       with(kBase, {{"d/e/c", "x"}}),
       {"d"}},
      {"a directory removed and added to",
       with(kBase, {}, {"d/e/c"}),
       with(kBase, {{"d/e/n", "x"}}),
       {"d/e"}},
      {"added two ways", with(kBase, {{"n", "x"}}), with(kBase, {{"n", "y"}}), {"n"}},
      {"a file here, a directory there",
       with(kBase, {{"n", "x"}}),
       with(kBase, {{"n/x", "x"}}),
       {"n"}},
      {"a directory that became a file, changed below",
       with(kBase, {{"d", "x"}}, {"d/b", "d/e/c"}),
       with(kBase, {{"d/b", "y"}}),
       {"d"}},
      {"two at once, nested",
       with(kBase, {{"a", "x\n"}, {"d/e/c", "x\n"}}),
       with(kBase, {{"a", "y\n"}, {"d/e/c", "y\n"}}),
       {"a", "d/e/c"}},
      {"in a directory both made",
       with(kBase, {{"n/m", "x"}, {"n/o", "o"}}),
       with(kBase, {{"n/m", "y"}}),
       {"n/m"}},
      {"binary",
       with(kBase, {{"a", std::string("\0x", 2)}}),
       with(kBase, {{"a", std::string("\0y", 2)}}),
       {"a"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(conflicts(kBase, c.ours, c.theirs), c.conflicts);
    EXPECT_EQ(conflicts(kBase, c.theirs, c.ours), c.conflicts);
  }
}

TEST_F(Merge, MergesTextByLine) {
  const std::string base = "1\n2\n3\n4\n5\n6\n7\n";
  EXPECT_EQ(clean({{"d/t", base}}, {{"d/t", "one\n2\n3\n4\n5\n6\n7\n"}},
                  {{"d/t", "1\n2\n3\n4\n5\n6\nseven\n8\n"}}),
            (Files{{"d/t", "one\n2\n3\n4\n5\n6\nseven\n8\n"}}));
  EXPECT_THAT(conflicts({{"t", base}}, {{"t", "1\n2\n3\nour 4\n5\n6\n7\n"}},
                        {{"t", "1\n2\n3\ntheir 4\n5\n6\n7\n"}}),
              ElementsAre("t"));
}

TEST_F(Merge, MergesJsonByKey) {
  EXPECT_EQ(clean({{"p.json", R"({"a":1,"b":2})"}}, {{"p.json", R"({"a":9,"b":2})"}},
                  {{"p.json", R"({"a":1,"b":8})"}}),
            (Files{{"p.json", R"({"a":9,"b":8})"}}));
  EXPECT_THAT(
      conflicts({{"p.json", R"({"a":1})"}}, {{"p.json", R"({"a":2})"}}, {{"p.json", R"({"a":3})"}}),
      ElementsAre("p.json"));
  // The same bytes are one line of text elsewhere.
  EXPECT_THAT(conflicts({{"p.txt", R"({"a":1,"b":2})"}}, {{"p.txt", R"({"a":9,"b":2})"}},
                        {{"p.txt", R"({"a":1,"b":8})"}}),
              ElementsAre("p.txt"));
}

TEST_F(Merge, NeverMakesBrokenJsonOfWhole) {
  // By line both fit; but a name would occur twice.
  const std::string base = "{\n\"a\": 1,\n\"b\": 2,\n\"c\": 3,\n\"d\": 4\n}\n";
  const std::string top = "{\n\"k\": 5,\n\"a\": 1,\n\"b\": 2,\n\"c\": 3,\n\"d\": 4\n}\n";
  const std::string end = "{\n\"a\": 1,\n\"b\": 2,\n\"c\": 3,\n\"k\": 6,\n\"d\": 4\n}\n";
  EXPECT_THAT(conflicts({{"j.json", base}}, {{"j.json", top}}, {{"j.json", end}}),
              ElementsAre("j.json"));
  EXPECT_THAT(conflicts({{"j.txt", base}}, {{"j.txt", top}}, {{"j.txt", end}}), IsEmpty());
}

TEST_F(Merge, MergesJsonByLineWhereKeysDoNotHelp) {
  const std::string base = "[\n1,\n2,\n3,\n4,\n5\n]\n";
  EXPECT_EQ(clean({{"l.json", base}}, {{"l.json", "[\n0,\n1,\n2,\n3,\n4,\n5\n]\n"}},
                  {{"l.json", "[\n1,\n2,\n3,\n4,\n5,\n6\n]\n"}}),
            (Files{{"l.json", "[\n0,\n1,\n2,\n3,\n4,\n5,\n6\n]\n"}}));
}

TEST_F(Merge, JoinsAChangeOfTypeAndAChangeOfContent) {
  // Also of binary content, which is never merged inside.
  for (const auto& [old_bytes, new_bytes] : {std::pair<std::string, std::string>("1\n", "2\n"),
                                             {{"\0"
                                               "1",
                                               2},
                                              {"\0"
                                               "2",
                                               2}}}) {
    auto base = build_tree(t.stage, {{"f", {old_bytes, "text/plain"}}});
    auto ours = build_tree(t.stage, {{"f", {old_bytes, "text/markdown"}}});
    auto theirs = build_tree(t.stage, {{"f", {new_bytes, "text/plain"}}});
    for (const auto& [a, b] : {std::pair(ours, theirs), std::pair(theirs, ours)}) {
      auto result = must(merge_unbounded(t.stage, base, a, b));
      ASSERT_TRUE(result.root);
      EXPECT_EQ(typed_files(t.stage, result.root),
                (TypedFiles{{"f", {new_bytes, "text/markdown"}}}));
    }
  }
  auto base = build_tree(t.stage, {{"f", {"1\n", "text/plain"}}});
  auto ours = build_tree(t.stage, {{"f", {"1\n", "text/markdown"}}});
  auto third = build_tree(t.stage, {{"f", {"1\n", "text/html"}}});
  EXPECT_THAT(must(merge_unbounded(t.stage, base, ours, third)).conflicts, ElementsAre("f"));
}

TEST_F(Merge, LeavesFilesOverTheLimitToNodes) {
  std::string large(kMaxMergeBytes, 'x');
  large += "\n";
  EXPECT_THAT(conflicts({{"l", large}}, {{"l", "top\n" + large}}, {{"l", large + "end\n"}}),
              ElementsAre("l"));
  EXPECT_EQ(clean({{"l", large}}, {{"l", large}, {"n", "1"}}, {{"l", large + "end\n"}}),
            (Files{{"l", large + "end\n"}, {"n", "1"}}));
}

TEST_F(Merge, SaysWhatCameFromTheirs) {
  const std::string text = "1\n2\n3\n4\n5\n";
  const Files base = {{"a", "1"}, {"d/b", text}, {"d/c", "3"}, {"whole/x", "4"}, {"z", "5"}};
  const Files ours = {
      {"a", "our"}, {"d/b", "0\n" + text}, {"d/c", "3"}, {"whole/x", "4"}, {"z", "5"}};
  const Files theirs = {{"a", "1"}, {"d/b", text + "6\n"}, {"d/c", "c"}, {"whole/x", "x"}};
  auto result = merged(base, ours, theirs);
  ASSERT_TRUE(result.root);
  EXPECT_THAT(result.from_theirs, ElementsAre("d/b", "d/c", "whole", "z"));
  // A change that both made is nobody's news.
  EXPECT_THAT(merged(base, ours, ours).from_theirs, IsEmpty());
  EXPECT_THAT(merged(base, ours, base).from_theirs, IsEmpty());
}

TEST_F(Merge, SaysWhatBothSidesDid) {
  const std::string text = "1\n2\n3\n4\n5\n";
  const Files base = {{"a", "1"}, {"d/b", text}, {"d/e/c", "3"}, {"j.json", R"({"x":1,"y":1})"}};
  // The same file, the same new directory, the same line, the same member.
  const Files ours = {{"a", "2"},
                      {"d/b", "0\n2\n3\n4\n5\n"},
                      {"d/e/c", "3"},
                      {"j.json", R"({"x":2,"y":1})"},
                      {"n/m", "1"}};
  const Files theirs = {{"a", "2"},
                        {"d/b", "0\n2\n3\n4\n6\n"},
                        {"d/e/c", "4"},
                        {"j.json", R"({"x":2,"y":2})"},
                        {"n/m", "1"}};
  EXPECT_THAT(merged(base, ours, theirs).same, ElementsAre("a", "d/b", "j.json", "n"));
  EXPECT_THAT(merged(base, ours, ours).same, ElementsAre("a", "d/b", "j.json", "n"));
  EXPECT_THAT(merged(base, ours, base).same, IsEmpty());
  EXPECT_THAT(merged(base, base, theirs).same, IsEmpty());
  // Different changes of one file.
  EXPECT_THAT(merged({{"t", text}, {"j.json", R"({"x":1,"y":1})"}},
                     {{"t", "0\n2\n3\n4\n5\n"}, {"j.json", R"({ "x": 2, "y":1, "z": 1})"}},
                     {{"t", "1\n2\n3\n4\n6\n"}, {"j.json", R"({"x":1,"y":2})"}})
                  .same,
              IsEmpty());
}

TEST_F(Merge, StoresAllThatTheResultNeeds) {
  auto base = t.tree(kBase);
  auto ours = t.tree(with(kBase, {{"d/e/c", "3\nour\n"}, {"n/x", "1"}}, {"empty/"}));
  auto theirs = t.tree(with(kBase, {{"d/e/c", "their\n3\n"}, {"n/y", "1"}}));
  for (const auto& root : {base, ours, theirs}) t.store.store(t.stage, root);
  Stage stage(t.store);
  auto result = must(merge_unbounded(stage, base, ours, theirs));
  ASSERT_TRUE(result.root) << testing::PrintToString(result.conflicts);
  t.store.store(stage, result.root);
  EXPECT_EQ(typed_files(t.store, result.root), typed_files(stage, result.root));
}

// ---- Laws ---------------------------------------------------------------------------------------

// A tree with a few files set, removed or replaced by directories.
Files changed(Files files, Dice& dice) {
  for (auto count = dice.below(5); count > 0 && !files.empty(); --count) {
    auto [where, bytes] = dice.pick(files);
    if (where.ends_with('/')) {
      files.erase(where);
    } else if (dice.one_in(3)) {
      files.erase(where);
    } else if (dice.one_in(6)) {
      files.erase(where);
      files[where + "/now-a-directory"] = bytes;
    } else {
      files[where] = dice.one_in(2) ? bytes + "more\n" : "first\n" + bytes;
    }
  }
  for (const auto& [where, bytes] : random_files(dice, 3)) {
    if (!where.ends_with('/')) files["new/" + where] = bytes;
  }
  return files;
}

TEST_F(Merge, KeepsItsLaws) {
  for_seeds(300, [&](Dice& dice) {
    auto base_files = random_files(dice, 12);
    auto base = t.tree(base_files);
    auto x = t.tree(changed(base_files, dice));
    auto y = t.tree(changed(base_files, dice));
    auto is = [&](const NodePtr& b, const NodePtr& o, const NodePtr& th, const NodePtr& expected) {
      auto result = must(merge_unbounded(t.stage, b, o, th));
      ASSERT_TRUE(result.root);
      ASSERT_EQ(result.root->key(), expected->key());
    };
    is(base, x, base, x);
    is(base, base, x, x);
    is(base, x, x, x);
    auto there = must(merge_unbounded(t.stage, base, x, y));
    auto back = must(merge_unbounded(t.stage, base, y, x));
    ASSERT_EQ(there.conflicts, back.conflicts);
    ASSERT_EQ(there.root == nullptr, !there.conflicts.empty());
    if (there.root) {
      ASSERT_EQ(t.files(there.root), t.files(back.root));
      // Once merged, merging again brings nothing.
      is(y, there.root, y, there.root);
      is(x, x, there.root, there.root);
    }
  });
}

// ---- An oracle for changes of whole files -------------------------------------------------------

std::set<std::string> dirs_of(const Files& files) {
  std::set<std::string> dirs;
  for (const auto& [where, bytes] : files) {
    for (auto slash = where.find('/'); slash != where.npos; slash = where.find('/', slash + 1)) {
      dirs.insert(where.substr(0, slash));
    }
  }
  return dirs;
}

// Every file and directory, with what stands there: "d", or "f" and the bytes.
std::map<std::string, std::string> things(const Files& files) {
  std::map<std::string, std::string> all;
  for (const auto& dir : dirs_of(files)) all[dir] = "d";
  for (const auto& [where, bytes] : files) {
    if (!where.ends_with('/')) all[where] = "f" + bytes;
  }
  return all;
}

struct OracleMerge {
  std::map<std::string, std::string> all;
  bool conflict = false;
};

// Path by path: the side that changed wins; both changed differently is a conflict, save for a
// directory on both. A directory that one side took away must be as it was on the other.
OracleMerge oracle_merge(const Files& base_files, const Files& our_files,
                         const Files& their_files) {
  auto base = things(base_files), ours = things(our_files), theirs = things(their_files);
  OracleMerge out;
  std::set<std::string> paths;
  for (const auto* side : {&base, &ours, &theirs}) {
    for (const auto& [where, what] : *side) paths.insert(where);
  }
  auto get = [](const std::map<std::string, std::string>& side, const std::string& where) {
    auto found = side.find(where);
    return found == side.end() ? std::string() : found->second;
  };
  auto same_below = [&](const std::map<std::string, std::string>& a,
                        const std::map<std::string, std::string>& b, const std::string& dir) {
    return std::ranges::all_of(paths, [&](const std::string& where) {
      return !where.starts_with(dir + "/") || get(a, where) == get(b, where);
    });
  };
  for (const auto& where : paths) {
    auto b = get(base, where), o = get(ours, where), th = get(theirs, where);
    // A directory is changed where anything below it is.
    bool we_changed = b != o || (b == "d" && !same_below(base, ours, where));
    bool they_changed = b != th || (b == "d" && !same_below(base, theirs, where));
    if (we_changed && they_changed && o != th) out.conflict = true;
    auto now = we_changed ? o : th;
    if (!now.empty()) out.all[where] = now;
  }
  return out;
}

TEST_F(Merge, DoesWhatTheOracleDoesForWholeFiles) {
  int clean_merges = 0;
  int refused = 0;
  for_seeds(600, [&](Dice& dice) {
    // One-line binary contents: nothing is merged inside a file.
    auto scrambled = [&](Files files) {
      for (auto count = dice.below(4); count > 0 && !files.empty(); --count) {
        auto [where, bytes] = dice.pick(files);
        if (dice.one_in(2) || where.ends_with('/')) {
          files.erase(where);
        } else {
          files[where] = std::string("\0", 1) + static_cast<char>('0' + dice.below(3));
        }
      }
      auto added = random_files(dice, 2);
      auto dirs = dirs_of(files);
      for (const auto& [where, bytes] : added) {
        bool fits = !dirs.contains(where) && !files.contains(where) && !where.ends_with('/');
        for (auto slash = where.find('/'); slash != where.npos;
             slash = where.find('/', slash + 1)) {
          fits = fits && !files.contains(where.substr(0, slash));
          files.erase(fits ? where.substr(0, slash) + "/" : "");
        }
        if (fits) files[where] = std::string("\0+", 2) + bytes;
      }
      return files;
    };
    auto base = random_files(dice, 14);
    auto ours = scrambled(base);
    auto theirs = scrambled(base);
    auto expected = oracle_merge(base, ours, theirs);
    auto got = merged(base, ours, theirs);
    ASSERT_EQ(got.root == nullptr, expected.conflict) << testing::PrintToString(got.conflicts);
    (got.root ? clean_merges : refused) += 1;
    if (!got.root) return;
    ASSERT_EQ(things(t.files(got.root)), expected.all);
    // Whatever they changed is there, and is told.
    auto before = things(base), after = things(theirs), mine = things(ours);
    auto told = [&](const std::string& where) {
      return std::ranges::any_of(got.from_theirs, [&](const std::string& path) {
        return where == path || where.starts_with(path + "/");
      });
    };
    for (const auto& [where, what] : after) {
      if (before[where] == what) continue;
      ASSERT_EQ(expected.all[where], what) << where;
      ASSERT_TRUE(mine[where] == what || told(where)) << where;
    }
  });
  if (from_environment("CAIRN_ROUNDS", 600) >= 600) {
    EXPECT_GT(clean_merges, 100);
    EXPECT_GT(refused, 50);
  }
}

TEST_F(Merge, IsDoneWholeOrNotAtAllWithinItsBudget) {
  auto base = t.tree({{"a", "1"}, {"b", "1"}, {"c", "1"}});
  auto ours = t.tree({{"a", "2"}, {"b", "1"}, {"c", "1"}});
  auto theirs = t.tree({{"a", "1"}, {"b", "2"}, {"c", "2"}});
  auto enough = t.within({.entries = 3});
  EXPECT_NE(must(merge(t.stage, base, ours, theirs, enough)).root, nullptr);
  auto little = t.within({.entries = 2});
  EXPECT_THAT(merge(t.stage, base, ours, theirs, little), FailsWith(Code::kBudgetExceeded));
}

}  // namespace
}  // namespace cairn
