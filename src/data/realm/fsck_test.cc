// Whatever is damaged is found, named, and not the last thing looked at.

#include "data/realm/fsck.h"

#include <thread>

#include "data/realm/realm_testing.h"
#include "data/realm/records.h"
#include "data/store/recount.h"

namespace cairn::realm_testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using Kind = FsckProblem::Kind;

MATCHER_P3(Problem, kind, key, paths, "") {
  *result_listener << name(arg.kind) << " " << arg.key.render_short() << ": " << arg.message
                   << ::testing::PrintToString(arg.paths);
  return arg.kind == kind && arg.key == key &&
         ::testing::ExplainMatchResult(paths, arg.paths, result_listener);
}
MATCHER_P2(ProblemSaying, kind, text, "") {
  *result_listener << name(arg.kind) << ": " << arg.message;
  return arg.kind == kind && arg.message.find(text) != std::string::npos;
}

class FsckTest : public ::testing::Test {
 protected:
  FsckReport check() { return must(fsck(world.realm)); }
  NodeKey key(std::string_view path) { return key_at(world, depot.root(), path); }
  std::string label(const DepotStory& of) const {
    auto record = of.record();
    return fmt::format("{} ({})", record.title, record.id.render());
  }
  std::string where(std::string_view path) const {
    return fmt::format("{}: {}", label(depot), path);
  }

  World world{uncached()};
  DepotStory depot = world.a_depot("project")
                         .with("README.md", "hello")
                         .with("src/a.ts", "a")
                         .with("src/b.ts", "b")
                         .with("docs/large.txt", random_text())
                         .committed();

  // A depot of a tree that no commit would take.
  static void plant(World& in, std::string_view title, const NodeKey& root) {
    auto depot = must(in.realm.create_depot(title));
    depot.root = root;
    Batch batch;
    batch.realm = in.realm.id();
    const HistoryEntry first{0, root, std::nullopt, depot.created_at, "created", false};
    batch.puts.push_back({records::depot_key(batch.realm, depot.id), records::encode(depot)});
    batch.puts.push_back({records::history_key(batch.realm, depot.id, 0), records::encode(first)});
    must(in.store->kv().commit(std::move(batch)));
  }

  static std::string random_text() {
    std::string text;
    for (unsigned char c : SeededRandom(3).bytes(500'000)) text += static_cast<char>('a' + c % 26);
    return text;
  }
};

TEST_F(FsckTest, FindsNothingInASoundStore) {
  depot.with("src/a.ts", "2").committed();
  depot.edit("src/c.ts", "not committed");
  auto report = check();
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.nodes, must(world.realm.usage()).node_count);
  EXPECT_EQ(report.bytes, must(world.realm.usage()).logical_bytes);
  EXPECT_EQ(report.roots, 4U) << "the depot's and three of its history";
}

class FsckWhileOthersWrite : public ::testing::TestWithParam<BackendKind> {};
INSTANTIATE_TEST_SUITE_P(Each, FsckWhileOthersWrite,
                         ::testing::Values(BackendKind::kMemory, BackendKind::kRocks));

TEST_P(FsckWhileOthersWrite, ASnapshotIsSound) {
  World world({.backend = GetParam()});
  auto depot = world.a_depot().with("a", "1").committed();
  std::jthread writer([&](const std::stop_token& stop) {
    for (int i = 0; i < 3000 && !stop.stop_requested(); ++i) {
      depot.with(fmt::format("f{}", i % 7), std::to_string(i)).committed();
    }
  });
  for (int i = 0; i < 20; ++i) {
    const auto then = must(world.store->snapshot());
    Realm realm(*then, world.realm.id(), world.clock, world.random);
    for (const auto& problem : must(fsck(realm)).problems) ADD_FAILURE() << problem.message;
  }
}

TEST_F(FsckTest, EndsWhenItIsToldTo) {
  std::stop_source stop;
  stop.request_stop();
  const auto report = must(fsck(world.realm, {.stop = stop.get_token()}));
  EXPECT_TRUE(report.ended_at);
  EXPECT_FALSE(report.clean());
  EXPECT_EQ(report.nodes, 0U);
}

TEST_F(FsckTest, GoesOnWhereverItWasEnded) {
  world.corrupt(key("src/a.ts"));
  world.lose(key("README.md"));
  const auto whole = check();
  ASSERT_EQ(whole.problems.size(), 2U);
  std::uint64_t total = 2;
  for (std::uint64_t until = 1; until < total; ++until) {
    std::stop_source stop;
    const auto first = must(
        fsck(world.realm, {.stop = stop.get_token(), .tell = [&](const FsckProgress& progress) {
                             total = progress.total;
                             if (progress.nodes == until) stop.request_stop();
                           }}));
    ASSERT_TRUE(first.ended_at) << until;
    const auto position = must(FsckPosition::parse(first.ended_at->render()));
    const auto rest = must(fsck(world.realm, {.resume = position}));
    EXPECT_FALSE(rest.ended_at);
    std::vector<::testing::Matcher<FsckProblem>> same;
    for (const auto& problem : whole.problems) {
      same.push_back(Problem(problem.kind, problem.key, problem.paths));
    }
    EXPECT_THAT(rest.problems, ::testing::UnorderedElementsAreArray(same)) << until;
    EXPECT_LE(first.nodes + rest.nodes, total + whole.problems.size());
  }
  EXPECT_GT(total, 8U);
}

TEST_F(FsckTest, DoesNotSayAgainWhatWasHealedMeanwhile) {
  const auto bad = key("src/a.ts");
  world.corrupt(bad);
  const FsckPosition position{NodeKey::from_bytes(Bytes(NodeKey::kSize, '\xff')), {bad}};
  EXPECT_FALSE(must(fsck(world.realm, {.resume = position})).clean());
  depot.with("again.ts", "a").committed();
  EXPECT_TRUE(must(fsck(world.realm, {.resume = position})).clean());
}

TEST(FsckPosition, IsAListOfKeys) {
  for (const std::string_view text :
       {"", ",", "nod_", "x", "nod_7K,", "dpt_00000000000000000000000000"}) {
    EXPECT_THAT(FsckPosition::parse(text), FailsWith(Code::kInvalidArgument)) << text;
  }
  const FsckPosition position{NodeKey::of("a"), {NodeKey::of("b"), NodeKey::of("c")}};
  const auto again = must(FsckPosition::parse(position.render()));
  EXPECT_EQ(again.reached, position.reached);
  EXPECT_EQ(again.bad, position.bad);
}

TEST_F(FsckTest, FindsNothingInAnEmptyRealm) {
  Realm empty(*world.store, realm_number(9), world.clock, world.random);
  auto report = must(fsck(empty));
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.nodes, 0U);
}

TEST_F(FsckTest, ChangesNothing) {
  world.corrupt(key("src/a.ts"));
  const auto before = world.everything();
  EXPECT_FALSE(check().clean());
  EXPECT_EQ(world.everything(), before);
}

TEST_F(FsckTest, NamesTheFileWhoseBytesAreNotItsOwn) {
  auto bad = key("src/a.ts");
  world.corrupt(bad);
  EXPECT_THAT(check().problems,
              ElementsAre(AllOf(Problem(Kind::kCorrupt, bad, ElementsAre(where("src/a.ts"))),
                                ProblemSaying(Kind::kCorrupt, bad.render()))));
}

TEST_F(FsckTest, FindsEveryWayBytesCanBeWrong) {
  auto bad = key("src/a.ts");
  const auto row = NodeRow(world.realm.id(), bad).bytes();
  const Bytes whole = must(world.backend->get(Table::kNodeData, row)).value();
  const Bytes another =
      must(world.backend->get(Table::kNodeData, NodeRow(world.realm.id(), key("src/b.ts")).bytes()))
          .value();
  std::vector<Bytes> wrong{"", "?", whole + "x", another};
  for (std::size_t i = 0; i < whole.size(); ++i) {
    wrong.push_back(whole.substr(0, i));
    auto flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    wrong.push_back(std::move(flipped));
  }
  for (const auto& bytes : wrong) {
    world.plant(Table::kNodeData, row, bytes);
    EXPECT_THAT(check().problems,
                ElementsAre(Problem(Kind::kCorrupt, bad, ElementsAre(where("src/a.ts")))))
        << printable(bytes);
  }
}

TEST_F(FsckTest, NamesADirectoryThatIsMissing) {
  auto bad = key("src");
  world.lose(bad);
  EXPECT_THAT(check().problems,
              ElementsAre(Problem(Kind::kMissing, bad, ElementsAre(where("src")))));
}

TEST_F(FsckTest, NamesWhatIsMissingWithoutARecord) {
  auto bad = key("src/b.ts");
  world.lose(bad);
  world.plant(Table::kNodeInfo, NodeRow(world.realm.id(), bad).bytes(), std::nullopt);
  EXPECT_THAT(check().problems,
              UnorderedElementsAre(Problem(Kind::kMissing, bad, ElementsAre(where("src/b.ts"))),
                                   ProblemSaying(Kind::kUsage, "there are")));
}

// Directories are in the cache from when they were stored; what counts is the disk.
TEST_F(FsckTest, IsNotDeceivedByTheCache) {
  World warm;
  auto cached = warm.a_depot().with("src/a.ts", "1").committed();
  const auto bad = key_at(warm, cached.root(), "src");
  warm.lose(bad);
  warm.plant(Table::kNodeInfo, NodeRow(warm.realm.id(), bad).bytes(), std::nullopt);
  ASSERT_THAT(warm.realm.nodes().get(bad), IsOk()) << "from the cache";
  auto report = must(fsck(warm.realm));
  EXPECT_THAT(report.problems, ::testing::Contains(ProblemSaying(Kind::kMissing, bad.render())));
}

TEST_F(FsckTest, NamesTheFileOfALostPiece) {
  auto large = must(world.realm.nodes().get(key("docs/large.txt")));
  ASSERT_GT(large->pieces().size(), 3U);
  auto bad = large->pieces()[2].key;
  world.lose(bad);
  EXPECT_THAT(check().problems,
              ElementsAre(Problem(Kind::kMissing, bad, ElementsAre(where("docs/large.txt")))));
}

TEST_F(FsckTest, NamesARootThatIsGone) {
  auto old = depot.root();
  depot.with("new", "1").committed();
  world.lose(old);
  world.lose(depot.root());
  EXPECT_THAT(check().problems,
              UnorderedElementsAre(
                  Problem(Kind::kMissing, depot.root(),
                          ElementsAre(where("/"), fmt::format("{} at commit 2: /", label(depot)))),
                  Problem(Kind::kMissing, old,
                          ElementsAre(fmt::format("{} at commit 1: /", label(depot))))));
}

TEST_F(FsckTest, NamesEveryDepotAndPathWhereABadNodeIsSeen) {
  depot.with("src/copy.ts", "a").committed();
  auto other = world.a_depot("other").with("deep/er/a.ts", "a").committed();
  auto bad = key("src/a.ts");
  world.corrupt(bad);
  EXPECT_THAT(check().problems,
              ElementsAre(Problem(
                  Kind::kCorrupt, bad,
                  UnorderedElementsAre(where("src/a.ts"), where("src/copy.ts"),
                                       fmt::format("{} at commit 1: src/a.ts", label(depot)),
                                       fmt::format("{}: deep/er/a.ts", label(other))))));
}

TEST_F(FsckTest, ReportsDamageNobodyHoldsWithoutPaths) {
  auto lone = file("nobody's");
  must(world.realm.nodes().put(std::vector{lone}));
  world.corrupt(lone->key());
  EXPECT_THAT(check().problems, ElementsAre(Problem(Kind::kCorrupt, lone->key(), IsEmpty())));
}

// An entry carries what a listing shows; one that lies about its node is found, whatever the lie.
TEST_F(FsckTest, FindsEntriesThatLie) {
  auto content = file("content");
  auto folder = dict_of("inside", content);
  const auto honest = entry_for("name", *content);
  const auto honest_folder = entry_for("name", *folder);
  std::vector<std::pair<std::string, Entry>> lies;
  auto lie = [&](std::string what, Entry entry, auto change) {
    change(entry);
    lies.emplace_back(std::move(what), entry);
  };
  lie("size", honest, [](Entry& e) { e.bytes += 1; });
  lie("type", honest, [](Entry& e) { e.type = "text/html"; });
  lie("kind", honest, [&](Entry& e) { e.key = folder->key(); });
  lie("kind of a directory", honest_folder, [&](Entry& e) { e.key = content->key(); });
  lie("children", honest_folder, [](Entry& e) { e.children += 1; });
  lie("files", honest_folder, [](Entry& e) { e.files += 1; });
  lie("bytes below", honest_folder, [](Entry& e) { e.bytes += 1; });
  for (const auto& [what, entry] : lies) {
    SCOPED_TRACE(what);
    World liars(uncached());
    auto root = make_dict({&entry, 1});
    must(liars.realm.nodes().put(std::vector{content, folder, root}));
    plant(liars, "liar", root->key());
    auto report = must(fsck(liars.realm));
    EXPECT_THAT(
        report.problems,
        ElementsAre(AllOf(Problem(Kind::kWrongEntry, root->key(),
                                  ElementsAre(HasSubstr("liar ("), HasSubstr("at commit 0: /"))),
                          ProblemSaying(Kind::kWrongEntry, "'name'"))));
  }
}

TEST_F(FsckTest, FindsAPieceOfTheWrongLengthOrKind) {
  auto chunk = make_chunk(Bytes(100'000, 'x'));
  auto whole = file(Bytes(100'000, 'y'));
  const Piece wrong_length[] = {{90'000, chunk->key()}, {90'000, chunk->key()}};
  auto liar = make_file("text/plain", 1, wrong_length);
  const Piece wrong_kind[] = {{100'000, whole->key()}, {100'000, chunk->key()}};
  auto other = make_file("text/plain", 1, wrong_kind);
  must(world.realm.nodes().put(std::vector{chunk, whole, liar, other}));
  EXPECT_THAT(check().problems,
              UnorderedElementsAre(Problem(Kind::kWrongEntry, liar->key(), IsEmpty()),
                                   Problem(Kind::kWrongEntry, other->key(), IsEmpty())));
}

TEST_F(FsckTest, FindsADirectoryWhoseFirstPartEndsTooEarly) {
  auto content = file("x");
  auto left = dict_of("a", content);
  auto right = dict_of("b", content);
  const Branch parts[] = {{"a", left->key(), 1, 1, 1}, {"b", right->key(), 1, 1, 1}};
  auto root = make_dict(1, parts);
  must(world.realm.nodes().put(std::vector{content, left, right, root}));
  EXPECT_THAT(check().problems,
              ElementsAre(AllOf(Problem(Kind::kWrongEntry, root->key(), IsEmpty()),
                                ProblemSaying(Kind::kWrongEntry, "ends before its cut"))));
}

TEST_F(FsckTest, NamesTheDepotOfADamagedRecord) {
  auto other = world.a_depot("other").with("a", "1").committed();
  world.plant(Table::kPointers, records::depot_key(world.realm.id(), depot.id), "?");
  world.plant(Table::kPointers, records::history_key(world.realm.id(), other.id, 0), "?");
  EXPECT_THAT(check().problems,
              UnorderedElementsAre(ProblemSaying(Kind::kRecord, depot.id.render()),
                                   ProblemSaying(Kind::kRecord, other.id.render())));
}

TEST_F(FsckTest, FindsAHistoryWithoutItsRoot) {
  world.plant(Table::kPointers,
              records::history_key(world.realm.id(), depot.id, depot.record().sequence),
              std::nullopt);
  EXPECT_THAT(check().problems, ElementsAre(AllOf(ProblemSaying(Kind::kRecord, "lacks its root"),
                                                  ProblemSaying(Kind::kRecord, label(depot)))));
}

TEST_F(FsckTest, FindsCountsThatAreOff) {
  const auto right = must(world.realm.usage());
  for (auto change : {+[](Usage& u) { u.physical_bytes += 1; }, +[](Usage& u) { u.node_count = 0; },
                      +[](Usage& u) { u.logical_bytes -= 1; }}) {
    auto wrong = right;
    change(wrong);
    world.plant(Table::kPointers, usage_key(world.realm.id()), encode_usage(wrong));
    EXPECT_THAT(check().problems, ElementsAre(ProblemSaying(Kind::kUsage, "the counts say")));
  }
  auto quota = right;
  quota.quota_limit = 12345;
  world.plant(Table::kPointers, usage_key(world.realm.id()), encode_usage(quota));
  EXPECT_TRUE(check().clean()) << "a quota is no count";
  world.plant(Table::kPointers, usage_key(world.realm.id()), "\xff");
  EXPECT_THAT(check().problems, ElementsAre(ProblemSaying(Kind::kUsage, "damaged")));
}

TEST_F(FsckTest, CountsAreMadeAnewFromWhatIsStored) {
  auto right = must(world.realm.usage());
  right.quota_limit = 12345678;
  auto wrong = right;
  wrong.node_count += 7;
  wrong.physical_bytes = 1;
  world.plant(Table::kPointers, usage_key(world.realm.id()), encode_usage(wrong));
  EXPECT_EQ(must(recount(world.realm.nodes())), right);
  EXPECT_EQ(must(world.realm.usage()), right);
  EXPECT_TRUE(check().clean());
  // Of a record that cannot be read, nothing is left of the quota.
  world.plant(Table::kPointers, usage_key(world.realm.id()), "\xff");
  right.quota_limit = 0;
  EXPECT_EQ(must(recount(world.realm.nodes())), right);
  EXPECT_TRUE(check().clean());
  // Where a node's own record is damaged, nobody knows how much there is.
  const auto row = NodeRow(world.realm.id(), key("README.md"));
  world.plant(Table::kNodeInfo, row.bytes(), "");
  EXPECT_THAT(recount(world.realm.nodes()), FailsWith(Code::kCorruptNode));
  EXPECT_EQ(must(world.realm.usage()), right);
}

TEST_F(FsckTest, GoesOnPastWhatItFinds) {
  const auto readme = key("README.md");
  const auto docs = key("docs");
  const auto b = key("src/b.ts");
  world.corrupt(readme);
  world.lose(docs);
  world.corrupt(b);
  world.plant(Table::kPointers, records::history_key(world.realm.id(), depot.id, 0), "?");
  world.plant(Table::kPointers, usage_key(world.realm.id()), encode_usage({}));
  EXPECT_THAT(check().problems,
              UnorderedElementsAre(Problem(Kind::kCorrupt, readme, ElementsAre(where("README.md"))),
                                   Problem(Kind::kMissing, docs, ElementsAre(where("docs"))),
                                   Problem(Kind::kCorrupt, b, ElementsAre(where("src/b.ts"))),
                                   ProblemSaying(Kind::kRecord, depot.id.render()),
                                   ProblemSaying(Kind::kUsage, "the counts say")));
}

TEST_F(FsckTest, GoesOnPastADamagedRecordOfANode) {
  const auto bad = key("src/a.ts");
  world.corrupt(bad);
  std::vector<NodeKey> all;
  must(world.realm.nodes().for_each([&](const NodeInfo& info) {
    all.push_back(info.key);
    return true;
  }));
  for (const auto& damaged : {all.front(), all[all.size() / 2], all.back()}) {
    const auto row = NodeRow(world.realm.id(), damaged).bytes();
    const auto record = must(world.backend->get(Table::kNodeInfo, row));
    world.plant(Table::kNodeInfo, row, "?");
    EXPECT_THAT(check().problems,
                UnorderedElementsAre(ProblemSaying(Kind::kRecord, damaged.render()),
                                     Problem(Kind::kCorrupt, bad, ElementsAre(where("src/a.ts")))));
    world.plant(Table::kNodeInfo, row, record);
  }
}

TEST_F(FsckTest, NamesTwentyPathsAndNoMore) {
  for (int i = 0; i < 30; ++i) depot.with(fmt::format("copies/{}.ts", i), "a");
  depot.committed();
  world.corrupt(key("src/a.ts"));
  auto problems = check().problems;
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0].paths, SizeIs(20));
}

TEST_F(FsckTest, DoesNotFallIntoATreeDeeperThanAnyPath) {
  std::vector<NodePtr> nodes{file("at the bottom")};
  for (int i = 0; i < 60'000; ++i) nodes.push_back(dict_of("d", nodes.back()));
  must(world.realm.nodes().put(nodes));
  plant(world, "deep", nodes.back()->key());
  world.corrupt(nodes.front()->key());
  EXPECT_THAT(check().problems,
              ElementsAre(Problem(Kind::kCorrupt, nodes.front()->key(), IsEmpty())));
}

}  // namespace
}  // namespace cairn::realm_testing
