#include "exposure/agent/change_watch.h"

#include <utility>

namespace cairn::agent {

std::string ChangeWatch::depot_topic(const RealmId& realm, const DepotId& depot) {
  return "depot:" + realm.render() + ":" + depot.render();
}

std::string ChangeWatch::depots_topic(const RealmId& realm) { return "depots:" + realm.render(); }

std::string ChangeWatch::tools_topic(const RealmId& realm) { return "tools:" + realm.render(); }

void ChangeWatch::cover(const RealmId& id) {
  auto watching = watching_.lock();
  auto& [depots, delegates] = (*watching)[id];
  if (depots != nullptr) return;
  depots = observer_.watch_depots(id, [this, id](const DepotId& depot) { changed(id, depot); });
  delegates = observer_.watch_delegates(id, [this, id] { rights_changed(id); });
}

void ChangeWatch::announce_to(mcp::Changes* changes) { *changes_.lock() = changes; }

void ChangeWatch::changed(const RealmId& realm, const DepotId& depot) {
  const bool listed = listed_differently(realm, depot);
  auto changes = changes_.lock();
  if (*changes == nullptr) return;
  (*changes)->changed(depot_topic(realm, depot));
  if (listed) (*changes)->changed(depots_topic(realm));
}

void ChangeWatch::rights_changed(const RealmId& realm) {
  auto changes = changes_.lock();
  if (*changes == nullptr) return;
  (*changes)->changed(tools_topic(realm));
  (*changes)->changed(depots_topic(realm));
}

// Unless it is known that nothing of it changed, something did.
bool ChangeWatch::listed_differently(const RealmId& realm, const DepotId& depot) {
  const auto now = observer_.title_of(realm, depot);
  auto titles = titles_.lock();
  if (!now) {
    titles->erase(depot);
    return true;
  }
  if (titles->size() >= kMaxTitles) titles->clear();
  const auto [known, added] = titles->try_emplace(depot, *now);
  return added || std::exchange(known->second, *now) != *now;
}

}  // namespace cairn::agent
