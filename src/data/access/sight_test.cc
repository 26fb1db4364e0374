// Sight: what may not be seen cannot be named, and cannot be told from what is not there.

#include "data/access/sight.h"

#include <algorithm>

#include "data/access/access_testing.h"

namespace cairn::access_testing {
namespace {

using realm_testing::DepotStory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Two depots with much the same in them, and a delegate of every sort.
class Scene final {
 public:
  Scene()
      : ours(fill(access.world.a_depot("ours"), "ours")),
        hidden(fill(access.world.a_depot("hidden"), "hidden")),
        id(ours.id.render()),
        root(access.root()),
        limited(child({.depots = {{ours.id}}})),
        one(child({.scope = {{id + "/docs"}}})),
        two(child({.scope = {{id + "/docs", id + "/src"}}})),
        frozen(child({.scope = {{ours.root().render() + "/docs"}}})),
        none(child({.depots = {std::vector<DepotId>()}})) {}

  SessionPtr child(const Wish& wish) { return access.child(root, wish); }
  NodeKey key(std::string_view where) { return key_at(access.world, ours.root(), where); }
  Sight sight(const SessionPtr& session) { return access.sight(session); }
  Result<std::vector<ScopeRoot>> narrow(const SessionPtr& session,
                                        const std::vector<std::string>& texts) {
    auto narrowed = TRY(sight(session).narrow(texts));
    if (!narrowed) return fail(Code::kInternal, "all there is");
    return *narrowed;
  }
  Place live(std::string_view where) const { return {ours.id, path(where)}; }
  std::vector<std::pair<const char*, SessionPtr>> limited_ones() const {
    return {{"depots", limited}, {"one", one}, {"two", two}, {"frozen", frozen}, {"none", none}};
  }

  Access access;
  DepotStory ours;
  DepotStory hidden;
  std::string id;
  SessionPtr root;
  SessionPtr limited;  // to one depot
  SessionPtr one;      // place
  SessionPtr two;      // places of one depot
  SessionPtr frozen;
  SessionPtr none;

 private:
  static DepotStory fill(DepotStory depot, const std::string& mark) {
    depot.with("docs/a.md", mark + " a").with("docs/sub/b.md", mark + " b");
    depot.with("src/main.ts", mark + " main").with("top.txt", mark + " top");
    return depot.committed();
  }
};

// ---- Depots -------------------------------------------------------------------------------------

TEST(Sight, ADepotsIdNamesThePlaceThatMayBeSeen) {
  Scene scene;
  const auto& id = scene.id;
  struct Row {
    const char* what;
    SessionPtr session;
    std::string text;
    std::variant<Place, Code> result;
  };
  const auto other = scene.hidden.id.render();
  const std::vector<Row> rows = {
      {"root", scene.root, id, scene.live("")},
      {"root, other", scene.root, other, Place(scene.hidden.id)},
      {"root with a path", scene.root, id + "/docs", Code::kInvalidArgument},
      {"limited", scene.limited, id, scene.live("")},
      {"limited, other", scene.limited, other, Code::kDepotNotFound},
      {"one place", scene.one, id, scene.live("docs")},
      {"one place, beside it", scene.one, id + "/src", Code::kDepotNotFound},
      {"one place, other", scene.one, other, Code::kDepotNotFound},
      {"one place, the same path of another", scene.one, other + "/docs", Code::kDepotNotFound},
      {"two places", scene.two, id, Code::kInvalidArgument},
      {"the first", scene.two, id + "/docs", scene.live("docs")},
      {"the second", scene.two, id + "/src", scene.live("src")},
      {"neither", scene.two, id + "/top.txt", Code::kDepotNotFound},
      {"below the first", scene.two, id + "/docs/sub", Code::kDepotNotFound},
      {"frozen", scene.frozen, id, Code::kDepotNotFound},
      {"frozen, its path", scene.frozen, id + "/docs", Code::kDepotNotFound},
      {"none", scene.none, id, Code::kDepotNotFound},
      {"no key", scene.root, "docs/a.md", Code::kInvalidKey},
      {"nothing", scene.one, "", Code::kInvalidKey},
      {"no id", scene.one, "dpt_", Code::kInvalidKey},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    auto target = scene.sight(row.session).target(row.text);
    if (const auto* code = std::get_if<Code>(&row.result)) {
      EXPECT_THAT(target, FailsWith(*code));
      continue;
    }
    const auto& place = std::get<Place>(row.result);
    ASSERT_THAT(target, IsOk());
    EXPECT_EQ(target->place, place);
    EXPECT_EQ(target->root, must(scene.access.world.realm.root_at(place)));
    EXPECT_EQ(must(scene.sight(row.session).place(row.text)), place);
  }
}

TEST(Sight, ADepotsTitleStandsForItsId) {
  Scene scene;
  const auto then = scene.ours.root();
  scene.ours.with("top.txt", "later").committed();
  for (const auto& who : {scene.root, scene.limited}) {
    const auto sight = scene.sight(who);
    EXPECT_EQ(sight.place("ours")->depot, scene.ours.id);
    EXPECT_EQ(sight.target("ours")->root, scene.ours.root());
    EXPECT_EQ(sight.target("ours@~1")->root, then);
    EXPECT_EQ(*sight.node("ours@~1"), then);
  }
  EXPECT_EQ(scene.sight(scene.one).place("ours")->path, path("docs"));
  EXPECT_THAT(scene.sight(scene.root).place("ours@~1"), FailsWith(Code::kInvalidArgument));
  // One that may not be seen is as one that is not there.
  for (const auto& [name, who] : scene.limited_ones()) {
    const auto hidden = scene.sight(who).target("hidden@~1");
    const auto absent = scene.sight(who).target("absent@~1");
    ASSERT_FALSE(hidden) << name;
    ASSERT_FALSE(absent) << name;
    EXPECT_EQ(hidden.error().code, Code::kInvalidKey) << name;
    EXPECT_EQ(hidden.error().code, absent.error().code) << name;
    EXPECT_THAT(hidden.error().message, Not(HasSubstr(scene.hidden.id.render()))) << name;
  }
}

TEST(Sight, ShowsThePlacesThatAreLive) {
  Scene scene;
  EXPECT_THAT(must(scene.sight(scene.root).places()),
              ElementsAre(Place(scene.ours.id), Place(scene.hidden.id)));
  EXPECT_THAT(must(scene.sight(scene.limited).places()), ElementsAre(Place(scene.ours.id)));
  EXPECT_THAT(must(scene.sight(scene.one).places()), ElementsAre(scene.live("docs")));
  EXPECT_THAT(must(scene.sight(scene.two).places()),
              ElementsAre(scene.live("docs"), scene.live("src")));
  EXPECT_THAT(must(scene.sight(scene.frozen).places()), IsEmpty());
  EXPECT_THAT(must(scene.sight(scene.none).places()), IsEmpty());
}

TEST(Sight, FollowsAPlaceThatGoesAndComesBack) {
  Scene scene;
  const auto before = scene.key("docs");
  scene.ours.without("docs").committed();
  auto gone = scene.sight(scene.one).target(scene.id);
  ASSERT_THAT(gone, FailsWith(Code::kPathNotFound));
  EXPECT_THAT(gone.error().message, Not(HasSubstr("docs")));
  EXPECT_THAT(scene.sight(scene.one).place(scene.id), IsOk()) << "there it may be made again";
  EXPECT_EQ(must(scene.sight(scene.one).node(before.render())), before) << "it is in the history";
  scene.ours.with("docs/new.md", "new").committed();
  EXPECT_EQ(must(scene.sight(scene.one).target(scene.id)).root, scene.key("docs"));

  must(scene.access.world.realm.delete_depot(scene.ours.id));
  EXPECT_THAT(scene.sight(scene.one).target(scene.id), FailsWith(Code::kDepotNotFound));
  EXPECT_THAT(scene.sight(scene.one).place(scene.id), FailsWith(Code::kDepotNotFound));
  EXPECT_THAT(scene.sight(scene.one).node(before.render()), FailsWith(Code::kNodeNotAuthorized));
}

// ---- Nodes --------------------------------------------------------------------------------------

TEST(Sight, ANodeIsNamedByWhoeverMaySeeIt) {
  Scene scene;
  const auto old_root = scene.ours.root();
  const auto old_docs = scene.key("docs");
  const auto src = scene.key("src");
  const auto file = scene.key("docs/a.md");
  const auto sub = scene.key("docs/sub");
  scene.ours.with("docs/a.md", "changed").committed();
  const auto root = scene.ours.root();
  const auto docs = scene.key("docs");
  const auto other = scene.hidden.root();
  ASSERT_NE(docs, old_docs);
  struct Row {
    const char* what;
    NodeKey key;
    std::vector<SessionPtr> seen_by;
  };
  const std::vector<Row> rows = {
      {"the root", root, {scene.root, scene.limited}},
      {"an old root", old_root, {scene.root, scene.limited}},
      {"the place", docs, {scene.root, scene.one, scene.two}},
      {"the place as it was", old_docs, {scene.root, scene.one, scene.two, scene.frozen}},
      {"the other place", src, {scene.root, scene.two}},
      {"a file, which has a path", file, {scene.root}},
      {"a directory, which has a path", sub, {scene.root}},
      {"another depot's root", other, {scene.root}},
      {"nothing", NodeKey::from_bytes(Bytes(32, 'x')), {}},
  };
  auto everybody = scene.limited_ones();
  everybody.emplace_back("root", scene.root);
  for (const auto& row : rows) {
    for (const auto& [name, session] : everybody) {
      SCOPED_TRACE(fmt::format("{} names {}", name, row.what));
      const auto sight = scene.sight(session);
      const auto whole = row.key.render();
      auto lower = whole;
      std::ranges::transform(lower.begin() + 4, lower.end(), lower.begin() + 4, ::tolower);
      for (const auto& text : {whole, row.key.render_short(), whole.substr(0, 16), lower}) {
        auto found = sight.node(text);
        if (std::ranges::count(row.seen_by, session) > 0) {
          ASSERT_THAT(found, IsOk());
          EXPECT_EQ(*found, row.key);
          EXPECT_EQ(must(sight.target(text)).root, row.key);
          EXPECT_FALSE(must(sight.target(text)).place);
        } else {
          EXPECT_THAT(found, FailsWith(session == scene.root ? Code::kNodeNotFound
                                                             : Code::kNodeNotAuthorized));
        }
      }
      EXPECT_THAT(sight.node(whole.substr(0, 15)), FailsWith(Code::kInvalidKey)) << "too short";
      EXPECT_THAT(sight.node(whole + "0"), FailsWith(Code::kInvalidKey));
    }
  }
}

TEST(Sight, WhatOneWroteIsSeenByItAndThoseAbove) {
  Scene scene;
  const auto below = scene.access.child(scene.one);
  const auto& realm = scene.access.world.realm;
  const auto wrote = scene.key("top.txt");  // any node: what counts is who owns it
  must(scene.access.world.realm.ownership().own(below->owners, {&wrote, 1}));
  EXPECT_THAT(below->owners, ElementsAre(below->who().id, scene.one->who().id));
  for (const auto& session : {below, scene.one}) {
    EXPECT_EQ(must(scene.sight(session).node(wrote.render())), wrote);
    EXPECT_EQ(must(scene.sight(session).node(wrote.render_short())), wrote);
  }
  const auto sibling = scene.access.child(scene.one);
  for (const auto& session : {sibling, scene.two, scene.frozen, scene.limited}) {
    EXPECT_THAT(scene.sight(session).node(wrote.render()), FailsWith(Code::kNodeNotAuthorized));
  }
  EXPECT_EQ(must(realm.ownership().owns(scene.root->who().id, wrote)), false);
}

// Hashes with twelve equal digits are not to be had: sessions and records that say so do.
TEST(Sight, AnAbbreviationOfTwoNodesIsRefusedWithBoth) {
  Scene scene;
  auto key = [](char last) { return NodeKey::from_bytes(Bytes(31, 'k') + last); };
  const auto prefix = key('a').render().substr(0, 24);
  auto owns = [&](const NodeKey& node) {
    const auto owner = scene.frozen->who().id;
    Batch batch;
    batch.puts.push_back({records::owned_key(scene.root->realm, owner, node),
                          records::encode(Owned{owner, node, 0})});
    must(scene.access.kv().commit(std::move(batch)));
  };
  auto sees = [&](std::vector<ScopeRoot> scope) {
    auto delegate = scene.frozen->who();
    delegate.scope = std::move(scope);
    Session session = *scene.frozen;
    session.chain.front() = std::make_shared<const Delegate>(delegate);
    session.rights = Rights::of(session.chain);
    return std::make_shared<const Session>(session);
  };
  auto expect_both = [&](const Result<NodeKey>& found, char first, char second) {
    ASSERT_THAT(found, FailsWith(Code::kAmbiguousKey));
    EXPECT_THAT(std::get<std::vector<std::string>>(found.error().details.at("candidates")),
                ::testing::UnorderedElementsAre(key(first).render(), key(second).render()));
  };
  const auto only_a = sees({FrozenRoot{key('a')}});
  EXPECT_EQ(must(scene.sight(only_a).node(prefix)), key('a'));
  const auto both = sees({FrozenRoot{key('a')}, FrozenRoot{key('b')}, FrozenRoot{key('a')}});
  expect_both(scene.sight(both).node(prefix), 'a', 'b');
  EXPECT_EQ(must(scene.sight(both).node(key('b').render())), key('b')) << "in full it is one";

  owns(key('c'));
  EXPECT_EQ(must(scene.sight(scene.frozen).node(prefix)), key('c')) << "others' play no part";
  expect_both(scene.sight(only_a).node(prefix), 'a', 'c');
  EXPECT_EQ(must(scene.sight(sees({FrozenRoot{key('c')}})).node(prefix)), key('c'));
  owns(key('d'));
  expect_both(scene.sight(scene.frozen).node(prefix), 'c', 'd');
  EXPECT_THAT(scene.sight(scene.one).node(prefix), FailsWith(Code::kNodeNotAuthorized));

  for (char last : {'a', 'b'}) {
    scene.access.world.plant(Table::kNodeInfo, NodeRow(scene.root->realm, key(last)).bytes(),
                             StoredInfo{}.encode());
  }
  expect_both(scene.sight(scene.root).node(prefix), 'a', 'b');
}

// ---- Hidden and absent --------------------------------------------------------------------------

std::string veiled(const Error& error, const std::string& name) {
  auto text = error.render();
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    text.replace(at, name.size(), "…");
  }
  return fmt::format("{} {}", text, error.details.size());
}

TEST(Sight, WhatMayNotBeSeenCannotBeToldFromWhatIsNotThere) {
  Scene scene;
  const auto absent_depot = DepotId::from_bytes(Bytes(16, 'q')).render();
  const auto absent_node = NodeKey::from_bytes(Bytes(32, 'q')).render();
  const auto hidden_depot = scene.hidden.id.render();
  const auto hidden_root = scene.hidden.root().render();
  const auto hidden_file = key_at(scene.access.world, scene.hidden.root(), "docs/a.md").render();
  for (const auto& [name, session] : scene.limited_ones()) {
    const auto sight = scene.sight(session);
    auto expect_alike = [&](const std::string& there, const std::string& absent, auto ask) {
      SCOPED_TRACE(fmt::format("{} asks for {}", name, there));
      auto hidden = ask(there);
      auto missing = ask(absent);
      ASSERT_FALSE(hidden.has_value());
      ASSERT_FALSE(missing.has_value());
      EXPECT_EQ(veiled(hidden.error(), there.substr(0, there.find('/'))),
                veiled(missing.error(), absent.substr(0, absent.find('/'))));
    };
    auto target = [&](const std::string& text) { return sight.target(text); };
    auto place = [&](const std::string& text) { return sight.place(text); };
    auto node = [&](const std::string& text) { return sight.node(text); };
    auto narrow = [&](const std::string& text) { return sight.narrow({&text, 1}); };
    for (const char* below : {"", "/docs", "/docs/a.md", "/nothing", "/", "/..", "/~0"}) {
      expect_alike(hidden_depot + below, absent_depot + below, target);
      expect_alike(hidden_depot + below, absent_depot + below, place);
      expect_alike(hidden_depot + below, absent_depot + below, narrow);
    }
    for (const auto& there : {hidden_root, hidden_file}) {
      expect_alike(there, absent_node, target);
      expect_alike(there, absent_node, node);
      expect_alike(there.substr(0, 16), absent_node.substr(0, 16), node);
      for (const char* below : {"", "/docs", "/nothing", "/~0"}) {
        expect_alike(there + below, absent_node + below, narrow);
      }
    }
    // Nor can what lies in a depot beside one's place.
    if (session != scene.limited) {
      expect_alike(scene.id + "/top.txt", scene.id + "/top.txx", [&](const std::string& text) {
        auto found = sight.target(text);
        if (!found) {
          auto at = found.error().message.find(".tx");
          if (at != std::string::npos) found.error().message.replace(at, 4, ".tx?");
        }
        return found;
      });
      expect_alike(scene.key("top.txt").render(), absent_node, node);
    }
  }
}

TEST(Sight, AnotherRealmsDepotsAndNodesDoNotExist) {
  Scene scene;
  Realm other(*scene.access.world.store, realm_number(8), scene.access.world.clock,
              scene.access.world.random);
  must(scene.access.delegates.root(other.id()));
  const auto stranger =
      must(scene.access.delegates.act_as(other.id(), DelegateId::from_bytes(other.id().bytes())));
  const Sight sight(other, *stranger);
  EXPECT_THAT(sight.target(scene.id), FailsWith(Code::kDepotNotFound));
  EXPECT_THAT(sight.node(scene.ours.root().render()), FailsWith(Code::kNodeNotFound));
  EXPECT_THAT(must(sight.places()), IsEmpty());
  for (const auto& text : {scene.id, scene.ours.root().render(), std::string("0")}) {
    EXPECT_FALSE(sight.narrow({&text, 1}).has_value());
  }
}

// ---- A child's scope ----------------------------------------------------------------------------

TEST(Narrow, ATextNamesAPartOfWhatTheParentSees) {
  Scene scene;
  const auto& id = scene.id;
  const auto root = scene.ours.root().render();
  const auto docs = scene.key("docs").render();
  const FrozenRoot frozen_docs{scene.key("docs")};
  const FrozenRoot frozen_sub{scene.key("docs/sub")};
  const FrozenRoot frozen_file{scene.key("docs/a.md")};
  using Texts = std::vector<std::string>;
  using Roots = std::vector<ScopeRoot>;
  struct Row {
    const char* what;
    SessionPtr parent;
    Texts texts;
    std::variant<Roots, Code> result;
  };
  const auto other = scene.hidden.id.render();
  const std::vector<Row> rows = {
      // Whoever sees all: its roots are the depots, oldest first.
      {"a depot by number", scene.root, {"0"}, Roots{scene.live("")}},
      {"the second", scene.root, {"1"}, Roots{Place(scene.hidden.id)}},
      {"a walk", scene.root, {"0:0:1"}, Roots{scene.live("docs/sub")}},
      {"to a file", scene.root, {"0:0:0"}, Roots{scene.live("docs/a.md")}},
      {"a depot by id", scene.root, {id}, Roots{scene.live("")}},
      {"a path", scene.root, {id + "/docs/sub"}, Roots{scene.live("docs/sub")}},
      {"a path with indices", scene.root, {id + "/~0/sub"}, Roots{scene.live("docs/sub")}},
      {"a node", scene.root, {docs}, Roots{frozen_docs}},
      {"below a node", scene.root, {root + "/docs/sub"}, Roots{frozen_sub}},
      {"an abbreviated node", scene.root, {root.substr(0, 20) + "/docs"}, Roots{frozen_docs}},
      {"a file below a node", scene.root, {root + "/docs/a.md"}, Roots{frozen_file}},
      {"several",
       scene.root,
       {"0:1", id + "/docs", docs, "0:1"},
       Roots{scene.live("src"), scene.live("docs"), frozen_docs}},
      // Whoever sees one depot.
      {"its depot", scene.limited, {"0"}, Roots{scene.live("")}},
      {"a depot that is not its", scene.limited, {"1"}, Code::kInvalidScope},
      {"nor by id", scene.limited, {other}, Code::kDepotNotFound},
      {"its depot's root", scene.limited, {root + "/src"}, Roots{FrozenRoot{scene.key("src")}}},
      // Whoever sees one place sees it as a whole depot.
      {"its place", scene.one, {"."}, Roots{scene.live("docs")}},
      {"its place by number", scene.one, {"0"}, Roots{scene.live("docs")}},
      {"its place by id", scene.one, {id}, Roots{scene.live("docs")}},
      {"below its place", scene.one, {"0:1"}, Roots{scene.live("docs/sub")}},
      {"below its place by name", scene.one, {id + "/sub"}, Roots{scene.live("docs/sub")}},
      {"its own path is not in it", scene.one, {id + "/docs"}, Code::kInvalidScope},
      {"beside its place", scene.one, {id + "/src"}, Code::kInvalidScope},
      {"above its place", scene.one, {id + "/.."}, Code::kInvalidScope},
      {"its place frozen", scene.one, {docs + "/sub"}, Roots{frozen_sub}},
      {"the root around it", scene.one, {root + "/docs"}, Code::kNodeNotAuthorized},
      {"another depot", scene.one, {other + "/docs"}, Code::kDepotNotFound},
      // Whoever sees several places of a depot names them by the depot's own paths.
      {"all", scene.two, {"."}, Roots{scene.live("docs"), scene.live("src")}},
      {"all and one of them", scene.two, {".", "1"}, Roots{scene.live("docs"), scene.live("src")}},
      {"the second place", scene.two, {"1"}, Roots{scene.live("src")}},
      {"by path", scene.two, {id + "/src"}, Roots{scene.live("src")}},
      {"below the first", scene.two, {id + "/docs/sub"}, Roots{scene.live("docs/sub")}},
      {"neither", scene.two, {id + "/top.txt"}, Code::kDepotNotFound},
      {"the whole", scene.two, {id}, Code::kDepotNotFound},
      {"what is not there", scene.two, {id + "/docs/nothing"}, Code::kInvalidScope},
      {"a third", scene.two, {"2"}, Code::kInvalidScope},
      // A frozen root stays frozen.
      {"all that is frozen", scene.frozen, {"."}, Roots{frozen_docs}},
      {"a walk in it", scene.frozen, {"0:1"}, Roots{frozen_sub}},
      {"by name", scene.frozen, {docs + "/a.md"}, Roots{frozen_file}},
      {"the depot it came from", scene.frozen, {id + "/docs"}, Code::kDepotNotFound},
      {"a node in it by key",
       scene.frozen,
       {scene.key("docs/sub").render()},
       Code::kNodeNotAuthorized},
      {"a walk out of it", scene.frozen, {"0:2"}, Code::kInvalidScope},
      // Whoever sees nothing.
      {"a part of nothing", scene.none, {"0"}, Code::kInvalidScope},
      // Scopes that mean nothing.
      {"no text", scene.root, {}, Code::kInvalidScope},
      {"an empty text", scene.root, {""}, Code::kInvalidScope},
      {"a word", scene.root, {"docs"}, Code::kInvalidScope},
      {"a number too large", scene.root, {"2"}, Code::kInvalidScope},
      {"a number far too large", scene.root, {"99999999999999999999999"}, Code::kInvalidScope},
      {"a child too many", scene.root, {"0:3"}, Code::kInvalidScope},
      {"far too many", scene.root, {"0:99999999999999999999999"}, Code::kInvalidScope},
      {"below a file", scene.root, {"0:2:0"}, Code::kInvalidScope},
      {"a negative number", scene.root, {"-1"}, Code::kInvalidScope},
      {"letters", scene.root, {"0:a"}, Code::kInvalidScope},
      {"a colon", scene.root, {":"}, Code::kInvalidScope},
      {"a colon first", scene.root, {":0"}, Code::kInvalidScope},
      {"a colon last", scene.root, {"0:"}, Code::kInvalidScope},
      {"two colons", scene.root, {"0::1"}, Code::kInvalidScope},
      {"two dots", scene.root, {".."}, Code::kInvalidScope},
      {"no such path", scene.root, {id + "/nothing"}, Code::kInvalidScope},
      {"a path through a file", scene.root, {id + "/top.txt/x"}, Code::kInvalidScope},
      {"a path that is none", scene.root, {id + "//docs"}, Code::kInvalidScope},
      {"no such depot",
       scene.root,
       {DepotId::from_bytes(Bytes(16, 'q')).render()},
       Code::kDepotNotFound},
      {"no such node",
       scene.root,
       {NodeKey::from_bytes(Bytes(32, 'q')).render()},
       Code::kNodeNotFound},
      {"no such path in a node", scene.root, {root + "/nothing"}, Code::kInvalidScope},
      {"half an id", scene.root, {"dpt_"}, Code::kInvalidScope},
      {"half a key", scene.root, {"nod_"}, Code::kInvalidKey},
      {"one that is wrong", scene.root, {"0", "7"}, Code::kInvalidScope},
      {"all, and one that is wrong", scene.root, {".", "7"}, Code::kInvalidScope},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    auto narrowed = scene.narrow(row.parent, row.texts);
    if (const auto* code = std::get_if<Code>(&row.result)) {
      EXPECT_THAT(narrowed, FailsWith(*code));
    } else {
      ASSERT_THAT(narrowed, IsOk());
      EXPECT_EQ(*narrowed, std::get<Roots>(row.result));
    }
  }
}

TEST(Narrow, ADotIsAllAndStaysAllWhenDepotsAreAdded) {
  Scene scene;
  for (const std::vector<std::string>& texts :
       {std::vector<std::string>{"."}, {".", "0:1"}, {"0:1", "."}}) {
    EXPECT_EQ(must(scene.sight(scene.root).narrow(texts)), std::nullopt);
    EXPECT_EQ(must(scene.sight(scene.limited).narrow(texts)), std::nullopt);
  }
  const auto all = scene.child({.scope = {{"."}}});
  const auto same = scene.access.child(scene.limited, {.scope = {{"."}}});
  const auto later = scene.access.world.a_depot("later");
  EXPECT_THAT(scene.sight(all).target(later.id.render()), IsOk());
  EXPECT_THAT(scene.sight(same).target(later.id.render()), FailsWith(Code::kDepotNotFound));
  EXPECT_THAT(scene.sight(same).target(scene.hidden.id.render()), FailsWith(Code::kDepotNotFound));
  EXPECT_THAT(scene.sight(same).target(scene.id), IsOk());
}

TEST(Narrow, WhoSeesNothingGivesNothing) {
  Scene scene;
  const auto below = scene.access.child(scene.none, {.scope = {{"."}}});
  EXPECT_FALSE(below->rights.realm_wide());
  EXPECT_THAT(must(scene.sight(below).places()), IsEmpty());
  // With a place in a depot that it may not use, it has no root at all.
  const auto apart =
      scene.access.child(scene.one, {.depots = {std::vector<DepotId>()}, .scope = {{"."}}});
  EXPECT_THAT(must(scene.sight(apart).places()), IsEmpty());
  EXPECT_THAT(scene.sight(apart).target(scene.id), FailsWith(Code::kDepotNotFound));
  EXPECT_THAT(scene.narrow(apart, {"0"}), FailsWith(Code::kInvalidScope));
  const auto child = scene.access.child(apart, {.scope = {{"."}}});
  EXPECT_FALSE(child->rights.realm_wide());
  EXPECT_FALSE(child->rights.whole_depots());
  EXPECT_THAT(must(scene.sight(child).places()), IsEmpty());
}

TEST(Narrow, DepotsAndScopeTogetherAreWhatBothAllow) {
  Scene scene;
  const auto other = scene.hidden.id.render();
  const auto wide = scene.child({.scope = {{scene.id + "/docs", other + "/docs"}}});
  const auto half = scene.access.child(wide, {.depots = {{scene.hidden.id}}});
  EXPECT_THAT(must(scene.sight(half).places()), ElementsAre(Place(scene.hidden.id, path("docs"))));
  EXPECT_THAT(scene.sight(half).target(scene.id), FailsWith(Code::kDepotNotFound));
  EXPECT_EQ(must(scene.narrow(half, {"0:1"})),
            (std::vector<ScopeRoot>{Place(scene.hidden.id, path("docs/sub"))}))
      << "what it may not use is not counted";
  EXPECT_EQ(must(scene.narrow(half, {"."})),
            (std::vector<ScopeRoot>{Place(scene.hidden.id, path("docs"))}));
  EXPECT_THAT(scene.sight(half).node(scene.key("docs").render()),
              FailsWith(Code::kNodeNotAuthorized));
}

TEST(Narrow, GoesDownLevelByLevel) {
  Scene scene;
  scene.ours.with("docs/sub/deep/c.md", "c").with("docs/sub/x.md", "x").committed();
  const auto docs = scene.child({.scope = {{scene.id + "/docs"}}});
  const auto sub = scene.access.child(docs, {.scope = {{"0:1"}}});
  const auto deep = scene.access.child(sub, {.scope = {{scene.id + "/deep"}}});
  EXPECT_EQ(must(scene.sight(deep).place(scene.id)), scene.live("docs/sub/deep"));
  EXPECT_THAT(scene.narrow(deep, {scene.id + "/x.md"}), FailsWith(Code::kInvalidScope));
  // A snapshot of what a child sees, and a part of the snapshot.
  const auto key = must(scene.sight(sub).target(scene.id)).root.render();
  const auto frozen = scene.access.child(sub, {.scope = {{key}}});
  const auto part = scene.access.child(frozen, {.scope = {{"0:1"}}});
  EXPECT_THAT(part->rights.frozen(), ElementsAre(scene.key("docs/sub/deep")));
  EXPECT_THAT(must(scene.sight(part).places()), IsEmpty());
  scene.ours.with("docs/sub/deep/c.md", "changed").committed();
  EXPECT_THAT(scene.sight(part).node(scene.key("docs/sub/deep").render()),
              FailsWith(Code::kNodeNotAuthorized))
      << "what is frozen knows nothing newer";
}

TEST(Narrow, AWalkFromALivePlaceIsAboutTheNameNotTheNumber) {
  Scene scene;
  const auto walked = scene.child({.scope = {{"0:1"}}});  // src
  const auto indexed = scene.child({.scope = {{scene.id + "/~1"}}});
  scene.ours.with("aaa/first", "now number 0").with("docs/aaa", "1").committed();
  for (const auto& session : {walked, indexed}) {
    EXPECT_EQ(must(scene.sight(session).target(scene.id)).place, scene.live("src"));
    EXPECT_EQ(must(scene.sight(session).target(scene.id)).root, scene.key("src"));
  }
  scene.ours.with("src/main.ts", "changed").committed();
  EXPECT_EQ(must(scene.sight(walked).target(scene.id)).root, scene.key("src")) << "as it is now";
  // A child of it is counted in what is there when it is made.
  scene.ours.with("src/a.ts", "new").committed();
  EXPECT_EQ(must(scene.narrow(walked, {"0:0"})), (std::vector<ScopeRoot>{scene.live("src/a.ts")}));
}

TEST(Narrow, APlaceThatIsGoneIsGivenToNobodyByName) {
  Scene scene;
  scene.ours.without("docs").committed();
  EXPECT_THAT(scene.narrow(scene.one, {"0"}), FailsWith(Code::kInvalidScope));
  EXPECT_THAT(scene.narrow(scene.one, {scene.id}), FailsWith(Code::kInvalidScope));
  EXPECT_EQ(must(scene.narrow(scene.one, {"."})), (std::vector<ScopeRoot>{scene.live("docs")}))
      << "all it sees, whatever that is";
  must(scene.access.world.realm.delete_depot(scene.ours.id));
  EXPECT_THAT(scene.narrow(scene.one, {scene.id}), FailsWith(Code::kDepotNotFound));
  EXPECT_THAT(scene.narrow(scene.one, {"0"}), FailsWith(Code::kInvalidScope));
}

TEST(Narrow, AScopeHasAHundredRootsAtMost) {
  Access access;
  auto depot = access.world.a_depot();
  std::vector<std::string> texts;
  for (int i = 0; i < 101; ++i) {
    depot.with(fmt::format("f{:03}", i), "1");
    texts.push_back(fmt::format("0:{}", i));
  }
  depot.committed();
  EXPECT_THAT(access.sight(access.root()).narrow(texts), FailsWith(Code::kInvalidScope));
  texts.back() = texts.front();
  EXPECT_EQ(must(access.sight(access.root()).narrow(texts))->size(), 100U);
}

}  // namespace
}  // namespace cairn::access_testing
