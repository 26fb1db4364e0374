#include "data/cas/dict.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/cas/boundary.h"

namespace cairn {
namespace {

using testing::HasSubstr;

// ---- A store that counts, and directories in it
// ----------------------------------------------------

class CountingNodes final : public NodeReader {
 public:
  Result<NodePtr> get(const NodeKey& key) const override {
    reads += 1;
    auto found = nodes_.find(key);
    if (found == nodes_.end()) return fail(Code::kNodeNotFound, "no {}", key.render());
    return found->second;
  }
  NodePtr keep(NodePtr node) {
    nodes_.try_emplace(node->key(), node);
    return node;
  }

  mutable int reads = 0;

 private:
  std::unordered_map<NodeKey, NodePtr> nodes_;
};

using Contents = std::map<std::string, EntryValue>;

EntryValue a_file(std::uint64_t version) {
  return {Kind::kFile, NodeKey::of(std::to_string(version)), version % 1000, "text/plain", 0, 0};
}

EntryValue a_directory(std::uint64_t version) {
  return {Kind::kDict, NodeKey::of(std::to_string(version)), version % 1000, "", version % 7,
          version % 5};
}

EntryValue any_value(std::mt19937_64& random) {
  auto version = random();
  return version % 4 == 0 ? a_directory(version) : a_file(version);
}

std::vector<DictEdit> edits_for(const Contents& contents) {
  std::vector<DictEdit> edits;
  for (const auto& [name, value] : contents) edits.push_back({name, value});
  return edits;
}

struct Applied {
  NodePtr root;
  std::size_t nodes = 0;
  std::size_t bytes = 0;
};

// Applies edits and keeps the new nodes of the result.
Applied apply(CountingNodes& nodes, const NodePtr& dict, std::span<const DictEdit> edits) {
  Stage stage(nodes);
  auto root = dict_apply(stage, dict, edits);
  if (!root) throw std::runtime_error(root.error().render());
  Applied applied{*root};
  for (const auto& node : stage.reachable((*root)->key())) {
    applied.nodes += 1;
    applied.bytes += node->bytes().size();
    nodes.keep(node);
  }
  nodes.keep(*root);
  return applied;
}

NodePtr build(CountingNodes& nodes, const Contents& contents) {
  return apply(nodes, empty_dict(), edits_for(contents)).root;
}

Contents numbered(std::size_t count, std::uint64_t version = 1) {
  Contents contents;
  for (std::size_t i = 0; i < count; ++i) contents[fmt::format("name-{:06}", i)] = a_file(version);
  return contents;
}

// ---- Oracles
// ---------------------------------------------------------------------------------------

// The directory as the format defines it: cut the entries, then the nodes, until there is one.
NodePtr built_by_definition(CountingNodes& nodes, const Contents& contents) {
  std::vector<std::string> lasts;
  std::vector<NodePtr> level_nodes;
  std::vector<Entry> entries;
  for (const auto& [name, value] : contents) {
    entries.push_back(value.named(name));
    if (DictBoundary::ends(0, entries.size(), name) || name == contents.rbegin()->first) {
      level_nodes.push_back(nodes.keep(make_dict(entries)));
      lasts.push_back(name);
      entries.clear();
    }
  }
  if (level_nodes.empty()) return empty_dict();
  for (unsigned level = 1; level_nodes.size() > 1; ++level) {
    std::vector<std::string> lasts_above;
    std::vector<NodePtr> above;
    std::vector<Branch> branches;
    for (std::size_t i = 0; i < level_nodes.size(); ++i) {
      const auto& t = level_nodes[i]->totals();
      branches.push_back({lasts[i], level_nodes[i]->key(), t.entries, t.files, t.bytes});
      if (DictBoundary::ends(level, branches.size(), lasts[i]) || i + 1 == level_nodes.size()) {
        above.push_back(nodes.keep(make_dict(level, branches)));
        lasts_above.push_back(lasts[i]);
        branches.clear();
      }
    }
    level_nodes = std::move(above);
    lasts = std::move(lasts_above);
  }
  return level_nodes.front();
}

Totals totals_of(const Contents& contents) {
  Totals totals;
  for (const auto& [name, value] : contents) {
    totals.entries += 1;
    totals.files += value.kind == Kind::kFile ? 1 : value.files;
    totals.bytes += value.bytes;
  }
  return totals;
}

// All nodes of a directory by level, left to right, with every rule between nodes checked.
using Levels = std::vector<std::vector<NodePtr>>;

void collect_levels(const NodeReader& nodes, const NodePtr& node, Levels& levels) {
  levels[node->level()].push_back(node);
  for (const auto& branch : node->branches()) {
    auto below = nodes.get(branch.key);
    ASSERT_TRUE(below.has_value()) << below.error().render();
    ASSERT_EQ((*below)->kind(), Kind::kDict);
    ASSERT_EQ((*below)->level() + 1, node->level());
    ASSERT_EQ((*below)->totals(), (Totals{branch.entries, branch.files, branch.bytes}));
    ASSERT_EQ(
        (*below)->level() == 0 ? (*below)->entries().back().name : (*below)->branches().back().last,
        branch.last);
    collect_levels(nodes, *below, levels);
  }
}

Levels checked_levels(const NodeReader& nodes, const NodePtr& root) {
  Levels levels(root->level() + 1);
  collect_levels(nodes, root, levels);
  EXPECT_EQ(levels.back().size(), 1U);
  if (root->level() > 0) {
    EXPECT_GT(levels[root->level() - 1].size(), 1U) << "the root is not the lowest";
  }
  for (unsigned level = 0; level < levels.size(); ++level) {
    std::string_view before;
    for (std::size_t i = 0; i < levels[level].size(); ++i) {
      const auto& node = *levels[level][i];
      std::vector<std::string_view> names;
      for (const auto& entry : node.entries()) names.push_back(entry.name);
      for (const auto& branch : node.branches()) names.push_back(branch.last);
      for (std::size_t n = 0; n < names.size(); ++n) {
        EXPECT_LT(before, names[n]);
        before = names[n];
        bool ends = DictBoundary::ends(level, n + 1, names[n]);
        bool last = n + 1 == names.size();
        bool last_of_level = i + 1 == levels[level].size();
        EXPECT_TRUE(last ? ends || last_of_level : !ends)
            << "level " << level << ", node " << i << ", name " << names[n];
      }
    }
  }
  return levels;
}

void expect_holds(const NodeReader& nodes, const NodePtr& dict, const Contents& contents) {
  EXPECT_EQ(dict->totals(), totals_of(contents));
  DictCursor cursor(nodes, dict);
  ASSERT_TRUE(cursor.seek_index(0).has_value());
  for (const auto& [name, value] : contents) {
    ASSERT_NE(cursor.entry(), nullptr) << name;
    ASSERT_EQ(*cursor.entry(), value.named(name));
    ASSERT_TRUE(cursor.next().has_value());
  }
  EXPECT_EQ(cursor.entry(), nullptr);
}

// find, at, rank and seek_name for one name, whether it is there or not.
void expect_answers_about(const NodeReader& nodes, const NodePtr& dict, const Contents& contents,
                          const std::string& name) {
  auto at = contents.lower_bound(name);
  bool there = at != contents.end() && at->first == name;
  auto rank = static_cast<std::uint64_t>(std::distance(contents.begin(), at));

  auto found = dict_find(nodes, dict, name);
  ASSERT_TRUE(found.has_value()) << found.error().render();
  ASSERT_EQ(found->has_value(), there) << name;
  if (there) {
    EXPECT_EQ((*found)->entry, at->second.named(name));
  }

  EXPECT_EQ(dict_rank(nodes, dict, name).value(), rank) << name;

  auto nth = dict_at(nodes, dict, rank);
  ASSERT_TRUE(nth.has_value());
  ASSERT_EQ(nth->has_value(), at != contents.end());
  if (nth->has_value()) {
    EXPECT_EQ((*nth)->entry, at->second.named(at->first));
  }

  DictCursor cursor(nodes, dict);
  ASSERT_TRUE(cursor.seek_name(name).has_value());
  for (int steps = 0; steps < 3; ++steps) {
    if (at == contents.end()) {
      EXPECT_EQ(cursor.entry(), nullptr) << name;
      break;
    }
    ASSERT_NE(cursor.entry(), nullptr) << name;
    EXPECT_EQ(*cursor.entry(), at->second.named(at->first));
    ASSERT_TRUE(cursor.next().has_value());
    ++at;
  }
}

// ---- Random work
// -------------------------------------------------------------------------------------

// Few enough names that edits meet, of every length and some outside ASCII.
std::string some_name(std::mt19937_64& random, std::uint64_t variety) {
  auto number = random() % variety;
  switch (number % 8) {
    case 0:
      return fmt::format("{}", number);
    case 1:
      return fmt::format("é{}", number);
    case 2:
      return fmt::format("{:a<200}", number);
    default:
      return fmt::format("file-{}.txt", number);
  }
}

struct Batch {
  std::vector<DictEdit> edits;
  Contents result;
};

// `count` edits or fewer; `deletes` of ten are removals, most of names that are there.
Batch random_batch(std::mt19937_64& random, const Contents& contents, std::size_t count,
                   unsigned deletes, std::uint64_t variety) {
  std::map<std::string, std::optional<EntryValue>> edits;
  Batch batch{{}, contents};
  while (count-- > 0) {
    auto name = some_name(random, variety);
    if (random() % 10 < deletes) {
      auto near = contents.lower_bound(name);
      if (near != contents.end() && random() % 8 != 0) name = near->first;
      edits[name] = std::nullopt;
    } else {
      edits[name] = any_value(random);
    }
  }
  for (auto& [name, value] : edits) {
    if (value) {
      batch.result[name] = *value;
    } else {
      batch.result.erase(name);
    }
    batch.edits.push_back({name, value});
  }
  return batch;
}

class DictEdits : public testing::TestWithParam<std::uint64_t> {};

TEST_P(DictEdits, OfAnyKindGiveWhatBuildingFromNothingGives) {
  SCOPED_TRACE(testing::Message() << "seed " << GetParam());
  std::mt19937_64 random(GetParam());
  const std::uint64_t variety = std::uint64_t{20} << (GetParam() * 11 / 7);  // 20 to 20,000 names
  CountingNodes nodes;
  Contents contents;
  auto dict = empty_dict();
  for (int step = 0; step < 40; ++step) {
    SCOPED_TRACE(testing::Message() << "step " << step);
    // Grow, stay, shrink.
    unsigned deletes = step < 16 ? 1 : step < 28 ? 5 : 9;
    auto count = std::size_t{1} << (random() % 11);
    auto batch =
        random_batch(random, contents, std::min<std::size_t>(count, 1000), deletes, variety);
    dict = apply(nodes, dict, batch.edits).root;
    contents = std::move(batch.result);

    ASSERT_EQ(dict->key(), built_by_definition(nodes, contents)->key());
    EXPECT_EQ(dict->totals(), totals_of(contents));
    for (int i = 0; i < 4; ++i) {
      expect_answers_about(nodes, dict, contents, some_name(random, variety));
    }
  }
  checked_levels(nodes, dict);
  expect_holds(nodes, dict, contents);
  EXPECT_EQ(build(nodes, contents)->key(), dict->key());
}

INSTANTIATE_TEST_SUITE_P(Seeds, DictEdits, testing::Range<std::uint64_t>(0, 8));

TEST(Dict, AnswersAboutEveryNameOfALargeDirectory) {
  std::mt19937_64 random(21);
  CountingNodes nodes;
  Contents contents;
  while (contents.size() < 20'000) contents[some_name(random, 100'000)] = any_value(random);
  auto dict = build(nodes, contents);
  EXPECT_GE(dict->level(), 1U);
  checked_levels(nodes, dict);
  expect_holds(nodes, dict, contents);
  for (int i = 0; i < 300; ++i) {
    expect_answers_about(nodes, dict, contents, some_name(random, 100'000));
  }
  for (const auto& name : {std::string("!"), std::string("\U0010ffff"), contents.begin()->first,
                           contents.rbegin()->first, contents.rbegin()->first + "x"}) {
    expect_answers_about(nodes, dict, contents, name);
  }
  EXPECT_FALSE(dict_at(nodes, dict, contents.size()).value().has_value());
  EXPECT_FALSE(dict_at(nodes, dict, ~std::uint64_t{0}).value().has_value());
}

TEST(Dict, EmptyAnswersNothing) {
  CountingNodes nodes;
  expect_holds(nodes, empty_dict(), {});
  expect_answers_about(nodes, empty_dict(), {}, "a");
}

TEST(Dict, WithoutEditsIsItself) {
  CountingNodes nodes;
  auto dict = build(nodes, numbered(1000));
  EXPECT_EQ(apply(nodes, dict, {}).root, dict);
}

TEST(Dict, EditsThatChangeNothingGiveTheSameKey) {
  CountingNodes nodes;
  auto contents = numbered(5000);
  auto dict = build(nodes, contents);
  const DictEdit same[] = {{"absent", std::nullopt}, {"name-002500", a_file(1)}};
  EXPECT_EQ(apply(nodes, dict, same).root->key(), dict->key());
  const DictEdit absent[] = {{"absent", std::nullopt}};
  EXPECT_EQ(apply(nodes, empty_dict(), absent).root->key(), empty_dict()->key());
}

// ---- The key depends on the content only
// ------------------------------------------------------------

TEST(DictHistory, OneByOneInAnyOrderGivesTheSameKey) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    CountingNodes nodes;
    auto contents = numbered(1500);
    auto edits = edits_for(contents);
    std::ranges::shuffle(edits, random);
    auto dict = empty_dict();
    for (const auto& edit : edits) dict = apply(nodes, dict, std::span(&edit, 1)).root;
    EXPECT_EQ(dict->key(), build(nodes, contents)->key());
  }
}

TEST(DictHistory, DetoursLeaveNoTrace) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    CountingNodes nodes;
    auto contents = numbered(10'000);
    auto start = build(nodes, contents);
    std::map<std::string, EntryValue> added;
    while (added.size() < 5'000) {
      auto name = some_name(random, 1'000'000);
      if (!contents.contains(name)) added[name] = any_value(random);
    }
    auto away = apply(nodes, start, edits_for(added)).root;
    EXPECT_NE(away->key(), start->key());
    // Back in portions of another size, overwriting some first.
    std::vector<DictEdit> removals;
    for (const auto& [name, value] : added) removals.push_back({name, std::nullopt});
    std::ranges::shuffle(removals, random);
    while (!removals.empty()) {
      auto portion = std::min<std::size_t>(removals.size(), 1 + random() % 1000);
      std::vector<DictEdit> some(removals.end() - static_cast<std::ptrdiff_t>(portion),
                                 removals.end());
      removals.resize(removals.size() - portion);
      std::ranges::sort(some, {}, &DictEdit::name);
      away = apply(nodes, away, some).root;
    }
    EXPECT_EQ(away->key(), start->key());
  }
}

TEST(DictHistory, ShrinkingToNothingGivesTheEmptyDirectory) {
  for (std::size_t size : {1, 31, 32, 33, 600, 20'000}) {
    CountingNodes nodes;
    std::vector<DictEdit> removals;
    for (const auto& [name, value] : numbered(size)) removals.push_back({name, std::nullopt});
    auto at_once = apply(nodes, build(nodes, numbered(size)), removals).root;
    EXPECT_EQ(at_once->key(), empty_dict()->key()) << size;

    auto dict = build(nodes, numbered(size));
    std::span<const DictEdit> rest = removals;
    while (!rest.empty()) {
      auto portion = std::min<std::size_t>(rest.size(), 700);
      dict = apply(nodes, dict, rest.first(portion)).root;
      rest = rest.subspan(portion);
      ASSERT_EQ(dict->totals().entries, rest.size());
    }
    EXPECT_EQ(dict->key(), empty_dict()->key()) << size;
  }
}

TEST(DictHistory, AtEverySizeAroundTheFirstCuts) {
  CountingNodes nodes;
  auto dict = empty_dict();
  Contents contents;
  for (const auto& [name, value] : numbered(400)) {
    contents[name] = value;
    const DictEdit edit[] = {{name, value}};
    dict = apply(nodes, dict, edit).root;
    ASSERT_EQ(dict->key(), built_by_definition(nodes, contents)->key()) << contents.size();
  }
  while (!contents.empty()) {
    const DictEdit edit[] = {{contents.rbegin()->first, std::nullopt}};
    contents.erase(edit[0].name);
    dict = apply(nodes, dict, edit).root;
    ASSERT_EQ(dict->key(), built_by_definition(nodes, contents)->key()) << contents.size();
  }
}

// ---- Names chosen by an enemy
// ------------------------------------------------------------------------

// Names that end a node at all of these levels, or at none of them.
Contents names_that(bool end, std::vector<unsigned> levels, std::size_t count) {
  Contents contents;
  for (std::uint64_t i = 0; contents.size() < count; ++i) {
    auto name = fmt::format("{:09}", i);
    if (std::ranges::all_of(levels, [&](unsigned level) {
          return DictBoundary::ends(level, DictBoundary::kMin, name) == end;
        })) {
      contents[name] = a_file(1);
    }
  }
  return contents;
}

void expect_history_independent(CountingNodes& nodes, const Contents& contents,
                                std::uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  auto edits = edits_for(contents);
  std::ranges::shuffle(edits, random);
  auto dict = empty_dict();
  for (std::size_t i = 0; i < edits.size(); i += 97) {
    auto some =
        std::vector(edits.begin() + static_cast<std::ptrdiff_t>(i),
                    edits.begin() + static_cast<std::ptrdiff_t>(std::min(edits.size(), i + 97)));
    std::ranges::sort(some, {}, &DictEdit::name);
    dict = apply(nodes, dict, some).root;
  }
  EXPECT_EQ(dict->key(), built_by_definition(nodes, contents)->key());
}

TEST(DictAdversary, NamesWithoutACutAreCutAtTheMaximum) {
  CountingNodes nodes;
  auto contents = names_that(false, {0, 1, 2}, 5'000);
  auto dict = build(nodes, contents);
  auto levels = checked_levels(nodes, dict);
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0].size(), 10U);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(levels[0][i]->entries().size(), 512U);
  expect_holds(nodes, dict, contents);
  expect_history_independent(nodes, contents, 1);

  // One name in front moves every cut; the result is still the one and only.
  contents["!"] = a_file(1);
  const DictEdit edit[] = {{"!", a_file(1)}};
  EXPECT_EQ(apply(nodes, dict, edit).root->key(), built_by_definition(nodes, contents)->key());
}

TEST(DictAdversary, NamesThatAllCutAreCutAtTheMinimum) {
  CountingNodes nodes;
  auto contents = names_that(true, {0, 1}, 1'100);
  auto dict = build(nodes, contents);
  auto levels = checked_levels(nodes, dict);
  ASSERT_EQ(levels.size(), 3U);
  for (std::size_t i = 0; i + 1 < levels[0].size(); ++i) {
    EXPECT_EQ(levels[0][i]->entries().size(), 32U);
  }
  EXPECT_EQ(levels[1][0]->branches().size(), 32U);
  expect_holds(nodes, dict, contents);
  expect_history_independent(nodes, contents, 2);

  contents["!"] = a_file(1);
  const DictEdit edit[] = {{"!", a_file(1)}};
  EXPECT_EQ(apply(nodes, dict, edit).root->key(), built_by_definition(nodes, contents)->key());
}

TEST(DictAdversary, TheLongestNamesStayFarBelowTheLargestNode) {
  CountingNodes nodes;
  Contents contents;
  for (std::uint64_t i = 0; contents.size() < 1000; ++i) {
    auto name = fmt::format("{:0>255}", i);
    if (DictBoundary::ends(0, DictBoundary::kMin, name)) continue;
    contents[name] = a_file(i);
    contents[name].type = "a/" + std::string(kMaxTypeBytes - 2, 'b');
  }
  auto dict = build(nodes, contents);
  auto levels = checked_levels(nodes, dict);
  for (const auto& node : levels[0]) {
    EXPECT_LT(node->bytes().size(), kMaxNodeBytes / 16);
  }
}

// Copies of copies double the bytes of a directory for the price of one entry.
TEST(DictAdversary, TotalsPastTheLargestAreAnErrorAndNotAnOverflow) {
  auto half = kMaxTotal / 2;
  EntryValue full{Kind::kDict, NodeKey(), half, "", 1, half};
  CountingNodes nodes;
  Contents contents{{"a", full}, {"b", full}};
  auto dict = build(nodes, contents);
  EXPECT_EQ(dict->totals().bytes, kMaxTotal);
  for (const auto& extra : {EntryValue{Kind::kFile, NodeKey(), 1, "a/b", 0, 0},
                            EntryValue{Kind::kDict, NodeKey(), 0, "", 1, 1}}) {
    Stage stage(nodes);
    const DictEdit edit[] = {{"c", extra}};
    auto result = dict_apply(stage, dict, edit);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, Code::kNodeTooLarge);
    EXPECT_THAT(result.error().message, HasSubstr("more than 1125899906842624"));
  }
  // Spread over many nodes, none of which is too large by itself.
  Stage stage(nodes);
  auto edits = edits_for(numbered(2000));
  for (auto& edit : edits) edit.value->bytes = kMaxTotal / 1000;
  auto result = dict_apply(stage, empty_dict(), edits);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code::kNodeTooLarge);
}

// ---- Cost
// --------------------------------------------------------------------------------------------

class LargeDirectory : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    nodes = new CountingNodes();
    dict = new NodePtr(build(*nodes, numbered(100'000)));
  }
  static void TearDownTestSuite() {
    delete dict;
    delete nodes;
  }

  static CountingNodes* nodes;
  static NodePtr* dict;
};

CountingNodes* LargeDirectory::nodes = nullptr;
NodePtr* LargeDirectory::dict = nullptr;

TEST_F(LargeDirectory, HasThreeLevelsOfModerateNodes) {
  auto levels = checked_levels(*nodes, *dict);
  ASSERT_EQ(levels.size(), 3U);
  auto average = 100'000 / levels[0].size();
  EXPECT_GT(average, 64U);
  EXPECT_LT(average, 128U);
}

TEST_F(LargeDirectory, OneInsertAddsFewNodesOfBoundedSize) {
  constexpr std::uint64_t kSeed = 31;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  std::size_t all = 0;
  for (int i = 0; i < 200; ++i) {
    Stage stage(*nodes);
    const DictEdit edit[] = {{fmt::format("name-{:06}x", random() % 100'000), a_file(2)}};
    nodes->reads = 0;
    auto root = dict_apply(stage, *dict, edit);
    ASSERT_TRUE(root.has_value());
    EXPECT_LE(nodes->reads, 3 * 3 + 12);
    auto made = stage.reachable((*root)->key());
    std::size_t bytes = 0;
    for (const auto& node : made) bytes += node->bytes().size();
    EXPECT_GE(made.size(), 3U);
    EXPECT_LE(made.size(), 8U);
    EXPECT_LE(bytes, 100'000U);
    all += made.size();
  }
  EXPECT_LE(all, 200U * 7 / 2);
}

TEST_F(LargeDirectory, OneAnswerReadsOneNodeOfEachLevel) {
  nodes->reads = 0;
  EXPECT_TRUE(dict_find(*nodes, *dict, "name-054321").value().has_value());
  EXPECT_EQ(nodes->reads, 2);
  nodes->reads = 0;
  EXPECT_EQ(dict_at(*nodes, *dict, 54'321).value()->entry.name, "name-054321");
  EXPECT_EQ(nodes->reads, 2);
  nodes->reads = 0;
  EXPECT_EQ(dict_rank(*nodes, *dict, "name-054321").value(), 54'321U);
  EXPECT_EQ(nodes->reads, 2);
}

TEST_F(LargeDirectory, ADiffReadsOnlyTheNodesThatDiffer) {
  constexpr std::uint64_t kSeed = 32;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 50; ++i) {
    auto number = random() % 100'000;
    const DictEdit edit[] = {i % 2 == 0
                                 ? DictEdit{fmt::format("name-{:06}x", number), a_file(2)}
                                 : DictEdit{fmt::format("name-{:06}", number), std::nullopt}};
    auto changed = apply(*nodes, *dict, edit).root;
    std::vector<std::string> names;
    nodes->reads = 0;
    auto done = dict_diff(*nodes, *dict, changed,
                          [&](const Entry* before, const Entry* after) -> Result<void> {
                            names.emplace_back((before != nullptr ? before : after)->name);
                            return {};
                          });
    ASSERT_TRUE(done.has_value());
    EXPECT_THAT(names, testing::ElementsAre(edit[0].name));
    EXPECT_LE(nodes->reads, 12) << edit[0].name;
  }
  nodes->reads = 0;
  EXPECT_TRUE(dict_diff(*nodes, *dict, *dict, [](const Entry*, const Entry*) -> Result<void> {
                return fail(Code::kInternal, "nothing differs");
              }).has_value());
  EXPECT_EQ(nodes->reads, 0);
}

// ---- Diff
// ---------------------------------------------------------------------------------------------

struct Difference {
  std::string name;
  std::optional<Entry> before;
  std::optional<Entry> after;
  bool operator==(const Difference&) const = default;
};

std::vector<Difference> diff_by_maps(const Contents& before, const Contents& after) {
  std::set<std::string> names;
  for (const auto& [name, value] : before) names.insert(name);
  for (const auto& [name, value] : after) names.insert(name);
  std::vector<Difference> out;
  for (const auto& name : names) {
    Difference difference{name, {}, {}};
    if (auto at = before.find(name); at != before.end()) {
      difference.before = at->second.named(at->first);
    }
    if (auto at = after.find(name); at != after.end()) {
      difference.after = at->second.named(at->first);
    }
    if (difference.before != difference.after) out.push_back(difference);
  }
  return out;
}

void expect_diff(const CountingNodes& nodes, const NodePtr& a, const Contents& before,
                 const NodePtr& b, const Contents& after) {
  auto expected = diff_by_maps(before, after);
  std::size_t i = 0;
  auto done = dict_diff(nodes, a, b, [&](const Entry* x, const Entry* y) -> Result<void> {
    if (i == expected.size()) return fail(Code::kInternal, "more than there is");
    const auto& e = expected[i++];
    EXPECT_EQ(x != nullptr, e.before.has_value()) << e.name;
    EXPECT_EQ(y != nullptr, e.after.has_value()) << e.name;
    if (x != nullptr && e.before) {
      EXPECT_EQ(*x, *e.before);
    }
    if (y != nullptr && e.after) {
      EXPECT_EQ(*y, *e.after);
    }
    return {};
  });
  EXPECT_TRUE(done.has_value()) << done.error().render();
  EXPECT_EQ(i, expected.size());
}

TEST(DictDiff, FindsWhatComparingEveryEntryFinds) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    CountingNodes nodes;
    const auto variety = std::uint64_t{10} << (random() % 11);
    auto first = random_batch(random, {}, random() % (2 * variety), 0, variety).result;
    auto second = random_batch(random, first, 1 + random() % (seed % 2 == 0 ? 5 : variety),
                               static_cast<unsigned>(random() % 11), variety)
                      .result;
    auto a = build(nodes, first);
    auto b = build(nodes, second);
    expect_diff(nodes, a, first, b, second);
    expect_diff(nodes, b, second, a, first);
    expect_diff(nodes, empty_dict(), {}, b, second);
    expect_diff(nodes, b, second, empty_dict(), {});
  }
}

TEST(DictDiff, OfDirectoriesOfDifferentHeightsSkipsWhatTheyShare) {
  CountingNodes nodes;
  auto small = numbered(3'000);
  auto large = numbered(40'000);
  auto a = build(nodes, small);
  auto b = build(nodes, large);
  ASSERT_LT(a->level(), b->level());
  expect_diff(nodes, a, small, b, large);
  expect_diff(nodes, b, large, a, small);
  // The first 2,900 names lie in nodes that both have, so nothing of them is read twice.
  nodes.reads = 0;
  int visited = 0;
  auto stopped = dict_diff(nodes, a, b, [&](const Entry*, const Entry*) -> Result<void> {
    visited += 1;
    return fail(Code::kBudgetExceeded, "enough");
  });
  EXPECT_EQ(visited, 1);
  EXPECT_LE(nodes.reads, 6);
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().code, Code::kBudgetExceeded);
}

// ---- Trees that no one here wrote
// -----------------------------------------------------------------

class HostileDirectory : public testing::Test {
 protected:
  // A leaf with entries of these names.
  NodePtr leaf(const std::vector<std::string>& names) {
    std::vector<Entry> entries;
    static const EntryValue value = a_file(7);
    for (const auto& name : names) entries.push_back(value.named(name));
    return nodes.keep(make_dict(entries));
  }
  static Branch branch_to(const NodePtr& node, std::string_view last) {
    const auto& totals = node->totals();
    return {last, node->key(), totals.entries, totals.files, totals.bytes};
  }
  NodePtr root_of(std::vector<Branch> branches, unsigned level = 1) {
    return nodes.keep(make_dict(level, branches));
  }

  // Every operation that comes to the second branch, whose names are from "n" to "z".
  void expect_every_operation_fails(const NodePtr& dict, Code code) {
    auto check = [code](const auto& result, std::string_view operation) {
      ASSERT_FALSE(result.has_value()) << operation;
      EXPECT_EQ(result.error().code, code) << operation << ": " << result.error().render();
    };
    check(dict_find(nodes, dict, "q"), "find");
    check(dict_at(nodes, dict, dict->totals().entries - 1), "at");
    check(dict_rank(nodes, dict, "q"), "rank");
    DictCursor cursor(nodes, dict);
    check(cursor.seek_name("q"), "seek_name");
    EXPECT_EQ(cursor.entry(), nullptr);
    check(cursor.seek_index(dict->totals().entries - 1), "seek_index");
    EXPECT_EQ(cursor.entry(), nullptr);
    ASSERT_TRUE(cursor.seek_index(0).has_value());
    Result<void> walked;
    while (walked && cursor.entry() != nullptr) walked = cursor.next();
    check(walked, "next");
    EXPECT_EQ(cursor.entry(), nullptr);
    auto ignore = [](const Entry*, const Entry*) -> Result<void> { return {}; };
    check(dict_diff(nodes, dict, empty_dict(), ignore), "diff from");
    check(dict_diff(nodes, empty_dict(), dict, ignore), "diff to");
    for (const char* name : {"a", "q", "zzz"}) {
      Stage stage(nodes);
      const DictEdit edit[] = {{name, std::nullopt}};
      check(dict_apply(stage, dict, edit), fmt::format("apply {}", name));
    }
  }

  CountingNodes nodes;
  NodePtr first = leaf({"a", "b", "m"});
  NodePtr second = leaf({"n", "q", "z"});
};

TEST_F(HostileDirectory, WithAChildThatIsAnythingElseIsCorrupt) {
  struct Case {
    std::string_view what;
    Branch wrong;
  };
  auto good = branch_to(second, "z");
  auto with = [&](auto change) {
    auto branch = good;
    change(branch);
    return branch;
  };
  auto file = nodes.keep(make_file("text/plain", "x"));
  auto chunk = nodes.keep(make_chunk("x"));
  auto same_level = root_of({good});
  auto too_deep = root_of({branch_to(same_level, "z")}, 2);
  const Case cases[] = {
      {"a file", with([&](Branch& b) { b.key = file->key(); })},
      {"a chunk", with([&](Branch& b) { b.key = chunk->key(); })},
      {"the empty directory", with([&](Branch& b) { b.key = nodes.keep(empty_dict())->key(); })},
      {"a node of the same level", with([&](Branch& b) { b.key = same_level->key(); })},
      {"a node of a higher level", with([&](Branch& b) { b.key = too_deep->key(); })},
      {"another part", with([&](Branch& b) { b.key = first->key(); })},
      {"more entries", with([](Branch& b) { b.entries += 1; })},
      {"fewer entries", with([](Branch& b) { b.entries -= 1; })},
      {"more files", with([](Branch& b) { b.files += 1; })},
      {"more bytes", with([](Branch& b) { b.bytes += 1; })},
      {"a last name that is not", with([](Branch& b) { b.last = "zz"; })},
      {"a last name that is not the last", with([](Branch& b) { b.last = "y"; })},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    expect_every_operation_fails(root_of({branch_to(first, "m"), c.wrong}), Code::kCorruptNode);
  }
}

TEST_F(HostileDirectory, WithAMissingChildSaysSo) {
  auto wrong = branch_to(second, "z");
  wrong.key = NodeKey::of("not there");
  expect_every_operation_fails(root_of({branch_to(first, "m"), wrong}), Code::kNodeNotFound);
}

TEST_F(HostileDirectory, WithPartsThatOverlapIsCorruptWhenEdited) {
  auto overlapping = leaf({"b", "q", "z"});
  auto dict = root_of({branch_to(first, "m"), branch_to(overlapping, "z")});
  Stage stage(nodes);
  const DictEdit edits[] = {{"a", std::nullopt}, {"q", std::nullopt}};
  auto result = dict_apply(stage, dict, edits);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code::kCorruptNode);
  // Reading it ends, whatever it finds.
  DictCursor cursor(nodes, dict);
  ASSERT_TRUE(cursor.seek_index(0).has_value());
  int seen = 0;
  for (; cursor.entry() != nullptr; ++seen) ASSERT_TRUE(cursor.next().has_value());
  EXPECT_EQ(seen, 6);
}

TEST_F(HostileDirectory, UnderNeedlessRootsIsBroughtDownByAnEdit) {
  auto dict = first;
  for (unsigned level = 1; level <= kMaxLevel; ++level) {
    dict = root_of({branch_to(dict, "m")}, level);
  }
  const DictEdit edit[] = {{"b", std::nullopt}};
  auto edited = apply(nodes, dict, edit).root;
  EXPECT_EQ(edited->key(), leaf({"a", "m"})->key());
}

TEST_F(HostileDirectory, ThatCannotGrowHigherIsCorrupt) {
  // Names that end no node of any level: 511 for parts that are not there, 513 for a last leaf.
  std::vector<std::string> names;
  for (std::uint64_t i = 0; names.size() < 511 + 513; ++i) {
    auto name = fmt::format("{:05}", i);
    bool ends = false;
    for (unsigned level = 0; level <= kMaxLevel; ++level) {
      ends = ends || DictBoundary::ends(level, DictBoundary::kMin, name);
    }
    if (!ends) names.push_back(name);
  }
  auto last = names.end() - 1;
  auto dict = leaf({names.begin() + 511, last});
  for (unsigned level = 1; level <= kMaxLevel; ++level) {
    std::vector<Branch> branches;
    for (auto name = names.begin(); name != names.begin() + 511; ++name) {
      branches.push_back({*name, NodeKey(), 1, 1, 1});
    }
    branches.push_back(branch_to(dict, *(last - 1)));
    dict = root_of(branches, level);
  }
  // Every node on the way is full, so that one more name makes a second node of every level.
  Stage stage(nodes);
  const DictEdit edit[] = {{*last, a_file(1)}};
  auto result = dict_apply(stage, dict, edit);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code::kCorruptNode);
  EXPECT_THAT(result.error().message, HasSubstr("too high"));
}

// ---- Boundaries
// ----------------------------------------------------------------------------------------

TEST(DictBoundary, TheHashOfANameIsPartOfTheFormat) {
  EXPECT_EQ(name_hash(""), 0xefd01f60ba992926ULL);
  EXPECT_EQ(name_hash("a"), 0x82a2a958a9bece5bULL);
  EXPECT_EQ(name_hash("README.md"), 0x1090888e3e0fdeedULL);
  EXPECT_EQ(name_hash("\u00e9"), 0x9d55ccb9ba86763bULL);
}

// By division instead of shifts: six other bits for each of ten levels, then the same again.
TEST(DictBoundary, EachLevelHasBitsOfItsOwn) {
  for (unsigned level = 0; level <= kMaxLevel; ++level) {
    std::uint64_t divisor = 1;
    for (unsigned i = 0; i < level % 10; ++i) divisor *= 64;
    for (int i = 0; i < 2'000; ++i) {
      auto name = fmt::format("name-{}", i);
      for (std::size_t count : {32, 33, 511}) {
        ASSERT_EQ(DictBoundary::ends(level, count, name), name_hash(name) / divisor % 64 == 0)
            << name << " at level " << level;
      }
    }
  }
}

TEST(DictBoundary, OneNameIn64EndsANodeOfEachLevel) {
  for (unsigned level = 0; level <= kMaxLevel; ++level) {
    int ends = 0;
    for (int i = 0; i < 64'000; ++i) {
      auto name = fmt::format("name-{}", i);
      ends += DictBoundary::ends(level, DictBoundary::kMin, name) ? 1 : 0;
      ASSERT_FALSE(DictBoundary::ends(level, DictBoundary::kMin - 1, name));
      ASSERT_TRUE(DictBoundary::ends(level, DictBoundary::kMax, name));
    }
    EXPECT_NEAR(ends, 1000, 150) << "level " << level;
  }
}

}  // namespace
}  // namespace cairn
