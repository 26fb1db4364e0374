#include "data/realm/fsck.h"

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "data/tree/path.h"

namespace cairn {
namespace {

constexpr std::size_t kMaxPaths = 20;

// What a reference says about the node it names.
struct Claim {
  Kind kind;
  unsigned level = 0;  // of branches and pieces; entries do not say
  bool says_level = false;
  Totals totals;
  std::string_view type;
  bool is_entry = false;
};

bool fits(const Claim& claim, const Node& node) {
  if (node.kind() != claim.kind) return false;
  if (claim.says_level && node.level() != claim.level) return false;
  if (node.totals().bytes != claim.totals.bytes) return false;
  if (node.kind() == Kind::kDict && node.totals() != claim.totals) return false;
  return !claim.is_entry || node.kind() != Kind::kFile || node.type() == claim.type;
}

// Calls visit(key, claim, name) for each child.
template <typename Visit>
void for_each_child(const Node& node, Visit&& visit) {
  for (const auto& entry : node.entries()) {
    Claim claim{entry.kind, 0, false, {entry.children, entry.files, entry.bytes}, entry.type, true};
    visit(entry.key, claim, entry.name);
  }
  for (const auto& branch : node.branches()) {
    Claim claim{Kind::kDict, node.level() - 1,
                true,        {branch.entries, branch.files, branch.bytes},
                {},          false};
    visit(branch.key, claim, std::string_view());
  }
  for (const auto& piece : node.pieces()) {
    Claim claim{Kind::kSuccessor, node.level() - 1, true, {0, 0, piece.length}, {}, false};
    visit(piece.key, claim, std::string_view());
  }
}

FsckProblem::Kind kind_of(const Error& error) {
  return error.code == Code::kNodeNotFound ? FsckProblem::Kind::kMissing
                                           : FsckProblem::Kind::kCorrupt;
}

class Checker final {
 public:
  explicit Checker(Realm& realm) : realm_(realm), kv_(realm.store().kv()), nodes_(realm.nodes()) {}

  Result<FsckReport> run() {
    TRY(check_nodes());
    TRY(check_usage());
    TRY(check_depots());
    for (auto& [key, problem] : bad_) report_.problems.push_back(std::move(problem));
    return std::move(report_);
  }

 private:
  void add(FsckProblem::Kind kind, const NodeKey& key, std::string message) {
    bad_.try_emplace(key, FsckProblem{kind, key, std::move(message), {}});
  }

  // Every stored node by itself, then its references.
  Result<void> check_nodes() {
    std::vector<NodeKey> keys;
    auto listed = nodes_.for_each([&](const NodeInfo& info) {
      keys.push_back(info.key);
      counted_.node_count += 1;
      counted_.physical_bytes += info.physical_bytes;
      counted_.logical_bytes += info.logical_bytes;
      return true;
    });
    if (!listed && listed.error().code != Code::kCorruptNode) return listed;
    if (!listed) {
      add_record(listed.error().message);
      keys = TRY(list_keys());
    }
    counted_all_ = listed.has_value();
    stored_.insert(keys.begin(), keys.end());
    for (const auto& key : keys) {
      auto node = nodes_.get_uncached(key);
      if (!node) {
        add(kind_of(node.error()), key, node.error().message);
        continue;
      }
      report_.nodes += 1;
      report_.bytes += (*node)->bytes().size();
      check_children(**node);
    }
    return {};
  }

  // Keys alone, past the record that cannot be read.
  Result<std::vector<NodeKey>> list_keys() {
    constexpr std::size_t kPage = 10'000;
    const auto last = NodeKey::from_bytes(Bytes(NodeKey::kSize, '\xff'));
    auto keys = TRY(nodes_.find(NodeKey(), last, kPage));
    for (auto more = keys.size(); more == kPage;) {
      auto page = TRY(nodes_.find(keys.back(), last, kPage));
      keys.insert(keys.end(), page.begin() + 1, page.end());
      more = page.size();
    }
    return keys;
  }

  void check_children(const Node& node) {
    for_each_child(node, [&](const NodeKey& key, const Claim& claim, std::string_view child_name) {
      auto child = get(key);
      if (!child) {
        add(kind_of(child.error()), key, child.error().message);
      } else if (!fits(claim, **child)) {
        add(FsckProblem::Kind::kWrongEntry, node.key(),
            fmt::format("{} describes {} '{}' as something it is not", node.key().render(),
                        key.render(), child_name));
      }
    });
  }

  // A node that is in the cache may be on no disk.
  Result<NodePtr> get(const NodeKey& key) {
    return stored_.contains(key) ? nodes_.get(key) : nodes_.get_uncached(key);
  }

  Result<void> check_usage() {
    if (!counted_all_) return {};
    auto recorded = nodes_.usage();
    if (!recorded) {
      report_.problems.push_back(
          {FsckProblem::Kind::kUsage, NodeKey(), recorded.error().message, {}});
      return {};
    }
    const auto& usage = *recorded;
    counted_.quota_limit = usage.quota_limit;
    if (usage == counted_) return {};
    report_.problems.push_back(
        {FsckProblem::Kind::kUsage,
         NodeKey(),
         fmt::format("the counts say {} nodes of {} bytes ({} stored), there are {} of {} ({})",
                     usage.node_count, usage.logical_bytes, usage.physical_bytes,
                     counted_.node_count, counted_.logical_bytes, counted_.physical_bytes),
         {}});
    return {};
  }

  Result<void> check_depots() {
    return scan_records(
        kv_, records::depots(realm_.id()), [&](ByteView key, ByteView value) -> Result<void> {
          auto depot = records::decode_depot(key, value);
          if (!depot) {
            auto id = key.substr(records::depots(realm_.id()).begin.size());
            add_record(
                fmt::format("{}: {}", DepotId::from_bytes(id).render(), depot.error().message));
            return {};
          }
          auto label = fmt::format("{} ({})", depot->title, depot->id.render());
          walked_.clear();  // every depot's own tree is named; of the history, what it alone holds
          check_root(label, depot->root);
          bool current_seen = false;
          TRY(scan_records(kv_, records::history(realm_.id(), depot->id),
                           [&](ByteView at, ByteView bytes) -> Result<void> {
                             auto entry = records::decode_history(at, bytes);
                             if (!entry) {
                               add_record(fmt::format("{}: {}", label, entry.error().message));
                               return {};
                             }
                             current_seen = current_seen || entry->root == depot->root;
                             check_root(fmt::format("{} at commit {}", label, entry->sequence),
                                        entry->root);
                             return {};
                           }));
          if (!current_seen) add_record(fmt::format("the history of {} lacks its root", label));
          return {};
        });
  }

  void add_record(std::string message) {
    report_.problems.push_back({FsckProblem::Kind::kRecord, NodeKey(), std::move(message), {}});
  }

  void check_root(const std::string& label, const NodeKey& root) {
    report_.roots += 1;
    auto node = get(root);
    if (!node) add(kind_of(node.error()), root, node.error().message);
    if (!bad_.empty()) name_paths(label, "", root);
  }

  // Walks down from a root and notes the paths of bad nodes; a node seen before has been named.
  void name_paths(const std::string& label, const std::string& path, const NodeKey& key) {
    if (auto bad = bad_.find(key); bad != bad_.end()) {
      auto& paths = bad->second.paths;
      if (paths.size() < kMaxPaths) {
        paths.push_back(fmt::format("{}: {}", label, path.empty() ? "/" : path));
      }
    }
    // Nothing below can be named.
    if (path.size() > Path::kMaxBytes || !walked_.insert(key).second) return;
    auto node = nodes_.get(key);
    if (!node) return;
    for_each_child(**node, [&](const NodeKey& child, const Claim&, std::string_view child_name) {
      auto below = path;
      if (!child_name.empty()) {
        if (!below.empty()) below += '/';
        below += child_name;
      }
      name_paths(label, below, child);
    });
  }

  Realm& realm_;
  KeyValueStore& kv_;
  NodeStore& nodes_;
  FsckReport report_;
  Usage counted_;
  bool counted_all_ = false;
  std::unordered_set<NodeKey> stored_;
  std::map<NodeKey, FsckProblem> bad_;
  std::unordered_set<NodeKey> walked_;
};

}  // namespace

std::string_view name(FsckProblem::Kind kind) {
  switch (kind) {
    case FsckProblem::Kind::kCorrupt:
      return "corrupt";
    case FsckProblem::Kind::kMissing:
      return "missing";
    case FsckProblem::Kind::kWrongEntry:
      return "wrong entry";
    case FsckProblem::Kind::kUsage:
      return "usage";
    case FsckProblem::Kind::kRecord:
      return "record";
  }
  std::unreachable();
}

Result<FsckReport> fsck(Realm& realm) { return Checker(realm).run(); }

}  // namespace cairn
