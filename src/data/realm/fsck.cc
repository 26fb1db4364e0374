#include "data/realm/fsck.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/quote.h"
#include "data/cas/key_set.h"
#include "data/cas/reference.h"
#include "data/tree/path.h"

namespace cairn {
namespace {

constexpr std::size_t kMaxPaths = 20;
// How many nodes the counts are believed to name: they may be damaged.
constexpr std::uint64_t kMostExpected = 1 << 24;

FsckProblem::Kind kind_of(const Error& error) {
  return error.code == Code::kNodeNotFound ? FsckProblem::Kind::kMissing
                                           : FsckProblem::Kind::kCorrupt;
}

class Checker final {
 public:
  Checker(Realm& realm, const FsckOptions& options)
      : realm_(realm), kv_(realm.store().kv()), nodes_(realm.nodes()), options_(options) {}

  Result<FsckReport> run() {
    auto done = check();
    if (!done && !options_.stop.stop_requested()) return Failure(std::move(done).error());
    if (!done) report_.ended_at = FsckPosition{reached_, first_bad_};
    for (auto& [key, problem] : bad_) report_.problems.push_back(std::move(problem));
    return std::move(report_);
  }

 private:
  Result<void> check() {
    if (options_.resume) check_again(*options_.resume);
    TRY(check_nodes());
    TRY(check_usage());
    return check_depots();
  }

  void add(FsckProblem::Kind kind, const NodeKey& key, std::string message) {
    const bool first = bad_.try_emplace(key, FsckProblem{kind, key, std::move(message), {}}).second;
    if (first && first_bad_.size() < FsckPosition::kMostBad) first_bad_.push_back(key);
  }

  // What an earlier check found bad may be whole again.
  void check_again(const FsckPosition& position) {
    reached_ = position.reached;
    for (const auto& key : position.bad) check_node(key);
  }

  void check_node(const NodeKey& key) {
    auto node = nodes_.get_uncached(key);
    if (!node) {
      add(kind_of(node.error()), key, node.error().message);
      return;
    }
    report_.nodes += 1;
    report_.bytes += (*node)->bytes().size();
    check_children(**node);
  }

  void tell(std::uint64_t nodes, std::uint64_t total) const {
    if (options_.tell) {
      options_.tell({.nodes = nodes, .total = total, .reached = reached_, .bad = first_bad_});
    }
  }

  // Every stored node by itself, then its references.
  Result<void> check_nodes() {
    // As many as there should be: growing would take the room twice.
    if (const auto usage = nodes_.usage()) {
      stored_.reserve(std::min<std::uint64_t>(usage->node_count, kMostExpected));
    }
    auto listed = nodes_.for_each([&](const NodeInfo& info) {
      stored_.push_back(info.key);
      counted_.node_count += 1;
      counted_.physical_bytes += info.physical_bytes;
      counted_.logical_bytes += info.logical_bytes;
      return !options_.stop.stop_requested();
    });
    TRY(go_on());
    if (!listed) {
      add_record(listed.error().message);
      // Keys alone, past the record that cannot be read; and where a whole block cannot be, what
      // can be reached.
      auto named = listed.error().code == Code::kCorruptNode
                       ? list_keys()
                       : Result<std::vector<NodeKey>>(Failure(listed.error()));
      stored_ = named ? std::move(*named) : TRY(reachable());
      std::ranges::sort(stored_);
    }
    counted_all_ = listed.has_value();
    std::uint64_t number = 0;
    for (const auto& key : stored_) {
      TRY(go_on());
      ++number;
      if (options_.resume && key <= options_.resume->reached) continue;
      check_node(key);
      reached_ = key;
      tell(number, stored_.size());
    }
    return {};
  }

  Result<void> go_on() const {
    if (!options_.stop.stop_requested()) return {};
    return fail(Code::kBudgetExceeded, "the check was ended before it came to its end");
  }

  // From all depots and their histories, as far as these can be read.
  Result<std::vector<NodeKey>> reachable() {
    std::vector<NodeKey> open;
    const auto add_depot = [&](const Depot& depot) {
      open.push_back(depot.root);
      return scan_records(kv_, records::history(realm_.id(), depot.id),
                          [&](ByteView key, ByteView value) -> Result<void> {
                            auto entry = records::decode_history(key, value);
                            if (entry) open.push_back(entry->root);
                            return {};
                          });
    };
    TRY(scan_records(kv_, records::depots(realm_.id()),
                     [&](ByteView key, ByteView value) -> Result<void> {
                       auto depot = records::decode_depot(key, value);
                       return depot ? add_depot(*depot) : Result<void>();
                     }));
    TRY(scan_records(kv_, records::deleted(realm_.id()),
                     [&](ByteView key, ByteView value) -> Result<void> {
                       auto deleted = records::decode_deleted(key, value);
                       return deleted ? add_depot(deleted->depot) : Result<void>();
                     }));
    std::vector<NodeKey> out;
    KeySet seen;
    while (!open.empty()) {
      TRY(go_on());
      const auto key = open.back();
      open.pop_back();
      if (!seen.insert(key)) continue;
      out.push_back(key);
      const auto node = nodes_.get_uncached(key);
      if (!node) continue;  // said when it is looked at itself
      for (const auto& child : (*node)->children()) open.push_back(child);
    }
    return out;
  }

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
    bool sound = true;
    for (const auto& reference : references(node)) {
      auto child = get(reference.key);
      if (!child) {
        add(kind_of(child.error()), reference.key, child.error().message);
        sound = false;
      } else if (auto wrong = contradiction(reference, **child)) {
        add(FsckProblem::Kind::kWrongEntry, node.key(),
            fmt::format("{} describes {} '{}' as something it is not: it {}", node.key().render(),
                        reference.key.render(), reference.name, *wrong));
        sound = false;
      }
    }
    if (sound) check_parts(node);
  }

  // A part that cannot be read is reported where it is looked at itself.
  void check_parts(const Node& node) {
    auto wrong = wrong_between_parts(nodes_, node);
    if (!wrong || !*wrong) return;
    add(FsckProblem::Kind::kWrongEntry, node.key(),
        fmt::format("{} is not whole: {}", node.key().render(), **wrong));
  }

  bool is_stored(const NodeKey& key) const { return std::ranges::binary_search(stored_, key); }

  // A node that is in the cache may be on no disk.
  Result<NodePtr> get(const NodeKey& key) {
    return is_stored(key) ? nodes_.get(key) : nodes_.get_uncached(key);
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
    TRY(scan_records(kv_, records::depots(realm_.id()),
                     [&](ByteView key, ByteView value) -> Result<void> {
                       auto depot = records::decode_depot(key, value);
                       if (!depot) return damaged(key, depot.error());
                       TRY(check_title(*depot));
                       return check_depot(*depot, "");
                     }));
    return scan_records(kv_, records::deleted(realm_.id()),
                        [&](ByteView key, ByteView value) -> Result<void> {
                          auto deleted = records::decode_deleted(key, value);
                          if (!deleted) return damaged(key, deleted.error());
                          return check_depot(deleted->depot, ", deleted");
                        });
  }

  Result<void> damaged(ByteView key, const Error& error) {
    const auto id = key.substr(records::depots(realm_.id()).begin.size());
    add_record(fmt::format("{}: {}", DepotId::from_bytes(id).render(), error.message));
    return {};
  }

  // Whoever names the depot by its title has to find it. A store that has no index of titles yet
  // gets it when it is used.
  Result<void> check_title(const Depot& depot) {
    if (!TRY(kv_.get(records::title_key(realm_.id(), "")))) return {};
    const auto row = TRY(kv_.get(records::title_key(realm_.id(), depot.title)));
    const auto titled = row ? records::decode_title(*row) : std::vector<DepotId>();
    if (titled && std::ranges::find(*titled, depot.id) != titled->end()) return {};
    add_record(fmt::format("{} cannot be found by its title '{}'; rename it", depot.id.render(),
                           depot.title));
    return {};
  }

  Result<void> check_depot(const Depot& depot, std::string_view state) {
    auto label = fmt::format("{} ({}{})", depot.title, depot.id.render(), state);
    walked_.clear();  // every depot's own tree is named; of the history, what it alone holds
    check_root(label, depot.root);
    TRY(go_on());
    bool current_seen = false;
    TRY(scan_records(kv_, records::history(realm_.id(), depot.id),
                     [&](ByteView at, ByteView bytes) -> Result<void> {
                       auto entry = records::decode_history(at, bytes);
                       if (!entry) {
                         add_record(fmt::format("{}: {}", label, entry.error().message));
                         return {};
                       }
                       current_seen = current_seen || entry->root == depot.root;
                       check_root(fmt::format("{} at commit {}", label, entry->sequence),
                                  entry->root);
                       return go_on();
                     }));
    if (!current_seen) add_record(fmt::format("the history of {} lacks its root", label));
    return {};
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
    if (path.size() > Path::kMaxBytes || !walked_.insert(key)) return;
    if (options_.stop.stop_requested()) return;
    auto node = nodes_.get(key);
    if (!node) return;
    for (const auto& reference : references(**node)) {
      auto below = path;
      if (reference.is_entry()) {
        if (!below.empty()) below += '/';
        below += reference.name;
      }
      name_paths(label, below, reference.key);
    }
  }

  Realm& realm_;
  KeyValueStore& kv_;
  NodeStore& nodes_;
  const FsckOptions& options_;
  NodeKey reached_;
  std::vector<NodeKey> first_bad_;
  FsckReport report_;
  Usage counted_;
  bool counted_all_ = false;
  std::vector<NodeKey> stored_;  // sorted
  std::map<NodeKey, FsckProblem> bad_;
  KeySet walked_;
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

Result<FsckPosition> FsckPosition::parse(std::string_view text) {
  FsckPosition out;
  for (bool first = true; first || !text.empty(); first = false) {
    const auto end = std::min(text.find(','), text.size());
    const auto key = NodeKey::parse(text.substr(0, end));
    if (!key) {
      return fail(Code::kInvalidArgument,
                  "'{}' is no position of a check, which is keys with commas between them ({}); "
                  "begin anew without one",
                  shown(text), key.error().message);
    }
    if (first) {
      out.reached = *key;
    } else {
      out.bad.push_back(*key);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (out.bad.size() <= kMostBad) return out;
  return fail(Code::kInvalidArgument, "a position has at most {} bad nodes, and not {}", kMostBad,
              out.bad.size());
}

std::string FsckPosition::render() const {
  auto out = reached.render();
  for (const auto& key : bad) out += "," + key.render();
  return out;
}

Result<FsckReport> fsck(Realm& realm, const FsckOptions& options) {
  return Checker(realm, options).run();
}

}  // namespace cairn
