#include "exposure/agent/stamp.h"

#include "base/sha256.h"
#include "data/tree/view.h"

namespace cairn::agent {
namespace {

std::string hash_of(std::string_view text) { return NodeKey::of(text).render(); }

// The key of what stands at a path below a root.
Result<std::string> key_at(Realm& realm, const NodeKey& root, const Path& path) {
  const auto tree = TRY(view_tree(realm.nodes(), root));
  return TRY(locate(tree, path)).entry.key.render();
}

// A depot whose place is gone can still be read, and says so.
Result<std::string> depot_stamp(Realm& realm, const Place& place) {
  const auto depot = TRY(realm.get_depot(place.depot));
  auto root = realm.root_at(place);
  if (!root && root.error().code != Code::kPathNotFound) return Failure(std::move(root).error());
  return (root ? root->render() : "gone") + " " + depot.title;
}

}  // namespace

Result<std::string> depots_stamp(Services& services, const Session& session) {
  auto& realm = services.realms.get(session.realm);
  std::string all;
  for (const auto& place : TRY(Sight(realm, session).places())) {
    auto depot = realm.get_depot(place.depot);
    if (!depot && depot.error().code == Code::kDepotNotFound) continue;  // deleted meanwhile
    all += place.render() + " " + TRY(std::move(depot)).title + "\n";
  }
  return hash_of(all);
}

Result<std::string> resource_stamp(Services& services, const Session& session,
                                   const ResourceUri& uri) {
  auto& realm = services.realms.get(session.realm);
  const Sight sight(realm, session);
  if (!uri.path && uri.kind == ResourceUri::Kind::kDepot) {
    return depot_stamp(realm, TRY(sight.place(uri.key)));
  }
  const auto root = TRY(sight.target(uri.key)).root;
  return key_at(realm, root, uri.path.value_or(Path()));
}

}  // namespace cairn::agent
