// One Realm object per realm, made when first asked for.
//
// Threads     every function may be called from any thread.
#pragma once

#include <map>

#include "base/guarded.h"
#include "data/realm/realm.h"

namespace cairn {

class Realms final {
 public:
  Realms(Store& store, const Clock& clock, Random& random, RealmOptions options = {})
      : store_(store), clock_(clock), random_(random), options_(options) {}
  Realms(const Realms&) = delete;
  Realms& operator=(const Realms&) = delete;

  // Holds as long as this does.
  Realm& get(const RealmId& id) {
    auto realms = realms_.lock();
    auto& realm = (*realms)[id];
    if (realm == nullptr) {
      realm = std::make_unique<Realm>(store_, id, clock_, random_, options_);
    }
    return *realm;
  }
  Store& store() { return store_; }

 private:
  Store& store_;
  const Clock& clock_;
  Random& random_;
  RealmOptions options_;
  Guarded<std::map<RealmId, std::unique_ptr<Realm>>> realms_;
};

}  // namespace cairn
