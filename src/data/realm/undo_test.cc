#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/realm/fsck.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<CommitResult> undo(World& world, const DepotStory& depot, std::uint64_t from,
                          std::uint64_t to) {
  return world.realm.undo({.place = depot.place, .changes = {from, to}, .message = ""});
}

TEST(Undo, TakesOneCommitBackAndLeavesTheLaterOnes) {
  World world;
  auto depot = world.a_depot().with("a", "1").with("b", "1").committed();  // #1
  depot.with("a", "2").with("new", "x").committed();                       // #2
  depot.with("b", "2").committed().with("c", "1").committed();             // #3, #4
  const auto done = must(undo(world, depot, 2, 2));
  EXPECT_TRUE(done.changed);
  EXPECT_EQ(depot.files(), (Files{{"a", "1"}, {"b", "2"}, {"c", "1"}}));
  EXPECT_EQ(depot.history().front().undid, (ChangeRange{2, 2}));
  EXPECT_EQ(depot.messages().front(), "undo #2");
}

TEST(Undo, TakesARunBackInOneCommit) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  depot.with("a", "2").committed().with("b", "2").committed().with("a", "3").committed();
  depot.with("c", "1").committed();
  must(undo(world, depot, 2, 4));
  EXPECT_EQ(depot.files(), (Files{{"a", "1"}, {"c", "1"}}));
  EXPECT_EQ(depot.record().sequence, 6U);
  EXPECT_EQ(depot.history().front().undid, (ChangeRange{2, 4}));
  EXPECT_EQ(depot.messages().front(), "undo #2..#4");
}

TEST(Undo, OfAnUndoBringsTheChangeBack) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed().with("a", "2").committed();
  depot.with("b", "1").committed();
  must(undo(world, depot, 2, 2));
  EXPECT_EQ(depot.files().at("a"), "1");
  must(undo(world, depot, 4, 4));
  EXPECT_EQ(depot.files(), (Files{{"a", "2"}, {"b", "1"}}));
  must(undo(world, depot, 5, 5));
  EXPECT_EQ(depot.files(), (Files{{"a", "1"}, {"b", "1"}}));
}

TEST(Undo, OfWhatOthersBuiltUponIsAConflictThatNamesThePathsAndChangesNothing) {
  World world;
  auto depot = world.a_depot().with("a", "1").with("b", "1").committed();
  depot.with("a", "2").with("b", "2").committed().with("a", "3").committed();
  const auto before = world.everything();
  const auto refused = undo(world, depot, 2, 2);
  ASSERT_THAT(refused, FailsWith(Code::kConflict));
  EXPECT_THAT(detail_paths(refused.error()), ElementsAre("a"));
  EXPECT_THAT(refused.error().message, HasSubstr("'a'"));
  EXPECT_EQ(world.everything(), before);
  must(undo(world, depot, 2, 3));
  EXPECT_EQ(depot.files(), (Files{{"a", "1"}, {"b", "1"}}));
}

TEST(Undo, OfWhatIsUndoneAlreadyChangesNothing) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed().with("a", "2").committed();
  must(undo(world, depot, 2, 2));
  const auto before = world.everything();
  EXPECT_THAT(undo(world, depot, 2, 2), FailsWith(Code::kInvalidArgument));
  EXPECT_EQ(world.everything(), before);
}

TEST(Undo, RefusesWhatIsNotThere) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed().with("a", "2").committed();
  const auto before = world.everything();
  EXPECT_THAT(undo(world, depot, 0, 0), FailsWith(Code::kHistoryNotFound));
  EXPECT_THAT(undo(world, depot, 0, 2), FailsWith(Code::kHistoryNotFound));
  EXPECT_THAT(undo(world, depot, 3, 3), FailsWith(Code::kHistoryNotFound));
  EXPECT_THAT(undo(world, depot, 2, 1), FailsWith(Code::kInvalidArgument));
  EXPECT_EQ(world.everything(), before);
}

TEST(Undo, SaysWhenTheVersionBeforeIsNotKept) {
  World world;
  auto depot = world.a_depot();
  for (int i = 1; i <= 6; ++i) depot.with(fmt::format("f{}", i), "x").committed();
  must(world.realm.set_tag(depot.id, "start", 2));
  keep_only(world.realm, depot.id, 2);  // #2, #5 and #6 are left
  const auto refused = undo(world, depot, 5, 5);
  ASSERT_THAT(refused, FailsWith(Code::kHistoryNotFound));
  EXPECT_THAT(refused.error().message, HasSubstr("#2 and #5"));
  must(undo(world, depot, 3, 5));
  EXPECT_EQ(depot.files(), (Files{{"f1", "x"}, {"f2", "x"}, {"f6", "x"}}));
}

TEST(Undo, AtAPlaceTakesBackWhatHappenedThereAndLeavesTheRest) {
  World world;
  auto depot = world.a_depot().with("docs/a", "1").with("src/a", "1").committed();
  depot.with("docs/a", "2").with("src/a", "2").committed();
  depot.with("src/b", "1").committed();
  auto docs = depot.at("docs");
  must(undo(world, docs, 2, 2));
  EXPECT_EQ(depot.files(), (Files{{"docs/a", "1"}, {"src/a", "2"}, {"src/b", "1"}}));
  const auto before = world.everything();
  EXPECT_THAT(undo(world, docs, 3, 3), FailsWith(Code::kHistoryNotFound)) << "it was elsewhere";
  EXPECT_THAT(undo(world, docs, 1, 1), FailsWith(Code::kHistoryNotFound)) << "it made the place";
  EXPECT_EQ(world.everything(), before);
}

TEST(Restore, BringsOnePathBackAndLeavesTheRest) {
  World world;
  auto depot = world.a_depot().with("docs/a", "1").with("docs/b", "1").with("src", "1").committed();
  const auto then = depot.root();
  depot.with("docs/a", "2").without("docs/b").with("docs/c", "2").with("src", "2").committed();
  const auto restore = [&](const DepotStory& where, const NodeKey& root, std::string_view at) {
    return world.realm.restore({.depot = where.id,
                                .root = root,
                                .message = "back",
                                .author = {},
                                .place = where.place.path},
                               must(Path::parse(at)));
  };
  EXPECT_TRUE(must(restore(depot, then, "docs/a")).changed);
  EXPECT_EQ(depot.files(), (Files{{"docs/a", "1"}, {"docs/c", "2"}, {"src", "2"}}));
  must(restore(depot, then, "docs/c"));
  EXPECT_EQ(depot.files(), (Files{{"docs/a", "1"}, {"src", "2"}})) << "it was not there then";
  must(restore(depot, then, "docs"));
  EXPECT_EQ(depot.files(), (Files{{"docs/a", "1"}, {"docs/b", "1"}, {"src", "2"}}));
  EXPECT_FALSE(must(restore(depot, then, "docs")).changed);
  EXPECT_THAT(restore(depot, then, "nowhere"), FailsWith(Code::kPathNotFound));
  EXPECT_EQ(depot.messages().front(), "back");

  auto docs = depot.at("docs");
  const auto docs_then = docs.root();
  depot.with("docs/a", "3").with("src", "3").committed();
  must(restore(docs, docs_then, "a"));
  EXPECT_EQ(depot.files(), (Files{{"docs/a", "1"}, {"docs/b", "1"}, {"src", "3"}}));
  EXPECT_TRUE(must(fsck(world.realm)).clean());
}

// Random commits, a random run of them taken back: what they touched is as it was before them, and
// what came later elsewhere is exactly there. A file of lines is changed at its top by the run and
// at its end by those who come later.
class Lines final {
 public:
  void set(std::size_t line, std::string text) { lines_[line] = std::move(text); }
  std::string text() const {
    std::string out;
    for (const auto& line : lines_) out += line + "\n";
    return out;
  }

 private:
  std::vector<std::string> lines_ = std::vector<std::string>(40, "line");
};

// Directories that were left empty are none of the model's business.
Files files_only(const DepotStory& depot) {
  auto out = depot.files();
  std::erase_if(out, [](const auto& file) { return file.first.ends_with('/'); });
  return out;
}

TEST(Undo, LeavesExactlyTheLaterChangesElsewhere) {
  for_seeds(40, [](Dice& dice) {
    World world;
    auto depot = world.a_depot();
    Files model;
    Lines lines;
    const auto change = [&](std::string_view where, std::size_t first_line) {
      std::set<std::string> touched;
      for (auto count = 1 + dice.below(3); count > 0; --count) {
        const auto path = fmt::format("{}/{}/{}", where, dice.below(3), dice.below(3));
        if (!touched.insert(path).second) continue;
        if (model.contains(path) && dice.one_in(3)) {
          model.erase(path);
          depot.without(path);
        } else {
          model[path] = fmt::format("{}", dice.below(1000));
          depot.with(path, model[path]);
        }
      }
      if (dice.one_in(2)) {
        lines.set(first_line + dice.below(5), fmt::format("{} {}", where, dice.below(1000)));
        model["lines.txt"] = lines.text();
        depot.with("lines.txt", model["lines.txt"]);
      }
      depot.committed();
    };
    model["lines.txt"] = lines.text();
    depot.with("lines.txt", lines.text()).committed();
    for (auto count = dice.below(5); count > 0; --count)
      change(dice.one_in(2) ? "run" : "later", 0);

    const auto before = model;
    const auto lines_before = lines;
    const auto from = depot.record().sequence + 1;
    for (auto count = 1 + dice.below(6); count > 0; --count) change("run", 0);
    const auto to = depot.record().sequence;
    auto replayed = lines_before;
    auto expected = before;
    for (auto count = dice.below(8); count > 0; --count) change("later", 30);
    if (to < from) return;

    // The model of what is left: everything of the run as before it, everything else as now.
    std::erase_if(expected, [](const auto& file) { return file.first.starts_with("later/"); });
    for (const auto& [path, content] : model) {
      if (path.starts_with("later/")) expected[path] = content;
    }
    std::vector<std::string> now;
    std::string rest = lines.text();
    for (std::size_t end = 0; (end = rest.find('\n')) != std::string::npos;
         rest.erase(0, end + 1)) {
      now.push_back(rest.substr(0, end));
    }
    for (std::size_t line = 30; line < now.size(); ++line) replayed.set(line, now[line]);
    expected["lines.txt"] = replayed.text();

    const auto done = undo(world, depot, from, to);
    if (!done) {
      // A run that came to nothing leaves nothing to take back.
      EXPECT_EQ(files_only(depot), expected) << done.error().message;
      return;
    }
    EXPECT_EQ(files_only(depot), expected) << from << ".." << to;
    must(undo(world, depot, depot.record().sequence, depot.record().sequence));
    EXPECT_EQ(files_only(depot), model) << "the undo undone";
  });
}

// Whatever else happened since: a run is taken back, or nothing is changed, and nobody's later
// change to another file is lost.
TEST(Undo, NeverTouchesAFileThatTheRunDidNot) {
  for_seeds(40, [](Dice& dice) {
    World world;
    auto depot = world.a_depot();
    std::vector<Files> versions{Files{}};
    const auto commits = 2 + dice.below(12);
    for (std::size_t i = 0; i < commits; ++i) {
      const auto path = fmt::format("f{}", dice.below(5));
      depot.with(path, fmt::format("{}", i)).committed();
      versions.push_back(depot.files());
    }
    const auto from = 1 + dice.below(commits);
    const auto to = from + dice.below(commits - from + 1);
    const auto now = depot.files();
    const auto done = undo(world, depot, from, to);
    const auto after = depot.files();
    if (!done) {
      EXPECT_EQ(after, now);
    }
    for (int file = 0; file < 5; ++file) {
      const auto path = fmt::format("f{}", file);
      const auto at = [&](const Files& files) {
        const auto found = files.find(path);
        return found == files.end() ? std::string("-") : found->second;
      };
      const bool touched = at(versions[from - 1]) != at(versions[to]);
      if (!touched || !done) {
        EXPECT_EQ(at(after), at(now)) << path;
      } else {
        EXPECT_EQ(at(after), at(versions[from - 1])) << path;
      }
    }
  });
}

}  // namespace
}  // namespace cairn::realm_testing
