#include "data/realm/heal.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "data/realm/records.h"

namespace cairn {
namespace {

class StoreNodes final : public NodeSource {
 public:
  explicit StoreNodes(Store& store) : store_(store) {}

  Result<std::vector<NodePtr>> find(std::span<const NodeKey> wanted) override {
    const auto realms = TRY(store_.realms());
    std::vector<NodePtr> out;
    for (const auto& key : wanted) {
      // One that cannot be read there is not there.
      for (const auto& realm : realms) {
        auto node = store_.nodes(realm).get_uncached(key);
        if (!node) continue;
        out.push_back(*std::move(node));
        break;
      }
    }
    return out;
  }

 private:
  Store& store_;
};

bool is_of_a_node(const FsckProblem& problem) {
  return problem.kind == FsckProblem::Kind::kCorrupt || problem.kind == FsckProblem::Kind::kMissing;
}

class Healer final {
 public:
  Healer(NodeStore& nodes, std::span<const std::unique_ptr<NodeSource>> sources)
      : nodes_(nodes), sources_(sources) {}

  // Those below what was missing may be missing too: again, as long as there are such.
  Result<std::vector<NodeKey>> run(std::vector<NodeKey> wanted) {
    while (!wanted.empty()) {
      asked_.insert(wanted.begin(), wanted.end());
      const auto found = TRY(find(wanted));
      TRY(nodes_.put(found));
      wanted.clear();
      for (const auto& node : found) {
        healed_.push_back(node->key());
        for (const auto& child : node->children()) {
          if (asked_.contains(child) || nodes_.get_uncached(child)) continue;
          wanted.push_back(child);
        }
      }
      std::ranges::sort(wanted);
      wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
    }
    return std::move(healed_);
  }

 private:
  Result<std::vector<NodePtr>> find(std::vector<NodeKey> wanted) {
    std::vector<NodePtr> out;
    for (const auto& source : sources_) {
      if (wanted.empty()) break;
      for (auto& node : TRY(source->find(wanted))) {
        if (std::erase(wanted, node->key()) > 0) out.push_back(std::move(node));
      }
    }
    return out;
  }

  NodeStore& nodes_;
  std::span<const std::unique_ptr<NodeSource>> sources_;
  std::set<NodeKey> asked_;
  std::vector<NodeKey> healed_;
};

// `b` realm: how a realm's damage is remembered.
Bytes damage_key(const RealmId& realm) {
  Bytes out = "b";
  out += realm.bytes();
  return out;
}

// How a node is, in there: `c`, or `m` when it was missing, and its key.
constexpr std::size_t kRemembered = 1 + NodeKey::kSize;

Bytes remembered(const FsckProblem& problem) {
  Bytes out(1, problem.kind == FsckProblem::Kind::kMissing ? 'm' : 'c');
  out += problem.key.bytes();
  return out;
}

// One that is not stored any more is no damage, unless that is what was found.
bool is_damaged(Store& store, const DamagedNode& node, bool was_missing) {
  const auto read = store.nodes(node.realm).get_uncached(node.key);
  return !read && (was_missing || read.error().code != Code::kNodeNotFound);
}

}  // namespace

std::unique_ptr<NodeSource> nodes_of(Store& store) { return std::make_unique<StoreNodes>(store); }

Result<std::vector<NodeKey>> heal(Store& store, const RealmId& realm, const FsckReport& found,
                                  std::span<const std::unique_ptr<NodeSource>> sources) {
  std::vector<NodeKey> wanted;
  for (const auto& problem : found.problems) {
    if (is_of_a_node(problem)) wanted.push_back(problem.key);
  }
  auto healed = TRY(Healer(store.nodes(realm), sources).run(std::move(wanted)));
  // What was put is on the disk when this is.
  if (!healed.empty()) TRY(store.kv().commit({}));
  return healed;
}

Result<void> remember_damage(Store& store, const RealmId& realm, const FsckReport& found) {
  constexpr std::size_t kMost = 10'000;
  Bytes all;
  for (const auto& problem : found.problems) {
    if (is_of_a_node(problem) && all.size() < kMost * kRemembered) all += remembered(problem);
  }
  const auto key = damage_key(realm);
  const auto before = TRY(store.kv().get(key));
  if (before.value_or(Bytes()) == all) return {};
  Batch batch;
  if (all.empty()) {
    batch.deletes.push_back(key);
  } else {
    batch.puts.push_back({key, std::move(all)});
  }
  return store.kv().commit(std::move(batch));
}

Result<std::set<DamagedNode>> remembered_damage(Store& store) {
  std::map<DamagedNode, bool> known;  // and whether it was missing
  TRY(store.kv().scan(KeyRange::prefix("b"), Direction::kForward, [&](ByteView key, ByteView all) {
    const auto realm = RealmId::from_bytes(key.substr(1));
    for (; all.size() >= kRemembered; all.remove_prefix(kRemembered)) {
      known[{realm, NodeKey::from_bytes(all.substr(1, NodeKey::kSize))}] = all.front() == 'm';
    }
    return Scan::kContinue;
  }));
  std::set<DamagedNode> out;
  for (const auto& [node, was_missing] : known) {
    if (is_damaged(store, node, was_missing)) out.insert(node);
  }
  return out;
}

}  // namespace cairn
