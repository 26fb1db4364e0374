// Rights: what a delegate may do and see, all of its chain taken together.
//
// A delegate sees a depot as if the place it may see were the whole of it. When it may see several
// places of one depot, each has an address of its own: `dpt_…/docs`; otherwise the address is the
// depot's id.
//
// Threads     a value; share it freely as long as nobody changes it.
// Fails with  DEPOT_NOT_FOUND for what may not be seen; INVALID_ARGUMENT for an address that is not
//             clear.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/access/delegate.h"

namespace cairn {

class Rights final {
 public:
  // REQUIRES: chain is not empty; the delegate first, its root delegate last.
  static Rights of(std::span<const DelegatePtr> chain);

  bool can_upload() const { return can_upload_; }
  bool can_manage_depot() const { return can_manage_depot_; }
  // Whether it sees what stood at its places before, and may bring it back.
  bool sees_history() const { return history_; }
  // No limit on what it sees: every depot, every node of the realm.
  bool realm_wide() const { return !depots_ && !scope_ && history_; }
  // No scope: it sees the whole of each depot it may use.
  bool whole_depots() const { return !scope_; }
  const std::optional<std::vector<DepotId>>& depots() const { return depots_; }
  const std::optional<std::vector<ScopeRoot>>& scope() const { return scope_; }

  bool may_use(const DepotId& depot) const;
  // The use of a directory of the server's that the chain leaves of what its user has.
  DirectoryUse directory_use(std::string_view name) const;
  // The places of a depot it may see: none, the whole of it, or those its scope names.
  std::vector<Place> places(const DepotId& depot) const;
  std::vector<NodeKey> frozen() const;
  // What it wrote until then it may not name any more: it may have been of what it no longer sees.
  const std::optional<Millis>& narrowed_at() const { return narrowed_at_; }

  // The place an address names. DEPOT_NOT_FOUND for what it may not see, whether it exists or not.
  Result<Place> place_at(const DepotAddress& address) const;
  Result<Place> place_at(std::string_view address) const;
  // The inverse.
  // REQUIRES: the place is one of places(place.depot).
  std::string address_of(const Place& place) const;

  bool operator==(const Rights&) const = default;

 private:
  bool can_upload_ = false;
  bool can_manage_depot_ = false;
  bool history_ = true;
  std::optional<std::vector<DepotId>> depots_;
  std::optional<std::vector<ScopeRoot>> scope_;
  std::optional<std::vector<DirectoryGrant>> directories_;  // nothing: all that its user has
  std::optional<Millis> narrowed_at_;
};

// Whether a place is another, or below it.
bool is_within(const Place& place, const Place& outer);
// When somebody of a chain was last given to see less than before.
std::optional<Millis> narrowed_at(std::span<const DelegatePtr> chain);

}  // namespace cairn
