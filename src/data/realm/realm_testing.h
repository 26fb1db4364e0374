// Shared by the tests of this folder: a realm over either backend, and depots told as stories.
//
//   World world;
//   auto depot = world.a_depot().with("src/a.ts", "1").committed();
//   auto mine = depot.edit("src/a.ts", "2");
//   depot.with("src/b.ts", "theirs").committed();
//   EXPECT_TRUE(depot.commit(mine)->merged);
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/realm/realm.h"
#include "data/realm/retention.h"
#include "data/store/store_test_support.h"
#include "data/tree/tree_testing.h"

namespace cairn::realm_testing {

using tree_testing::Dice;
using tree_testing::Files;
using tree_testing::for_seeds;
using tree_testing::must;

inline Files files_below(const NodeReader& nodes, const NodeKey& root) {
  Files out;
  for (auto& [where, file] : tree_testing::typed_files(nodes, must(nodes.get(root)))) {
    out[where] = std::move(file.bytes);
  }
  return out;
}

// One write to a root, saved as an agent's tools save it. The origin is `place` when the change
// begins there, what `from` grew from otherwise.
inline Result<NodeKey> save_write(Realm& realm, const NodeKey& from, std::optional<Place> place,
                                  std::string_view path, ByteView content) {
  Stage stage(realm.nodes());
  auto root = TRY(realm.nodes().get(from));
  auto changed = TRY(write(stage, root, TRY(Path::parse(path)), content));
  TRY(realm.save(stage, changed, from, place));
  return changed.root->key();
}

inline Result<NodeKey> save_rm(Realm& realm, const NodeKey& from, std::optional<Place> place,
                               std::string_view path) {
  Stage stage(realm.nodes());
  auto root = TRY(realm.nodes().get(from));
  auto changed = TRY(rm(stage, root, TRY(Path::parse(path))));
  TRY(realm.save(stage, changed, from, place));
  return changed.root->key();
}

// The newest root that this one grew from.
inline std::optional<NodeKey> base_of(const Realm& realm, const NodeKey& root, const Place& place) {
  const auto origin = must(realm.origin_of(root, place));
  return origin ? std::optional(origin->base) : std::nullopt;
}

// The work of an agent on a depot's or place's root so far: each step is saved and builds on the
// one before.
class Draft final {
 public:
  Draft(Realm& realm, Place place, const NodeKey& start)
      : base(start), root(start), realm_(&realm), place_(std::move(place)) {}

  Draft& write(std::string_view path, ByteView content) {
    root = must(save_write(*realm_, root, begins_at(), path, content));
    return *this;
  }
  Draft& rm(std::string_view path) {
    root = must(save_rm(*realm_, root, begins_at(), path));
    return *this;
  }

  NodeKey base;  // the root it began at
  NodeKey root;  // what it is now

 private:
  std::optional<Place> begins_at() const {
    return root == base ? std::optional(place_) : std::nullopt;
  }

  Realm* realm_;
  Place place_;
};

struct CommitOptions {
  std::optional<NodeKey> expected = std::nullopt;
  bool force = false;
  std::string message = {};
  std::optional<DelegateId> author = std::nullopt;
  bool exact = false;
  std::vector<DelegateId> owners = {};
  bool dry_run = false;
};

class DepotStory final {
 public:
  DepotStory(Realm& realm, const Place& where) : id(where.depot), place(where), realm_(&realm) {}

  // The same depot as somebody sees it who is given this place in it.
  DepotStory at(std::string_view path) const {
    return {*realm_, Place(id, must(Path::parse(path)))};
  }

  // A change of the next commit.
  DepotStory& with(std::string path, std::string content) {
    pending_[std::move(path)] = std::move(content);
    return *this;
  }
  DepotStory& without(std::string path) {
    pending_[std::move(path)] = std::nullopt;
    return *this;
  }
  // Commits the changes on top of what the depot has, as somebody who has just read it.
  DepotStory& committed(std::string message = "a change") {
    auto draft = checkout();
    for (const auto& [path, content] : std::exchange(pending_, {})) {
      content ? draft.write(path, *content) : draft.rm(path);
    }
    must(commit(draft, {.message = std::move(message)}));
    return *this;
  }

  Draft checkout() const { return Draft(*realm_, place, root()); }
  Draft edit(std::string_view path, ByteView content) const {
    return std::move(checkout().write(path, content));
  }

  Result<CommitResult> commit(const NodeKey& what, const CommitOptions& options = {}) {
    return realm_->commit({.depot = id,
                           .root = what,
                           .expected_root = options.expected,
                           .message = options.message,
                           .force = options.force,
                           .author = options.author,
                           .place = place.path,
                           .exact = options.exact,
                           .owners = options.owners,
                           .dry_run = options.dry_run});
  }
  Result<CommitResult> commit(const Draft& draft, const CommitOptions& options = {}) {
    return commit(draft.root, options);
  }

  Depot record() const { return must(realm_->get_depot(id)); }
  NodeKey root() const { return must(realm_->root_at(place)); }
  Files files() const { return files_below(realm_->nodes(), root()); }
  Files files(const NodeKey& at) const { return files_below(realm_->nodes(), at); }

  // Newest first, all of it.
  std::vector<HistoryEntry> history() const {
    std::vector<HistoryEntry> all;
    std::optional<std::string> cursor;
    do {
      auto page = must(realm_->history_at(place, 100, cursor));
      all.insert(all.end(), page.entries.begin(), page.entries.end());
      cursor = page.next_cursor;
    } while (cursor);
    return all;
  }
  std::vector<std::string> messages() const {
    std::vector<std::string> all;
    for (const auto& entry : history()) all.push_back(entry.message);
    return all;
  }

  DepotId id;
  Place place;

 private:
  Realm* realm_;
  std::map<std::string, std::optional<std::string>> pending_;
};

// Cuts a history down to its newest commits, as a collection of garbage would.
inline void keep_only(Realm& realm, const DepotId& depot, std::uint64_t last) {
  must(realm.set_keep(depot, must(Keep::parse(fmt::format("last={}", last)))));
  must(thin_history(realm, depot));
}

// Every row of every table: what is the same before and after when nothing has changed.
struct Rows {
  std::map<std::pair<int, Bytes>, Bytes> rows;
  bool operator==(const Rows&) const = default;
  friend void PrintTo(const Rows& all, std::ostream* out) { *out << all.rows.size() << " rows"; }
};

// Lets something happen once, right after somebody has listed the nodes.
class ListingHook final : public Backend {
 public:
  explicit ListingHook(std::unique_ptr<Backend> inner) : inner_(std::move(inner)) {}

  Result<bool> read(Table table, ByteView key, const Reader& reader) const override {
    return inner_->read(table, key, reader);
  }
  Result<void> scan(Table table, const KeyRange& range, Direction direction,
                    const KeyValueStore::Visitor& visit) const override {
    auto scanned = inner_->scan(table, range, direction, visit);
    if (table == Table::kNodeInfo) {
      if (auto happens = std::exchange(after_listing, nullptr)) happens();
    }
    return scanned;
  }
  Result<void> write(const Changes& changes, Durability durability) override {
    return inner_->write(changes, durability);
  }
  Result<void> reclaim(Table table, const KeyRange& range) override {
    return inner_->reclaim(table, range);
  }
  Result<std::unique_ptr<Backend>> snapshot() const override { return inner_->snapshot(); }
  Result<void> checkpoint(const std::filesystem::path& target) override {
    return inner_->checkpoint(target);
  }

  mutable std::function<void()> after_listing;

 private:
  std::unique_ptr<Backend> inner_;
};

struct WorldOptions {
  BackendKind backend = BackendKind::kMemory;
  RealmOptions realm = {};
  StoreOptions store = {};
};

// Without caches, so that damage below is seen at once.
inline WorldOptions uncached() {
  WorldOptions options;
  options.store.dict_cache_bytes = 0;
  options.store.data_cache_bytes = 0;
  return options;
}

// A store with one realm, whose time passes only when told to.
class World final {
 public:
  explicit World(const WorldOptions& options = {})
      : listing(new ListingHook(make_backend(options.backend, dir / "db"))),
        backend(new TestBackend(std::unique_ptr<Backend>(listing))),
        store(must(EmbeddedStore::open(std::unique_ptr<Backend>(backend), clock, options.store))),
        realm(*store, realm_number(7), clock, random, options.realm) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // A minute after the last, so that depots have an order. Those without a title of their own are
  // "project", "project 2" and so on. With a short history the garbage collector drops the rest.
  DepotStory a_depot(std::string_view title = {},
                     std::uint64_t max_history = Realm::kDefaultMaxHistory) {
    clock.advance(std::chrono::minutes(1));
    std::string chosen(title);
    if (title.empty()) chosen = ++projects == 1 ? "project" : fmt::format("project {}", projects);
    Keep keep;
    if (max_history < Realm::kDefaultMaxHistory) {
      keep = {.days = 0, .daily = 0, .last = max_history + 1};
    }
    return {realm, must(realm.create_depot(chosen, std::nullopt, max_history, keep)).id};
  }

  Rows everything() const {
    Rows all;
    for (Table table : kTables) {
      must(backend->scan(table, {}, Direction::kForward, [&](ByteView key, ByteView value) {
        all.rows.emplace(std::pair(static_cast<int>(table), Bytes(key)), value);
        return Scan::kContinue;
      }));
    }
    return all;
  }
  // The usage that the account should say, added up from the nodes themselves.
  Usage recounted() {
    Usage sum;
    sum.quota_limit = must(realm.usage()).quota_limit;
    must(realm.nodes().for_each([&](const NodeInfo& info) {
      sum.physical_bytes += info.physical_bytes;
      sum.logical_bytes += info.logical_bytes;
      sum.node_count += 1;
      return true;
    }));
    return sum;
  }
  bool has(const NodeKey& key) { return must(realm.nodes().has(key)); }

  // Damage from below: a row of a table set to something, or gone.
  void plant(Table table, Bytes key, std::optional<Bytes> value) {
    Changes changes;
    changes[table].emplace(std::move(key), std::move(value));
    must(backend->write(changes, Durability::kBuffered));
  }
  void corrupt(const NodeKey& key) {
    plant(Table::kNodeData, NodeRow(realm.id(), key).bytes(), Bytes("\0not the node", 13));
  }
  // As if a disk had lost it: the row of its data is gone.
  void lose(const NodeKey& key) {
    plant(Table::kNodeData, NodeRow(realm.id(), key).bytes(), std::nullopt);
  }

  TempDir dir;
  ManualClock clock;
  SeededRandom random{1};
  int projects = 0;
  ListingHook* listing;
  TestBackend* backend;
  std::unique_ptr<Store> store;
  Realm realm;
};

// The key of what stands at a path of a tree.
inline NodeKey key_at(World& world, const NodeKey& root, std::string_view path) {
  TreeView tree{world.realm.nodes(), must(world.realm.nodes().get(root))};
  return must(locate(tree, must(Path::parse(path)))).entry.key;
}

inline std::vector<std::string> detail_paths(const Error& error) {
  auto found = error.details.find("paths");
  if (found == error.details.end()) return {};
  return std::get<std::vector<std::string>>(found->second);
}

inline std::string detail_text(const Error& error, const std::string& name) {
  auto found = error.details.find(name);
  return found == error.details.end() ? "" : std::get<std::string>(found->second);
}

}  // namespace cairn::realm_testing
