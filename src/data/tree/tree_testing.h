// Shared by the tests of this folder: trees in memory, built from and read back as plain maps.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/budget.h"
#include "data/cas/content_type.h"
#include "data/cas/dict.h"
#include "data/cas/file.h"
#include "data/tree/merge.h"
#include "data/tree/path.h"
#include "data/tree/view.h"

namespace cairn::tree_testing {

// ---- Results ------------------------------------------------------------------------------------

MATCHER_P(FailsWith, code, std::string("fails with ") + std::string(info(code).name)) {
  if (arg) {
    *result_listener << "which succeeded";
    return false;
  }
  *result_listener << "which failed with " << arg.error().render();
  return arg.error().code == code;
}

MATCHER_P2(FailsSaying, code, part,
           std::string("fails with ") + std::string(info(code).name) + " and says " + part) {
  if (arg) {
    *result_listener << "which succeeded";
    return false;
  }
  *result_listener << "which failed with " << arg.error().render();
  return arg.error().code == code && arg.error().message.find(part) != std::string::npos;
}

// The value, or a failed test.
template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().render());
  return std::move(*result);
}
inline void must(Result<void> result) {
  if (!result) throw std::runtime_error(result.error().render());
}

inline Path path(std::string_view text) { return must(Path::parse(text)); }

// ---- Trees --------------------------------------------------------------------------------------

// Paths to bytes. An empty directory is a path that ends with '/', with no bytes.
using Files = std::map<std::string, std::string>;

struct TypedFile {
  std::string bytes;
  std::string type;
  auto operator<=>(const TypedFile&) const = default;
};
using TypedFiles = std::map<std::string, TypedFile>;

// Nodes by key: what a store does, in memory.
class MemoryNodes final : public NodeReader, public NodeSink {
 public:
  Result<NodePtr> get(const NodeKey& key) const override {
    auto found = nodes_.find(key);
    if (found == nodes_.end()) return fail(Code::kNodeNotFound, "no node {}", key.render());
    return found->second;
  }
  Result<void> add(NodePtr node) override {
    nodes_.try_emplace(node->key(), node);
    return {};
  }
  // Does what storing an operation's result does: keeps the new nodes below the root, and no
  // others.
  void store(const Stage& stage, const NodePtr& root) {
    for (const auto& node : stage.reachable(root->key())) must(add(node));
  }

 private:
  std::unordered_map<NodeKey, NodePtr> nodes_;
};

namespace detail {

struct Folder {
  std::map<std::string, TypedFile> files;
  std::map<std::string, Folder> folders;
};

inline Folder folders_of(const TypedFiles& files) {
  Folder root;
  for (const auto& [where, file] : files) {
    Folder* at = &root;
    std::size_t begin = 0;
    for (auto slash = where.find('/'); slash != std::string::npos; slash = where.find('/', begin)) {
      at = &at->folders[where.substr(begin, slash - begin)];
      begin = slash + 1;
    }
    if (begin < where.size()) at->files[where.substr(begin)] = file;
  }
  return root;
}

// From the bottom up, without an editor.
inline NodePtr build(Stage& stage, const Folder& folder) {
  std::map<std::string, EntryValue> values;
  for (const auto& [name, file] : folder.files) {
    auto node = must(write_file(stage, file.type, file.bytes));
    values[name] = EntryValue::of(entry_for(name, *node));
  }
  for (const auto& [name, below] : folder.folders) {
    values[name] = EntryValue::of(entry_for(name, *build(stage, below)));
  }
  std::vector<DictEdit> edits;
  for (auto& [name, value] : values) edits.push_back({name, value});
  auto node = edits.empty() ? empty_dict() : must(dict_apply(stage, empty_dict(), edits));
  must(stage.add(node));
  return node;
}

inline void collect(const NodeReader& nodes, const std::string& prefix, const NodePtr& dict,
                    TypedFiles& out) {
  DictCursor cursor(nodes, dict);
  must(cursor.seek_index(0));
  if (cursor.entry() == nullptr && !prefix.empty()) out[prefix] = {};
  for (; cursor.entry() != nullptr; must(cursor.next())) {
    const auto& entry = *cursor.entry();
    auto node = must(nodes.get(entry.key));
    auto where = prefix + std::string(entry.name);
    EXPECT_EQ(entry_for(entry.name, *node), entry) << where;
    if (entry.is_dir()) {
      collect(nodes, where + "/", node, out);
    } else {
      out[where] = {must(read_file(nodes, *node)), std::string(entry.type)};
    }
  }
}

}  // namespace detail

inline TypedFiles typed(const Files& files) {
  TypedFiles out;
  for (const auto& [where, bytes] : files) {
    if (where.ends_with('/')) {
      out[where] = {};
    } else {
      auto slash = where.rfind('/');
      auto name = where.substr(slash == std::string::npos ? 0 : slash + 1);
      out[where] = {bytes, std::string(content_type(name, bytes))};
    }
  }
  return out;
}

inline NodePtr build_tree(Stage& stage, const TypedFiles& files) {
  return detail::build(stage, detail::folders_of(files));
}

inline TypedFiles typed_files(const NodeReader& nodes, const NodePtr& root) {
  TypedFiles out;
  detail::collect(nodes, "", root, out);
  return out;
}

// A stage over an empty store, and a clock that stands still.
//
//   Trees t;
//   auto root = t.tree({{"src/a.ts", "1"}, {"empty/", ""}});
//   EXPECT_EQ(t.files(root), …);
struct Trees {
  MemoryNodes store;
  Stage stage{store};
  ManualClock clock;

  NodePtr tree(const Files& files) { return build_tree(stage, typed(files)); }
  Files files(const NodePtr& root) const {
    Files out;
    for (auto& [where, file] : typed_files(stage, root)) out[where] = file.bytes;
    return out;
  }
  TreeView view(NodePtr root) const { return {stage, std::move(root)}; }
  Budget unlimited() const { return Budget(clock, {}); }
  Budget within(Budget::Limits limits) const { return Budget(clock, limits); }
};

// ---- Chance -------------------------------------------------------------------------------------

class Dice final {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  // 0 to below - 1.
  std::size_t below(std::size_t limit) { return engine_() % limit; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <typename Range>
  auto pick(const Range& range) {
    auto at = std::begin(range);
    std::advance(at, static_cast<std::ptrdiff_t>(below(std::size(range))));
    return *at;
  }

 private:
  std::mt19937_64 engine_;
};

inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Calls property(Dice&) with `rounds` seeds, up to the first that fails, whose seed the failure
// shows. CAIRN_SEED sets the first seed, CAIRN_ROUNDS how many.
template <typename Property>
void for_seeds(std::uint64_t rounds, Property&& property) {
  auto first = from_environment("CAIRN_SEED", 1);
  rounds = from_environment("CAIRN_ROUNDS", rounds);
  for (auto seed = first; seed < first + rounds; ++seed) {
    SCOPED_TRACE("run again with CAIRN_SEED=" + std::to_string(seed));
    Dice dice(seed);
    property(dice);
    if (testing::Test::HasFailure()) return;
  }
}

// A random tree of a few levels: files, empty and full directories, from few names so that trees
// have much in common.
inline Files random_files(Dice& dice, std::size_t most) {
  static const std::vector<std::string> kNames = {"a", "b", "c.txt", "d.json", "e-e", "f.x.ts"};
  static const std::vector<std::string> kContents = {"",       "1\n",       "2\n",
                                                     "x\ny\n", "{\"k\":1}", std::string("\0b", 2)};
  Files files;
  std::set<std::string> taken;    // as files
  std::set<std::string> entered;  // as directories
  for (auto count = dice.below(most + 1); count > 0; --count) {
    std::string where;
    bool fits = true;
    for (auto depth = dice.below(4); depth > 0 && fits; --depth) {
      where += (where.empty() ? "" : "/") + dice.pick(kNames);
      fits = !taken.contains(where);
      if (fits) entered.insert(where);
    }
    where += (where.empty() ? "" : "/") + dice.pick(kNames);
    if (!fits || taken.contains(where) || entered.contains(where)) continue;
    if (dice.one_in(6)) {
      entered.insert(where);
    } else {
      taken.insert(where);
      files[where] = dice.pick(kContents);
    }
  }
  for (const auto& dir : entered) {
    auto below = files.lower_bound(dir + "/");
    bool empty = below == files.end() || !below->first.starts_with(dir + "/");
    auto deeper = entered.lower_bound(dir + "/");
    empty = empty && (deeper == entered.end() || !deeper->starts_with(dir + "/"));
    if (empty) files[dir + "/"] = "";
  }
  return files;
}

inline Result<MergeResult> merge_unbounded(Stage& stage, const NodePtr& base, const NodePtr& ours,
                                           const NodePtr& theirs) {
  ManualClock clock;
  Budget budget(clock, {});
  return merge(stage, base, ours, theirs, budget);
}

}  // namespace cairn::tree_testing
