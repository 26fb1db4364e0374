#include "data/access/sight.h"

#include <algorithm>
#include <set>
#include <span>

#include <fmt/ranges.h>

#include "base/ascii.h"
#include "base/id_kind.h"
#include "base/quote.h"
#include "data/tree/view.h"

namespace cairn {
namespace {

constexpr std::size_t kHistoryLooked = 1000;
// A key that nothing of now has is looked for in the histories of so many places: a delegate may
// have a hundred, and each costs a look at a thousand trees, whoever made the key up.
constexpr std::size_t kPastsLooked = 10;
constexpr std::size_t kPage = 1000;

Failure not_authorised(std::string_view text) {
  return fail(Code::kNodeNotAuthorized,
              "you may not use {} by its key; name it by a depot and a path, or by the newRoot of "
              "something you wrote",
              shown(text));
}

Failure bad_scope(std::string_view text, std::string_view why) {
  return fail(Code::kInvalidScope,
              "the scope '{}' {}; use '.', indices like '0:1:2', 'dpt_…/path' or 'nod_…'",
              shown(text), why);
}

Failure ambiguous(const KeyPrefix& prefix, std::span<const NodeKey> found) {
  std::vector<std::string> candidates;
  for (const auto& key : found) candidates.push_back(key.render());
  auto message = fmt::format(
      "several nodes you may use have a key that begins with {}: {}; give more "
      "characters",
      prefix.render(), fmt::join(candidates, ", "));
  return Failure(
      Error(Code::kAmbiguousKey, std::move(message)).with("candidates", std::move(candidates)));
}

void add_if_within(const KeyPrefix& prefix, const NodeKey& key, std::vector<NodeKey>& found) {
  if (prefix.contains(key) && std::ranges::find(found, key) == found.end()) found.push_back(key);
}

// What somebody called a depot, as its id: `my-project` or `my-project@~1` by its title. Whatever
// names nothing that the caller may see stays as it is, and is refused as it would be without the
// depot.
Result<std::string> by_id(const Realm& realm, const Rights& rights, std::string_view text) {
  std::string out(text);
  if (!kind_of_id(text).empty()) return out;
  std::vector<std::string_view> titles{text};
  if (const auto at = text.rfind('@'); at != std::string_view::npos) {
    titles.push_back(text.substr(0, at));
  }
  for (const auto title : titles) {
    std::vector<std::string> found;
    for (const auto& depot : TRY(realm.depots_titled(title))) {
      const auto place = rights.place_at(depot.id.render());
      const bool seen = place || place.error().code != Code::kDepotNotFound;
      if (seen) found.push_back(depot.id.render());
    }
    if (found.size() > 1) {
      auto message = fmt::format("several depots have the title '{}'; name one by its id: {}",
                                 shown(title), fmt::join(found, ", "));
      return Failure(
          Error(Code::kAmbiguousKey, std::move(message)).with("candidates", std::move(found)));
    }
    if (found.size() == 1) return out.replace(0, title.size(), found.front());
  }
  return out;
}

bool is_index_walk(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return is_digit(c) || c == ':'; });
}

}  // namespace

Result<Place> Sight::live(Result<Place> found) const {
  auto place = TRY(std::move(found));
  TRY(realm_.get_depot(place.depot));
  return place;
}

Result<Place> Sight::place(const DepotAddress& address) const {
  auto found = TRY(live(session_.rights.place_at(address)));
  if (!address.version) return found;
  return fail(Code::kInvalidArgument,
              "'{}' is a version, which does not change; name the depot itself, without '@{}'",
              shown(address.render()), address.version->render());
}

Result<Place> Sight::place(std::string_view named) const {
  const auto address = TRY(by_id(realm_, session_.rights, named));
  // First whether it may be seen: what may not does not exist, whatever else is wrong.
  TRY(live(session_.rights.place_at(address)));
  return place(TRY(DepotAddress::parse(address)));
}

Result<Target> Sight::target(std::string_view named) const {
  const auto text = TRY(by_id(realm_, session_.rights, named));
  if (text.starts_with(DepotTag::kPrefix)) {
    auto where = TRY(session_.rights.place_at(text));
    const auto address = TRY(DepotAddress::parse(text));
    if (address.version) {
      TRY(check_history());
      const auto then = TRY(realm_.version_at(where, *address.version));
      return Target{then.root, std::nullopt, std::move(where)};
    }
    auto root = TRY(realm_.root_at(where));
    return Target{root, std::move(where)};
  }
  if (!text.starts_with("nod_")) {
    return wrong_id(text, "a depot id (dpt_…) or a node key (nod_…)");
  }
  return Target{TRY(node(text)), std::nullopt};
}

Result<bool> Sight::has(const NodeKey& key) const {
  if (!session_.rights.realm_wide()) {
    const auto text = key.render();
    if (TRY(at_hand(TRY(KeyPrefix::parse(text)), text)).empty()) return false;
  }
  return realm_.nodes().has(key);
}

Result<NodeKey> Sight::node(std::string_view named) const {
  const auto text = TRY(by_id(realm_, session_.rights, named));
  // A version of a depot is a root like any other.
  if (text.starts_with(DepotTag::kPrefix) && text.contains('@')) return TRY(target(text)).root;
  if (!text.starts_with("nod_")) return wrong_id(text, "a node key (nod_…)");
  if (session_.rights.realm_wide()) return realm_.resolve(text);
  const auto prefix = TRY(KeyPrefix::parse(text));
  // The present first: looking through the history takes longer.
  auto found = TRY(at_hand(prefix, text));
  if (found.empty() && session_.rights.sees_history()) found = TRY(in_the_past(prefix));
  if (found.empty()) return not_authorised(text);
  if (found.size() == 1) return found.front();
  return ambiguous(prefix, found);
}

Result<void> Sight::check_history() const {
  if (session_.rights.sees_history()) return {};
  return fail(Code::kForbidden,
              "this delegate was made without history: it sees what there is now, and neither "
              "earlier versions nor who made them; ask whoever made it");
}

// Roots of the scope, what the delegate owns, and roots that its places have now.
Result<std::vector<NodeKey>> Sight::at_hand(const KeyPrefix& prefix, std::string_view text) const {
  std::vector<NodeKey> found;
  for (const auto& key : session_.rights.frozen()) add_if_within(prefix, key, found);
  // Among owned nodes only: an abbreviation must not tell whether somebody else's node exists.
  auto owned = realm_.ownership().resolve(session_.who().id, text, session_.rights.narrowed_at());
  if (owned) add_if_within(prefix, *owned, found);
  if (!owned && owned.error().code != Code::kNodeNotFound) return Failure(owned.error());
  if (prefix.whole() && !found.empty()) return found;  // there is no other
  for (const auto& where : TRY(places())) {
    // A place that is gone has no root, which is no reason to fail.
    if (auto root = realm_.root_at(where)) add_if_within(prefix, *root, found);
  }
  return found;
}

// Roots that its places had in their history.
Result<std::vector<NodeKey>> Sight::in_the_past(const KeyPrefix& prefix) const {
  std::vector<NodeKey> found;
  const auto all = TRY(places());
  for (const auto& where : std::span(all).first(std::min(all.size(), kPastsLooked))) {
    auto past = realm_.history_at(where, kHistoryLooked, std::nullopt);
    if (!past && past.error().code == Code::kDepotNotFound) continue;  // deleted meanwhile
    for (const auto& entry : TRY(std::move(past)).entries) {
      add_if_within(prefix, entry.root, found);
    }
  }
  return found;
}

Result<std::vector<Place>> Sight::places() const {
  std::vector<Place> out;
  // A delegate that sees few depots need not look at all of them. Ids sort by age.
  std::set<DepotId> named;
  const auto& rights = session_.rights;
  if (rights.scope()) {
    for (const auto& root : *rights.scope()) {
      if (const auto* place = std::get_if<Place>(&root)) named.insert(place->depot);
    }
  } else if (rights.depots()) {
    named.insert(rights.depots()->begin(), rights.depots()->end());
  }
  if (rights.scope() || rights.depots()) {
    for (const auto& depot : named) {
      auto known = realm_.get_depot(depot);
      // Deleted since the scope was given.
      if (!known && known.error().code == Code::kDepotNotFound) continue;
      TRY(std::move(known));
      std::ranges::move(rights.places(depot), std::back_inserter(out));
    }
    return out;
  }
  std::optional<std::string> cursor;
  do {
    auto page = TRY(realm_.list_depots(kPage, cursor));
    for (const auto& depot : page.depots) {
      std::ranges::move(session_.rights.places(depot.id), std::back_inserter(out));
    }
    cursor = std::move(page.next_cursor);
  } while (cursor);
  return out;
}

// The delegate's own roots, as a child's index walk counts them.
Result<std::vector<ScopeRoot>> Sight::roots() const {
  std::vector<ScopeRoot> out;
  if (session_.rights.scope()) {
    for (const auto& root : *session_.rights.scope()) {
      const auto* live = std::get_if<Place>(&root);
      if (live == nullptr || session_.rights.may_use(live->depot)) out.push_back(root);
    }
    return out;
  }
  for (auto& where : TRY(places())) out.emplace_back(std::move(where));
  return out;
}

// The root below another; a live place stays live, by name.
Result<ScopeRoot> Sight::below(const ScopeRoot& root, const Path& path,
                               std::string_view text) const {
  const auto* live = std::get_if<Place>(&root);
  auto start =
      live != nullptr ? realm_.root_at(*live) : Result<NodeKey>(std::get<FrozenRoot>(root).key);
  if (!start) return bad_scope(text, "begins at a place that is not there any more");
  if (path.is_root()) return root;
  auto found = locate(TRY(view_tree(realm_.nodes(), *start)), path);
  if (!found) return bad_scope(text, fmt::format("names nothing: {}", found.error().message));
  if (live == nullptr) return FrozenRoot{found->entry.key};
  Place place = *live;
  for (const auto& segment : found->path.segments()) place.path = place.path.child(segment);
  return place;
}

Result<ScopeRoot> Sight::walk(std::string_view text, const std::vector<ScopeRoot>& from) const {
  const auto colon = text.find(':');
  const auto first = child_index("~" + std::string(text.substr(0, colon)));
  if (!first || *first >= from.size()) {
    return bad_scope(text, fmt::format("begins at root {}, but you have {} (counted from 0)",
                                       shown(text.substr(0, colon)), from.size()));
  }
  std::string path;
  for (auto rest = colon; rest != std::string_view::npos;) {
    const auto next = text.find(':', rest + 1);
    path += (path.empty() ? "~" : "/~");
    path += text.substr(rest + 1, next == std::string_view::npos ? next : next - rest - 1);
    rest = next;
  }
  auto parsed = Path::parse(path);
  const bool digits = parsed && std::ranges::all_of(parsed->segments(), [](const auto& segment) {
                        return child_index(segment).has_value();
                      });
  if (!digits) return bad_scope(text, "is not a list of child indices");
  return below(from[*first], *parsed, text);
}

Result<ScopeRoot> Sight::named(std::string_view text) const {
  const auto slash = text.find('/');
  const auto head = text.substr(0, slash);
  auto path =
      slash == std::string_view::npos ? Result<Path>(Path()) : Path::parse(text.substr(slash + 1));
  if (!path) return bad_scope(text, path.error().message);
  if (text.starts_with("nod_")) return below(FrozenRoot{TRY(node(head))}, *path, text);
  auto depot = DepotId::parse(head);
  if (!depot) return bad_scope(text, "is none of the forms there are");
  auto all = session_.rights.places(*depot);
  if (all.size() == 1) {
    TRY(realm_.get_depot(*depot));
    return below(all.front(), *path, text);
  }
  // Several places of one depot: the path is the depot's own, and lies in one of them.
  for (const auto& around : all) {
    if (!path->is_within(around.path)) continue;
    Path rest;
    for (auto i = around.path.segments().size(); i < path->segments().size(); ++i) {
      rest = rest.child(path->segments()[i]);
    }
    return below(around, rest, text);
  }
  return fail(Code::kDepotNotFound, "there is no depot {}; list the depots to see their ids",
              shown(text));
}

Result<std::optional<std::vector<ScopeRoot>>> Sight::narrow(
    std::span<const std::string> texts) const {
  if (texts.empty()) {
    return fail(Code::kInvalidScope,
                "the scope is empty, so nothing could be seen; leave it out to give all you see");
  }
  std::vector<ScopeRoot> out;
  auto add = [&](ScopeRoot root) {
    if (std::ranges::find(out, root) == out.end()) out.push_back(std::move(root));
  };
  bool everything = false;
  const auto own = TRY(roots());
  for (const auto& text : texts) {
    if (text == ".") {
      everything = everything || !session_.rights.scope();
      for (const auto& root : own) add(root);
    } else if (is_index_walk(text)) {
      add(TRY(walk(text, own)));
    } else {
      add(TRY(named(text)));
    }
  }
  if (everything) return std::nullopt;
  if (out.size() > Delegate::kMaxRoots) {
    return fail(Code::kInvalidScope, "the scope has {} roots; the most is {}", out.size(),
                Delegate::kMaxRoots);
  }
  return out;
}

}  // namespace cairn
