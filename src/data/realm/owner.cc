#include "data/realm/owner.h"

namespace cairn {
namespace {
constexpr std::string_view kKey = "m owner";
}

Result<RealmId> owner_realm(Store& store, const Clock& clock, Random& random) {
  auto& kv = store.kv();
  while (true) {
    if (auto known = TRY(kv.get(kKey))) return RealmId::from_bytes(*known);
    auto realm = RealmId::make(clock, random);
    Batch batch;
    batch.conditions.push_back({Bytes(kKey), std::nullopt});
    batch.puts.push_back({Bytes(kKey), Bytes(realm.bytes())});
    auto done = kv.commit(std::move(batch));
    if (done) return realm;
    if (done.error().code != Code::kConflict) return Failure(std::move(done).error());
  }
}

}  // namespace cairn
