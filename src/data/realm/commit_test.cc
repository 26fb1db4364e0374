// Commits: nobody's update is lost, whoever comes first, and however many come at once.

#include <barrier>
#include <thread>

#include "base/guarded.h"
#include "data/realm/fsck.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(Commit, MovesTheDepotToTheRoot) {
  World world;
  auto depot = world.a_depot();
  auto draft = depot.edit("src/a.ts", "1");
  world.clock.advance(std::chrono::seconds(5));
  const auto author = DelegateId::from_bytes(Bytes(16, 'x'));
  auto done = must(depot.commit(draft, {.message = "first", .author = author}));
  EXPECT_TRUE(done.changed);
  EXPECT_FALSE(done.merged);
  EXPECT_THAT(done.from_others, IsEmpty());
  EXPECT_EQ(done.depot, depot.record());
  EXPECT_EQ(done.depot.root, draft.root);
  EXPECT_EQ(done.depot.updated_at, world.clock.now());
  EXPECT_EQ(depot.history().front(), (HistoryEntry{.sequence = 1,
                                                   .root = draft.root,
                                                   .author = author,
                                                   .time = world.clock.now(),
                                                   .message = "first",
                                                   .merged = false}));
}

// ---- Two agents, one after the other, neither giving an expected root ---------------------------

TEST(Commit, BringsDisjointChangesTogether) {
  World world;
  auto depot = world.a_depot().with("a.txt", "1").with("b.txt", "1").committed();
  auto first = depot.checkout().write("a.txt", "first").write("new/first.txt", "1");
  auto second = depot.checkout().write("b.txt", "second").rm("a.txt").write("a.txt", "1");
  ASSERT_FALSE(must(depot.commit(first)).merged);
  auto done = must(depot.commit(second));
  EXPECT_TRUE(done.merged);
  EXPECT_TRUE(done.changed);
  EXPECT_THAT(done.from_others, UnorderedElementsAre("a.txt", "new"));
  EXPECT_EQ(depot.files(),
            (Files{{"a.txt", "first"}, {"b.txt", "second"}, {"new/first.txt", "1"}}));
  EXPECT_TRUE(depot.history()[0].merged);
  EXPECT_EQ(depot.history()[1].root, first.root);
}

TEST(Commit, OfADryRunSaysWhatItWouldDoAndDoesNothing) {
  World world;
  auto depot = world.a_depot().with("a.txt", "1").with("b.txt", "1").committed();
  auto mine = depot.edit("a.txt", "mine");
  auto clash = depot.edit("b.txt", "mine");
  depot.with("b.txt", "theirs").committed();
  const auto before = depot.record();
  const auto commits = depot.history().size();
  auto would = must(depot.commit(mine, {.dry_run = true}));
  EXPECT_TRUE(would.changed);
  EXPECT_TRUE(would.merged);
  EXPECT_THAT(would.from_others, ElementsAre("b.txt"));
  EXPECT_EQ(would.depot, before);
  EXPECT_THAT(depot.commit(clash, {.dry_run = true}), FailsWith(Code::kConflict));
  EXPECT_FALSE(must(depot.commit(depot.root(), {.dry_run = true})).changed);
  EXPECT_EQ(depot.record(), before);
  EXPECT_EQ(depot.history().size(), commits);
  EXPECT_EQ(must(depot.commit(mine)).root, would.root);
}

TEST(Commit, RefusesOverlappingChangesAndLosesNeither) {
  World world;
  auto depot = world.a_depot().with("a.txt", "1").with("b.txt", "1").with("c", "1").committed();
  auto first = depot.checkout().write("a.txt", "first").rm("c");
  auto second = depot.checkout().write("a.txt", "second").write("b.txt", "2").write("c", "2");
  must(depot.commit(first));
  const auto before = world.everything();
  auto refused = depot.commit(second);
  ASSERT_THAT(refused, FailsWith(Code::kConflict));
  EXPECT_THAT(detail_paths(refused.error()), ElementsAre("a.txt", "c"));
  EXPECT_EQ(detail_text(refused.error(), "currentRoot"), first.root.render());
  EXPECT_EQ(detail_text(refused.error(), "base"), second.base.render());
  EXPECT_THAT(refused.error().message, HasSubstr("both changed 'a.txt', 'c'"));
  EXPECT_EQ(world.everything(), before) << "nothing changes";
  EXPECT_EQ(depot.files(), (Files{{"a.txt", "first"}, {"b.txt", "1"}}));
  EXPECT_EQ(depot.files(second.root).at("a.txt"), "second") << "what was refused is still there";
}

TEST(Commit, NamesOnlyTheFirstConflictsInTheMessageAndAllInTheDetails) {
  World world;
  auto depot = world.a_depot();
  auto mine = depot.checkout();
  for (int i = 0; i < 7; ++i) {
    mine.write(fmt::format("f{}", i), "mine");
    depot.with(fmt::format("f{}", i), "theirs");
  }
  depot.committed();
  auto refused = depot.commit(mine);
  ASSERT_THAT(refused, FailsWith(Code::kConflict));
  EXPECT_THAT(refused.error().message, HasSubstr("'f4' and 2 more"));
  EXPECT_EQ(detail_paths(refused.error()).size(), 7U);
}

TEST(Commit, LetsAnAgentGoOnFromItsOwnRootAfterAMerge) {
  World world;
  auto depot = world.a_depot().with("mine", "0").with("theirs", "0").committed();
  auto mine = depot.checkout().write("mine", "1");
  depot.with("theirs", "1").committed();
  ASSERT_TRUE(must(depot.commit(mine)).merged);
  // The agent never heard of the merge; its second change of the same file is no conflict with its
  // own first.
  mine.write("mine", "2");
  auto done = must(depot.commit(mine));
  EXPECT_TRUE(done.merged);
  EXPECT_THAT(done.from_others, ElementsAre("theirs"));
  EXPECT_EQ(depot.files(), (Files{{"mine", "2"}, {"theirs", "1"}}));

  mine.rm("mine");
  depot.with("theirs", "2").committed();
  must(depot.commit(mine));
  EXPECT_EQ(depot.files(), (Files{{"theirs", "2"}}));
}

TEST(Commit, LetsAnAgentGoOnFromItsOwnRootAfterAPlainCommit) {
  World world;
  auto depot = world.a_depot().with("a", "0").committed();
  auto mine = depot.checkout().write("a", "1");
  must(depot.commit(mine));
  mine.write("a", "2");
  depot.with("b", "theirs").committed();
  EXPECT_TRUE(must(depot.commit(mine)).merged);
  EXPECT_EQ(depot.files(), (Files{{"a", "2"}, {"b", "theirs"}}));
}

TEST(Commit, DoesNothingWhenWhatItBringsIsThereAlready) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  auto mine = depot.edit("a", "2");
  must(depot.commit(mine));
  const auto before = world.everything();
  auto again = must(depot.commit(mine));
  EXPECT_FALSE(again.changed);
  EXPECT_EQ(again.depot, depot.record());
  EXPECT_EQ(world.everything(), before);

  depot.with("b", "theirs").committed();
  auto late = must(depot.commit(mine));  // an answer got lost, and the client asks again
  EXPECT_FALSE(late.changed);
  EXPECT_EQ(late.depot.root, depot.root());
  EXPECT_EQ(depot.files(), (Files{{"a", "2"}, {"b", "theirs"}}));
  EXPECT_EQ(depot.history().size(), 4U);
}

TEST(Commit, TakesTheSameChangeFromBothOnce) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  auto first = depot.edit("a", "2");
  auto second = depot.checkout().write("a", "2").write("b", "1");
  must(depot.commit(first));
  must(depot.commit(second));
  EXPECT_EQ(depot.files(), (Files{{"a", "2"}, {"b", "1"}}));
}

TEST(Commit, MergesTextByLine) {
  World world;
  auto depot = world.a_depot().with("a.txt", "1\n2\n3\n4\n5\n6\n7\n").committed();
  auto first = depot.edit("a.txt", "one\n2\n3\n4\n5\n6\n7\n");
  auto second = depot.edit("a.txt", "1\n2\n3\n4\n5\n6\nseven\n");
  must(depot.commit(first));
  auto done = must(depot.commit(second));
  EXPECT_THAT(done.from_others, ElementsAre("a.txt"));
  EXPECT_EQ(depot.files().at("a.txt"), "one\n2\n3\n4\n5\n6\nseven\n");
}

TEST(Commit, MergesJsonByKey) {
  World world;
  auto depot = world.a_depot().with("a.json", R"({"a": 1, "b": 1, "c": 1})").committed();
  auto first = depot.edit("a.json", R"({"a": 2, "b": 1, "c": 1})");
  auto second = depot.edit("a.json", R"({"a": 1, "b": 1, "c": 2})");
  auto third = depot.edit("a.json", R"({"a": 3, "b": 1, "c": 1})");
  must(depot.commit(first));
  must(depot.commit(second));
  EXPECT_EQ(depot.files().at("a.json"), R"({"a": 2, "b": 1, "c": 2})");
  EXPECT_THAT(depot.commit(third), FailsWith(Code::kConflict));
}

TEST(Commit, MergesAWholeDirectoryAgainstChangesElsewhere) {
  World world;
  auto depot = world.a_depot().with("old/a", "1").with("old/b", "1").with("c", "1").committed();
  auto mine = depot.checkout().rm("old");
  auto theirs = depot.checkout().write("old/a", "2");
  depot.with("c", "2").committed();
  must(depot.commit(mine));
  EXPECT_EQ(depot.files(), (Files{{"c", "2"}}));
  auto refused = depot.commit(theirs);
  ASSERT_THAT(refused, FailsWith(Code::kConflict));
  EXPECT_THAT(detail_paths(refused.error()), ElementsAre("old"));
}

// ---- With an expected root, with force, from nowhere --------------------------------------------

TEST(Commit, TakesTheExpectedRootAsBase) {
  World world;
  auto depot = world.a_depot().with("a", "1").with("b", "1").committed();
  const auto started = depot.root();
  Stage stage(world.realm.nodes());
  auto changed = must(write(stage, must(stage.get(started)), must(Path::parse("a")), "mine"));
  must(world.realm.nodes().put(stage.reachable(changed.root->key())));  // no origin is known
  depot.with("b", "theirs").committed();
  auto done = must(depot.commit(changed.root->key(), {.expected = started}));
  EXPECT_TRUE(done.merged);
  EXPECT_EQ(depot.files(), (Files{{"a", "mine"}, {"b", "theirs"}}));
}

TEST(Commit, RefusesAStaleExpectedRootThatDoesNotFitAndReportsTheCurrentOne) {
  World world;
  auto depot = world.a_depot().with("src/a.ts", "1").committed();
  auto mine = depot.edit("src/a.ts", "2");
  depot.with("src/a.ts", "theirs").committed();
  auto refused = depot.commit(mine, {.expected = mine.base});
  ASSERT_THAT(refused, FailsWith(Code::kConflict));
  EXPECT_EQ(detail_text(refused.error(), "currentRoot"), depot.root().render());
  EXPECT_THAT(detail_paths(refused.error()), ElementsAre("src/a.ts"));
}

TEST(Commit, OverwritesWithForceAndKeepsTheOldRootInTheHistory) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  auto mine = depot.edit("a", "mine");
  depot.with("a", "theirs").with("b", "theirs").committed();
  const auto theirs = depot.root();
  auto done = must(depot.commit(mine, {.force = true}));
  EXPECT_FALSE(done.merged);
  EXPECT_EQ(depot.files(), (Files{{"a", "mine"}}));
  EXPECT_EQ(depot.history()[1].root, theirs);
  must(world.realm.revert(depot.id, theirs, "back"));
  EXPECT_EQ(depot.files(), (Files{{"a", "theirs"}, {"b", "theirs"}}));
}

TEST(Commit, TakesARootOfUnknownBaseAsItIs) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  auto elsewhere = world.a_depot("other").with("z", "1").committed();
  EXPECT_EQ(base_of(world.realm, elsewhere.root(), depot.id), std::nullopt);
  auto done = must(depot.commit(elsewhere.root()));
  EXPECT_FALSE(done.merged);
  EXPECT_EQ(depot.files(), (Files{{"z", "1"}}));
  EXPECT_EQ(depot.history().size(), 3U);
}

TEST(Commit, StoresAStagedChangeTogetherWithTheCommit) {
  World world;
  auto depot = world.a_depot().with("a", "1").with("b", "1").committed();
  const auto started = depot.root();
  auto staged = [&](std::string_view path, ByteView content) {
    Stage stage(world.realm.nodes());
    auto changed = must(write(stage, must(stage.get(started)), must(Path::parse(path)), content));
    return world.realm.commit({.depot = depot.id,
                               .root = changed.root->key(),
                               .made_on = started,
                               .message = {},
                               .author = {}},
                              stage, changed.linked);
  };
  EXPECT_FALSE(must(staged("a", "2")).merged);
  EXPECT_TRUE(must(staged("b", "2")).merged);
  const auto before = world.everything();
  EXPECT_THAT(staged("a", "3"), FailsWith(Code::kConflict));
  EXPECT_EQ(world.everything(), before) << "not even nodes are stored";
  EXPECT_EQ(depot.files(), (Files{{"a", "2"}, {"b", "2"}}));
  EXPECT_TRUE(must(fsck(world.realm)).clean());
}

// ---- What cannot be committed -------------------------------------------------------------------

TEST(Commit, RefusesWhatCannotBeCommittedAndChangesNothing) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  auto draft = depot.edit("a", "2");
  depot.with("b", "2").committed();
  const auto file_key = key_at(world, depot.root(), "a");
  const auto nowhere = NodeKey::of("nowhere");
  const auto no_depot = DepotId::from_bytes(Bytes(16, 'x'));
  const struct {
    const char* what;
    CommitRequest request;
    Code code;
    const char* says;
  } cases[] = {
      {"a root that is a file",
       {depot.id, file_key, {}, {}, "", false, {}},
       Code::kNotADirectory,
       "is not a directory"},
      {"a root that is not stored",
       {depot.id, nowhere, {}, {}, "", false, {}},
       Code::kNodeNotFound,
       "not stored"},
      {"the same with force",
       {depot.id, nowhere, {}, {}, "", true, {}},
       Code::kNodeNotFound,
       "not stored"},
      {"an unknown depot",
       {no_depot, draft.root, {}, {}, "", false, {}},
       Code::kDepotNotFound,
       "there is no depot dpt_"},
      {"a message too long",
       {depot.id, draft.root, {}, {}, Bytes(4001, 'x'), false, {}},
       Code::kInvalidArgument,
       "4001 bytes"},
      {"a message that is not UTF-8",
       {depot.id, draft.root, {}, {}, "\xff", false, {}},
       Code::kInvalidArgument,
       "UTF-8"},
      {"a base that is gone",
       {depot.id, draft.root, {}, nowhere, "", false, {}},
       Code::kNodeNotFound,
       "is not stored any more"},
      {"a base that is a file",
       {depot.id, draft.root, {}, file_key, "", false, {}},
       Code::kNotADirectory,
       "is not a directory"},
  };
  for (const auto& [what, request, code, says] : cases) {
    SCOPED_TRACE(what);
    const auto before = world.everything();
    auto refused = world.realm.commit(request);
    EXPECT_THAT(refused, FailsWith(code));
    if (!refused) {
      EXPECT_THAT(refused.error().message, HasSubstr(says));
    }
    EXPECT_EQ(world.everything(), before);
  }
  EXPECT_THAT(depot.commit(draft, {.message = Bytes(4000, 'x')}), IsOk());
}

TEST(Commit, FailsAsAWholeWhenTheDiskDoes) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  auto draft = depot.edit("a", "2");
  const auto before = world.everything();
  world.backend->broken = true;
  EXPECT_THAT(depot.commit(draft), FailsWith(Code::kIoError));
  world.backend->broken = false;
  EXPECT_EQ(world.everything(), before);
  EXPECT_TRUE(must(depot.commit(draft)).changed);
}

TEST(Commit, IsOnDiskWhenItReturns) {
  World world;
  auto depot = world.a_depot();
  auto draft = depot.edit("a", "2");
  world.backend->syncs = 0;
  must(depot.commit(draft));
  EXPECT_EQ(world.backend->syncs, 1);
}

// ---- Many at once -------------------------------------------------------------------------------

class ManyCommits : public ::testing::TestWithParam<BackendKind> {};
INSTANTIATE_TEST_SUITE_P(Each, ManyCommits, both_backends(), backend_name);

// Every thread adds files of its own and counts in one of its own. Half of them read the depot
// before each change, half go on from what they made themselves. Nothing overlaps, so every commit
// is acknowledged, and the history has to be one line: each root is the one before it and exactly
// one acknowledged change.
TEST_P(ManyCommits, OfDisjointChangesAreAllThereInOneLine) {
  constexpr int kThreads = 8;
  constexpr int kCommits = 12;
  World world({.backend = GetParam()});
  auto depot = world.a_depot("busy", Realm::kMaxMaxHistory).with("start", "0").committed();

  Guarded<std::map<std::uint64_t, Files>> acknowledged;  // by the commit's place in the history
  auto last_acknowledged = [&] {
    auto all = acknowledged.lock();
    return all->empty() ? 0 : all->rbegin()->first;
  };
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        NodeKey root = depot.root();
        bool fresh = true;
        for (int i = 0; i < kCommits; ++i) {
          if (t % 2 == 0) {
            root = depot.root();
            fresh = true;
          }
          Files change{{fmt::format("t{}/f{}", t, i), "new"},
                       {fmt::format("counter{}", t), fmt::format("{}\n", i)}};
          for (const auto& [path, content] : change) {
            auto next = save_write(world.realm, root,
                                   fresh ? std::optional(depot.id) : std::nullopt, path, content);
            ASSERT_THAT(next, IsOk());
            root = *next;
            fresh = false;
          }
          const auto before = last_acknowledged();
          auto done = world.realm.commit(
              {.depot = depot.id, .root = root, .expected_root = {}, .message = {}, .author = {}});
          ASSERT_THAT(done, IsOk());
          ASSERT_TRUE(done->changed);
          EXPECT_GT(done->depot.sequence, before) << "after all that were acknowledged before";
          EXPECT_TRUE(acknowledged.lock()->emplace(done->depot.sequence, change).second);
        }
      });
    }
  }
  auto history = depot.history();
  ASSERT_EQ(history.size(), 2U + kThreads * kCommits);
  Files expected{{"start", "0"}};
  for (std::uint64_t sequence = 2; sequence < history.size(); ++sequence) {
    const Files change = acknowledged.lock()->at(sequence);
    for (const auto& [path, content] : change) expected[path] = content;
    const auto& entry = history[history.size() - 1 - sequence];
    ASSERT_EQ(entry.sequence, sequence);
    ASSERT_EQ(depot.files(entry.root), expected) << "commit " << sequence;
  }
  EXPECT_EQ(depot.root(), history.front().root);
  EXPECT_TRUE(must(fsck(world.realm)).clean());
}

// In each round all threads start from the same root and change the same line.
TEST_P(ManyCommits, OfTheSameLineAreWonByOneEachRound) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 10;
  World world({.backend = GetParam()});
  auto depot = world.a_depot("busy", Realm::kMaxMaxHistory).with("line.txt", "start\n").committed();

  Guarded<std::map<std::uint64_t, std::string>> acknowledged;
  std::atomic<int> conflicts = 0;
  std::barrier round(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kRounds; ++i) {
          auto value = fmt::format("{} in round {}\n", t, i);
          auto mine = save_write(world.realm, depot.root(), depot.id, "line.txt", value);
          EXPECT_THAT(mine, IsOk());
          round.arrive_and_wait();
          auto done = world.realm.commit(
              {.depot = depot.id, .root = *mine, .expected_root = {}, .message = {}, .author = {}});
          if (done) {
            EXPECT_TRUE(done->changed);
            acknowledged.lock()->emplace(done->depot.sequence, value);
          } else {
            EXPECT_THAT(done, FailsWith(Code::kConflict));
            EXPECT_THAT(detail_paths(done.error()), ElementsAre("line.txt"));
            conflicts += 1;
          }
          round.arrive_and_wait();
        }
      });
    }
  }
  const auto won = *acknowledged.lock();
  EXPECT_EQ(won.size(), static_cast<std::size_t>(kRounds));
  EXPECT_EQ(conflicts, kRounds * (kThreads - 1));
  auto history = depot.history();
  ASSERT_EQ(history.size(), 2 + won.size());
  for (const auto& [sequence, value] : won) {
    const auto& entry = history[history.size() - 1 - sequence];
    EXPECT_EQ(depot.files(entry.root).at("line.txt"), value);
  }
  EXPECT_EQ(depot.files().at("line.txt"), won.rbegin()->second);
}

TEST_P(ManyCommits, WhileADepotIsRenamedAndTrimmedLoseNothing) {
  constexpr int kCommits = 30;
  World world({.backend = GetParam()});
  auto depot = world.a_depot("busy", 5);
  {
    std::jthread renamer([&] {
      for (int i = 0; i < kCommits; ++i) {
        EXPECT_THAT(world.realm.rename_depot(depot.id, fmt::format("busy {}", i)), IsOk());
        EXPECT_THAT(world.realm.set_keep(depot.id, Keep{.days = 0, .daily = 0, .last = 3}), IsOk());
        EXPECT_THAT(thin_history(world.realm, depot.id), IsOk());
      }
    });
    std::vector<std::jthread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kCommits; ++i) {
          auto mine =
              save_write(world.realm, depot.root(), depot.id, fmt::format("t{}/{}", t, i), "x");
          ASSERT_THAT(mine, IsOk());
          ASSERT_THAT(world.realm.commit({.depot = depot.id,
                                          .root = *mine,
                                          .expected_root = {},
                                          .message = {},
                                          .author = {}}),
                      IsOk());
        }
      });
    }
  }
  EXPECT_EQ(depot.record().title, fmt::format("busy {}", kCommits - 1));
  EXPECT_EQ(depot.files().size(), 2U * kCommits);
  EXPECT_EQ(depot.record().sequence, 2U * kCommits);
  EXPECT_EQ(depot.history().front().root, depot.root());
  EXPECT_EQ(must(world.realm.history_length(depot.record())), depot.history().size());
  must(thin_history(world.realm, depot.id));
  EXPECT_EQ(depot.history().size(), 3U);
  EXPECT_EQ(must(world.realm.history_length(depot.record())), 3U);
}

// ---- Any sequence of agents' doings -------------------------------------------------------------

// An agent, and what it means: the changes since it last read or wrote the depot. The model of a
// depot is a map of files. An acknowledged commit applies exactly what its agent means to whatever
// is there; it is refused exactly when another changed one of these files meanwhile.
struct Agent {
  Draft draft;
  Files synced;
  Files now;

  std::map<std::string, std::optional<std::string>> means() const {
    std::map<std::string, std::optional<std::string>> changes;
    for (const auto& [path, content] : now) {
      if (!synced.contains(path) || synced.at(path) != content) changes[path] = content;
    }
    for (const auto& [path, content] : synced) {
      if (!now.contains(path)) changes[path] = std::nullopt;
    }
    return changes;
  }
};

std::optional<std::string> at(const Files& files, const std::string& path) {
  auto found = files.find(path);
  return found == files.end() ? std::nullopt : std::optional(found->second);
}

Files without_empty_directories(Files files) {
  std::erase_if(files, [](const auto& item) { return item.first.ends_with('/'); });
  return files;
}

class AgentsTest final {
 public:
  explicit AgentsTest(Dice& dice) : dice_(dice) {
    for (int i = 0; i < 3; ++i) agents_.push_back(fresh());
  }

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) step();
    check_history();
  }

 private:
  static inline const std::vector<std::string> kPaths = {"a", "b.txt", "d/x", "d/y.json", "d/e/z"};

  Agent fresh() { return {depot_.checkout(), history_.back(), history_.back()}; }

  void step() {
    auto number = dice_.below(agents_.size());
    Agent& agent = agents_[number];
    switch (dice_.below(10)) {
      case 0:
        agent = fresh();
        break;
      case 1:
        revert();
        break;
      case 2:
        commit(agent, true);
        break;
      case 3:
      case 4:
      case 5:
        commit(agent, false);
        break;
      default:
        edit(agent, number);
        break;
    }
  }

  // The agent's own file makes its root one that no other has.
  void edit(Agent& agent, std::size_t number) {
    auto unique = [&] { return fmt::format("{}", ++counter_); };
    auto own = fmt::format("agent{}", number);
    agent.draft.write(own, agent.now[own] = unique());
    auto path = dice_.pick(kPaths);
    if (agent.now.contains(path) && dice_.one_in(3)) {
      agent.draft.rm(path);
      agent.now.erase(path);
    } else {
      agent.draft.write(path, agent.now[path] = unique());
    }
  }

  void revert() {
    auto history = depot_.history();
    auto back = dice_.below(history.size() - 1);
    auto done = must(world_.realm.revert(depot_.id, history[back].root, ""));
    if (done.changed) history_.push_back(history_[history_.size() - 1 - back]);
  }

  void commit(Agent& agent, bool force) {
    const Files& current = history_.back();
    Files expected = force ? agent.now : current;
    std::vector<std::string> conflicts;
    if (!force) {
      for (const auto& [path, content] : agent.means()) {
        auto theirs = at(current, path);
        if (theirs != at(agent.synced, path) && theirs != content) conflicts.push_back(path);
        if (content) {
          expected[path] = *content;
        } else {
          expected.erase(path);
        }
      }
    }
    auto done = depot_.commit(agent.draft, {.force = force});
    if (!conflicts.empty()) {
      ASSERT_THAT(done, FailsWith(Code::kConflict));
      EXPECT_EQ(detail_paths(done.error()), conflicts);
      if (dice_.one_in(2)) agent = fresh();
    } else {
      ASSERT_THAT(done, IsOk());
      if (done->changed) history_.push_back(expected);
      agent.synced = agent.now;
    }
    ASSERT_EQ(without_empty_directories(depot_.files()), history_.back());
  }

  void check_history() {
    auto history = depot_.history();
    ASSERT_EQ(history.size(), history_.size());
    for (std::size_t i = 0; i < history.size(); ++i) {
      EXPECT_EQ(without_empty_directories(depot_.files(history[history.size() - 1 - i].root)),
                history_[i]);
    }
  }

  Dice& dice_;
  World world_;
  // The directories are there from the start and stay: conflicts are of files.
  const Files start_{{"d/keep", ""}, {"d/e/keep", ""}};
  DepotStory depot_ = world_.a_depot("model", Realm::kMaxMaxHistory)
                          .with("d/keep", "")
                          .with("d/e/keep", "")
                          .committed();
  std::vector<Files> history_{Files{}, start_};  // oldest first
  std::vector<Agent> agents_;
  int counter_ = 0;
};

TEST(Commit, NeverLosesWhatWasAcknowledgedWhateverThreeAgentsDo) {
  for_seeds(40, [](Dice& dice) { AgentsTest(dice).run(80); });
}

}  // namespace
}  // namespace cairn::realm_testing
