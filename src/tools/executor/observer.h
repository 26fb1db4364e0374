// Observer: word of changes, and stamps of what a caller sees, for whoever keeps a client up to
// date.
//
// A stamp is a short text that changes exactly when what the caller sees does. Stamps are asked for
// again and again, for every open subscription, so they are read from the data itself: no audit, no
// meter, nothing rendered. They give nothing away: a caller learns that something it may see
// changed. Threads     every function may be called from any thread. Watchers are called from the
// committing
//             thread, after the change can be read.
// Fails with  what reading the same would fail with.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "data/access/realms.h"
#include "data/access/sight.h"
#include "data/endpoint/endpoints.h"

namespace cairn {

class Observer final {
 public:
  // REQUIRES: both outlive it.
  Observer(Realms& realms, Endpoints& endpoints) : realms_(realms), endpoints_(endpoints) {}
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  // Of the list of depots: their addresses and titles.
  Result<std::string> depots_stamp(const Session& session) const;
  // Of a depot: the root of the place that is seen, and its title.
  Result<std::string> depot_stamp(const Session& session, std::string_view address) const;
  // Of what stands at a path below a depot or node.
  Result<std::string> path_stamp(const Session& session, std::string_view key,
                                 const Path& path) const;

  // Called with every depot of the realm that came, changed or went.
  std::unique_ptr<Subscription> watch_depots(const RealmId& realm,
                                             std::function<void(const DepotId&)> watcher);
  // Called when a delegate of the realm came, changed or went.
  std::unique_ptr<Subscription> watch_delegates(const RealmId& realm,
                                                std::function<void()> watcher);
  // Called with the realm in which a tool or endpoint came, changed or went.
  std::unique_ptr<Subscription> watch_endpoints(Endpoints::Watcher watcher);
  // nullopt when there is no such depot.
  std::optional<std::string> title_of(const RealmId& realm, const DepotId& depot) const;

 private:
  Realms& realms_;
  Endpoints& endpoints_;
};

}  // namespace cairn
