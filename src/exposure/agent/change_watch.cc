#include "exposure/agent/change_watch.h"

#include <utility>

#include "data/realm/records.h"

namespace cairn::agent {

std::string ChangeWatch::depot_topic(const RealmId& realm, const DepotId& depot) {
  return "depot:" + realm.render() + ":" + depot.render();
}

std::string ChangeWatch::depots_topic(const RealmId& realm) { return "depots:" + realm.render(); }

// The realm has its own watcher, by which it forgets what has changed. Watchers are told in the
// order in which they came: this one has to come after it, or whoever reads on being told would
// read what was before.
void ChangeWatch::cover(const RealmId& id) {
  auto watching = watching_.lock();
  auto& subscription = (*watching)[id];
  if (subscription != nullptr) return;
  auto& realm = realms_.get(id);
  auto range = records::depots(id);
  const auto prefix = range.begin.size();
  subscription = realm.store().kv().watch(
      std::move(range), [this, id, prefix](const std::vector<Bytes>& keys) {
        for (const auto& key : keys) {
          changed(id, DepotId::from_bytes(ByteView(key).substr(prefix)));
        }
      });
}

void ChangeWatch::announce_to(mcp::Changes* changes) { *changes_.lock() = changes; }

void ChangeWatch::changed(const RealmId& realm, const DepotId& depot) {
  const bool listed = listed_differently(realm, depot);
  auto changes = changes_.lock();
  if (*changes == nullptr) return;
  (*changes)->changed(depot_topic(realm, depot));
  if (listed) (*changes)->changed(depots_topic(realm));
}

// Unless it is known that nothing of it changed, something did.
bool ChangeWatch::listed_differently(const RealmId& realm, const DepotId& depot) {
  const auto now = realms_.get(realm).get_depot(depot);
  auto titles = titles_.lock();
  if (!now) {
    titles->erase(depot);
    return true;
  }
  if (titles->size() >= kMaxTitles) titles->clear();
  const auto [known, added] = titles->try_emplace(depot, now->title);
  return added || std::exchange(known->second, now->title) != now->title;
}

}  // namespace cairn::agent
