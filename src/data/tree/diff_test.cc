#include "data/tree/diff.h"

#include <algorithm>

#include "data/cas/file.h"
#include "data/tree/change.h"
#include "data/tree/editor.h"
#include "data/tree/merge.h"
#include "data/tree/moves.h"
#include "data/tree/outline.h"
#include "data/tree/search.h"
#include "data/tree/tree_testing.h"

namespace cairn {
namespace {

using namespace tree_testing;
using testing::ElementsAre;
using testing::IsEmpty;

// "+path" added, "-path" removed, "*path" changed; "/" after a directory.
std::vector<std::string> rendered(const DiffResult& result) {
  std::vector<std::string> lines;
  for (const auto& change : result.changes) {
    EXPECT_TRUE(change.before || change.after);
    EXPECT_NE(change.before, change.after) << change.path;
    std::string sign = !change.before ? "+" : !change.after ? "-" : "*";
    const auto& value = change.after ? *change.after : *change.before;
    lines.push_back(sign + change.path + (value.kind == Kind::kDict ? "/" : ""));
  }
  return lines;
}

class Diff : public testing::Test {
 protected:
  DiffResult compare(const NodePtr& before, const NodePtr& after, Directories directories) {
    auto budget = t.unlimited();
    auto result = must(diff(t.stage, before, after, directories, budget));
    EXPECT_EQ(result.stopped_by, std::nullopt);
    return result;
  }
  std::vector<std::string> whole(const Files& before, const Files& after) {
    return rendered(compare(t.tree(before), t.tree(after), Directories::kWhole));
  }
  std::vector<std::string> expanded(const Files& before, const Files& after) {
    return rendered(compare(t.tree(before), t.tree(after), Directories::kExpanded));
  }

  Trees t;
};

TEST_F(Diff, NamesWhatWasAddedRemovedAndChanged) {
  struct Case {
    std::string what;
    Files before;
    Files after;
    std::vector<std::string> whole;
    std::vector<std::string> expanded;
  };
  const Case cases[] = {
      {"the same", {{"a", "1"}}, {{"a", "1"}}, {}, {}},
      {"both empty", {}, {}, {}, {}},
      {"files",
       {{"a", "1"}, {"b", "1"}},
       {{"b", "2"}, {"c", "1"}},
       {"-a", "*b", "+c"},
       {"-a", "*b", "+c"}},
      {"below a directory",
       {{"d/e/a", "1"}, {"d/x", ""}},
       {{"d/e/a", "2"}, {"d/x", ""}},
       {"*d/e/a"},
       {"*d/e/a"}},
      {"a directory added",
       {},
       {{"d/a", "1"}, {"d/e/b", "2"}, {"d/f/", ""}},
       {"+d/"},
       {"+d/a", "+d/e/b", "+d/f/"}},
      {"a directory removed", {{"d/a", "1"}, {"d/e/b", "2"}}, {}, {"-d/"}, {"-d/a", "-d/e/b"}},
      {"an empty directory added", {}, {{"d/", ""}}, {"+d/"}, {"+d/"}},
      {"an empty directory removed", {{"d/", ""}}, {}, {"-d/"}, {"-d/"}},
      {"a directory emptied", {{"d/a", "1"}}, {{"d/", ""}}, {"-d/a"}, {"-d/a"}},
      {"an empty directory filled", {{"d/", ""}}, {{"d/a", "1"}}, {"+d/a"}, {"+d/a"}},
      {"a file became a directory",
       {{"x", "1"}},
       {{"x/a", "1"}, {"x/b", "2"}},
       {"-x", "+x/"},
       {"-x", "+x/a", "+x/b"}},
      {"a directory became a file",
       {{"x/a", "1"}, {"x/b", "2"}},
       {{"x", "1"}},
       {"-x/", "+x"},
       {"-x/a", "-x/b", "+x"}},
      {"in the order of paths, not of their text",
       {{"a.b", "1"}, {"a/z", "1"}, {"a-c", "1"}},
       {{"a.b", "2"}, {"a/z", "2"}, {"a-c", "2"}},
       {"*a/z", "*a-c", "*a.b"},
       {"*a/z", "*a-c", "*a.b"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(whole(c.before, c.after), c.whole);
    EXPECT_EQ(expanded(c.before, c.after), c.expanded);
  }
}

TEST_F(Diff, SeesAChangeOfTypeAlone) {
  auto before = build_tree(t.stage, {{"a", {"1", "text/plain"}}});
  auto after = build_tree(t.stage, {{"a", {"1", "text/html"}}});
  EXPECT_THAT(rendered(compare(before, after, Directories::kWhole)), ElementsAre("*a"));
}

TEST_F(Diff, GivesWhatTheListingsShow) {
  auto result = compare(t.tree({{"a", "1"}}), t.tree({{"a", "22"}}), Directories::kWhole);
  ASSERT_EQ(result.changes.size(), 1U);
  EXPECT_EQ(result.changes[0].before->bytes, 1U);
  EXPECT_EQ(result.changes[0].after->bytes, 2U);
}

TEST_F(Diff, StopsWithTheBudgetAtAPrefixOfTheWhole) {
  Files before, after;
  for (int i = 100; i < 200; ++i) {
    before["d" + std::to_string(i % 7) + "/" + std::to_string(i)] = "1";
    after["e/" + std::to_string(i)] = "2";
  }
  for (auto directories : {Directories::kWhole, Directories::kExpanded}) {
    auto all = compare(t.tree(before), t.tree(after), directories).changes;
    for (std::int64_t entries = 0; entries < 220; entries += 7) {
      auto budget = t.within({.entries = entries});
      auto cut = must(diff(t.stage, t.tree(before), t.tree(after), directories, budget));
      ASSERT_LE(cut.changes.size(), all.size());
      EXPECT_LE(cut.changes.size(), static_cast<std::size_t>(entries));
      EXPECT_TRUE(std::equal(cut.changes.begin(), cut.changes.end(), all.begin()));
      EXPECT_EQ(cut.stopped_by.has_value(), cut.changes.size() < all.size());
    }
    auto bytes = t.within({.bytes = 650});
    auto cut = must(diff(t.stage, t.tree(before), t.tree(after), directories, bytes));
    EXPECT_EQ(cut.stopped_by, Budget::Limit::kBytes);
    EXPECT_EQ(cut.changes.size(), 4U);
    for (std::uint64_t skip = 0; skip < all.size() + 40; skip += 37) {
      auto budget = t.within({});
      cut = must(diff(t.stage, t.tree(before), t.tree(after), directories, budget,
                      {.skip = skip, .most = 10}));
      const auto begin = std::min<std::size_t>(skip, all.size());
      const auto end = std::min<std::size_t>(begin + 10, all.size());
      EXPECT_EQ(cut.changes, std::vector(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                         all.begin() + static_cast<std::ptrdiff_t>(end)));
      EXPECT_EQ(cut.more, end < all.size());
      EXPECT_EQ(cut.stopped_by, std::nullopt);
    }
    auto time = t.within({.time = std::chrono::milliseconds(1)});
    t.clock.advance(std::chrono::milliseconds(1));
    cut = must(diff(t.stage, t.tree(before), t.tree(after), directories, time));
    EXPECT_EQ(cut.stopped_by, Budget::Limit::kTime);
    EXPECT_THAT(cut.changes, IsEmpty());
  }
}

// Counts what is read through it.
class CountingReader final : public NodeReader {
 public:
  explicit CountingReader(const NodeReader& below) : below_(below) {}
  Result<NodePtr> get(const NodeKey& key) const override {
    count += 1;
    return below_.get(key);
  }
  mutable int count = 0;

 private:
  const NodeReader& below_;
};

TEST_F(Diff, ReadsOnlyWhatDiffersAndStopsReadingWhenCut) {
  Files before;
  for (int i = 0; i < 5000; ++i) before["d/" + std::to_string(i)] = "1";
  for (int i = 0; i < 200; ++i) before["other" + std::to_string(i) + "/x"] = "1";
  auto after = before;
  after["d/2500"] = "2";
  auto old_root = t.tree(before);
  auto new_root = t.tree(after);
  CountingReader reader(t.stage);
  auto budget = t.unlimited();
  EXPECT_EQ(must(diff(reader, old_root, new_root, Directories::kWhole, budget)).changes.size(), 1U);
  EXPECT_LT(reader.count, 40);

  CountingReader cut_reader(t.stage);
  auto one = t.within({.entries = 1});
  EXPECT_EQ(must(diff(cut_reader, old_root, t.tree({}), Directories::kExpanded, one)).stopped_by,
            Budget::Limit::kEntries);
  EXPECT_LT(cut_reader.count, 10);
}

// ---- Properties ---------------------------------------------------------------------------------

TEST_F(Diff, AppliedToOneTreeGivesTheOther) {
  for_seeds(500, [&](Dice& dice) {
    auto before = t.tree(random_files(dice, 25));
    auto after = t.tree(random_files(dice, 25));
    auto changes = compare(before, after, Directories::kWhole).changes;
    TreeEditor editor(t.stage, before);
    for (const auto& change : changes) {
      if (change.after) {
        must(editor.put(path(change.path), *change.after));
      } else {
        must(editor.remove(path(change.path)));
      }
    }
    ASSERT_EQ(must(editor.finish())->key(), after->key());
  });
}

std::set<std::string> directories_of(const Files& files) {
  std::set<std::string> dirs;
  for (const auto& [where, bytes] : files) {
    for (auto slash = where.find('/'); slash != where.npos; slash = where.find('/', slash + 1)) {
      dirs.insert(where.substr(0, slash + 1));
    }
  }
  return dirs;
}

TEST_F(Diff, ExpandedIsTheDifferenceOfTheSetsOfFiles) {
  for_seeds(500, [&](Dice& dice) {
    auto before = random_files(dice, 25);
    auto after = random_files(dice, 25);
    auto old_dirs = directories_of(before);
    auto new_dirs = directories_of(after);
    std::multiset<std::string> expected;
    for (const auto& [where, bytes] : before) {
      auto now = after.find(where);
      // An empty directory that has files now is still there.
      if (now == after.end() && !new_dirs.contains(where)) expected.insert("-" + where);
      if (now != after.end() && now->second != bytes) expected.insert("*" + where);
    }
    for (const auto& [where, bytes] : after) {
      if (!before.contains(where) && !old_dirs.contains(where)) expected.insert("+" + where);
    }
    auto got = expanded(before, after);
    ASSERT_EQ(std::multiset<std::string>(got.begin(), got.end()), expected);
  });
}

// ---- Depth --------------------------------------------------------------------------------------

// A chain of directories `x/x/x/…` as deep as copies of copies can make it, with a file at its end.
NodePtr chain(Stage& stage, std::size_t depth, const std::string& bytes) {
  auto file = must(write_file(stage, "text/plain", bytes));
  auto name = std::string("f");
  auto node = file;
  for (std::size_t i = 0; i < depth; ++i) {
    const Entry entries[] = {entry_for(name, *node)};
    node = make_dict(entries);
    must(stage.add(node));
    name = "x";
  }
  return node;
}

// A path of so many segments.
std::string path_of(std::size_t segments) {
  std::string out = "x";
  while (segments-- > 1) out += "/x";
  return out;
}

TEST(DeepTrees, AreLookedIntoAsFarAsAPathReachesAndTheRestIsSaidToBeLeftOut) {
  Trees t;
  auto glob = must(Glob::parse("f"));
  auto pattern = must(Pattern::compile("1", {}));
  struct Case {
    std::size_t depth;
    bool fits;
  };
  for (const auto& c : {Case{100, true}, Case{513, true}, Case{600, false}, Case{100'000, false}}) {
    SCOPED_TRACE(c.depth);
    auto one = chain(t.stage, c.depth, "1");
    auto two = chain(t.stage, c.depth, "2");
    auto budget = t.unlimited();
    const std::size_t left_out = c.fits ? 0 : 1;
    const auto found = must(find_entries(t.view(one), Path(), glob, {}, budget));
    EXPECT_EQ(found.matches.size(), 1 - left_out);
    EXPECT_EQ(found.skipped_deep, left_out);
    const auto searched = must(grep(t.view(one), Path(), pattern, {}, budget));
    EXPECT_EQ(searched.matches, 1 - left_out);
    EXPECT_EQ(searched.counts.skipped_deep, left_out);
    // The last directory that has a name stands for what is in it.
    const auto shown = c.fits ? path_of(c.depth - 1) + "/f" : path_of(513);
    for (const auto& changes :
         {must(diff(t.stage, one, two, Directories::kWhole, budget)).changes,
          must(diff(t.stage, t.tree({}), one, Directories::kExpanded, budget)).changes,
          must(diff(t.stage, one, t.tree({}), Directories::kExpanded, budget)).changes}) {
      ASSERT_EQ(changes.size(), 1U);
      EXPECT_EQ(changes.front().path, shown);
    }
    EXPECT_TRUE(diff_with_moves(t.stage, one, t.tree({}), budget));
    OutlineOptions all{.depth = -1, .max_entries = 1'000'000};
    const auto outlined = must(outline(t.view(one), Path(), all, budget));
    EXPECT_EQ(outlined.truncated, !c.fits);
    auto merged = merge_unbounded(t.stage, one, two, chain(t.stage, c.depth, "3"));
    EXPECT_EQ(merged.has_value(), c.fits);
    if (c.fits) {
      EXPECT_EQ(must(std::move(merged)).conflicts.size(), 1U);
    } else {
      EXPECT_THAT(merged, FailsSaying(Code::kInvalidPath, "nested more than 512 deep"));
    }
  }
}

// A tree whose entry calls a file a directory: a raw node may say anything.
NodePtr lying_tree(Trees& t, std::string_view content) {
  auto file = must(write_file(t.stage, "text/plain", content));
  Entry entry = entry_for("dir", *file);
  entry.kind = Kind::kDict;
  entry.type = {};
  auto root = make_dict(std::span(&entry, 1));
  EXPECT_TRUE(t.stage.add(root));
  return root;
}

TEST_F(Diff, TakesNothingThatIsNotADirectoryForAnEmptyOne) {
  auto budget = t.unlimited();
  auto one = lying_tree(t, "1");
  auto two = lying_tree(t, "22");
  EXPECT_THAT(diff(t.stage, one, two, Directories::kWhole, budget), FailsWith(Code::kCorruptNode));
  auto honest = t.tree({{"dir/a", "1"}});
  EXPECT_THAT(merge_unbounded(t.stage, honest, t.tree({{"dir/a", "2"}}), two),
              FailsWith(Code::kCorruptNode));
}

}  // namespace
}  // namespace cairn
