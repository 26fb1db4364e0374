#include "data/realm/realm.h"

#include <set>

#include "data/realm/fsck.h"
#include "data/realm/gc.h"
#include "data/realm/owner.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

// ---- Depots -------------------------------------------------------------------------------------

TEST(Depots, BeginAtAnEmptyRootWithOneEntryOfHistory) {
  World world;
  auto depot = must(world.realm.create_depot("my project"));
  EXPECT_EQ(depot.title, "my project");
  EXPECT_EQ(depot.root, empty_dict()->key());
  EXPECT_EQ(depot.max_history, 100U);
  EXPECT_EQ(depot.created_at, world.clock.now());
  EXPECT_EQ(depot.updated_at, world.clock.now());
  EXPECT_EQ(must(world.realm.get_depot(depot.id)), depot);
  DepotStory story(world.realm, depot.id);
  EXPECT_THAT(story.files(), IsEmpty());
  EXPECT_THAT(story.history(),
              ElementsAre(HistoryEntry{0, depot.root, {}, world.clock.now(), "created", false}));
}

TEST(Depots, BeginAtARootOfTheRealmWhenToldSo) {
  World world;
  auto first = world.a_depot().with("a", "1").committed();
  auto second = must(world.realm.create_depot("copy", first.root(), 7));
  EXPECT_EQ(second.root, first.root());
  EXPECT_EQ(second.max_history, 7U);
  DepotStory copy(world.realm, second.id);
  copy.with("a", "2").committed();
  EXPECT_EQ(first.files(), (Files{{"a", "1"}}));
}

TEST(Depots, AreRefusedWithAnythingWrong) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  const auto file_key = key_at(world, depot.root(), "a");
  const struct {
    const char* what;
    std::string title;
    std::optional<NodeKey> root;
    std::uint64_t max_history;
    Code code;
  } cases[] = {
      {"no title", "", {}, 1, Code::kInvalidArgument},
      {"a title too long", Bytes(201, 'x'), {}, 1, Code::kInvalidArgument},
      {"a title too long in bytes", Bytes(199, 'x') + "\xc3\xbc", {}, 1, Code::kInvalidArgument},
      {"a NUL", Bytes("a\0b", 3), {}, 1, Code::kInvalidArgument},
      {"a newline", "a\nb", {}, 1, Code::kInvalidArgument},
      {"a tab", "a\tb", {}, 1, Code::kInvalidArgument},
      {"an escape", "\x1b[31m", {}, 1, Code::kInvalidArgument},
      {"a delete", "\x7f", {}, 1, Code::kInvalidArgument},
      {"invalid UTF-8", "\xc3", {}, 1, Code::kInvalidArgument},
      {"an overlong form", "\xc0\xaf", {}, 1, Code::kInvalidArgument},
      {"no history", "t", {}, 0, Code::kInvalidArgument},
      {"too long a history", "t", {}, 10'001, Code::kInvalidArgument},
      {"a root that is not stored", "t", NodeKey::of("x"), 1, Code::kNodeNotFound},
      {"a root that is a file", "t", file_key, 1, Code::kNotADirectory},
  };
  const auto before = world.everything();
  for (const auto& [what, title, root, max_history, code] : cases) {
    SCOPED_TRACE(what);
    EXPECT_THAT(world.realm.create_depot(title, root, max_history), FailsWith(code));
    if (!root && max_history == 1) {
      EXPECT_THAT(world.realm.rename_depot(depot.id, title), FailsWith(code));
    }
    if (max_history != 1) {
      EXPECT_THAT(world.realm.set_max_history(depot.id, max_history), FailsWith(code));
    }
  }
  EXPECT_EQ(world.everything(), before);
  EXPECT_THAT(world.realm.create_depot(Bytes(200, 'x')), IsOk());
  EXPECT_THAT(world.realm.create_depot("\xe6\x97\xa5\xe6\x9c\xac", {}, 10'000), IsOk());
}

TEST(Depots, AreListedOldestFirstInPages) {
  World world;
  std::vector<std::string> made;
  for (int i = 0; i < 7; ++i)
    made.push_back(must(world.realm.get_depot(world.a_depot().id)).id.render());
  for (std::size_t limit : {1U, 2U, 3U, 7U, 8U, 1000U}) {
    SCOPED_TRACE(limit);
    std::vector<std::string> listed;
    std::optional<std::string> cursor;
    std::size_t pages = 0;
    do {
      auto page = must(world.realm.list_depots(limit, cursor));
      EXPECT_LE(page.depots.size(), limit);
      EXPECT_FALSE(page.depots.empty());
      for (const auto& depot : page.depots) listed.push_back(depot.id.render());
      cursor = page.next_cursor;
      pages += 1;
    } while (cursor);
    EXPECT_EQ(listed, made);
    EXPECT_EQ(pages, (made.size() + limit - 1) / limit);
  }
}

TEST(Depots, AreListedOnWhereACursorStandsThoughItsDepotIsGone) {
  World world;
  auto first = world.a_depot("first");
  auto second = world.a_depot("second");
  auto cursor = must(world.realm.list_depots(1, {})).next_cursor;
  must(world.realm.delete_depot(first.id));
  auto page = must(world.realm.list_depots(10, cursor));
  ASSERT_EQ(page.depots.size(), 1U);
  EXPECT_EQ(page.depots[0].id, second.id);
}

TEST(Depots, ListingRefusesLimitsAndCursorsThatAreNone) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  auto history_cursor = must(world.realm.history(depot.id, 1, {})).next_cursor;
  world.a_depot();
  auto depot_cursor = must(world.realm.list_depots(1, {})).next_cursor;
  ASSERT_TRUE(history_cursor && depot_cursor);
  for (std::size_t limit : {0U, 1001U}) {
    EXPECT_THAT(world.realm.list_depots(limit, {}), FailsWith(Code::kInvalidArgument));
    EXPECT_THAT(world.realm.history(depot.id, limit, {}), FailsWith(Code::kInvalidArgument));
  }
  for (const auto& cursor : {std::string("x"), std::string(), *history_cursor}) {
    EXPECT_THAT(world.realm.list_depots(1, cursor), FailsWith(Code::kInvalidCursor)) << cursor;
  }
  for (const auto& cursor : {std::string("x"), std::string(), *depot_cursor}) {
    EXPECT_THAT(world.realm.history(depot.id, 1, cursor), FailsWith(Code::kInvalidCursor))
        << cursor;
  }
}

TEST(Depots, AreRenamedAndNothingElse) {
  World world;
  auto depot = world.a_depot("before").with("a", "1").committed();
  auto before = depot.record();
  world.clock.advance(1h);
  auto renamed = must(world.realm.rename_depot(depot.id, "after"));
  before.title = "after";
  EXPECT_EQ(renamed, before);
  EXPECT_EQ(depot.record(), before);
}

TEST(Depots, AreGoneWithTheirHistoryWhenDeleted) {
  World world;
  auto kept = world.a_depot("kept").with("a", "1").committed();
  auto depot = world.a_depot("gone").with("a", "1").committed();
  must(world.realm.delete_depot(depot.id));
  EXPECT_THAT(world.realm.get_depot(depot.id), FailsWith(Code::kDepotNotFound));
  EXPECT_THAT(world.realm.rename_depot(depot.id, "x"), FailsWith(Code::kDepotNotFound));
  EXPECT_THAT(world.realm.set_max_history(depot.id, 1), FailsWith(Code::kDepotNotFound));
  EXPECT_THAT(world.realm.history(depot.id, 1, {}), FailsWith(Code::kDepotNotFound));
  EXPECT_THAT(world.realm.revert(depot.id, kept.root(), ""), FailsWith(Code::kDepotNotFound));
  EXPECT_THAT(depot.commit(kept.root()), FailsWith(Code::kDepotNotFound));
  EXPECT_THAT(world.realm.delete_depot(depot.id), FailsWith(Code::kDepotNotFound));
  EXPECT_EQ(must(world.realm.list_depots(10, {})).depots, std::vector{kept.record()});
  world.clock.advance(world.realm.options().restorable + 48h);
  must(collect_garbage(world.realm));
  for (const auto& [key, value] : world.everything().rows) {
    if (key.first != static_cast<int>(Table::kPointers)) continue;
    const bool record = std::string_view("dhivz").contains(key.second[0]);
    EXPECT_FALSE(record && key.second.find(depot.id.bytes()) != Bytes::npos) << key.second[0];
  }
}

// ---- History ------------------------------------------------------------------------------------

TEST(History, IsNewestFirstInPages) {
  World world;
  auto depot = world.a_depot();
  std::vector<std::string> messages{"created"};
  for (int i = 0; i < 300; ++i) {
    messages.insert(messages.begin(), fmt::format("commit {}", i));
    depot.with("a", fmt::format("{}", i)).committed(messages.front());
  }
  for (std::size_t limit : {1U, 10U, 100U, 101U, 1000U}) {
    SCOPED_TRACE(limit);
    std::vector<std::string> listed;
    std::optional<std::string> cursor;
    do {
      auto page = must(world.realm.history(depot.id, limit, cursor));
      EXPECT_LE(page.entries.size(), limit);
      for (const auto& entry : page.entries) {
        listed.push_back(entry.message);
        EXPECT_EQ(entry.sequence, 301 - listed.size());
      }
      cursor = page.next_cursor;
    } while (cursor);
    EXPECT_EQ(listed, messages);
  }
}

TEST(History, IsNotCutByHowManyRootsAreShown) {
  World world;
  auto depot = world.a_depot("d", 3);
  for (int i = 1; i <= 150; ++i) depot.with("a", fmt::format("{}", i)).committed();
  EXPECT_EQ(depot.history().size(), 151U);
  EXPECT_EQ(must(world.realm.set_max_history(depot.id, 1)).max_history, 1U);
  EXPECT_EQ(depot.history().size(), 151U);
  EXPECT_EQ(must(world.realm.history_length(depot.record())), 151U);
}

TEST(History, BringsARootBackAsANewCommit) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed("one");
  const auto one = depot.root();
  depot.with("a", "2").with("b", "2").committed("two");
  const auto author = DelegateId::from_bytes(Bytes(16, 'x'));
  auto done = must(world.realm.revert(depot.id, one, "back", author));
  EXPECT_TRUE(done.changed);
  EXPECT_EQ(depot.root(), one);
  EXPECT_THAT(depot.messages(), ElementsAre("back", "two", "one", "created"));
  EXPECT_EQ(depot.history().front().author, author);
  EXPECT_FALSE(must(world.realm.revert(depot.id, one, "again")).changed);
  must(world.realm.revert(depot.id, empty_dict()->key(), ""));
  EXPECT_EQ(depot.messages().front(), "revert to " + empty_dict()->key().render_short());
}

TEST(History, OnlyHoldsWhatWasCommittedAndNotYetTrimmed) {
  World world;
  auto depot = world.a_depot("d").with("a", "1").committed();
  const auto trimmed = depot.root();
  depot.with("a", "2").committed().with("a", "3").committed();
  keep_only(world.realm, depot.id, 2);
  auto draft = depot.edit("a", "never committed");
  auto other = world.a_depot("other").with("b", "1").committed();
  const auto before = world.everything();
  for (const auto& root : {trimmed, draft.root, other.root(), NodeKey::of("x")}) {
    auto refused = world.realm.revert(depot.id, root, "");
    ASSERT_THAT(refused, FailsWith(Code::kHistoryNotFound));
    EXPECT_THAT(refused.error().message, HasSubstr(root.render()));
  }
  EXPECT_EQ(world.everything(), before);
}

// ---- Realms -------------------------------------------------------------------------------------

TEST(Realms, ShareNothing) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  Realm other(*world.store, realm_number(8), world.clock, world.random);
  EXPECT_THAT(other.get_depot(depot.id), FailsWith(Code::kDepotNotFound));
  EXPECT_THAT(other.history(depot.id, 1, {}), FailsWith(Code::kDepotNotFound));
  EXPECT_THAT(other.delete_depot(depot.id), FailsWith(Code::kDepotNotFound));
  EXPECT_THAT(must(other.list_depots(10, {})).depots, IsEmpty());
  EXPECT_THAT(other.nodes().get(depot.root()), FailsWith(Code::kNodeNotFound));
  EXPECT_THAT(other.resolve(depot.root().render()), FailsWith(Code::kNodeNotFound));
  EXPECT_THAT(other.create_depot("t", depot.root()), FailsWith(Code::kNodeNotFound));
  EXPECT_EQ(base_of(other, depot.root(), depot.id), std::nullopt);
  EXPECT_EQ(must(other.usage()), Usage{});

  DepotStory theirs(other, must(other.create_depot("theirs")).id);
  EXPECT_THAT(theirs.commit(depot.root()), FailsWith(Code::kNodeNotFound));
  theirs.with("a", "1").committed();
  EXPECT_EQ(theirs.root(), depot.root()) << "the same tree, stored for each";
  EXPECT_EQ(must(other.usage()).node_count, 3U);
  must(world.realm.delete_depot(depot.id));
  world.clock.advance(world.realm.options().restorable + 48h);
  must(collect_garbage(world.realm));
  EXPECT_EQ(must(world.realm.usage()), Usage{});
  EXPECT_EQ(theirs.files(), (Files{{"a", "1"}}));
}

TEST(Realms, ResolveAbbreviatedKeys) {
  World world;
  auto depot = world.a_depot().with("a", "1").committed();
  const auto key = depot.root();
  const auto text = key.render();
  EXPECT_EQ(must(world.realm.resolve(text)), key);
  for (std::size_t digits : {12U, 16U, 51U}) {
    EXPECT_EQ(must(world.realm.resolve(text.substr(0, 4 + digits))), key) << digits;
  }
  EXPECT_THAT(world.realm.resolve(text.substr(0, 4 + 11)), FailsWith(Code::kInvalidKey));
  EXPECT_THAT(world.realm.resolve("nod_"), FailsWith(Code::kInvalidKey));
  EXPECT_THAT(world.realm.resolve(NodeKey::of("x").render_short()), FailsWith(Code::kNodeNotFound));

  // Another node whose key has the first 64 bits in common.
  auto near = Bytes(key.bytes());
  near.back() = static_cast<char>(near.back() ^ 1);
  world.plant(Table::kNodeInfo, NodeRow(world.realm.id(), NodeKey::from_bytes(near)).bytes(),
              StoredInfo{}.encode());
  auto refused = world.realm.resolve(text.substr(0, 4 + 12));
  ASSERT_THAT(refused, FailsWith(Code::kAmbiguousKey));
  EXPECT_THAT(refused.error().message, HasSubstr(text));
  EXPECT_EQ(must(world.realm.resolve(text)), key) << "in whole it is not ambiguous";
}

TEST(Realms, KnowTheOwnersRealmEverAfter) {
  World world;
  auto owner = must(owner_realm(*world.store, world.clock, world.random));
  EXPECT_EQ(must(owner_realm(*world.store, world.clock, world.random)), owner);
  World another;
  another.random.bytes(3);
  EXPECT_NE(must(owner_realm(*another.store, another.clock, another.random)), owner);
}

// ---- Usage and quota ----------------------------------------------------------------------------

TEST(Quota, CountsEveryNodeOnce) {
  World world;
  auto first = world.a_depot().with("a", Bytes(1000, 'x')).with("b", Bytes(1000, 'x')).committed();
  const auto usage = must(world.realm.usage());
  EXPECT_EQ(usage, world.recounted());
  EXPECT_EQ(usage.quota_limit, 0U);
  EXPECT_GT(usage.logical_bytes, 1000U);
  EXPECT_LT(usage.logical_bytes, 2000U) << "the content is stored once";
  EXPECT_LT(usage.physical_bytes, usage.logical_bytes) << "and compressed";
  must(world.realm.create_depot("copy", first.root()));
  EXPECT_EQ(must(world.realm.usage()), usage);
}

// Bytes that do not compress.
Bytes noise(std::uint64_t seed) { return SeededRandom(seed).bytes(10'000); }

TEST(Quota, RefusesWritesBeyondItAndChangesNothing) {
  World world;
  auto depot = world.a_depot().with("a", "1").with("j.txt", "1\n2\n3\n4\n").committed();
  auto mine = depot.edit("j.txt", "1\n2\n3\n4\nmine\n");
  depot.with("j.txt", "theirs\n1\n2\n3\n4\n").committed();
  auto full = [&] { must(world.realm.set_quota(must(world.realm.usage()).physical_bytes)); };
  full();

  const auto before = world.everything();
  auto refused = save_write(world.realm, depot.root(), depot.id, "big", noise(1));
  ASSERT_THAT(refused, FailsWith(Code::kQuotaExceeded));
  EXPECT_GT(std::get<std::int64_t>(refused.error().details.at("needed")), 10'000);
  EXPECT_THAT(save_write(world.realm, depot.root(), depot.id, "a", "2"),
              FailsWith(Code::kQuotaExceeded));
  EXPECT_THAT(world.realm.nodes().put(std::vector{file("new")}), FailsWith(Code::kQuotaExceeded));
  EXPECT_THAT(depot.commit(mine), FailsWith(Code::kQuotaExceeded)) << "the merge needs new nodes";
  {
    Stage stage(world.realm.nodes());
    auto changed = must(write(stage, must(stage.get(depot.root())), must(Path::parse("b")), "new"));
    EXPECT_THAT(world.realm.commit({.depot = depot.id,
                                    .root = changed.root->key(),
                                    .made_on = depot.root(),
                                    .message = {},
                                    .author = {}},
                                   stage, changed.linked),
                FailsWith(Code::kQuotaExceeded));
  }
  EXPECT_EQ(world.everything(), before);

  // An operation that needs no new node still works.
  EXPECT_THAT(world.realm.revert(depot.id, depot.history()[1].root, ""), IsOk());
  EXPECT_THAT(world.realm.create_depot("one more", depot.root()), IsOk());
  must(world.realm.set_quota(0));
  EXPECT_THAT(depot.commit(mine), IsOk());
}

TEST(Quota, IsFreedByDeletingDepotsAndCollectingGarbage) {
  World world;
  auto kept = world.a_depot("kept").with("a", "1").committed();
  const auto small = must(world.realm.usage());
  auto large = world.a_depot("large").with("big", noise(1)).committed();
  const auto limit = must(world.realm.usage()).physical_bytes + 5'000;
  must(world.realm.set_quota(limit));
  EXPECT_THAT(save_write(world.realm, kept.root(), kept.id, "big", noise(2)),
              FailsWith(Code::kQuotaExceeded));
  must(world.realm.delete_depot(large.id));
  world.clock.advance(world.realm.options().restorable + 48h);
  must(collect_garbage(world.realm));
  auto usage = must(world.realm.usage());
  EXPECT_EQ(usage.physical_bytes, small.physical_bytes);
  EXPECT_EQ(usage.quota_limit, limit);
  EXPECT_EQ(usage, world.recounted());
  EXPECT_THAT(save_write(world.realm, kept.root(), kept.id, "big", noise(2)), IsOk());
}

TEST(Quota, BelowWhatIsUsedRefusesMoreAndTakesNothing) {
  World world;
  auto depot = world.a_depot().with("a", noise(1)).committed();
  must(world.realm.set_quota(1));
  EXPECT_THAT(save_write(world.realm, depot.root(), depot.id, "b", "1"),
              FailsWith(Code::kQuotaExceeded));
  EXPECT_EQ(depot.files().at("a"), noise(1));
  EXPECT_TRUE(must(fsck(world.realm)).clean());
}

}  // namespace
}  // namespace cairn::realm_testing
