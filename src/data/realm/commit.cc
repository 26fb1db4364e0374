// Realm::commit and revert: moving a depot's root without losing anybody's update.

#include "base/utf8.h"
#include "data/realm/realm.h"
#include "data/tree/merge.h"

namespace cairn {
namespace {

constexpr int kMaxAttempts = 1000;
constexpr std::int64_t kMaxMergedChanges = 1'000'000;

Result<void> check_message(std::string_view message) {
  if (message.size() > Realm::kMaxMessageBytes) {
    return fail(Code::kInvalidArgument, "the message has {} bytes; the most is {}", message.size(),
                Realm::kMaxMessageBytes);
  }
  if (!valid_utf8(message)) return fail(Code::kInvalidArgument, "the message is not valid UTF-8");
  return {};
}

Result<void> check_directory(const Node& node, std::string_view what) {
  if (node.kind() == Kind::kDict && node.is_root()) return {};
  return fail(Code::kNotADirectory, "the {} {} is not a directory; a depot's root is one", what,
              node.key().render());
}

// As many paths as an answer should have.
constexpr std::size_t kMaxPaths = 1000;

Failure conflict(const Depot& depot, const NodeKey& base, std::vector<std::string> paths) {
  constexpr std::size_t kShown = 5;
  std::string shown;
  for (std::size_t i = 0; i < std::min(paths.size(), kShown); ++i) {
    shown += fmt::format("{}'{}'", i == 0 ? "" : ", ", paths[i]);
  }
  if (paths.size() > kShown) shown += fmt::format(" and {} more", paths.size() - kShown);
  const auto count = paths.size();
  if (count > kMaxPaths) paths.resize(kMaxPaths);
  auto message = fmt::format(
      "the depot is at {}, newer than the {} you started from, and both changed {}; read these "
      "again from the depot, redo your change there, or commit with force to overwrite",
      depot.root.render_short(), base.render_short(), shown);
  return Failure(Error(Code::kConflict, message)
                     .with("currentRoot", depot.root.render())
                     .with("base", base.render())
                     .with("pathCount", static_cast<std::int64_t>(count))
                     .with("paths", std::move(paths)));
}

}  // namespace

// What one try to commit would make the depot's root.
struct Realm::Attempt {
  NodeKey root;
  std::vector<NodePtr> nodes;  // made by a merge
  bool merged = false;
  std::vector<std::string> from_others;
};

// The base to merge from, when others have committed since.
Result<std::optional<NodeKey>> Realm::base_to_merge(const Depot& current,
                                                    const CommitRequest& request) const {
  if (request.force || request.root == current.root) return std::nullopt;
  auto base = request.expected_root;
  if (!base) base = TRY(base_of(request.root, request.depot));
  if (!base || *base == current.root) return std::nullopt;
  return base;
}

Result<Realm::Attempt> Realm::merge_with(const Depot& current, const NodeKey& base,
                                         const CommitRequest& request,
                                         const NodeReader& nodes) const {
  Stage stage(nodes);
  auto base_node = stage.get(base);
  if (!base_node && base_node.error().code == Code::kNodeNotFound) {
    return fail(Code::kNodeNotFound,
                "the root {} that this grew from is not stored any more, so nothing can be merged; "
                "start again from the depot's current root {}",
                base.render(), current.root.render());
  }
  auto start = TRY(std::move(base_node));
  TRY(check_directory(*start, "base"));
  Budget budget(clock_, {.entries = kMaxMergedChanges});
  auto merged =
      TRY(merge(stage, start, TRY(stage.get(request.root)), TRY(stage.get(current.root)), budget));
  if (merged.root == nullptr) return conflict(current, base, std::move(merged.conflicts));
  if (merged.from_theirs.size() > kMaxPaths) merged.from_theirs.resize(kMaxPaths);
  return Attempt{merged.root->key(), stage.reachable(merged.root->key()), true,
                 std::move(merged.from_theirs)};
}

Result<CommitResult> Realm::commit(const CommitRequest& request) {
  return commit_staged(request, nullptr, {});
}

Result<CommitResult> Realm::commit(const CommitRequest& request, const Stage& stage,
                                   std::span<const NodeKey> linked) {
  if (!request.expected_root) {
    return fail(Code::kInvalidArgument,
                "a change that is not stored yet is committed with the root it was made on");
  }
  return commit_staged(request, &stage, linked);
}

// Moves the depot's record to the attempt's root, and says everything that goes with it.
Batch Realm::batch_for(Depot& depot, Attempt& attempt, const CommitRequest& request,
                       const Stage* stage, std::span<const NodeKey> linked) const {
  Batch batch;
  batch.realm = id_;
  auto key = records::depot_key(id_, depot.id);
  batch.conditions.push_back({key, records::encode(depot)});
  depot.root = attempt.root;
  depot.sequence += 1;
  depot.updated_at = std::max(clock_.now(), depot.updated_at);
  HistoryEntry entry{depot.sequence,   depot.root,      request.author,
                     depot.updated_at, request.message, attempt.merged};
  batch.puts.push_back({key, records::encode(depot)});
  batch.puts.push_back(
      {records::history_key(id_, depot.id, depot.sequence), records::encode(entry)});
  // Whoever goes on from here, or from the root before it was merged, has all of it committed.
  for (const auto& grown : std::set{depot.root, request.root}) {
    batch.puts.push_back({records::origin_key(id_, grown, depot.id),
                          records::encode(Origin{depot.id, grown, depot.updated_at})});
  }
  // The current entry and max_history before it are kept; one falls out with each commit.
  if (depot.sequence > depot.max_history) {
    auto oldest = depot.sequence - depot.max_history - 1;
    batch.deletes.push_back(records::history_key(id_, depot.id, oldest));
  }
  if (stage != nullptr) {
    batch.nodes = stage->reachable(request.root);
    batch.required.assign(linked.begin(), linked.end());
    batch.required.push_back(*request.expected_root);
  } else {
    batch.required.push_back(request.root);
  }
  std::ranges::move(attempt.nodes, std::back_inserter(batch.nodes));
  return batch;
}

std::mutex& Realm::turn_to_merge(const DepotId& depot) {
  return merging_[static_cast<unsigned char>(depot.bytes().back()) % merging_.size()];
}

Result<CommitResult> Realm::commit_staged(const CommitRequest& request, const Stage* stage,
                                          std::span<const NodeKey> linked) {
  TRY(check_message(request.message));
  const NodeReader& nodes = stage != nullptr ? static_cast<const NodeReader&>(*stage) : nodes_;
  TRY(check_directory(*TRY(nodes.get(request.root)), "root"));
  std::unique_lock turn(turn_to_merge(request.depot), std::defer_lock);
  for (int attempts = 0; attempts < kMaxAttempts; ++attempts) {
    auto depot = TRY(get_depot(request.depot));
    auto base = TRY(base_to_merge(depot, request));
    // Who finds the depot where it was needs no turn. Who comes too late would merge in vain if
    // others could get in between.
    if (base && !turn.owns_lock()) {
      turn.lock();
      continue;
    }
    auto attempt =
        base ? TRY(merge_with(depot, *base, request, nodes)) : Attempt{request.root, {}, false, {}};
    if (attempt.root == depot.root) {
      return CommitResult{depot, false, attempt.merged, std::move(attempt.from_others)};
    }
    auto done = kv_.commit(batch_for(depot, attempt, request, stage, linked));
    if (done) {
      return CommitResult{depot, true, attempt.merged, std::move(attempt.from_others)};
    }
    if (done.error().code != Code::kConflict) return Failure(std::move(done).error());
  }
  return fail(Code::kConflict, "the depot {} is changing too fast; try again",
              request.depot.render());
}

Result<bool> Realm::in_history(const DepotId& depot, const NodeKey& root) const {
  bool found = false;
  TRY(kv_.scan(records::history(id_, depot), Direction::kBackward,
               [&](ByteView key, ByteView value) {
                 auto entry = records::decode_history(key, value);
                 found = entry && entry->root == root;
                 return found ? Scan::kStop : Scan::kContinue;
               }));
  return found;
}

Result<CommitResult> Realm::revert(const DepotId& depot, const NodeKey& root,
                                   std::string_view message, std::optional<DelegateId> author) {
  TRY(get_depot(depot));
  if (!TRY(in_history(depot, root))) {
    return fail(Code::kHistoryNotFound,
                "{} is not in the history of {}; its history lists the roots to choose from",
                root.render(), depot.render());
  }
  CommitRequest request{.depot = depot,
                        .root = root,
                        .expected_root = std::nullopt,
                        .message = std::string(message),
                        .force = true,
                        .author = author};
  if (request.message.empty()) request.message = fmt::format("revert to {}", root.render_short());
  return commit(request);
}

}  // namespace cairn
