// ChangeWatch: hears of every commit to a depot and every change of a delegate, from whatever
// surface, and announces it.
//
//   depot:REALM:DEPOT   the depot has another root or title, or is gone
//   depots:REALM        a depot came, went or has another title; or a delegate sees others
//   tools:REALM         a delegate has other rights
//
// A realm is watched from the first time that somebody asks about it: nobody can wait for its
// changes before.
// Threads  any. Announcements come from the committing thread, after the commit can be read.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/guarded.h"
#include "exposure/mcp/service.h"
#include "tools/executor/observer.h"

namespace cairn::agent {

class ChangeWatch final {
 public:
  // REQUIRES: the observer outlives it.
  explicit ChangeWatch(Observer& observer) : observer_(observer) {}
  ChangeWatch(const ChangeWatch&) = delete;
  ChangeWatch& operator=(const ChangeWatch&) = delete;

  static std::string depot_topic(const RealmId& realm, const DepotId& depot);
  static std::string depots_topic(const RealmId& realm);
  static std::string tools_topic(const RealmId& realm);

  // Every change of the realm that can be read after this is announced.
  void cover(const RealmId& realm);
  // nullptr: to nobody. When it returns, the earlier one is no longer used.
  void announce_to(mcp::Changes* changes);

 private:
  static constexpr std::size_t kMaxTitles = 10'000;

  void changed(const RealmId& realm, const DepotId& depot);
  void rights_changed(const RealmId& realm);
  bool listed_differently(const RealmId& realm, const DepotId& depot);

  Observer& observer_;
  Guarded<mcp::Changes*> changes_{nullptr};
  // Titles as they were last announced, so that a commit is not taken for a change of the list.
  Guarded<std::map<DepotId, std::string>> titles_;
  // Last: when these are gone, nothing above is used.
  struct Watching {
    std::unique_ptr<Subscription> depots;
    std::unique_ptr<Subscription> delegates;
  };
  Guarded<std::map<RealmId, Watching>> watching_;
};

}  // namespace cairn::agent
