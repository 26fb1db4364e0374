// A store: the key-value part, the nodes of every realm, and copies of the whole while it is used.
//
// Threads     every function may be called from any thread.
// Fails with  IO_ERROR; TARGET_EXISTS when a backup's directory is there already.
#pragma once

#include <filesystem>
#include <memory>

#include "data/store/key_value.h"
#include "data/store/node_store.h"

namespace cairn {

class Store {
 public:
  virtual ~Store() = default;

  virtual KeyValueStore& kv() = 0;
  // The same object for the same realm, as long as the store lives.
  virtual NodeStore& nodes(const RealmId& realm) = 0;
  // Realms that hold nodes.
  virtual Result<std::vector<RealmId>> realms() const = 0;
  // Nothing while it can be read and written; otherwise what is in the way: STORAGE_FULL,
  // STORE_READ_ONLY, IO_ERROR when its directory is gone or it can no longer be written to.
  virtual Result<void> ready() { return {}; }
  // Everything as it is now; what is written to it stays in it. It must not outlive this.
  virtual Result<std::unique_ptr<Store>> snapshot() = 0;
  // A consistent copy of everything committed so far, into a directory that does not exist yet.
  virtual Result<void> backup(const std::filesystem::path& target) = 0;
};

}  // namespace cairn
