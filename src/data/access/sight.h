// Sight: the depots and nodes that one delegate can name in its realm. The one place where a string
// from outside becomes a depot's place or a node, and where it is decided whether the caller may
// see it.
//
//   dpt_…        the place of the depot that the delegate may see, as it is now
//   dpt_…/docs   the same, for a delegate that may see several places of the depot
//   dpt_…@~1     a version of it (version.h), for reading only. The id may be the depot's title
//   nod_…        a node, whole or abbreviated: any of the realm for whoever sees all of it; else
//                one the delegate or one below it wrote, a root of its scope, or a root that one
//                of its places has, or had in its last thousand commits
//
// Threads     immutable; use it from any thread, for as long as its realm and session live.
// Fails with  DEPOT_NOT_FOUND and NODE_NOT_AUTHORIZED for what may not be seen, whether or not it
//             exists.
//             INVALID_KEY, INVALID_SCOPE and AMBIGUOUS_KEY for what cannot be understood.
#pragma once

#include "data/access/delegates.h"
#include "data/realm/realm.h"

namespace cairn {

// A root somebody named, and where its writes would be committed.
struct Target {
  NodeKey root;
  std::optional<Place> place;  // nothing: a bare node
  // The place that this is a version of, which does not change.
  std::optional<Place> version_of = std::nullopt;
};

class Sight final {
 public:
  Sight(Realm& realm, const Session& session) : realm_(realm), session_(session) {}

  Result<Target> target(std::string_view text) const;
  Result<NodeKey> node(std::string_view text) const;
  // Whether a stored node can be used by its key, without looking through histories: for many keys.
  Result<bool> has(const NodeKey& key) const;
  Result<Place> place(const DepotAddress& address) const;
  Result<Place> place(std::string_view address) const;
  // FORBIDDEN for a delegate that sees nothing of what was there before.
  Result<void> check_history() const;
  // Everything it may see that is live, depots oldest first.
  Result<std::vector<Place>> places() const;

  // A child's scope from its texts: `.` is all the delegate sees; `0:1:2` walks by child index from
  // its root number 0, `dpt_…/path` and `nod_…/path` name a root directly. INVALID_SCOPE.
  Result<std::optional<std::vector<ScopeRoot>>> narrow(std::span<const std::string> texts) const;

 private:
  // The place, when its depot is still there.
  Result<Place> live(Result<Place> found) const;
  Result<std::vector<NodeKey>> at_hand(const KeyPrefix& prefix, std::string_view text) const;
  Result<std::vector<NodeKey>> in_the_past(const KeyPrefix& prefix) const;
  Result<std::vector<ScopeRoot>> roots() const;
  Result<ScopeRoot> walk(std::string_view text, const std::vector<ScopeRoot>& from) const;
  Result<ScopeRoot> named(std::string_view text) const;
  Result<ScopeRoot> below(const ScopeRoot& root, const Path& path, std::string_view text) const;

  Realm& realm_;
  const Session& session_;
};

}  // namespace cairn
