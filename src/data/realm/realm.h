// One user's world: its depots with their history, its roots and what they grew from, its usage.
//
// Invariants  every root in a depot or its history is stored, with all nodes below it. A commit is
//             durable and atomic with the nodes it needs, or it did not happen. Commits to one
//             depot are linearizable.
// Threads     every function may be called from any thread.
// REQUIRES    one object per realm and process: uploads in progress are known to it alone.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/random.h"
#include "data/realm/records.h"
#include "data/store/store.h"
#include "data/tree/change.h"

namespace cairn {

struct RealmOptions {
  // How long a root that no depot holds is kept, together with what it grew from.
  std::chrono::milliseconds grace = std::chrono::hours(24);
};

struct DepotPage {
  std::vector<Depot> depots;  // oldest first
  std::optional<std::string> next_cursor;
};

struct HistoryPage {
  std::vector<HistoryEntry>
      entries;  // newest first; the first of the first page is the current root
  std::optional<std::string> next_cursor;
};

struct CommitRequest {
  DepotId depot;
  NodeKey root;
  std::optional<NodeKey> expected_root;
  std::string message;
  bool force = false;
  std::optional<DelegateId> author;
};

struct CommitResult {
  Depot depot;
  bool changed = true;                   // false: the depot already had this root
  bool merged = false;                   // others had committed since the base
  std::vector<std::string> from_others;  // paths whose change came from them, the first 1,000
};

class Realm final {
 public:
  static constexpr std::uint64_t kDefaultMaxHistory = 100;
  static constexpr std::uint64_t kMaxMaxHistory = 10'000;
  static constexpr std::size_t kMaxTitleBytes = 200;
  static constexpr std::size_t kMaxMessageBytes = 4000;

  Realm(Store& store, const RealmId& id, const Clock& clock, Random& random,
        RealmOptions options = {});
  Realm(const Realm&) = delete;
  Realm& operator=(const Realm&) = delete;

  const RealmId& id() const { return id_; }
  NodeStore& nodes() { return nodes_; }
  Store& store() { return store_; }
  const Clock& clock() const { return clock_; }
  const RealmOptions& options() const { return options_; }

  // A new depot at an empty root, or at a root of this realm.
  Result<Depot> create_depot(std::string_view title, std::optional<NodeKey> root = std::nullopt,
                             std::uint64_t max_history = kDefaultMaxHistory);
  Result<DepotPage> list_depots(std::size_t limit, std::optional<std::string_view> cursor);
  Result<Depot> get_depot(const DepotId& depot) const;
  Result<Depot> rename_depot(const DepotId& depot, std::string_view title);
  Result<Depot> set_max_history(const DepotId& depot, std::uint64_t max_history);
  Result<void> delete_depot(const DepotId& depot);

  // Moves a depot to a new root, never losing another's update by accident: when others committed
  // since the root's base, their changes are merged in, or it is CONFLICT with `currentRoot` and
  // the `paths` that do not fit, and nothing changes. The base is expected_root, or what the root
  // is known to have grown from; with force, or when that is not known, the root is taken as it is.
  Result<CommitResult> commit(const CommitRequest& request);
  // The same for a change that is still in a stage: its nodes are stored with the commit.
  // INVALID_ARGUMENT without expected_root, the root the change was made on.
  Result<CommitResult> commit(const CommitRequest& request, const Stage& stage,
                              std::span<const NodeKey> linked);

  Result<HistoryPage> history(const DepotId& depot, std::size_t limit,
                              std::optional<std::string_view> cursor) const;
  // Whether the depot has this root, now or in its history.
  Result<bool> in_history(const DepotId& depot, const NodeKey& root) const;
  // Brings a root of the history back as a new commit. HISTORY_NOT_FOUND when it is not in there.
  Result<CommitResult> revert(const DepotId& depot, const NodeKey& root, std::string_view message,
                              std::optional<DelegateId> author = std::nullopt);

  // Stores the outcome of a change that began at `from`, and remembers what it grew from: the
  // depot's root when it began at a depot, what `from` grew from otherwise.
  Result<void> save(const Stage& stage, const Changed& change, const NodeKey& from,
                    std::optional<DepotId> depot);
  // What a root is known to have grown from in this depot.
  Result<std::optional<NodeKey>> base_of(const NodeKey& root, const DepotId& depot) const;

  // The key that a whole or abbreviated text names.
  Result<NodeKey> resolve(std::string_view text) const;

  // While it lives, the garbage collector spares every node stored since it was made: hold one
  // around an upload that may take longer than the grace time.
  class Upload final {
   public:
    explicit Upload(Realm& realm);
    ~Upload();
    Upload(const Upload&) = delete;
    Upload& operator=(const Upload&) = delete;

   private:
    Realm& realm_;
    Millis began_;
  };
  std::optional<Millis> oldest_upload() const;

  Result<Usage> usage() const { return nodes_.usage(); }
  Result<void> set_quota(std::uint64_t physical_bytes) { return nodes_.set_quota(physical_bytes); }

 private:
  struct Attempt;
  Result<std::optional<NodeKey>> base_to_merge(const Depot& current,
                                               const CommitRequest& request) const;
  Result<Attempt> merge_with(const Depot& current, const NodeKey& base,
                             const CommitRequest& request, const NodeReader& nodes) const;
  Batch batch_for(Depot& depot, Attempt& attempt, const CommitRequest& request, const Stage* stage,
                  std::span<const NodeKey> linked) const;
  std::mutex& turn_to_merge(const DepotId& depot);
  Result<CommitResult> commit_staged(const CommitRequest& request, const Stage* stage,
                                     std::span<const NodeKey> linked);
  using DepotChange = std::function<Result<void>(Depot& depot, Batch& batch)>;
  Result<Depot> update(const DepotId& depot, const DepotChange& change);

  Store& store_;
  KeyValueStore& kv_;
  RealmId id_;
  NodeStore& nodes_;
  const Clock& clock_;
  Random& random_;
  RealmOptions options_;
  mutable Guarded<std::multiset<Millis>> uploads_;
  // Commits of one depot that have to merge take turns. Nothing relies on it but speed.
  std::array<std::mutex, 16> merging_;
};

}  // namespace cairn
