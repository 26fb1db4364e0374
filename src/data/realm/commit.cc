// Realm::commit: moving a depot's root without losing anybody's update.

#include <algorithm>

#include "base/utf8.h"
#include "data/realm/realm.h"
#include "data/tree/conflict.h"
#include "data/tree/diff.h"
#include "data/tree/merge.h"
#include "data/tree/new_depth.h"

namespace cairn {
namespace {

// A bound, not a goal. Commits that merge take turns, so only those that need no merge can keep
// coming first.
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

// The way out of a conflict: with a root in which the rest is merged, only the lines that do not
// fit are left to do.
std::string way_out(const std::optional<NodeKey>& merged) {
  if (!merged) {
    return "read these again from the depot, redo your change there and commit that";
  }
  return fmt::format(
      "all else is merged in mergedRoot {}, with theirs in these places: edit them there (nodeKey: "
      "mergedRoot), then depot_commit that newRoot",
      merged->render_short());
}

Error conflict(const NodeKey& current, const NodeKey& base, std::vector<std::string> paths,
               std::vector<DetailRow> rows, const std::optional<NodeKey>& merged) {
  constexpr std::size_t kShown = 5;
  std::string shown;
  for (std::size_t i = 0; i < std::min(paths.size(), kShown); ++i) {
    shown += fmt::format("{}'{}'", i == 0 ? "" : ", ", paths[i]);
  }
  if (paths.size() > kShown) shown += fmt::format(" and {} more", paths.size() - kShown);
  const auto count = paths.size();
  if (count > kMaxPaths) paths.resize(kMaxPaths);
  auto message = fmt::format(
      "the depot is at {}, newer than the {} you started from, and both changed {}; {}; nothing "
      "was changed\n{}",
      current.render_short(), base.render_short(), shown, way_out(merged), told(rows));
  while (message.ends_with('\n')) message.pop_back();
  Error out(Code::kConflict, std::move(message));
  if (merged) out.details.insert_or_assign("mergedRoot", merged->render());
  return std::move(out)
      .with("currentRoot", current.render())
      .with("base", base.render())
      .with("pathCount", static_cast<std::int64_t>(count))
      .with("paths", std::move(paths))
      .with("conflicts", std::move(rows));
}

Result<void> check_request(const CommitRequest& request) {
  TRY(check_message(request.message));
  TRY(check_place(request.place));
  if (!request.exact) return {};
  if (!request.expected_root) {
    return fail(Code::kInvalidArgument, "an exact commit needs the root the depot should be at");
  }
  if (request.force) {
    return fail(Code::kInvalidArgument,
                "an exact commit never overwrites what others did, and force always; choose one");
  }
  return {};
}

// A root that was committed before has nothing that the depot did not get then: to merge it would
// do nothing and say that it succeeded, to take it as it is would undo what came after it.
Failure committed_before(Code code, const CommitRequest& request) {
  return Failure(
      Error(code,
            fmt::format("the root {} was committed before, and the depot has been changed since; "
                        "nothing was committed: depot_revert brings an old root back",
                        request.root.render_short()))
          .with("currentRoot", request.expected_root->render()));
}

// Keys are made of content: what somebody found in the history is what another has just made on
// something else, and only the caller knows which it means.
Failure made_anew(const CommitRequest& request, const std::optional<NodeKey>& current) {
  Error out(request.exact ? Code::kPreconditionFailed : Code::kConflict,
            fmt::format("the root {} was committed before, and somebody else has made the same "
                        "again since; nothing was committed: depot_revert brings an old root back; "
                        "who made it again commits it",
                        request.root.render_short()));
  if (current) out.details.insert_or_assign("currentRoot", current->render());
  return Failure(std::move(out));
}

// An exact commit takes the root as it is, so it has to have been made on what it replaces.
Result<void> check_grown_from(const std::optional<NodeKey>& base, const CommitRequest& request) {
  if (!base || base == request.expected_root) return {};
  if (base == request.root) return committed_before(Code::kPreconditionFailed, request);
  return Failure(Error(Code::kPreconditionFailed,
                       fmt::format("the root {} was made on {}, not on {}; nothing was committed: "
                                   "make the change on the depot as it is now, and commit that",
                                   request.root.render_short(), base->render_short(),
                                   request.expected_root->render_short()))
                     .with("currentRoot", request.expected_root->render()));
}

// Refuses at once what no merge could help: an exact commit on another root, or a place that is
// gone.
Result<void> check_current(const std::optional<NodeKey>& current, const CommitRequest& request) {
  if (request.exact && current != request.expected_root) {
    const auto& expected = *request.expected_root;
    if (!current) {
      return fail(Code::kPreconditionFailed,
                  "the depot should be at {}, and this part of it is gone; nothing was committed",
                  expected.render_short());
    }
    auto message = fmt::format(
        "the depot is at {}, not at {} as it should be; nothing was committed: read it again, redo "
        "your change there, and commit with the new root as the expected one",
        current->render_short(), expected.render_short());
    return Failure(
        Error(Code::kPreconditionFailed, message).with("currentRoot", current->render()));
  }
  if (current || request.force) return {};
  return fail(Code::kConflict,
              "this part of the depot was removed, renamed or replaced by a file since you "
              "started; nothing "
              "was committed: depot_revert to a root of its depot_history brings it back");
}

Result<NodePtr> open_base(const NodeReader& nodes, const NodeKey& base, const NodeKey& current) {
  auto node = nodes.get(base);
  if (!node && node.error().code == Code::kNodeNotFound) {
    return fail(Code::kNodeNotFound,
                "the root {} that this grew from is not stored any more, so nothing can be merged; "
                "start again from the depot's current root {}",
                base.render(), current.render());
  }
  auto found = TRY(std::move(node));
  TRY(check_directory(*found, "base"));
  return found;
}

}  // namespace

// The outcome of one attempt to commit, before it is written.
struct Realm::Attempt {
  NodeKey root;                // of the depot
  NodeKey place_root;          // of the place; the same for the whole depot
  std::vector<NodePtr> nodes;  // made by merging and grafting
  bool merged = false;
  std::vector<std::string> from_others = {};
  std::vector<std::string> same_as_others = {};
};

// Stores what fits of a commit that does not, as a change on what is there now. It is no leaf: its
// author has not made it, and is told with it that what it made is not committed.
Result<NodeKey> Realm::keep_merged(const Stage& stage, const NodePtr& merged,
                                   const NodeKey& current, const CommitRequest& request) {
  if (request.author) {
    const Place place{request.depot, request.place};
    if (const auto old = TRY(leaves_.find(*request.author, place, request.root))) {
      TRY(leaves_.forget({&*old, 1}));
    }
  }
  if (merged->key() == current) return current;
  const SaveOptions options{.place = Place{request.depot, request.place}, .owners = request.owners};
  TRY(save(stage, Changed{merged, {request.root}}, current, options));
  return merged->key();
}

// The root of the request's place now. Nullopt when the place is gone, or a file.
Result<std::optional<NodeKey>> Realm::current_root(const Depot& depot,
                                                   const CommitRequest& request) const {
  if (request.place.is_root()) return depot.root;
  auto found = TRY(find_place(nodes_, depot.root, request.place));
  if (!found || found->kind != Kind::kDict) return std::nullopt;
  return found->key;
}

// What the request's root grew from. What was noted goes before what the caller says: one that was
// told of a conflict is quick to say that it began at the root it was told of.
Result<std::optional<NodeKey>> Realm::grown_from(const std::optional<NodeKey>& current,
                                                 const CommitRequest& request) const {
  if (request.made_on) return request.made_on;
  const Place place{request.depot, request.place};
  if (const auto noted = TRY(origin_of(request.root, place))) {
    const auto& said = request.expected_root;
    std::optional<Leaf> leaf;
    if (request.author) leaf = TRY(leaves_.find(*request.author, place, request.root));
    // One that was committed, and that only somebody else has made again: whoever found it in the
    // history and says where the depot is now would make the other's change.
    const bool anew = noted->base != request.root && noted->grew_from(request.root);
    if (request.author && anew && !leaf && said != request.root) {
      return made_anew(request, current);
    }
    if (said && noted->grew_from(*said)) return said;
    // The same root may have arisen elsewhere too. The author's own leaf is what is meant.
    if (leaf) return leaf->base;
    return noted->base_for(request.root, request.expected_root, current);
  }
  // A root may have come to the place with a commit of something larger. Then no origin was noted
  // for it, but the history shows it, and knows better than the caller.
  if (!place.path.is_root() && TRY(in_history(place, request.root))) return request.root;
  return request.expected_root;
}

Result<Realm::Ground> Realm::ground_of(const std::optional<NodeKey>& current,
                                       const CommitRequest& request) const {
  if (request.force) return Ground{};
  if (request.root == current) {
    // Nothing is left to do, but a caller that has counted up by one should hear that another has.
    // One that comes again long after is told only that all is there.
    auto began = request.expected_root;
    if (!began && request.author) {
      const Place place{request.depot, request.place};
      if (const auto leaf = TRY(leaves_.find(*request.author, place, request.root))) {
        began = leaf->base;
      }
    }
    if (!began || began == current || !TRY(nodes_.has(*began))) return Ground{};
    return Ground{.base = began};
  }
  auto base = TRY(grown_from(current, request));
  if (request.exact) {
    TRY(check_grown_from(base, request));
    return Ground{};
  }
  // Over an empty depot there is nothing that it could take the place of.
  if (!base) return Ground{.base = {}, .unknown = current != empty_dict()->key()};
  if (base == current) return Ground{};
  if (base == request.root && request.expected_root == current) {
    return committed_before(Code::kConflict, request);
  }
  return Ground{.base = base};
}

// Brings the request's root together with what others did at the place, if there is a base to merge
// from, and puts it where the place is.
Result<Realm::Attempt> Realm::try_commit(const Depot& depot, const std::optional<NodeKey>& current,
                                         const std::optional<NodeKey>& base,
                                         const CommitRequest& request, const NodeReader& nodes) {
  Stage stage(nodes);
  Attempt attempt;
  auto mine = TRY(stage.get(request.root));
  if (base) {
    auto start = TRY(open_base(stage, *base, *current));
    Budget budget(clock_, {.entries = kMaxMergedChanges});
    const auto theirs = TRY(stage.get(*current));
    auto merged = TRY(merge(stage, start, mine, theirs, budget));
    if (merged.root == nullptr) {
      auto rows = TRY(describe_conflicts(stage, merged.unfit, start, theirs, budget));
      std::optional<NodeKey> kept;
      if (request.keep_merged && !request.dry_run) {
        kept = TRY(keep_merged(stage, merged.settled, *current, request));
      } else {
        without_merged_lines(rows);
      }
      // Nothing else has been written; the stage goes with the attempt.
      return Failure(conflict(*current, *base, std::move(merged.conflicts), std::move(rows), kept));
    }
    if (merged.from_theirs.size() > kMaxPaths) merged.from_theirs.resize(kMaxPaths);
    attempt.merged = true;
    attempt.from_others = std::move(merged.from_theirs);
    if (merged.same.size() > kMaxPaths) merged.same.resize(kMaxPaths);
    attempt.same_as_others = std::move(merged.same);
    mine = std::move(merged.root);
  }
  attempt.place_root = mine->key();
  const auto whole = TRY(graft(stage, depot.root, request.place, mine));
  TRY(check_new_depth(stage, TRY(stage.get(depot.root)), whole));
  attempt.root = whole->key();
  attempt.nodes = stage.reachable(attempt.root);
  return attempt;
}

Result<CommitResult> Realm::commit(const CommitRequest& request) {
  return commit_staged(request, nullptr, {});
}

Result<CommitResult> Realm::commit(const CommitRequest& request, const Stage& stage,
                                   std::span<const NodeKey> linked) {
  if (!request.made_on) {
    return fail(Code::kInvalidArgument,
                "a change that is not stored yet is committed with the root it was made on");
  }
  return commit_staged(request, &stage, linked);
}

// Moves the depot's record to the attempt's root, and says everything that goes with it.
Batch Realm::batch_for(Depot& depot, Bytes stored, Attempt& attempt, const CommitRequest& request,
                       const Stage* stage, std::span<const NodeKey> linked) const {
  Batch batch;
  batch.realm = id_;
  auto key = records::depot_key(id_, depot.id);
  // The bytes as they were read: an older program may have written them otherwise.
  batch.conditions.push_back({key, std::move(stored)});
  depot.root = attempt.root;
  depot.sequence += 1;
  // Never backwards, also when the clock was set back.
  depot.updated_at = std::max(clock_.now(), depot.updated_at);
  HistoryEntry entry{.sequence = depot.sequence,
                     .root = depot.root,
                     .author = request.author,
                     .time = depot.updated_at,
                     .message = request.message,
                     .merged = attempt.merged,
                     .undid = request.undid};
  batch.puts.push_back({key, records::encode(depot)});
  batch.puts.push_back(
      {records::history_key(id_, depot.id, depot.sequence), records::encode(entry)});
  // Whoever goes on from here, or from the root before it was merged, has all of it committed.
  auto remember = [&](const NodeKey& grown, const Place& place) {
    batch.puts.push_back({records::origin_key(id_, grown, place),
                          records::encode(Origin{place, grown, depot.updated_at})});
  };
  for (const auto& grown : std::set{attempt.place_root, request.root}) {
    remember(grown, {depot.id, request.place});
  }
  if (!request.place.is_root()) remember(depot.root, depot.id);
  if (request.author) leaves_.drop(batch, *request.author, depot.id, request.root);
  ownership_.add_to(batch, request.owners, {&attempt.place_root, 1});
  ownership_.add_to(batch, request.owners, request.also_owned);
  if (stage != nullptr) {
    batch.nodes = stage->reachable(request.root);
    batch.required.assign(linked.begin(), linked.end());
    // The change shares nodes with the root it was made on, which nothing may have swept meanwhile.
    batch.required.push_back(*request.made_on);
  } else {
    batch.required.push_back(request.root);
  }
  std::ranges::move(attempt.nodes, std::back_inserter(batch.nodes));
  return batch;
}

// By a random byte of the id. Two depots that share a mutex only wait for each other.
Mutex& Realm::turn_to_merge(const DepotId& depot) {
  return merging_[static_cast<unsigned char>(depot.bytes().back()) % merging_.size()];
}

// The depot has all of it already; that the caller may name it is still new.
Result<CommitResult> Realm::unchanged(const Depot& depot, Attempt attempt,
                                      const CommitRequest& request) {
  std::vector<NodeKey> owned{attempt.place_root};
  for (const auto& key : request.also_owned) {
    if (TRY(nodes_.has(key))) owned.push_back(key);
  }
  TRY(ownership_.own(request.owners, owned));
  if (request.author) {
    const Place place{request.depot, request.place};
    if (TRY(leaves_.find(*request.author, place, request.root))) {
      Batch batch;
      batch.durability = Durability::kBuffered;
      leaves_.drop(batch, *request.author, request.depot, request.root);
      TRY(kv_.commit(std::move(batch)));
    }
  }
  return CommitResult{depot,
                      false,
                      attempt.merged,
                      std::move(attempt.from_others),
                      attempt.place_root,
                      std::move(attempt.same_as_others)};
}

CommitResult Realm::would_be(const Depot& depot, Attempt attempt) {
  return {depot,
          attempt.root != depot.root,
          attempt.merged,
          std::move(attempt.from_others),
          attempt.place_root,
          std::move(attempt.same_as_others)};
}

// The store, and the stage above it if there is one.
const NodeReader& Realm::nodes_with(const Stage* stage) const {
  if (stage != nullptr) return *stage;
  return nodes_;
}

// Nullopt when it should be tried again: somebody else was faster, or it has to merge.
Result<std::optional<CommitResult>> Realm::commit_once(const CommitRequest& request,
                                                       const Stage* stage,
                                                       std::span<const NodeKey> linked,
                                                       Merging merging) {
  // Not get_depot(): what is remembered may be one commit behind, and the attempt would be in vain.
  auto [depot, stored] = TRY(read_depot(request.depot));
  auto current = TRY(current_root(depot, request));
  TRY(check_current(current, request));
  const auto ground = TRY(ground_of(current, request));
  if (ground.base && merging == Merging::kNotYet) return std::nullopt;
  auto attempt = TRY(try_commit(depot, current, ground.base, request, nodes_with(stage)));
  if (request.dry_run) {
    auto would = would_be(depot, std::move(attempt));
    would.base_unknown = ground.unknown;
    return would;
  }
  if (attempt.root == depot.root) return TRY(unchanged(depot, std::move(attempt), request));
  if (!depot.dropped) depot.dropped = depot.sequence + 1 - TRY(history_length(depot));
  auto batch = batch_for(depot, std::move(stored), attempt, request, stage, linked);
  // It was made from other depots too, for all that is known; its author meant this one. What comes
  // in a stage was not known before.
  if (request.author && stage == nullptr) {
    for (const auto& origin : TRY(origins_of(request.root))) {
      if (origin.place.depot == depot.id) continue;
      leaves_.drop(batch, *request.author, origin.place.depot, request.root);
    }
  }
  auto done = kv_.commit(std::move(batch));
  if (done) {
    return CommitResult{depot,
                        true,
                        attempt.merged,
                        std::move(attempt.from_others),
                        attempt.place_root,
                        std::move(attempt.same_as_others),
                        ground.unknown};
  }
  if (done.error().code != Code::kConflict) return Failure(std::move(done).error());
  return std::nullopt;
}

Result<CommitResult> Realm::commit_staged(const CommitRequest& request, const Stage* stage,
                                          std::span<const NodeKey> linked) {
  TRY(check_request(request));
  TRY(check_directory(*TRY(nodes_with(stage).get(request.root)), "root"));
  auto done = TRY(commit_once(request, stage, linked, Merging::kNotYet));
  if (done) return std::move(*done);
  // A commit that finds the depot where it expects it needs no turn. One that comes too late takes
  // turns: otherwise it would merge or graft in vain whenever another gets in between.
  const MutexLock turn(turn_to_merge(request.depot));
  for (int attempts = 1; attempts < kMaxAttempts; ++attempts) {
    done = TRY(commit_once(request, stage, linked, Merging::kNow));
    if (done) return std::move(*done);
  }
  return fail(Code::kConflict, "the depot {} is changing too fast; try again",
              request.depot.render());
}

}  // namespace cairn
