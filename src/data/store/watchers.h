// The subscriptions to changes of keys.
//
// Threads     any. When a subscription has been destroyed its watcher is not running and will not
//             be called, unless it was destroyed by the watcher itself: then that call is the last.
//             So do not destroy one while holding a lock that its watcher takes.
#pragma once

#include <memory>
#include <vector>

#include "base/guarded.h"
#include "data/store/key_value.h"

namespace cairn {

class Watchers final {
 public:
  std::unique_ptr<Subscription> add(KeyRange range, KeyValueStore::Watcher watcher);
  // Calls each watcher at most once, with those keys that are in its range. What one throws ends
  // there.
  void tell(const std::vector<Bytes>& keys);

 private:
  class Entry;
  class Handle;

  std::vector<std::shared_ptr<Entry>> living();

  Guarded<std::vector<std::weak_ptr<Entry>>> entries_;
};

}  // namespace cairn
