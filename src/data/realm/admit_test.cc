// Raw nodes: nothing forged gets in, and everything honest does.

#include "data/realm/admit.h"

#include "data/cas/boundary.h"
#include "data/realm/fsck.h"
#include "data/realm/realm_testing.h"

namespace cairn::realm_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A directory node's bytes without any care for order, as only a stranger would write them.
Bytes raw_dict(const std::vector<Entry>& entries) {
  Bytes out("\x01\x64\x00", 3);
  put_varint(out, entries.size());
  for (const auto& entry : entries) {
    out.push_back(entry.is_dir() ? 'd' : 'f');
    put_varint(out, entry.name.size());
    out.append(entry.name).append(entry.key.bytes());
    put_varint(out, entry.bytes);
    if (entry.is_dir()) {
      put_varint(out, entry.children);
      put_varint(out, entry.files);
    } else {
      put_varint(out, entry.type.size());
      out.append(entry.type);
    }
  }
  return out;
}

Branch branch_of(const NodePtr& part) {
  const auto& totals = part->totals();
  auto last = part->level() > 0 ? part->branches().back().last : part->entries().back().name;
  return {last, part->key(), totals.entries, totals.files, totals.bytes};
}

struct Admit : ::testing::Test {
  NodePtr stored(NodePtr node) {
    must(world.realm.nodes().put(std::vector{node}));
    return node;
  }
  Result<NodePtr> admitted(ByteView bytes) {
    return admit(world.realm.nodes(), NodeKey::of(bytes), bytes);
  }
  // A directory whose only entry is what `lie` makes of an honest one.
  Bytes lying(const NodePtr& child, const std::function<void(Entry&)>& lie) const {
    auto entry = entry_for("name", *child);
    lie(entry);
    return raw_dict({entry});
  }
  NodePtr part(const std::vector<std::string>& names) {
    std::vector<Entry> entries;
    for (const auto& name : names) entries.push_back(entry_for(name, *content));
    return stored(make_dict(entries));
  }
  // Enough names for one part, up to where it ends.
  NodePtr whole_part() {
    std::vector<std::string> names;
    do {
      names.push_back(fmt::format("k{:04}", names.size()));
    } while (!DictBoundary::ends(0, names.size(), names.back()));
    return part(names);
  }

  World world;
  NodePtr content = stored(file("hello"));
  NodePtr folder = stored(dict_of("a", content));
  NodePtr chunk = stored(make_chunk(Bytes(100'000, 'x')));
};

TEST_F(Admit, TakesWhatIsTrueAndStoresNothingItself) {
  auto node = dict_of("new", folder);
  const auto before = world.everything();
  auto taken = must(admit(world.realm.nodes(), node->key(), node->bytes()));
  EXPECT_EQ(taken->key(), node->key());
  EXPECT_EQ(taken->bytes(), node->bytes());
  EXPECT_EQ(world.everything(), before);
  EXPECT_THAT(admitted(content->bytes()), IsOk()) << "again";
}

TEST_F(Admit, RefusesEveryForgery) {
  auto last = stored(make_chunk("the end"));
  auto of_folder = dict_of("d", folder);
  const Piece honest[] = {{100'000, chunk->key()}, {100'000, chunk->key()}};
  auto large = stored(make_file("text/plain", 1, honest));
  auto successor = stored(make_successor(1, honest));
  auto pieces = [](unsigned level, std::vector<Piece> all) {
    return Bytes(make_file("text/plain", level, all)->bytes());
  };
  auto dict = [](unsigned level, std::vector<Branch> all) {
    return Bytes(make_dict(level, all)->bytes());
  };
  auto first = whole_part();
  auto rest = part({"z0", "z1"});
  auto short_part = part({"a", "b"});
  auto overlapping = part({"b", "z"});
  const auto only = branch_of(rest);
  auto not_whole = stored(make_dict(1, {&only, 1}));
  auto wrong = [&](const NodePtr& of, auto change) {
    auto branch = branch_of(of);
    change(branch);
    return branch;
  };

  const struct {
    const char* what;
    Bytes bytes;
    const char* says;
  } cases[] = {
      {"no bytes at all", "", "shorter than its header"},
      {"another version", Bytes("\x02\x64\x00\x00", 4), "version 2"},
      {"another kind", Bytes("\x01x\x00\x00", 4), "kind"},
      {"trailing bytes", Bytes(folder->bytes()) + '\0', "bytes follow"},
      {"cut short", Bytes(of_folder->bytes().substr(0, of_folder->bytes().size() - 1)),
       "cut short"},
      {"names not in order", raw_dict({entry_for("b", *content), entry_for("a", *content)}),
       "not in order"},
      {"a name twice", raw_dict({entry_for("a", *content), entry_for("a", *content)}),
       "not in order"},
      {"a name with a slash", raw_dict({entry_for("a/b", *content)}), "name is not valid"},

      {"a file of another size", lying(content, [](Entry& e) { e.bytes = 6; }),
       "is 5 bytes long, and not 6"},
      {"a file of another type", lying(content, [](Entry& e) { e.type = "text/html"; }),
       "has the content type text/plain, and not text/html"},
      {"a directory as a file", lying(content, [&](Entry& e) { e.key = folder->key(); }),
       "is a dict, and not a file"},
      {"a file as a directory", lying(folder, [&](Entry& e) { e.key = content->key(); }),
       "is a file, and not a dict"},
      {"a successor as a file", lying(content, [&](Entry& e) { e.key = chunk->key(); }),
       "is a successor, and not a file"},
      {"a list of pieces as a large file",
       lying(large, [&](Entry& e) { e.key = successor->key(); }), "is a successor, and not a file"},
      {"a directory with another child", lying(folder, [](Entry& e) { e.children = 2; }),
       "has 1 entries, and not 2"},
      {"a directory with another file", lying(folder, [](Entry& e) { e.files = 2; }),
       "has 1 files, and not 2"},
      {"a directory with more bytes", lying(folder, [](Entry& e) { e.bytes += 1; }),
       "is 5 bytes long, and not 6"},
      {"a part of a directory as a directory", raw_dict({entry_for("name", *not_whole)}),
       "is a part of a directory"},

      {"a piece of another length", pieces(1, {{100'000, chunk->key()}, {90'000, chunk->key()}}),
       "is 100000 bytes long, and not 90000"},
      {"a file as a piece", pieces(1, {{100'000, chunk->key()}, {100'000, large->key()}}),
       "is a file, and not a successor"},
      {"a chunk where lists of pieces are",
       pieces(2, {{200'000, successor->key()}, {100'000, chunk->key()}}),
       "is of level 0, and not 1"},
      {"a list of pieces that ends before its cut",
       pieces(2, {{200'000, successor->key()}, {200'000, successor->key()}}),
       "ends before its cut"},

      {"a branch with another last name",
       dict(1, {wrong(first, [](Branch& b) { b.last = "k9"; }), branch_of(rest)}),
       "ends with the name"},
      {"a branch with another count",
       dict(1, {branch_of(first), wrong(rest, [](Branch& b) { b.entries += 1; })}),
       "has 2 entries, and not 3"},
      {"a branch of another level", dict(2, {branch_of(first), branch_of(rest)}),
       "is of level 0, and not 1"},
      {"a file as a branch",
       dict(1, {branch_of(first), wrong(rest, [&](Branch& b) { b.key = content->key(); })}),
       "is a file, and not a dict"},
      {"a part that ends before its cut", dict(1, {branch_of(short_part), branch_of(rest)}),
       "ends before its cut"},
      {"parts that overlap", dict(1, {branch_of(first), branch_of(overlapping)}),
       "begins with the name 'b', which is not after 'k"},
  };
  for (const auto& [what, bytes, says] : cases) {
    SCOPED_TRACE(what);
    auto refused = admitted(bytes);
    ASSERT_THAT(refused, FailsWith(Code::kInvalidNode));
    EXPECT_THAT(refused.error().message, HasSubstr(says));
    EXPECT_THAT(refused.error().message, HasSubstr(NodeKey::of(bytes).render()));
  }
  EXPECT_THAT(admitted(dict(1, {branch_of(first), branch_of(rest)})), IsOk());
  EXPECT_THAT(
      admitted(pieces(
          1, {{100'000, chunk->key()}, {100'000, chunk->key()}, {last->size(), last->key()}})),
      IsOk());
}

// The names that overlap are two levels below the node that puts them together.
TEST_F(Admit, RefusesPartsThatOverlapFurtherBelow) {
  Files files;
  for (int i = 0; i < 20'000; ++i) files[fmt::format("f{:05}", i)] = "x";
  Stage stage(world.realm.nodes());
  auto root = tree_testing::build_tree(stage, tree_testing::typed(files));
  ASSERT_EQ(root->level(), 2U);
  must(world.realm.nodes().put(stage.reachable(root->key())));
  auto leaf = part({"f00000", "zzz"});
  const auto below = branch_of(leaf);
  auto middle = stored(make_dict(1, {&below, 1}));
  const Branch forged[] = {root->branches()[0], branch_of(middle)};
  EXPECT_THAT(admitted(make_dict(2, forged)->bytes()), FailsWith(Code::kInvalidNode));
}

TEST_F(Admit, SaysTheKeyThatTheBytesHave) {
  auto node = file("other");
  auto refused = admit(world.realm.nodes(), content->key(), node->bytes());
  ASSERT_THAT(refused, FailsWith(Code::kHashMismatch));
  EXPECT_EQ(detail_text(refused.error(), "key"), node->key().render());
  EXPECT_THAT(refused.error().message, HasSubstr(node->key().render()));
}

TEST_F(Admit, RefusesMoreThanANodeMayHave) {
  const Bytes huge(kMaxNodeBytes + 1, 'x');
  EXPECT_THAT(admit(world.realm.nodes(), NodeKey::of(huge), huge), FailsWith(Code::kNodeTooLarge));
}

TEST_F(Admit, NamesTheChildrenThatAreNotStored) {
  auto one = file("one");
  auto two = file("two");
  const Entry entries[] = {entry_for("a", *content), entry_for("b", *one), entry_for("c", *two)};
  auto refused = admitted(make_dict(entries)->bytes());
  ASSERT_THAT(refused, FailsWith(Code::kNodeNotFound));
  EXPECT_THAT(refused.error().message, HasSubstr(one->key().render()));
  EXPECT_THAT(std::get<std::vector<std::string>>(refused.error().details.at("missing")),
              ElementsAre(one->key().render(), two->key().render()));
}

TEST_F(Admit, DoesNotTakeADamagedChildForAMissingOne) {
  World damaged(uncached());
  auto child = file("child");
  must(damaged.realm.nodes().put(std::vector{child}));
  damaged.corrupt(child->key());
  auto parent = dict_of("a", child);
  EXPECT_THAT(admit(damaged.realm.nodes(), parent->key(), parent->bytes()),
              FailsWith(Code::kCorruptNode));
}

TEST_F(Admit, ByARealmStoresTheNodeAsItsOwners) {
  const auto owner = DelegateId::from_bytes(Bytes(16, 'o'));
  auto node = dict_of("new", folder);
  must(world.realm.admit(node->key(), node->bytes(), {&owner, 1}));
  EXPECT_TRUE(world.has(node->key()));
  EXPECT_TRUE(must(world.realm.ownership().owns(owner, node->key())));
  EXPECT_FALSE(must(world.realm.ownership().owns(owner, folder->key())));
  const auto before = world.everything();
  EXPECT_THAT(world.realm.admit(node->key(), "x", {&owner, 1}), FailsWith(Code::kHashMismatch));
  EXPECT_EQ(world.everything(), before);
}

TEST_F(Admit, TakesEveryNodeOfAnyTreeFromTheBottomUp) {
  for_seeds(20, [](Dice& dice) {
    auto files = tree_testing::random_files(dice, 30);
    Bytes large;
    for (auto size = dice.below(2'000'000); large.size() < size;) {
      large.push_back(static_cast<char>(dice.below(256)));
    }
    files["large.bin"] = large;
    for (auto many = dice.below(3000); many > 0; --many) {
      files[fmt::format("many/{}", dice.below(100'000))] = fmt::format("{}", many);
    }
    tree_testing::Trees made;
    auto root = made.tree(files);
    auto nodes = made.stage.reachable(root->key());

    World there;
    if (nodes.size() > 1) {
      EXPECT_THAT(there.realm.admit(root->key(), root->bytes(), {}),
                  FailsWith(Code::kNodeNotFound));
    }
    for (const auto& node : nodes) {
      ASSERT_THAT(there.realm.admit(node->key(), node->bytes(), {}), IsOk());
    }
    auto depot = must(there.realm.create_depot("uploaded", root->key()));
    EXPECT_EQ(files_below(there.realm.nodes(), depot.root), files);
    EXPECT_TRUE(must(fsck(there.realm)).clean());
  });
}

}  // namespace
}  // namespace cairn::realm_testing
