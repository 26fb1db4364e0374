#include "data/access/rights.h"

#include <algorithm>

#include "base/quote.h"

namespace cairn {
namespace {

// A live place stays in a scope only when the scope above still has a place around it. What is
// frozen was below a root of the scope above when it was given, or is not in the scope (scope_of).
bool allowed_by(const ScopeRoot& root, const std::vector<ScopeRoot>& outer) {
  const auto* place = std::get_if<Place>(&root);
  if (place == nullptr) return true;
  return std::ranges::any_of(outer, [&](const ScopeRoot& above) {
    const auto* around = std::get_if<Place>(&above);
    return around != nullptr && is_within(*place, *around);
  });
}

Failure no_depot(std::string_view address) {
  return fail(Code::kDepotNotFound, "there is no depot {}; list the depots to see their ids",
              shown(address));
}

}  // namespace

bool is_within(const Place& place, const Place& outer) {
  return place.depot == outer.depot && place.path.is_within(outer.path);
}

namespace {

// What both give.
std::vector<DirectoryGrant> common(const std::vector<DirectoryGrant>& inner,
                                   const std::vector<DirectoryGrant>& outer) {
  std::vector<DirectoryGrant> out;
  for (const auto& grant : inner) {
    const auto use = use_in(outer, grant.name);
    if (use == DirectoryUse::kNone) continue;
    out.push_back({grant.name, grant.write && use == DirectoryUse::kWrite});
  }
  return out;
}

}  // namespace

std::optional<Millis> narrowed_at(std::span<const DelegatePtr> chain) {
  std::optional<Millis> last;
  for (const auto& one : chain) last = std::max(last, one->narrowed_at);
  return last;
}

namespace {

// Of the first of a chain. A frozen root was seen by all above when it was given; its key does not
// tell whether they would see it after what they see was narrowed, so it does not count any more.
std::optional<std::vector<ScopeRoot>> scope_of(std::span<const DelegatePtr> chain) {
  auto scope = chain.front()->scope;
  const auto narrowed = narrowed_at(chain.subspan(1));
  if (scope && narrowed && *narrowed >= chain.front()->scope_at) {
    std::erase_if(*scope,
                  [](const ScopeRoot& root) { return std::holds_alternative<FrozenRoot>(root); });
  }
  return scope;
}

}  // namespace

Rights Rights::of(std::span<const DelegatePtr> chain) {
  const auto& self = *chain.front();
  Rights rights;
  rights.can_upload_ = self.can_upload;
  rights.can_manage_depot_ = self.can_manage_depot;
  rights.history_ = self.history;
  rights.depots_ = self.depots;
  rights.scope_ = scope_of(chain);
  rights.narrowed_at_ = cairn::narrowed_at(chain);
  // Computed from the whole chain, and not trusted from what the child's own record says: no damage
  // to a record ever widens a right.
  // The last is the root delegate, which has what its user has.
  for (const auto& one : chain.first(chain.size() - 1)) {
    rights.directories_ =
        rights.directories_ ? common(*rights.directories_, one->directories) : one->directories;
  }
  for (std::size_t i = 1; i < chain.size(); ++i) {
    const auto& above = chain[i];
    rights.can_upload_ = rights.can_upload_ && above->can_upload;
    rights.can_manage_depot_ = rights.can_manage_depot_ && above->can_manage_depot;
    rights.history_ = rights.history_ && above->history;
    if (above->depots) {
      // No limit of its own: the limit above holds.
      if (!rights.depots_) rights.depots_ = above->depots;
      std::erase_if(*rights.depots_, [&](const DepotId& depot) {
        return std::ranges::find(*above->depots, depot) == above->depots->end();
      });
    }
    if (above->scope) {
      if (!rights.scope_) rights.scope_ = scope_of(chain.subspan(i));
      std::erase_if(*rights.scope_,
                    [&](const ScopeRoot& root) { return !allowed_by(root, *above->scope); });
    }
  }
  return rights;
}

bool Rights::may_use(const DepotId& depot) const {
  return !depots_ || std::ranges::find(*depots_, depot) != depots_->end();
}

DirectoryUse Rights::directory_use(std::string_view name) const {
  return directories_ ? use_in(*directories_, name) : DirectoryUse::kWrite;
}

std::vector<Place> Rights::places(const DepotId& depot) const {
  if (!may_use(depot)) return {};
  if (!scope_) return {Place{depot, Path()}};
  std::vector<Place> out;
  for (const auto& root : *scope_) {
    const auto* place = std::get_if<Place>(&root);
    if (place != nullptr && place->depot == depot) out.push_back(*place);
  }
  return out;
}

std::vector<NodeKey> Rights::frozen() const {
  std::vector<NodeKey> out;
  if (!scope_) return out;
  for (const auto& root : *scope_) {
    if (const auto* frozen = std::get_if<FrozenRoot>(&root)) out.push_back(frozen->key);
  }
  return out;
}

Result<Place> Rights::place_at(std::string_view address) const {
  auto parsed = DepotAddress::parse(address);
  if (parsed) return place_at(*parsed);
  // A depot that may not be seen does not exist, whatever is wrong with what follows its id.
  const auto depot = TRY(DepotId::parse(address.substr(0, address.find_first_of("/@"))));
  if (places(depot).empty()) return no_depot(address);
  return Failure(std::move(parsed).error());
}

Result<Place> Rights::place_at(const DepotAddress& address) const {
  const auto& depot = address.depot;
  auto all = places(depot);
  if (all.empty()) return no_depot(address.render());
  if (!address.place) {
    if (all.size() == 1) return all.front();
    // The whole of it has the depot's id for its address, whatever else may be seen.
    for (const auto& place : all) {
      if (place.path.is_root()) return place;
    }
    std::string choices;
    for (const auto& place : all) choices += (choices.empty() ? "" : ", ") + address_of(place);
    return fail(Code::kInvalidArgument,
                "you may see several places of {}; name the one you mean: {}", depot.render(),
                choices);
  }
  if (!scope_) {
    return fail(Code::kInvalidArgument, "'{}' has a path in it; give {} and put the path in 'path'",
                shown(address.render()), depot.render());
  }
  for (auto& place : all) {
    if (place.path == *address.place) return std::move(place);
  }
  return no_depot(address.render());
}

std::string Rights::address_of(const Place& place) const {
  if (places(place.depot).size() == 1 || place.path.is_root()) return place.depot.render();
  return place.depot.render() + "/" + place.path.render();
}

}  // namespace cairn
