// Ownership: recorded with the nodes that are written, and forgotten with them.

#include "data/realm/ownership.h"

#include "data/realm/gc.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

DelegateId delegate(char number) { return DelegateId::from_bytes(Bytes(16, number)); }

struct OwnershipTest : ::testing::Test {
  bool owns(const DelegateId& owner, const NodeKey& node) {
    return must(world.realm.ownership().owns(owner, node));
  }
  NodeKey stored(std::string_view content) {
    auto node = file(content);
    must(world.realm.nodes().put(std::vector{node}));
    return node->key();
  }

  World world;
  const DelegateId ann = delegate('a');
  const DelegateId bob = delegate('b');
};

TEST_F(OwnershipTest, IsOfEveryOwnerAndEveryNodeGivenAndOfNoOther) {
  const NodeKey nodes[] = {stored("1"), stored("2")};
  const auto other = stored("3");
  const DelegateId owners[] = {ann, bob};
  must(world.realm.ownership().own(owners, nodes));
  for (const auto& owner : owners) {
    EXPECT_TRUE(owns(owner, nodes[0]));
    EXPECT_TRUE(owns(owner, nodes[1]));
    EXPECT_FALSE(owns(owner, other));
  }
  EXPECT_FALSE(owns(delegate('c'), nodes[0]));
  Realm elsewhere(*world.store, realm_number(8), world.clock, world.random);
  EXPECT_FALSE(must(elsewhere.ownership().owns(ann, nodes[0])));
}

TEST_F(OwnershipTest, IsOnlyOfNodesThatAreStored) {
  const NodeKey nodes[] = {stored("1"), NodeKey::of("nowhere")};
  const auto before = world.everything();
  EXPECT_THAT(world.realm.ownership().own({&ann, 1}, nodes), FailsWith(Code::kNodeNotFound));
  EXPECT_EQ(world.everything(), before);
  EXPECT_THAT(world.realm.ownership().own({}, nodes), IsOk()) << "nobody is to own anything";
}

TEST_F(OwnershipTest, ResolvesAbbreviatedKeysAmongWhatIsOwned) {
  // Two keys that begin alike cannot be found; records of them can be made.
  auto alike = [](char last) { return NodeKey::from_bytes(Bytes(31, 'k') + last); };
  Batch batch;
  auto& ownership = world.realm.ownership();
  const NodeKey anns[] = {alike('1'), alike('2'), NodeKey::from_bytes(Bytes(32, 'm'))};
  const NodeKey bobs[] = {alike('2')};
  ownership.add_to(batch, {&ann, 1}, anns);
  ownership.add_to(batch, {&bob, 1}, bobs);
  must(world.realm.store().kv().commit(std::move(batch)));

  const auto prefix = anns[0].render().substr(0, 20);
  const struct {
    const char* what;
    DelegateId owner;
    std::string text;
    std::variant<NodeKey, Code> expected;
  } cases[] = {
      {"a whole key", ann, anns[0].render(), anns[0]},
      {"the last of all keys", ann, anns[2].render(), anns[2]},
      {"an abbreviated key", ann, anns[2].render_short(), anns[2]},
      {"what another owns as well", bob, prefix, bobs[0]},
      {"several", ann, prefix, Code::kAmbiguousKey},
      {"what another owns", bob, anns[0].render(), Code::kNodeNotFound},
      {"what nobody owns", ann, NodeKey::of("x").render_short(), Code::kNodeNotFound},
      {"by somebody who owns nothing", delegate('c'), prefix, Code::kNodeNotFound},
      {"too short", ann, "nod_123", Code::kInvalidKey},
      {"no key", ann, "hello", Code::kInvalidKey},
  };
  for (const auto& [what, owner, text, expected] : cases) {
    SCOPED_TRACE(what);
    auto found = ownership.resolve(owner, text);
    if (const auto* key = std::get_if<NodeKey>(&expected)) {
      ASSERT_THAT(found, IsOk());
      EXPECT_EQ(*found, *key);
    } else {
      EXPECT_THAT(found, FailsWith(std::get<Code>(expected)));
    }
  }
  auto several = ownership.resolve(ann, prefix);
  EXPECT_THAT(several.error().message, HasSubstr("begins with nod_"));
  EXPECT_THAT(std::get<std::vector<std::string>>(several.error().details.at("candidates")),
              SizeIs(2));
}

TEST_F(OwnershipTest, OfASavedRootIsRecordedWithIt) {
  auto depot = world.a_depot().with("a", "1").committed();
  Stage stage(world.realm.nodes());
  auto changed =
      must(write(stage, must(stage.get(depot.root())), tree_testing::path("dir/b"), "mine"));
  world.backend->writes = 0;
  must(world.realm.save(
      stage, changed, depot.root(),
      {.place = depot.place, .owners = {ann, bob}, .also_owned = {changed.file.key}}));
  EXPECT_EQ(world.backend->writes, 1);
  EXPECT_TRUE(owns(ann, changed.root->key()));
  EXPECT_TRUE(owns(bob, changed.file.key));
  EXPECT_FALSE(owns(ann, key_at(world, changed.root->key(), "dir"))) << "that is reached by path";
  EXPECT_EQ(base_of(world.realm, changed.root->key(), depot.id), depot.root());
}

TEST_F(OwnershipTest, OfACommittedRootIsOfWhatThePlaceBecame) {
  auto depot = world.a_depot().with("docs/a", "1").with("x", "1").committed();
  auto docs = depot.at("docs");
  auto mine = docs.edit("b", "mine");
  auto clash = docs.edit("a", "mine");
  depot.with("docs/a", "theirs").committed();
  auto done = must(docs.commit(mine, {.owners = {ann}}));
  ASSERT_TRUE(done.merged);
  EXPECT_TRUE(owns(ann, done.root));
  EXPECT_FALSE(owns(ann, done.depot.root)) << "the rest of the depot is not its own";
  EXPECT_THAT(docs.commit(clash, {.owners = {bob}}), FailsWith(Code::kConflict));
  EXPECT_FALSE(owns(bob, clash.root));
  auto same = must(docs.commit(mine, {.owners = {bob}}));
  ASSERT_FALSE(same.changed);
  EXPECT_TRUE(owns(bob, same.root)) << "what an answer names may be named";
}

TEST_F(OwnershipTest, IsForgottenWithTheNodeAndKeepsNoneAlive) {
  auto depot = world.a_depot().with("a", "1").committed();
  const auto loose = stored("loose");
  const NodeKey nodes[] = {loose, depot.root()};
  must(world.realm.ownership().own({&ann, 1}, nodes));
  EXPECT_EQ(must(collect_garbage(world.realm)).forgotten, 0U);
  EXPECT_TRUE(world.has(loose)) << "within the grace time";
  EXPECT_TRUE(owns(ann, loose));
  world.clock.advance(std::chrono::hours(24 * 30));
  auto report = must(collect_garbage(world.realm));
  EXPECT_FALSE(world.has(loose));
  EXPECT_EQ(report.forgotten, 1U);
  EXPECT_FALSE(owns(ann, loose));
  EXPECT_TRUE(owns(ann, depot.root()));
}

}  // namespace
}  // namespace cairn::realm_testing
