#include "data/realm/owner.h"

#include "data/store/update.h"

namespace cairn {
namespace {
constexpr std::string_view kKey = "m owner";
}

Result<RealmId> owner_realm(Store& store, const Clock& clock, Random& random) {
  const Bytes key(kKey);
  return update(store.kv(), key, "the owner",
                [&](const auto& stored, Batch& batch) -> Result<RealmId> {
                  if (stored) return RealmId::from_bytes(*stored);
                  const auto realm = RealmId::make(clock, random);
                  batch.puts.push_back({key, Bytes(realm.bytes())});
                  return realm;
                });
}

}  // namespace cairn
