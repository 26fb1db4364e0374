#include "data/tree/moves.h"

#include "data/tree/tree_testing.h"

namespace cairn {
namespace {

using namespace tree_testing;
using testing::ElementsAre;

class Moves : public testing::Test {
 protected:
  // `A path`, `D path`, `M path`, `R from -> path`.
  std::vector<std::string> names(const Files& before, const Files& after) {
    auto budget = t.unlimited();
    auto found = must(diff_with_moves(t.stage, t.tree(before), t.tree(after), budget));
    std::vector<std::string> out;
    for (const auto& change : found.value()) {
      if (!change.from.empty()) {
        out.push_back(fmt::format("R {} -> {}", change.from, change.path));
      } else {
        out.push_back((!change.before ? "A " : !change.after ? "D " : "M ") + change.path);
      }
    }
    return out;
  }

  Trees t;
};

TEST_F(Moves, FilesAndDirectoriesAreMovedAsOne) {
  EXPECT_THAT(names({{"a", "1"}, {"d/x", "2"}, {"d/y", "3"}, {"s", "4"}},
                    {{"b", "1"}, {"e/d/x", "2"}, {"e/d/y", "3"}, {"s", "5"}}),
              ElementsAre("R a -> b", "R d -> e/d", "M s"));
}

TEST_F(Moves, AFileThatLeftARemovedDirectoryIsFound) {
  EXPECT_THAT(names({{"d/x", "2"}, {"d/y", "3"}}, {{"x", "2"}}),
              ElementsAre("D d/y", "R d/x -> x"));
}

TEST_F(Moves, WhatIsEmptyOrChangedIsNotMoved) {
  EXPECT_THAT(names({{"a", ""}, {"b", "1"}, {"d/", ""}}, {{"c", ""}, {"e", "2"}, {"f/", ""}}),
              ElementsAre("D a", "D b", "A c", "D d", "A e", "A f"));
}

TEST_F(Moves, CopiesAreNoMoves) {
  EXPECT_THAT(names({{"a", "1"}}, {{"a", "1"}, {"b", "1"}}), ElementsAre("A b"));
  EXPECT_THAT(names({{"a", "1"}}, {{"b", "1"}, {"c", "1"}}), ElementsAre("R a -> b", "A c"));
}

TEST_F(Moves, MoreThanTheBudgetIsNothing) {
  auto budget = t.within({.entries = 2});
  EXPECT_EQ(must(diff_with_moves(t.stage, t.tree({}), t.tree({{"a", "1"}, {"b", "2"}, {"c", "3"}}),
                                 budget)),
            std::nullopt);
}

}  // namespace
}  // namespace cairn
