// One user's world: its depots with their history, its roots and what they grew from, its usage.
//
// Invariants  every root in a depot or its history is stored, with all nodes below it. A commit is
//             durable and atomic with the nodes it needs, or it did not happen. Commits to one
//             depot are linearizable.
// Threads     every function may be called from any thread.
// REQUIRES    one object per realm and process: uploads in progress are known to it alone.
// Fails with  DEPOT_NOT_FOUND, NODE_NOT_FOUND, INVALID_ARGUMENT and INVALID_CURSOR for what is
//             asked for; QUOTA_EXCEEDED when nothing more fits; CORRUPT_NODE and IO_ERROR from the
//             store.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/mutex.h"
#include "base/random.h"
#include "data/realm/commit.h"
#include "data/realm/leaves.h"
#include "data/realm/ownership.h"
#include "data/realm/place.h"
#include "data/realm/records.h"
#include "data/realm/titles.h"
#include "data/realm/version.h"
#include "data/store/store.h"
#include "data/tree/change.h"

namespace cairn {

struct RealmOptions {
  // How long a root that no depot holds is kept, together with what it grew from.
  std::chrono::milliseconds grace = std::chrono::hours(24);
  // How long a deleted depot can be restored; the grace time, when that is longer.
  std::chrono::milliseconds restorable = std::chrono::hours(24 * 7);
  // What the age of things is measured with before they are removed; nothing: with the realm's own
  // clock. GuardedClock::settled() is one.
  const Clock* settled = nullptr;
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

class Realm final {
 public:
  static constexpr std::uint64_t kDefaultMaxHistory = 100;
  static constexpr std::uint64_t kMaxMaxHistory = 10'000;
  static constexpr std::size_t kMaxTitleBytes = Titles::kMaxBytes;
  static constexpr std::size_t kMaxMessageBytes = 4000;
  static constexpr std::size_t kMaxTags = 1000;

  Realm(Store& store, const RealmId& id, const Clock& clock, Random& random,
        RealmOptions options = {});
  Realm(const Realm&) = delete;
  Realm& operator=(const Realm&) = delete;

  const RealmId& id() const { return id_; }
  NodeStore& nodes() { return nodes_; }
  Store& store() { return store_; }
  const Clock& clock() const { return clock_; }
  const Clock& settled_clock() const { return options_.settled ? *options_.settled : clock_; }
  const RealmOptions& options() const { return options_; }

  // A new depot at an empty root, or at a root of this realm. TARGET_EXISTS with the `depotId` that
  // has the title already.
  Result<Depot> create_depot(std::string_view title, std::optional<NodeKey> root = std::nullopt,
                             std::uint64_t max_history = kDefaultMaxHistory, const Keep& keep = {});
  Result<DepotPage> list_depots(std::size_t limit, std::optional<std::string_view> cursor);
  // From memory when nobody has changed it since it was last read.
  Result<Depot> get_depot(const DepotId& depot) const;
  // None, or one; several from before titles were unique.
  Result<std::vector<Depot>> depots_titled(std::string_view title) const;
  Result<Depot> rename_depot(const DepotId& depot, std::string_view title);
  // How many earlier roots are shown with the depot; what is kept is another thing.
  Result<Depot> set_max_history(const DepotId& depot, std::uint64_t max_history);
  // How much of the history is kept. What is no longer kept goes with the next collection of
  // garbage (retention.h).
  Result<Depot> set_keep(const DepotId& depot, const Keep& keep);
  // Takes a depot out of sight; its title is free. Until restorable_until() it comes back with all
  // it had, after that the garbage collector removes it.
  Result<DeletedDepot> delete_depot(const DepotId& depot);
  // The depots that can be restored, oldest first.
  Result<std::vector<DeletedDepot>> deleted_depots() const;
  Millis restorable_until(const DeletedDepot& deleted) const;
  // TARGET_EXISTS when another has its title now and none is given.
  Result<Depot> restore_depot(const DepotId& depot,
                              std::optional<std::string_view> title = std::nullopt);
  // The key of what stands at a place now: of a whole depot, its root. PATH_NOT_FOUND when nothing
  // does.
  Result<NodeKey> root_at(const Place& place) const;

  // Moves a depot to a new root, never losing another's update by accident: when others committed
  // since the root's base, their changes are merged in, or it is CONFLICT with `currentRoot` and
  // the `paths` that do not fit, and nothing changes. The base is made_on, or what the root is
  // known to have grown from, by its author's leaf or its origin, or expected_root; with force, or
  // without any of them, the root is taken as it is. A CONFLICT has `conflicts` too, with what
  // does not fit of each path (tree/conflict.h), and with keep_merged the `mergedRoot`. At a place
  // all this is about the place alone: what others commit outside it is kept and never in the way.
  // When nothing or a file stands at the place, it is CONFLICT without `currentRoot`; force makes
  // the place again, NOT_A_DIRECTORY if a file stands on the way.
  Result<CommitResult> commit(const CommitRequest& request);
  // The same for a change that is still in a stage: its nodes are stored with the commit.
  // INVALID_ARGUMENT without made_on.
  Result<CommitResult> commit(const CommitRequest& request, const Stage& stage,
                              std::span<const NodeKey> linked);

  Result<HistoryPage> history(const DepotId& depot, std::size_t limit,
                              std::optional<std::string_view> cursor) const;
  // The history as seen from a place: the commits after which something else stood there than
  // before, with what did. Looks at a thousand commits at most, so that a page may be short, or
  // empty, and still have a cursor.
  Result<HistoryPage> history_at(const Place& place, std::size_t limit,
                                 std::optional<std::string_view> cursor) const;
  // How many commits the history has, with the first. Of a depot that an older program wrote last,
  // counts them.
  Result<std::uint64_t> history_length(const Depot& depot) const;
  // Whether this stands at the place, or did in a commit of the history. At a place one tree is
  // read for each commit, the newest first: BUDGET_EXCEEDED when 50,000 had none and there are
  // more.
  Result<bool> in_history(const Place& place, const NodeKey& root) const;
  // The version that is meant, as seen from a place: the commit that made it, with the root of the
  // place then. HISTORY_NOT_FOUND when it is not there, or not any more.
  Result<HistoryEntry> version_at(const Place& place, const Version& version) const;
  // Brings a root of the history back as a new commit. HISTORY_NOT_FOUND when it is not in there.
  // At a place only the place is brought back, and made again if it is gone.
  Result<CommitResult> revert(const Place& place, const NodeKey& root, std::string_view message,
                              std::optional<DelegateId> author = std::nullopt);
  // Brings back what stood at a path then, a file or a directory, or nothing; the rest of the place
  // stays as it is. REQUIRES: the request's root is one that its place had.
  Result<CommitResult> restore(CommitRequest request, const Path& path);

  // What commits did to a place. HISTORY_NOT_FOUND when one of the two versions it takes to know is
  // not kept, or nothing stood there.
  Result<Replaced> replaced_by(const Place& place, const ChangeRange& changes) const;
  // Takes commits back, in one commit: what is at the place now, without what they did. What came
  // later stays; where it builds on them it is CONFLICT with the `paths`, and nothing changes.
  Result<CommitResult> undo(const UndoRequest& request);

  // Versions with names, by name. They are kept for as long as they have one.
  Result<std::vector<Tag>> tags(const DepotId& depot) const;
  // Names the version after a commit; a name that there is moves. HISTORY_NOT_FOUND.
  Result<Tag> set_tag(const DepotId& depot, std::string_view name, std::uint64_t sequence);
  // HISTORY_NOT_FOUND when there is none of that name.
  Result<void> remove_tag(const DepotId& depot, std::string_view name);

  // Stores the outcome of a change that began at `from`, and remembers what it grew from: the
  // place's root when it began at a place, what `from` grew from otherwise.
  Result<void> save(const Stage& stage, const Changed& change, const NodeKey& from,
                    const SaveOptions& options);
  Result<void> save(const Stage& stage, const Changed& change, const NodeKey& from,
                    std::optional<Place> place);
  // What a root is known to have grown from at this place.
  Result<std::optional<Origin>> origin_of(const NodeKey& root, const Place& place) const;
  // All that is known of it, for every place.
  Result<std::vector<Origin>> origins_of(const NodeKey& root) const;
  // Other roots that the author has made at this place and not committed, the newest first: those
  // with a change that `current` does not have. Each is told once.
  Result<std::vector<Uncommitted>> uncommitted(const DelegateId& author, const Place& place,
                                               const NodeKey& current);

  // Checks a raw node (admit.h), stores it and makes it the owners', in one step. Buffered.
  Result<NodePtr> admit(const NodeKey& key, ByteView bytes, std::span<const DelegateId> owners);

  // Records of which delegate wrote which node.
  Ownership& ownership() { return ownership_; }
  const Ownership& ownership() const { return ownership_; }
  // Records of roots that were made and not committed.
  const Leaves& leaves() const { return leaves_; }

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
  struct StoredDepot {
    Depot depot;
    Bytes bytes;  // as they are in the store
  };
  Result<StoredDepot> read_depot(const DepotId& depot) const;
  Result<HistoryEntry> entry_at(const Depot& depot, std::uint64_t sequence) const;
  Result<HistoryEntry> entry_back(const Place& place, std::uint64_t count) const;
  Result<HistoryEntry> entry_then(const Depot& depot, Millis time) const;
  Result<HistoryEntry> seen_from(const Place& place, HistoryEntry entry) const;
  struct Attempt;
  Result<std::optional<NodeKey>> current_root(const Depot& depot,
                                              const CommitRequest& request) const;
  Result<std::optional<NodeKey>> grown_from(const std::optional<NodeKey>& current,
                                            const CommitRequest& request) const;
  struct Ground {
    std::optional<NodeKey> base;  // to merge from, when others have committed since
    bool unknown = false;         // nobody knows one
  };
  Result<Ground> ground_of(const std::optional<NodeKey>& current,
                           const CommitRequest& request) const;
  Result<Attempt> try_commit(const Depot& depot, const std::optional<NodeKey>& current,
                             const std::optional<NodeKey>& base, const CommitRequest& request,
                             const NodeReader& nodes);
  Result<NodeKey> keep_merged(const Stage& stage, const NodePtr& merged, const NodeKey& current,
                              const CommitRequest& request);
  Result<CommitResult> unchanged(const Depot& depot, Attempt attempt, const CommitRequest& request);
  static CommitResult would_be(const Depot& depot, Attempt attempt);
  Batch batch_for(Depot& depot, Bytes stored, Attempt& attempt, const CommitRequest& request,
                  const Stage* stage, std::span<const NodeKey> linked) const;
  Mutex& turn_to_merge(const DepotId& depot);
  const NodeReader& nodes_with(const Stage* stage) const;
  enum class Merging { kNotYet, kNow };
  Result<std::optional<CommitResult>> commit_once(const CommitRequest& request, const Stage* stage,
                                                  std::span<const NodeKey> linked, Merging merging);
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
  Ownership ownership_;
  Leaves leaves_;
  Titles titles_;
  mutable Guarded<std::multiset<Millis>> uploads_;
  // Depots as they were last read. A change of any raises the number, and one that was read before
  // that is not remembered.
  struct Remembered {
    std::uint64_t generation = 0;
    std::map<DepotId, Depot> depots;
  };
  static constexpr std::size_t kMaxRemembered = 10'000;
  mutable Guarded<Remembered> remembered_;
  std::unique_ptr<Subscription> watching_;
  // Commits of one depot that have to merge take turns. They guard no data: nothing relies on them
  // but speed.
  std::array<Mutex, 16> merging_;
};

}  // namespace cairn
