#include "exposure/mirror/plan.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::mirror {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// A tree in one line: `a=1 d/ d/x=2` has two files and a directory; `l!` is left out.
MirrorTree tree(std::string_view text) {
  MirrorTree out;
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.ends_with('/')) {
      out.entries[std::string(word.substr(0, word.size() - 1))] = {EntryKind::kDirectory};
    } else if (word.ends_with('!')) {
      out.left_out[std::string(word.substr(0, word.size() - 1))] = "a link";
    } else {
      const auto equal = word.find('=');
      out.entries[std::string(word.substr(0, equal))] = {EntryKind::kFile,
                                                         std::string(word.substr(equal + 1))};
    }
  }
  return out;
}

MirrorBase base(std::string_view text) {
  MirrorBase out;
  for (const auto& [path, entry] : tree(text).entries) {
    out[path] = {entry.kind, entry.key, entry.key};
  }
  return out;
}

std::string render(const MirrorPlan& plan) {
  std::string out;
  const auto add = [&](const std::string& word) { out += (out.empty() ? "" : " ") + word; };
  for (const auto& step : plan.steps) {
    add(std::string(step.to == MirrorSide::kDepot ? ">" : "<") + (step.remove ? "-" : "") +
        step.path + (step.kind == EntryKind::kDirectory ? "/" : ""));
  }
  for (const auto& conflict : plan.conflicts) add("!" + conflict.path);
  for (const auto& left : plan.not_taken) {
    add((left.on == MirrorSide::kDepot ? "~depot:" : "~directory:") + left.path);
  }
  for (const auto& path : plan.agreed) add("=" + path);
  for (const auto& path : plan.forgotten) add("x" + path);
  return out;
}

std::string planned(std::string_view then, std::string_view directory, std::string_view depot,
                    const MirrorRules& rules = {}) {
  return render(plan_mirror(base(then), tree(directory), tree(depot), rules));
}

MirrorRules keeping(MirrorSide side) {
  return {.only_to = {}, .keep = [side](std::string_view) { return std::optional(side); }};
}

struct Case {
  std::string_view then;
  std::string_view directory;
  std::string_view depot;
  std::string_view plan;
};

TEST(MirrorPlan, TakesOverWhatOneSideChanged) {
  for (const auto& c : {
           Case{"a=1", "a=1", "a=1", ""},
           Case{"a=1", "a=2", "a=1", ">a"},
           Case{"a=1", "a=1", "a=2", "<a"},
           Case{"a=1", "", "a=1", ">-a"},
           Case{"a=1", "a=1", "", "<-a"},
           Case{"", "a=1", "", ">a"},
           Case{"", "", "a=1", "<a"},
           Case{"a=1", "a=2", "a=2", "=a"},
           Case{"a=1", "", "", "xa"},
           // Directories.
           Case{"", "d/", "", ">d/"},
           Case{"", "d/ d/x=1", "", ">d/ >d/x"},
           Case{"d/ d/x=1", "", "d/ d/x=1", ">-d/x >-d/"},
           Case{"d/", "d/", "", "<-d/"},
           Case{"", "d/", "d/", "=d"},
           Case{"d/ d/e/ d/e/x=1", "d/ d/e/ d/e/x=1", "", "<-d/e/x <-d/e/ <-d/"},
           // Names follow each other otherwise than bytes do.
           Case{"d/ d.x=1 d/x=1", "d.x=1", "d/ d.x=1 d/x=1", ">-d/x >-d/"},
       }) {
    EXPECT_EQ(planned(c.then, c.directory, c.depot), c.plan)
        << c.then << " | " << c.directory << " | " << c.depot;
  }
}

TEST(MirrorPlan, LeavesAloneWhatBothChanged) {
  for (const auto& c : {
           Case{"a=1", "a=2", "a=3", "!a"},
           Case{"a=1", "a=2", "", "!a"},
           Case{"a=1", "", "a=2", "!a"},
           Case{"", "a=1", "a=2", "!a"},
           // With the directory that holds it; what else was in there goes.
           Case{"d/ d/x=1 d/y=1", "d/ d/x=2 d/y=1", "", "<-d/y !d/x"},
           // A new file in a directory that others deleted makes it again.
           Case{"d/ d/x=1", "d/ d/x=1 d/new=1", "", "<-d/x >d/new"},
       }) {
    EXPECT_EQ(planned(c.then, c.directory, c.depot), c.plan)
        << c.then << " | " << c.directory << " | " << c.depot;
  }
}

TEST(MirrorPlan, TakesAFileForADirectoryWithAllBelow) {
  for (const auto& c : {
           Case{"p=1", "p/ p/x=1", "p=1", ">-p >p/ >p/x"},
           Case{"p/ p/x=1 p/y/", "p=2", "p/ p/x=1 p/y/", ">-p/y/ >-p/x >-p/ >p"},
           Case{"p/ p/x=1", "p/ p/x=1", "p=1", "<-p/x <-p/ <p"},
           Case{"p/ p/x=1", "p=2", "p/ p/x=2", "!p"},
           Case{"p/ p/x=1", "p=2", "p/ p/x=1 p/new=1", "!p"},
           Case{"p/ p/x=1", "p=2", "p/", "!p"},
           Case{"p=1", "p/ p/x=1", "p=2", "!p"},
           Case{"", "p/ p/x=1", "p=2", "!p"},
           // Gone on both sides, and something else in its place on one.
           Case{"p/ p/x=1", "p=2", "", ">p xp/x"},
           Case{"p=1", "", "p/ p/x=1", "<p/ <p/x"},
           Case{"p=1", "p/", "p/", "=p"},
           // Entries that both sides lost meanwhile are forgotten with it.
           Case{"p/ p/x=1 p/q=1", "p=2", "p/ p/x=1 p/q=1", ">-p/x >-p/q >-p/ >p"},
       }) {
    EXPECT_EQ(planned(c.then, c.directory, c.depot), c.plan)
        << c.then << " | " << c.directory << " | " << c.depot;
  }
}

TEST(MirrorPlan, SaysWhatHappenedOnWhichSide) {
  const auto what = [](std::string_view then, std::string_view directory, std::string_view depot) {
    const auto plan = plan_mirror(base(then), tree(directory), tree(depot), {});
    return plan.conflicts.size() == 1 ? plan.conflicts[0].what : "";
  };
  EXPECT_EQ(what("a=1", "a=2", "a=3"), "changed in the directory and in the depot");
  EXPECT_EQ(what("", "a=2", "a=3"), "is new in the directory and in the depot, and differs");
  EXPECT_EQ(what("a=1", "a=2", ""), "changed in the directory, deleted in the depot");
  EXPECT_EQ(what("a=1", "", "a=2"), "changed in the depot, deleted in the directory");
  EXPECT_EQ(what("", "a=1", "a/"), "is a file in the directory and a directory in the depot");
}

TEST(MirrorPlan, KeepsTheSideItIsTold) {
  const auto directory = keeping(MirrorSide::kDirectory);
  const auto depot = keeping(MirrorSide::kDepot);
  EXPECT_EQ(planned("a=1", "a=2", "a=3", directory), ">a");
  EXPECT_EQ(planned("a=1", "a=2", "a=3", depot), "<a");
  EXPECT_EQ(planned("d/ d/a=1", "d/ d/a=2", "", directory), ">d/a");
  EXPECT_EQ(planned("d/ d/a=1", "d/ d/a=2", "", depot), "<-d/a <-d/");
  EXPECT_EQ(planned("", "p/ p/x=1", "p=2", directory), ">-p >p/ >p/x");
  EXPECT_EQ(planned("", "p/ p/x=1", "p=2", depot), "<-p/x <-p/ <p");
  // Only where both changed.
  EXPECT_EQ(planned("a=1 b=1", "a=2 b=1", "a=1 b=2", depot), ">a <b");
  MirrorRules some{.only_to = {}, .keep = [](std::string_view path) {
                     return path == "a" ? std::optional(MirrorSide::kDepot) : std::nullopt;
                   }};
  EXPECT_EQ(planned("", "a=1 b=1", "a=2 b=2", some), "<a !b");
}

TEST(MirrorPlan, GoesOneWayWhenTold) {
  const MirrorRules rules{.only_to = MirrorSide::kDepot};
  EXPECT_EQ(planned("a=1 b=1 c=1", "a=2 b=1 c=1", "a=1 b=2 new=1", rules),
            ">a ~depot:b ~depot:c ~depot:new");
  EXPECT_EQ(planned("a=1", "a=2", "a=3", rules), "!a");
  EXPECT_EQ(planned("d/ d/x=1", "d/ d/x=1", "", rules), "~depot:d ~depot:d/x");
  EXPECT_EQ(planned("p/ p/x=1", "p/ p/x=1", "p=1", rules), "~depot:p");
  const MirrorRules back{.only_to = MirrorSide::kDirectory};
  EXPECT_EQ(planned("a=1 b=1", "a=2 b=1", "a=1 b=2", back), "<b ~directory:a");
}

TEST(MirrorPlan, NeverTouchesWhatIsLeftOut) {
  // A link where a file was is not a deletion, and nothing is written over it.
  EXPECT_EQ(planned("a=1", "a!", "a=1"), "");
  EXPECT_EQ(planned("a=1", "a!", "a=2"), "");
  EXPECT_EQ(planned("d/ d/x=1", "d!", "d/ d/x=2 d/new=1"), "");
  EXPECT_EQ(planned("a=1", "a!", ""), "");
  // A directory with something left out in it stays, whatever the other side did to it.
  EXPECT_EQ(planned("d/ d/x=1", "d/ d/x=1 d/l!", ""), "<-d/x");
  EXPECT_EQ(planned("d/ d/x=1", "d/ d/x=1 d/l!", "d=1"), "!d");
  const auto plan = plan_mirror(base("d/"), tree("d/ d/l!"), tree("d=1"), {});
  ASSERT_EQ(plan.conflicts.size(), 1U);
  EXPECT_THAT(plan.conflicts[0].what, HasSubstr("d/l"));
}

TEST(MirrorPlan, KnowsTheSameBytesUnderAnotherKey) {
  const MirrorRules rules{.only_to = {}, .keep = {}, .same = {"a"}};
  EXPECT_EQ(planned("", "a=1", "a=2", rules), "=a");
  MirrorBase then{{"a", {EntryKind::kFile, "1", "2"}}};
  EXPECT_EQ(render(plan_mirror(then, tree("a=1"), tree("a=2"), {})), "");
  EXPECT_EQ(render(plan_mirror(then, tree("a=1"), tree("a=3"), {})), "<a");
  EXPECT_EQ(render(plan_mirror(then, tree("a=3"), tree("a=2"), {})), ">a");
}

TEST(MirrorPlan, NeverDeletesInTheFirstRun) {
  EXPECT_EQ(planned("", "a=1 d/ d/x=1 p=1", "b=1 d/ d/y=1 p/ p/x=1"), ">a <b >d/x <d/y !p =d");
}

// Everything in memory: what a perfect round makes of the three.
struct World {
  MirrorBase base;
  MirrorTree directory;
  MirrorTree depot;

  void apply(const MirrorPlan& plan) {
    for (const auto& step : plan.steps) {
      auto& target = step.to == MirrorSide::kDepot ? depot : directory;
      const auto& source = step.to == MirrorSide::kDepot ? directory : depot;
      if (step.remove) {
        target.entries.erase(step.path);
        base.erase(step.path);
        continue;
      }
      const auto& entry = source.entries.at(step.path);
      for (auto end = step.path.find('/'); end != std::string::npos;
           end = step.path.find('/', end + 1)) {
        target.entries.try_emplace(step.path.substr(0, end), MirrorEntry{EntryKind::kDirectory});
      }
      target.entries[step.path] = entry;
      base[step.path] = {entry.kind, entry.key, entry.key};
    }
    for (const auto& path : plan.agreed) {
      const auto& entry = directory.entries.at(path);
      base[path] = {entry.kind, entry.key, depot.entries.at(path).key};
    }
    for (const auto& path : plan.forgotten) base.erase(path);
  }
};

class Story final {
 public:
  explicit Story(unsigned seed) : random_(seed) {}

  // A side after some edits: files written, removed, directories and files in each other's place.
  void edit(MirrorTree& side) {
    for (unsigned i = below(4); i > 0; --i) {
      const auto path = some_path();
      for (auto end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
        const auto above = path.substr(0, end);
        side.entries[above] = {EntryKind::kDirectory};
      }
      remove(side, path);
      switch (below(4)) {
        case 0:
          break;
        case 1:
          side.entries[path] = {EntryKind::kDirectory};
          break;
        default:
          side.entries[path] = {EntryKind::kFile, std::to_string(below(3))};
      }
    }
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  std::string some_path() {
    std::string out;
    for (unsigned depth = 1 + below(3); depth > 0; --depth) {
      out +=
          (out.empty() ? "" : "/") + std::string(1, "ab."[below(3)]) + (below(3) == 0 ? "." : "");
    }
    return out;
  }
  static void remove(MirrorTree& side, const std::string& path) {
    side.entries.erase(side.entries.lower_bound(path + "/"), side.entries.lower_bound(path + "0"));
    side.entries.erase(path);
  }

  std::mt19937 random_;
};

bool in_conflict(const MirrorPlan& plan, const std::string& path) {
  Paths paths;
  for (const auto& conflict : plan.conflicts) paths.insert(conflict.path);
  return paths.contains(path) || is_below(path, paths);
}

// A path is a file or has something below it, never both; and what holds it is there.
void expect_a_tree(const MirrorTree& side, unsigned seed) {
  for (const auto& [path, entry] : side.entries) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) continue;
    const auto above = side.entries.find(path.substr(0, slash));
    ASSERT_TRUE(above != side.entries.end()) << path << " seed " << seed;
    ASSERT_EQ(above->second.kind, EntryKind::kDirectory) << path << " seed " << seed;
  }
}

// Whatever a side changed is still there, and is on the other side too unless it is in conflict.
void expect_nothing_lost(const MirrorBase& then, const MirrorTree& before, const MirrorTree& after,
                         const MirrorTree& across, const MirrorPlan& plan, unsigned seed) {
  for (const auto& [path, entry] : before.entries) {
    const auto known = then.find(path);
    const bool changed = known == then.end() || known->second.kind != entry.kind ||
                         known->second.directory_key != entry.key;
    if (!changed) continue;
    const auto now = after.entries.find(path);
    ASSERT_TRUE(now != after.entries.end()) << path << " seed " << seed;
    ASSERT_EQ(now->second.key, entry.key) << path << " seed " << seed;
    if (in_conflict(plan, path)) continue;
    const auto other_side = across.entries.find(path);
    ASSERT_TRUE(other_side != across.entries.end()) << path << " seed " << seed;
    ASSERT_EQ(other_side->second.key, entry.key) << path << " seed " << seed;
  }
  // A deletion is not taken back, unless the other side has something new to say there.
  for (const auto& [path, known] : then) {
    if (before.entries.contains(path) || !after.entries.contains(path)) continue;
    const auto& now = after.entries.at(path);
    ASSERT_TRUE(now.kind == EntryKind::kDirectory || known.kind != now.kind ||
                now.key != known.directory_key)
        << path << " came back, seed " << seed;
  }
}

TEST(MirrorPlan, LosesNoChangeAndConverges) {
  std::size_t conflicts = 0;
  std::size_t steps = 0;
  for (unsigned seed = 0; seed < 5'000; ++seed) {
    Story story(seed);
    World world;
    for (int round = 0; round < 3; ++round) {
      story.edit(world.directory);
      story.edit(world.depot);
      const auto before = world;
      const auto plan = plan_mirror(world.base, world.directory, world.depot, {});
      conflicts += plan.conflicts.size();
      steps += plan.steps.size();
      world.apply(plan);
      expect_a_tree(world.directory, seed);
      expect_a_tree(world.depot, seed);
      expect_nothing_lost(before.base, before.directory, world.directory, world.depot, plan, seed);
      expect_nothing_lost(before.base, before.depot, world.depot, world.directory, plan, seed);
      const auto again = plan_mirror(world.base, world.directory, world.depot, {});
      ASSERT_THAT(again.steps, IsEmpty())
          << render(plan) << " then " << render(again) << " seed " << seed;
      ASSERT_EQ(again.conflicts.size(), plan.conflicts.size()) << "seed " << seed;
      if (HasFatalFailure()) return;
    }
    // Said which side is to win, there is nothing left between them.
    const auto winner = seed % 2 == 0 ? MirrorSide::kDirectory : MirrorSide::kDepot;
    const auto plan = plan_mirror(world.base, world.directory, world.depot, keeping(winner));
    ASSERT_THAT(plan.conflicts, IsEmpty()) << "seed " << seed;
    world.apply(plan);
    ASSERT_EQ(world.directory.entries.size(), world.depot.entries.size()) << "seed " << seed;
    for (const auto& [path, entry] : world.directory.entries) {
      ASSERT_TRUE(world.depot.entries.contains(path)) << path << " seed " << seed;
      ASSERT_EQ(world.depot.entries.at(path).key, entry.key) << path << " seed " << seed;
    }
  }
  EXPECT_GT(conflicts, 1000U);
  EXPECT_GT(steps, 1000U);
}

TEST(MirrorPlan, OneWayChangesNothingOnTheOtherSide) {
  for (unsigned seed = 0; seed < 2'000; ++seed) {
    Story story(seed);
    World world;
    story.edit(world.directory);
    story.edit(world.depot);
    world.apply(plan_mirror(world.base, world.directory, world.depot, {}));
    story.edit(world.directory);
    story.edit(world.depot);
    const auto only = seed % 2 == 0 ? MirrorSide::kDirectory : MirrorSide::kDepot;
    const auto plan = plan_mirror(world.base, world.directory, world.depot, {.only_to = only});
    for (const auto& step : plan.steps) ASSERT_EQ(step.to, only) << "seed " << seed;
    for (const auto& left : plan.not_taken) ASSERT_EQ(left.on, only) << "seed " << seed;
  }
}

}  // namespace
}  // namespace cairn::mirror
