#include "tools/executor/observer.h"

#include "data/cas/node_key.h"
#include "data/realm/records.h"
#include "data/tree/view.h"

namespace cairn {

Result<std::string> Observer::depots_stamp(const Session& session) const {
  auto& realm = realms_.get(session.realm);
  std::string all;
  for (const auto& place : TRY(Sight(realm, session).places())) {
    auto depot = realm.get_depot(place.depot);
    if (!depot && depot.error().code == Code::kDepotNotFound) continue;  // deleted since
    all += place.render() + " " + TRY(std::move(depot)).title + "\n";
  }
  return NodeKey::of(all).render();
}

// A depot whose place is gone can still be read, and says so.
Result<std::string> Observer::depot_stamp(const Session& session, std::string_view address) const {
  auto& realm = realms_.get(session.realm);
  const auto place = TRY(Sight(realm, session).place(address));
  const auto depot = TRY(realm.get_depot(place.depot));
  auto root = realm.root_at(place);
  if (!root && root.error().code != Code::kPathNotFound) return Failure(std::move(root).error());
  return (root ? root->render() : "gone") + " " + depot.title;
}

Result<std::string> Observer::path_stamp(const Session& session, std::string_view key,
                                         const Path& path) const {
  auto& realm = realms_.get(session.realm);
  const auto root = TRY(Sight(realm, session).target(key)).root;
  const auto tree = TRY(view_tree(realm.nodes(), root));
  return TRY(locate(tree, path)).entry.key.render();
}

// A realm has a watcher of its own, by which it forgets what has changed. Watchers are told in the
// order in which they came: this one has to come after it, or whoever reads on being told would
// read what was before. So the realm is made first.
std::unique_ptr<Subscription> Observer::watch_depots(const RealmId& id,
                                                     std::function<void(const DepotId&)> watcher) {
  auto& realm = realms_.get(id);
  auto range = records::depots(id);
  const auto prefix = range.begin.size();
  return realm.store().kv().watch(
      std::move(range), [watcher = std::move(watcher), prefix](const std::vector<Bytes>& keys) {
        for (const auto& key : keys) watcher(DepotId::from_bytes(ByteView(key).substr(prefix)));
      });
}

std::unique_ptr<Subscription> Observer::watch_delegates(const RealmId& id,
                                                        std::function<void()> watcher) {
  return realms_.store().kv().watch(
      access_records::delegates(id),
      [watcher = std::move(watcher)](const std::vector<Bytes>&) { watcher(); });
}

std::unique_ptr<Subscription> Observer::watch_endpoints(Endpoints::Watcher watcher) {
  return endpoints_.watch(std::move(watcher));
}

std::optional<std::string> Observer::title_of(const RealmId& realm, const DepotId& depot) const {
  auto found = realms_.get(realm).get_depot(depot);
  if (!found) return std::nullopt;
  return std::move(found->title);
}

}  // namespace cairn
