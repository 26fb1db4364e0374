// Rights: a chain is as strong as its weakest link, whatever its records say.

#include "data/access/rights.h"

#include <algorithm>
#include <set>

#include "data/access/access_testing.h"

namespace cairn::access_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const DepotId kA = DepotId::from_bytes(Bytes(16, 'a'));
const DepotId kB = DepotId::from_bytes(Bytes(16, 'b'));
const NodeKey kNode = NodeKey::from_bytes(Bytes(32, 'n'));

struct Link {
  bool upload = true;
  bool manage = true;
  std::optional<std::vector<DepotId>> depots = std::nullopt;
  std::optional<std::vector<ScopeRoot>> scope = std::nullopt;
  std::vector<DirectoryGrant> directories = {};
};

// The delegate first, its root delegate last.
Rights rights_of(const std::vector<Link>& links) {
  std::vector<DelegatePtr> chain;
  for (const auto& link : links) {
    Delegate delegate;
    delegate.can_upload = link.upload;
    delegate.can_manage_depot = link.manage;
    delegate.depots = link.depots;
    delegate.scope = link.scope;
    delegate.directories = link.directories;
    chain.push_back(std::make_shared<const Delegate>(std::move(delegate)));
  }
  return Rights::of(chain);
}

Place at(const DepotId& depot, std::string_view where) { return {depot, path(where)}; }

TEST(Rights, ADirectoryIsUsedAsEveryLinkBelowTheRootAllows) {
  using enum DirectoryUse;
  const Link root;
  const Link nothing;
  const Link reader{.directories = {{"notes", false}}};
  const Link writer{.directories = {{"notes", true}, {"logs", false}}};
  const auto use = [](const std::vector<Link>& chain, std::string_view name) {
    return rights_of(chain).directory_use(name);
  };
  EXPECT_EQ(use({root}, "notes"), kWrite) << "what its user has";
  EXPECT_EQ(use({nothing, root}, "notes"), kNone);
  EXPECT_EQ(use({reader, root}, "notes"), kRead);
  EXPECT_EQ(use({writer, root}, "notes"), kWrite);
  EXPECT_EQ(use({writer, root}, "logs"), kRead);
  EXPECT_EQ(use({writer, root}, "other"), kNone);
  // A record that says more than its parent's has no more than that.
  EXPECT_EQ(use({writer, reader, root}, "notes"), kRead);
  EXPECT_EQ(use({writer, reader, root}, "logs"), kNone);
  EXPECT_EQ(use({writer, nothing, root}, "notes"), kNone);
  EXPECT_EQ(use({writer, writer, writer, root}, "notes"), kWrite);
}

TEST(Rights, AreThoseOfEveryLinkOfTheChain) {
  struct Row {
    const char* what;
    std::vector<Link> chain;
    bool upload;
    bool manage;
    bool wide;
    std::vector<Place> in_a;
    std::vector<Place> in_b;
    std::vector<NodeKey> frozen;
  };
  const Link root;
  const FrozenRoot frozen{kNode};
  const std::vector<Row> rows = {
      {"the root", {root}, true, true, true, {kA}, {kB}, {}},
      {"read only", {{false, false}, root}, false, false, true, {kA}, {kB}, {}},
      {"a right its parent lacks",
       {{true, true}, {false, true}, root},
       false,
       true,
       true,
       {kA},
       {kB},
       {}},
      {"a right its grandparent lacks",
       {root, root, {true, false}, root},
       true,
       false,
       true,
       {kA},
       {kB},
       {}},
      {"one depot", {{.depots = {{kA}}}, root}, true, true, false, {kA}, {}, {}},
      {"no depot", {{.depots = {{}}}, root}, true, true, false, {}, {}, {}},
      {"a depot its parent lacks",
       {{.depots = {{kA, kB}}}, {.depots = {{kB}}}, root},
       true,
       true,
       false,
       {},
       {kB},
       {}},
      {"no common depot",
       {{.depots = {{kA}}}, {.depots = {{kB}}}, root},
       true,
       true,
       false,
       {},
       {},
       {}},
      {"its parent's depots", {root, {.depots = {{kB}}}, root}, true, true, false, {}, {kB}, {}},
      {"one place",
       {{.scope = {{at(kA, "docs")}}}, root},
       true,
       true,
       false,
       {at(kA, "docs")},
       {},
       {}},
      {"two places",
       {{.scope = {{at(kA, "docs"), at(kA, "src")}}}, root},
       true,
       true,
       false,
       {at(kA, "docs"), at(kA, "src")},
       {},
       {}},
      {"nothing", {{.scope = {{}}}, root}, true, true, false, {}, {}, {}},
      {"its parent's place",
       {root, {.scope = {{at(kA, "docs")}}}, root},
       true,
       true,
       false,
       {at(kA, "docs")},
       {},
       {}},
      {"a place within its parent's",
       {{.scope = {{at(kA, "docs/sub")}}}, {.scope = {{at(kA, "docs")}}}, root},
       true,
       true,
       false,
       {at(kA, "docs/sub")},
       {},
       {}},
      {"a place around its parent's",
       {{.scope = {{kA}}}, {.scope = {{at(kA, "docs")}}}, root},
       true,
       true,
       false,
       {},
       {},
       {}},
      {"a place that begins like its parent's",
       {{.scope = {{at(kA, "docs2")}}}, {.scope = {{at(kA, "docs")}}}, root},
       true,
       true,
       false,
       {},
       {},
       {}},
      {"a place of its grandparent's, but not its parent's",
       {{.scope = {{at(kA, "docs/b")}}},
        {.scope = {{at(kA, "docs/a")}}},
        {.scope = {{at(kA, "docs")}}},
        root},
       true,
       true,
       false,
       {},
       {},
       {}},
      {"a place in a depot it may not use",
       {{.depots = {{kB}}, .scope = {{at(kA, "docs"), at(kB, "src")}}}, root},
       true,
       true,
       false,
       {},
       {at(kB, "src")},
       {}},
      {"a place in a depot its grandparent may not use",
       {{.scope = {{at(kA, "docs"), kB}}}, root, {.depots = {{kB}}}, root},
       true,
       true,
       false,
       {},
       {kB},
       {}},
      {"a frozen root", {{.scope = {{frozen}}}, root}, true, true, false, {}, {}, {kNode}},
      {"a frozen root below a live place",
       {{.scope = {{frozen}}}, {.scope = {{at(kA, "docs")}}}, root},
       true,
       true,
       false,
       {},
       {},
       {kNode}},
      {"a live place below a frozen root",
       {{.scope = {{kA}}}, {.scope = {{frozen}}}, root},
       true,
       true,
       false,
       {},
       {},
       {}},
      {"frozen and live",
       {{.scope = {{frozen, at(kB, "x")}}}, root},
       true,
       true,
       false,
       {},
       {at(kB, "x")},
       {kNode}},
      {"frozen, and no depots",
       {{.depots = {{}}, .scope = {{frozen, kB}}}, root},
       true,
       true,
       false,
       {},
       {},
       {kNode}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    const auto rights = rights_of(row.chain);
    EXPECT_EQ(rights.can_upload(), row.upload);
    EXPECT_EQ(rights.can_manage_depot(), row.manage);
    EXPECT_EQ(rights.realm_wide(), row.wide);
    EXPECT_EQ(rights.places(kA), row.in_a);
    EXPECT_EQ(rights.places(kB), row.in_b);
    EXPECT_EQ(rights.frozen(), row.frozen);
  }
}

// ---- Addresses ----------------------------------------------------------------------------------

TEST(Rights, AnAddressAndItsPlaceAreInverses) {
  const std::vector<std::vector<ScopeRoot>> scopes = {
      {kA},
      {at(kA, "docs")},
      {at(kA, "docs"), at(kA, "src/lib")},
      {at(kA, "docs"), kB, at(kB, "docs")},
      {kA, at(kA, "docs"), at(kA, "docs/sub")},
      {at(kA, "docs"), at(kA, "docs/sub"), at(kB, "x")},
  };
  for (const auto& scope : scopes) {
    const auto rights = rights_of({{.scope = scope}, {}});
    std::set<std::string> addresses;
    for (const auto& root : scope) {
      const auto& place = std::get<Place>(root);
      const auto address = rights.address_of(place);
      EXPECT_EQ(must(rights.place_at(address)), place) << address;
      addresses.insert(address);
    }
    EXPECT_EQ(addresses.size(), scope.size());
  }
  const auto wide = rights_of({{}});
  EXPECT_EQ(must(wide.place_at(kA.render())), Place(kA));
  EXPECT_EQ(wide.address_of(kA), kA.render());
}

TEST(Rights, AnAddressNamesAPlaceOrNothing) {
  const auto a = kA.render();
  const auto b = kB.render();
  const auto one = rights_of({{.scope = {{at(kA, "docs")}}}, {}});
  const auto two = rights_of({{.scope = {{at(kA, "docs"), at(kA, "src")}}}, {}});
  const auto limited = rights_of({{.depots = {{kA}}}, {}});
  struct Row {
    const char* what;
    const Rights& rights;
    std::string address;
    std::variant<Place, Code> result;
  };
  const std::vector<Row> rows = {
      {"its only place", one, a, at(kA, "docs")},
      {"beside it", one, a + "/src", Code::kDepotNotFound},
      {"below it", one, a + "/docs/sub", Code::kDepotNotFound},
      {"above it", one, a + "/", Code::kDepotNotFound},
      {"another depot", one, b, Code::kDepotNotFound},
      {"one of two", two, a + "/src", at(kA, "src")},
      {"which of two", two, a, Code::kInvalidArgument},
      {"neither of two", two, a + "/lib", Code::kDepotNotFound},
      {"below one of two", two, a + "/src/x", Code::kDepotNotFound},
      {"no path", two, a + "/../src", Code::kInvalidPath},
      {"an index", two, a + "/~0", Code::kDepotNotFound},
      {"a whole depot", limited, a, Place(kA)},
      {"a path in a whole depot", limited, a + "/docs", Code::kInvalidArgument},
      {"a depot that is not among them", limited, b, Code::kDepotNotFound},
      {"a path in it", limited, b + "/docs", Code::kDepotNotFound},
      {"no path in it", limited, b + "/..", Code::kDepotNotFound},
      {"no id", limited, "dpt_x", Code::kInvalidKey},
      {"nothing", limited, "", Code::kInvalidKey},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    auto found = row.rights.place_at(row.address);
    if (const auto* code = std::get_if<Code>(&row.result)) {
      EXPECT_THAT(found, FailsWith(*code));
    } else {
      ASSERT_THAT(found, IsOk());
      EXPECT_EQ(*found, std::get<Place>(row.result));
    }
  }
  EXPECT_THAT(two.place_at(a).error().message, HasSubstr(a + "/docs, " + a + "/src"));
}

// ---- Any chain ----------------------------------------------------------------------------------

using Seen = std::set<std::pair<DepotId, std::string>>;  // files by their whole path

// Rights as the chain's records say, file by file: the slow, obvious way.
bool allows(const std::vector<DelegatePtr>& chain, const DepotId& depot, const Path& file) {
  return std::ranges::all_of(chain, [&](const DelegatePtr& link) {
    const bool usable = !link->depots || std::ranges::count(*link->depots, depot) > 0;
    const bool within =
        !link->scope || std::ranges::any_of(*link->scope, [&](const ScopeRoot& root) {
          const auto* place = std::get_if<Place>(&root);
          return place != nullptr && place->depot == depot && file.is_within(place->path);
        });
    return usable && within;
  });
}

class Family final {
 public:
  explicit Family(Dice& dice) : dice_(dice) {
    for (int i = 0; i < 3; ++i) {
      depots_.push_back(access_.world.a_depot());
      change(depots_.back());
    }
    everybody_.push_back(access_.root());
  }

  void step() {
    if (dice_.one_in(3)) change(depots_[dice_.below(depots_.size())]);
    const auto parent = dice_.pick(everybody_);
    Wish wish;
    if (dice_.one_in(3)) {
      wish.depots.emplace();
      for (const auto& depot : depots_) {
        if (!dice_.one_in(3)) wish.depots->push_back(depot.id);
      }
    }
    if (!dice_.one_in(4)) {
      wish.scope.emplace();
      for (auto count = 1 + dice_.below(3); count > 0; --count) {
        wish.scope->push_back(a_text(parent));
      }
    }
    auto made = access_.create(parent, wish);
    if (!made) return;
    made_ += 1;
    everybody_.push_back(must(access_.with(made->tokens.access)));
  }

  void expect_nobody_sees_too_much() {
    std::map<DelegateId, std::set<NodeKey>> nodes;
    for (const auto& session : everybody_) {
      EXPECT_EQ(seen_by(session), allowed_to(session)) << session->who().id.render();
      nodes[session->who().id] = nodes_of(session);
      for (const auto& above : session->chain) {
        EXPECT_TRUE(std::ranges::includes(nodes[above->id], nodes[session->who().id]))
            << session->who().id.render() << " sees a node that " << above->id.render()
            << " cannot";
      }
      expect_no_other_address(session);
    }
  }
  std::size_t made() const { return made_; }

 private:
  void change(realm_testing::DepotStory& depot) {
    const auto files = tree_testing::random_files(dice_, 8);
    auto draft = depot.checkout();
    for (const auto& [where, content] : depot.files()) {
      if (!where.ends_with('/') && !dice_.one_in(3)) draft.rm(where);
    }
    for (const auto& [where, content] : files) {
      if (where.ends_with('/')) continue;
      auto written = realm_testing::save_write(access_.world.realm, draft.root, std::nullopt, where,
                                               content + depot.id.render());
      if (written) draft.root = *written;  // a file may be in the way
    }
    must(depot.commit(draft, {.force = true}));
  }

  std::string a_path() {
    static const std::vector<std::string> kNames = {"a", "b", "c.txt", "e-e", "~0", "~1", "zzz"};
    std::string out;
    for (auto depth = dice_.below(3); depth > 0; --depth) out += "/" + dice_.pick(kNames);
    return out;
  }
  // Something an agent may try, knowing every depot and node there is.
  std::string a_text(const SessionPtr& parent) {
    switch (dice_.below(6)) {
      case 0:
        return ".";
      case 1:
      case 2: {
        auto text = std::to_string(dice_.below(4));
        for (auto depth = dice_.below(3); depth > 0; --depth) {
          text += ":" + std::to_string(dice_.below(3));
        }
        return text;
      }
      case 3:
      case 4:
        return dice_.pick(depots_).id.render() + a_path();
      default:
        break;
    }
    const auto own = parent->rights.frozen();
    if (!own.empty() && dice_.one_in(2)) return dice_.pick(own).render() + a_path();
    const auto history = dice_.pick(depots_).history();
    const auto root = dice_.pick(history).root;
    const auto files = realm_testing::files_below(access_.world.realm.nodes(), root);
    if (files.empty() || dice_.one_in(2)) return root.render() + a_path();
    auto where = path(dice_.pick(files).first.substr(0, 1));
    auto found = find(must(view_tree(access_.world.realm.nodes(), root)), where);
    return (must(std::move(found)) ? key_at(access_.world, root, where.render()) : root).render();
  }

  Seen seen_by(const SessionPtr& session) {
    Seen out;
    for (const auto& place : must(access_.sight(session).places())) {
      auto root = access_.world.realm.root_at(place);
      if (!root) continue;
      if (must(access_.world.realm.nodes().get(*root))->kind() != Kind::kDict) {
        out.emplace(place.depot, place.path.render());
        continue;
      }
      for (const auto& [where, content] :
           realm_testing::files_below(access_.world.realm.nodes(), *root)) {
        if (where.ends_with('/')) continue;
        out.emplace(place.depot, (place.path.is_root() ? "" : place.path.render() + "/") + where);
      }
    }
    return out;
  }
  Seen allowed_to(const SessionPtr& session) {
    Seen out;
    for (const auto& depot : depots_) {
      for (const auto& [where, content] : depot.files()) {
        if (where.ends_with('/')) continue;
        if (allows(session->chain, depot.id, path(where))) out.emplace(depot.id, where);
      }
    }
    return out;
  }

  void add_below(const NodeKey& key, std::set<NodeKey>& out) {
    if (!out.insert(key).second) return;
    for (const auto& child : must(access_.world.realm.nodes().get(key))->children()) {
      add_below(child, out);
    }
  }
  // Everything that can be reached: frozen, and live now or in the past.
  std::set<NodeKey> nodes_of(const SessionPtr& session) {
    std::set<NodeKey> out;
    for (const auto& key : session->rights.frozen()) add_below(key, out);
    for (const auto& place : must(access_.sight(session).places())) {
      for (const auto& entry :
           must(access_.world.realm.history_at(place, 1000, std::nullopt)).entries) {
        add_below(entry.root, out);
      }
    }
    return out;
  }

  // Whatever address is tried, it leads to a place that is within what is allowed.
  void expect_no_other_address(const SessionPtr& session) {
    const auto sight = access_.sight(session);
    for (const auto& depot : depots_) {
      std::set<std::string> tried = {"", "/", "/a", "/b", "/a/b", "/e-e"};
      for (const auto& [where, content] : depot.files()) {
        tried.insert("/" + where);
        if (where.contains('/')) tried.insert("/" + where.substr(0, where.rfind('/')));
      }
      for (const auto& text : tried) {
        auto target = sight.target(depot.id.render() + text);
        if (!target) continue;
        ASSERT_TRUE(target->place);
        EXPECT_TRUE(allows(session->chain, target->place->depot, target->place->path))
            << session->who().id.render() << " reaches " << target->place->render();
      }
      const auto root = depot.root();
      if (sight.node(root.render())) {
        EXPECT_TRUE(nodes_of(session).contains(root));
      }
    }
  }

  Dice& dice_;
  Access access_;
  std::vector<realm_testing::DepotStory> depots_;
  std::vector<SessionPtr> everybody_;
  std::size_t made_ = 0;
};

TEST(Rights, NobodySeesMoreThanAnyoneAboveIt) {
  std::size_t made = 0;
  for_seeds(60, [&](Dice& dice) {
    Family family(dice);
    for (int i = 0; i < 15; ++i) family.step();
    family.expect_nobody_sees_too_much();
    made += family.made();
  });
  EXPECT_GT(made, 0U);
}

}  // namespace
}  // namespace cairn::access_testing
