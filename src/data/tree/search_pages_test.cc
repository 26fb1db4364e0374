// Searches that go on where they stopped: however they are cut, their parts are the whole.
#include <algorithm>

#include "data/tree/search.h"
#include "data/tree/tree_testing.h"
#include "data/tree/walk.h"

namespace cairn {
namespace {

using namespace tree_testing;
using testing::ElementsAre;

// ---- walk ---------------------------------------------------------------------------------------

TEST(WalkAfter, VisitsWhatComesBehindAPathWhetherOrNotItIsThere) {
  Trees t;
  const auto root =
      t.tree({{"a", "1"}, {"b/x", "1"}, {"b/y/1", "1"}, {"b/y/2", "1"}, {"b.c", "1"}, {"c", "1"}});
  struct Case {
    std::string after;
    std::vector<std::string> visited;
  };
  const Case cases[] = {
      {"", {"a", "b", "b/x", "b/y", "b/y/1", "b/y/2", "b.c", "c"}},
      {"a", {"b", "b/x", "b/y", "b/y/1", "b/y/2", "b.c", "c"}},
      {"a/below/a/file", {"b", "b/x", "b/y", "b/y/1", "b/y/2", "b.c", "c"}},
      {"b", {"b/x", "b/y", "b/y/1", "b/y/2", "b.c", "c"}},
      {behind_all_of("b"), {"b.c", "c"}},
      {"b/x", {"b/y", "b/y/1", "b/y/2", "b.c", "c"}},
      {"b/xx", {"b/y", "b/y/1", "b/y/2", "b.c", "c"}},
      {"b/y/1", {"b/y/2", "b.c", "c"}},
      {"b/z", {"b.c", "c"}},
      {"c", {}},
      {"z", {}},
  };
  for (const auto& c : cases) {
    auto budget = t.unlimited();
    std::vector<std::string> visited;
    must(walk(
        t.view(root).nodes, root, budget,
        [&](std::string_view at, const Entry&) -> Result<Walk> {
          visited.emplace_back(at);
          return Walk::kContinue;
        },
        c.after));
    EXPECT_EQ(visited, c.visited) << c.after;
  }
}

// ---- find ---------------------------------------------------------------------------------------

// The paths of all pages, each of which begins behind what the one before reached.
std::vector<std::string> find_all(Trees& t, const NodePtr& root, const Glob& glob,
                                  FindOptions options, Budget::Limits limits) {
  std::vector<std::string> found;
  for (int page = 0; page < 10'000; ++page) {
    auto budget = t.within(limits);
    auto result = must(find_entries(t.view(root), Path(), glob, options, budget));
    for (const auto& match : result.matches) found.push_back(match.path);
    if (!result.stopped_by) return found;
    options.after = result.reached;
  }
  ADD_FAILURE() << "the pages do not end";
  return found;
}

TEST(FindPages, TogetherAreTheWholeWhateverCutsThem) {
  for_seeds(100, [](Dice& dice) {
    Trees t;
    const auto root = t.tree(random_files(dice, 40));
    for (const auto* pattern : {"*", "*.txt", "a/**", "**/b", "*.*"}) {
      const auto glob = must(Glob::parse(pattern));
      const auto whole = find_all(t, root, glob, {}, {});
      FindOptions few;
      few.max_results = 1 + dice.below(4);
      EXPECT_EQ(find_all(t, root, glob, few, {}), whole) << pattern;
      EXPECT_EQ(find_all(t, root, glob, {}, {.bytes = 300}), whole) << pattern;
      EXPECT_EQ(find_all(t, root, glob, {}, {.entries = 3}), whole) << pattern;
    }
  });
}

// ---- grep ---------------------------------------------------------------------------------------

using Lines = std::vector<std::string>;

void append(Lines& out, const GrepResult::File& file) {
  for (const auto& line : file.lines) {
    out.push_back(file.path + (line.match ? ":" : "-") + std::to_string(line.number) + " " +
                  std::string(line.text));
  }
}

Lines grep_all(Trees& t, const NodePtr& root, const Pattern& pattern, GrepOptions options,
               Budget::Limits limits, const std::string& where = "") {
  Lines found;
  for (int page = 0; page < 10'000; ++page) {
    auto budget = t.within(limits);
    auto result = must(grep(t.view(root), path(where), pattern, options, budget));
    for (const auto& file : result.files) append(found, file);
    if (!result.stopped_by) return found;
    options.after = result.reached;
  }
  ADD_FAILURE() << "the pages do not end";
  return found;
}

Lines take_all(Trees& t, const NodePtr& root, const Pattern& pattern, const GrepOptions& options) {
  auto budget = t.unlimited();
  auto search = must(GrepSearch::begin(t.view(root), Path(), pattern, options, budget));
  Lines found;
  while (must(search.search())) {
    while (auto file = must(search.take())) append(found, *file);
  }
  return found;
}

Files random_texts(Dice& dice) {
  Files files = random_files(dice, 20);
  for (auto& [where, text] : files) {
    if (where.ends_with('/')) continue;
    text.clear();
    for (auto lines = dice.below(12); lines > 0; --lines) {
      text += dice.below(3) == 0 ? "needle\n" : "hay\n";
    }
  }
  return files;
}

TEST(GrepPages, TogetherAreTheWholeWhateverCutsThem) {
  const auto pattern = must(Pattern::compile("needle", {}));
  for_seeds(200, [&](Dice& dice) {
    Trees t;
    const auto root = t.tree(random_texts(dice));
    GrepOptions options;
    options.context = static_cast<unsigned>(dice.below(3));
    const auto whole = grep_all(t, root, pattern, options, {});
    EXPECT_EQ(take_all(t, root, pattern, options), whole);
    auto few = options;
    few.max_matches = 1 + dice.below(4);
    EXPECT_EQ(grep_all(t, root, pattern, few, {}), whole);
    EXPECT_EQ(grep_all(t, root, pattern, options,
                       {.bytes = 100 + static_cast<std::int64_t>(dice.below(300))}),
              whole);
    // Too little for anything: every page has something all the same.
    EXPECT_EQ(grep_all(t, root, pattern, options, {.bytes = 1}), whole);
    EXPECT_EQ(grep_all(t, root, pattern, options, {.entries = 4}), whole);
    EXPECT_EQ(grep_all(t, root, pattern, options, {.entries = 1}), whole);
  });
}

TEST(GrepPages, OfOneFileAreTheWholeToo) {
  Trees t;
  std::string text;
  Lines expected;
  for (int i = 1; i <= 50; ++i) {
    text += "needle " + std::to_string(i) + "\n";
    expected.push_back("d/f:" + std::to_string(i) + " needle " + std::to_string(i));
  }
  const auto root = t.tree({{"d/e", "needle\n"}, {"d/f", text}, {"d/g", "needle\n"}});
  GrepOptions options;
  options.max_matches = 7;
  EXPECT_EQ(grep_all(t, root, must(Pattern::compile("needle", {})), options, {}, "d/f"), expected);
}

TEST(GrepPages, AFileLeftOutDoesNotComeBackWithTheNextPage) {
  Trees t;
  const auto root =
      t.tree({{"a", "x\n"}, {"gen/deep/b", "x\n"}, {"gen/deep/c", "x\n"}, {"z", "x\n"}});
  GrepOptions options;
  options.exclude.push_back(must(Glob::parse("gen")));
  options.max_matches = 1;
  const auto pattern = must(Pattern::compile("x", {}));
  EXPECT_THAT(grep_all(t, root, pattern, options, {}), ElementsAre("a:1 x", "z:1 x"));
  EXPECT_THAT(grep_all(t, root, pattern, options, {.entries = 1}), ElementsAre("a:1 x", "z:1 x"));
}

TEST(GrepSearch, HoldsABatchAtATimeOfHoweverManyFiles) {
  Trees t;
  Files files;
  Lines expected;
  for (int i = 10'000; i < 13'000; ++i) {
    const auto name = "d" + std::to_string(i % 7) + "/" + std::to_string(i);
    files[name] = i % 3 == 0 ? "needle\n" : "hay\n";
  }
  for (const auto& [name, text] : files) {
    if (text == "needle\n") expected.push_back(name + ":1 needle");
  }
  const auto root = t.tree(files);
  const auto pattern = must(Pattern::compile("needle", {}));
  EXPECT_EQ(take_all(t, root, pattern, {}), expected);
  auto budget = t.unlimited();
  auto search = must(GrepSearch::begin(t.view(root), Path(), pattern, {}, budget));
  int batches = 0;
  for (; must(search.search()); ++batches) {
    while (must(search.take())) continue;
  }
  EXPECT_EQ(batches, 3);
  EXPECT_EQ(search.counts().searched, 3000U);
}

}  // namespace
}  // namespace cairn
