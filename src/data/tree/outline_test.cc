#include "data/tree/outline.h"

#include <deque>

#include "data/tree/tree_testing.h"

namespace cairn {
namespace {

using namespace tree_testing;

// One line per item: its path; "/" after a directory, "+count" when it is collapsed.
std::vector<std::string> rendered(const Outline& outline) {
  std::vector<std::string> lines;
  auto render = [&](auto& self, std::size_t index, const std::string& where) -> void {
    const auto& item = outline.items[index];
    if (item.value.kind == Kind::kFile) {
      EXPECT_FALSE(item.collapsed) << where;
      lines.push_back(where);
      return;
    }
    lines.push_back(where + "/" +
                    (item.collapsed ? "+" + std::to_string(item.value.children) : ""));
    if (item.collapsed) return;
    for (std::size_t i = 0; i < item.value.children; ++i) {
      const auto& child = outline.items.at(item.first + i);
      self(self, item.first + i, where.empty() ? child.name : where + "/" + child.name);
    }
  };
  render(render, 0, "");
  return lines;
}

const Files kTree = {{"README", "r"},      {"docs/1", ""},  {"docs/2", ""},  {"empty/", ""},
                     {"src/a/x/deep", ""}, {"src/a/y", ""}, {"src/main", ""}};

struct Case {
  std::int64_t depth;
  std::int64_t max_entries;
  std::vector<std::string> lines;
  bool truncated;
};

class OutlineTest : public testing::Test {
 protected:
  Outline of(const NodePtr& root, OutlineOptions options, const std::string& where = "") {
    auto budget = t.unlimited();
    return must(outline(t.view(root), path(where), options, budget));
  }
  void check(std::span<const Case> cases) {
    auto root = t.tree(kTree);
    for (const auto& c : cases) {
      SCOPED_TRACE("depth " + std::to_string(c.depth) + ", entries " +
                   std::to_string(c.max_entries));
      auto out = of(root, {.depth = c.depth, .max_entries = c.max_entries});
      EXPECT_EQ(rendered(out), c.lines);
      EXPECT_EQ(out.truncated, c.truncated);
    }
  }

  Trees t;
};

TEST_F(OutlineTest, CollapsesAtTheDepthLimitWithoutCallingItTruncated) {
  const Case cases[] = {
      {0, 500, {"/+4"}, false},
      {1, 500, {"/", "README", "docs/+2", "empty/+0", "src/+2"}, false},
      {2,
       500,
       {"/", "README", "docs/", "docs/1", "docs/2", "empty/", "src/", "src/a/+2", "src/main"},
       false},
      {3,
       500,
       {"/", "README", "docs/", "docs/1", "docs/2", "empty/", "src/", "src/a/", "src/a/x/+1",
        "src/a/y", "src/main"},
       false},
      {-1,
       500,
       {"/", "README", "docs/", "docs/1", "docs/2", "empty/", "src/", "src/a/", "src/a/x/",
        "src/a/x/deep", "src/a/y", "src/main"},
       false},
      {1000,
       500,
       {"/", "README", "docs/", "docs/1", "docs/2", "empty/", "src/", "src/a/", "src/a/x/",
        "src/a/x/deep", "src/a/y", "src/main"},
       false},
  };
  check(cases);
}

TEST_F(OutlineTest, CollapsesWhatDoesNotFitAndAllAfterIt) {
  const std::vector<std::string> top = {"/", "README", "docs/+2", "empty/+0", "src/+2"};
  const Case cases[] = {
      {-1, 0, {"/+4"}, true},
      {-1, 3, {"/+4"}, true},
      {-1, 4, top, true},
      // docs does not fit: src, whose turn has not come, is not tried.
      {-1, 5, top, true},
      {-1, 6, {"/", "README", "docs/", "docs/1", "docs/2", "empty/", "src/+2"}, true},
      {-1, 7, {"/", "README", "docs/", "docs/1", "docs/2", "empty/", "src/+2"}, true},
      {-1,
       8,
       {"/", "README", "docs/", "docs/1", "docs/2", "empty/", "src/", "src/a/+2", "src/main"},
       true},
      // All eleven entries, exactly.
      {-1,
       11,
       {"/", "README", "docs/", "docs/1", "docs/2", "empty/", "src/", "src/a/", "src/a/x/",
        "src/a/x/deep", "src/a/y", "src/main"},
       false},
      {-1,
       10,
       {"/", "README", "docs/", "docs/1", "docs/2", "empty/", "src/", "src/a/", "src/a/x/+1",
        "src/a/y", "src/main"},
       true},
      // The depth limit comes before the budget.
      {1, 4, top, false},
      {0, 0, {"/+4"}, false},
  };
  check(cases);
}

TEST_F(OutlineTest, OfAnEmptyDirectoryIsWhole) {
  auto out = of(t.tree({}), {.max_entries = 0});
  EXPECT_EQ(rendered(out), std::vector<std::string>{"/"});
  EXPECT_FALSE(out.truncated);
}

TEST_F(OutlineTest, StartsAtAPath) {
  auto root = t.tree(kTree);
  EXPECT_EQ(rendered(of(root, {.depth = 1}, "src")),
            (std::vector<std::string>{"/", "a/+2", "main"}));
  EXPECT_EQ(rendered(of(root, {.depth = 1}, "~3/~0")),
            (std::vector<std::string>{"/", "x/+1", "y"}));
  EXPECT_EQ(of(root, {}, "src").items[0].name, "src");
}

TEST_F(OutlineTest, ShowsWhatAListingShows) {
  auto out = of(t.tree(kTree), {.depth = 1});
  EXPECT_EQ(out.items[1].value.bytes, 1U);
  EXPECT_EQ(out.items[1].value.type, "text/plain");
  EXPECT_EQ(out.items[2].value.children, 2U);
  EXPECT_EQ(out.items[4].value.files, 3U);
}

TEST_F(OutlineTest, RefusesFilesNothingAndNonsense) {
  auto root = t.tree(kTree);
  auto budget = t.unlimited();
  EXPECT_THAT(outline(t.view(root), path("README"), {}, budget), FailsWith(Code::kNotADirectory));
  EXPECT_THAT(outline(t.view(root), path("none"), {}, budget), FailsWith(Code::kPathNotFound));
  EXPECT_THAT(outline(t.view(root), Path(), {.depth = -2}, budget),
              FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(outline(t.view(root), Path(), {.max_entries = -1}, budget),
              FailsWith(Code::kInvalidArgument));
}

TEST_F(OutlineTest, KeepsToTheCallersBudgetToo) {
  auto root = t.tree(kTree);
  auto entries = t.within({.entries = 6});
  auto out = must(outline(t.view(root), Path(), {.depth = -1}, entries));
  EXPECT_EQ(rendered(out), (std::vector<std::string>{"/", "README", "docs/", "docs/1", "docs/2",
                                                     "empty/", "src/+2"}));
  EXPECT_TRUE(out.truncated);
  EXPECT_EQ(entries.stopped_by(), Budget::Limit::kEntries);

  auto bytes = t.within({.bytes = 500});
  EXPECT_TRUE(must(outline(t.view(root), Path(), {.depth = -1}, bytes)).truncated);
  EXPECT_EQ(bytes.stopped_by(), Budget::Limit::kBytes);

  auto time = t.within({.time = std::chrono::milliseconds(5)});
  t.clock.advance(std::chrono::milliseconds(5));
  out = must(outline(t.view(root), Path(), {.depth = -1}, time));
  EXPECT_EQ(rendered(out), std::vector<std::string>{"/+4"});
  EXPECT_TRUE(out.truncated);
}

TEST_F(OutlineTest, ExpandsLargeDirectoriesWhole) {
  Files many;
  for (int i = 0; i < 2000; ++i) many["d/" + std::to_string(10'000 + i)] = "";
  auto out = of(t.tree(many), {.depth = -1, .max_entries = 2001});
  EXPECT_EQ(out.items.size(), 2002U);
  EXPECT_EQ(out.items.back().name, "11999");
  EXPECT_FALSE(out.truncated);
  EXPECT_EQ(of(t.tree(many), {.depth = -1, .max_entries = 2000}).items.size(), 2U);
}

// ---- The pseudo-code, as it stands --------------------------------------------------------------

struct OracleNode {
  std::string where;
  std::int64_t depth = 0;
  bool collapsed = false;
  std::vector<OracleNode*> children;
  bool is_dir = false;
  std::size_t count = 0;
};

struct OracleOutline {
  std::deque<OracleNode> nodes;
  bool truncated = false;
};

// The names directly below `dir`, and whether each is a directory.
std::map<std::string, bool> names_in(const Files& files, const std::string& dir) {
  std::map<std::string, bool> names;
  auto prefix = dir.empty() ? "" : dir + "/";
  for (const auto& [where, bytes] : files) {
    if (!where.starts_with(prefix) || where.size() == prefix.size()) continue;
    auto rest = where.substr(prefix.size());
    auto slash = rest.find('/');
    names[rest.substr(0, slash)] = slash != std::string::npos;
  }
  return names;
}

OracleOutline oracle(const Files& files, std::int64_t max_depth, std::int64_t budget) {
  OracleOutline out;
  std::deque<OracleNode*> queue;
  out.nodes.push_back({"", 0, false, {}, true, 0});
  queue.push_back(&out.nodes.back());
  while (!queue.empty()) {
    auto* node = queue.front();
    queue.pop_front();
    auto entries = names_in(files, node->where);
    node->count = entries.size();
    if (max_depth >= 0 && node->depth >= max_depth) {
      node->collapsed = true;
      continue;
    }
    if (static_cast<std::int64_t>(entries.size()) > budget) {
      node->collapsed = true;
      out.truncated = true;
      // Every directory is present in the output: those of the next level too.
      for (auto* remaining : queue) {
        remaining->collapsed = true;
        remaining->count = names_in(files, remaining->where).size();
      }
      break;
    }
    budget -= static_cast<std::int64_t>(entries.size());
    for (const auto& [name, is_dir] : entries) {
      auto where = node->where.empty() ? name : node->where + "/" + name;
      out.nodes.push_back({where, node->depth + 1, false, {}, is_dir, 0});
      node->children.push_back(&out.nodes.back());
      if (is_dir) queue.push_back(&out.nodes.back());
    }
  }
  return out;
}

std::vector<std::string> rendered(const OracleOutline& outline) {
  std::vector<std::string> lines;
  auto render = [&](auto& self, const OracleNode& node) -> void {
    if (!node.is_dir) {
      lines.push_back(node.where);
      return;
    }
    lines.push_back(node.where + "/" + (node.collapsed ? "+" + std::to_string(node.count) : ""));
    for (const auto* child : node.children) self(self, *child);
  };
  render(render, outline.nodes.front());
  return lines;
}

TEST_F(OutlineTest, DoesWhatThePseudoCodeDoes) {
  for_seeds(400, [&](Dice& dice) {
    auto files = random_files(dice, 40);
    auto root = t.tree(files);
    for (int i = 0; i < 5; ++i) {
      auto depth = static_cast<std::int64_t>(dice.below(6)) - 1;
      auto entries = static_cast<std::int64_t>(dice.below(files.size() * 2 + 2));
      SCOPED_TRACE("depth " + std::to_string(depth) + ", entries " + std::to_string(entries));
      auto expected = oracle(files, depth, entries);
      auto got = of(root, {.depth = depth, .max_entries = entries});
      ASSERT_EQ(rendered(got), rendered(expected));
      ASSERT_EQ(got.truncated, expected.truncated);
    }
  });
}

}  // namespace
}  // namespace cairn
