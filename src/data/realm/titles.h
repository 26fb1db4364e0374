// Titles: which depot has which title. A title is one depot's in its realm, so that people can name
// depots by it.
//
// The index lies beside the depots and changes in the same batch as they do. A store from before
// titles were unique gets it, in one step, when it is first asked for; depots that share a title
// there all stay in it, until they are renamed or deleted.
//
// Threads     every function may be called from any thread.
// Fails with  INVALID_ARGUMENT for what cannot be a title, TARGET_EXISTS with the `depotId` that
//             has it.
#pragma once

#include <string_view>
#include <vector>

#include "data/realm/records.h"
#include "data/store/key_value.h"

namespace cairn {

// A title is shown in lists and written in addresses, `TITLE:PATH`: 1 to 200 bytes of UTF-8, no
// control characters, no blank at either end, no colon, not like an id or a key.
Result<void> check_title(std::string_view title);

class Titles final {
 public:
  static constexpr std::size_t kMaxBytes = 200;

  Titles(KeyValueStore& kv, const RealmId& realm) : kv_(kv), realm_(realm) {}
  Titles(const Titles&) = delete;
  Titles& operator=(const Titles&) = delete;

  // None, or one; several only from before titles were unique. One read.
  Result<std::vector<DepotId>> find(std::string_view title) const;

  // As a part of the batch that makes, renames or deletes the depot.
  Result<void> take(Batch& batch, std::string_view title, const DepotId& depot);
  Result<void> free(Batch& batch, std::string_view title, const DepotId& depot);

 private:
  Result<void> build() const;

  KeyValueStore& kv_;
  RealmId realm_;
};

}  // namespace cairn
