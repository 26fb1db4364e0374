#include "data/realm/fsck.h"

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

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
    TRY(nodes_.for_each([&](const NodeInfo& info) {
      keys.push_back(info.key);
      counted_.node_count += 1;
      counted_.physical_bytes += info.physical_bytes;
      counted_.logical_bytes += info.logical_bytes;
      return true;
    }));
    for (const auto& key : keys) {
      auto node = nodes_.get_uncached(key);
      if (!node) {
        add(FsckProblem::Kind::kCorrupt, key, node.error().message);
        continue;
      }
      report_.nodes += 1;
      report_.bytes += (*node)->bytes().size();
      check_children(**node);
    }
    return {};
  }

  void check_children(const Node& node) {
    for_each_child(node, [&](const NodeKey& key, const Claim& claim, std::string_view child_name) {
      auto child = nodes_.get(key);
      if (!child) {
        auto kind = child.error().code == Code::kNodeNotFound ? FsckProblem::Kind::kMissing
                                                              : FsckProblem::Kind::kCorrupt;
        add(kind, key, child.error().message);
      } else if (!fits(claim, **child)) {
        add(FsckProblem::Kind::kWrongEntry, node.key(),
            fmt::format("{} describes {} '{}' as something it is not", node.key().render(),
                        key.render(), child_name));
      }
    });
  }

  Result<void> check_usage() {
    auto usage = TRY(nodes_.usage());
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
            add_record(depot.error());
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
                               add_record(entry.error());
                               return {};
                             }
                             current_seen = current_seen || entry->root == depot->root;
                             check_root(fmt::format("{} at commit {}", label, entry->sequence),
                                        entry->root);
                             return {};
                           }));
          if (!current_seen) {
            add_record(
                Error(Code::kIoError, fmt::format("the history of {} lacks its root", label)));
          }
          return {};
        });
  }

  void add_record(const Error& error) {
    report_.problems.push_back({FsckProblem::Kind::kRecord, NodeKey(), error.message, {}});
  }

  void check_root(const std::string& label, const NodeKey& root) {
    report_.roots += 1;
    auto node = nodes_.get(root);
    if (!node && node.error().code == Code::kNodeNotFound) {
      add(FsckProblem::Kind::kMissing, root, node.error().message);
    }
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
    if (!walked_.insert(key).second) return;
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
