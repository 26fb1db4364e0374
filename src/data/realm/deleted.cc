// Realm::delete_depot, deleted_depots and restore_depot: a depot out of sight, and back.
//
// A deleted depot's record lies under another letter, so that whatever looks for depots does not
// find it. Its history stays where it is, and is nobody's without the record.

#include <algorithm>

#include "data/realm/realm.h"
#include "data/store/update.h"

namespace cairn {

Result<DeletedDepot> Realm::delete_depot(const DepotId& depot) {
  const auto key = records::depot_key(id_, depot);
  return cairn::update(
      kv_, key, "the depot " + depot.render(),
      [&](const auto& stored, Batch& batch) -> Result<DeletedDepot> {
        if (!stored) {
          return fail(Code::kDepotNotFound,
                      "there is no depot {}; list the depots to see their ids", depot.render());
        }
        DeletedDepot deleted{TRY(records::decode_depot(key, *stored)), clock_.now()};
        batch.realm = id_;
        batch.growth = Growth::kFrees;
        TRY(titles_.free(batch, deleted.depot.title, depot));
        batch.deletes.push_back(key);
        batch.puts.push_back({records::deleted_key(id_, depot), records::encode(deleted)});
        return deleted;
      });
}

Millis Realm::restorable_until(const DeletedDepot& deleted) const {
  return deleted.deleted_at + std::max(options_.restorable, options_.grace).count();
}

Result<std::vector<DeletedDepot>> Realm::deleted_depots() const {
  std::vector<DeletedDepot> out;
  TRY(scan_records(kv_, records::deleted(id_), [&](ByteView key, ByteView value) -> Result<void> {
    out.push_back(TRY(records::decode_deleted(key, value)));
    return {};
  }));
  return out;
}

Result<Depot> Realm::restore_depot(const DepotId& depot, std::optional<std::string_view> title) {
  if (title) TRY(check_title(*title));
  const auto key = records::deleted_key(id_, depot);
  return cairn::update(
      kv_, key, "the depot " + depot.render(),
      [&](const auto& stored, Batch& batch) -> Result<Depot> {
        if (!stored) {
          return fail(Code::kDepotNotFound,
                      "there is no deleted depot {}: it was never deleted, is restored already, or "
                      "was deleted too long ago",
                      depot.render());
        }
        auto restored = TRY(records::decode_deleted(key, *stored)).depot;
        if (title) restored.title = *title;
        batch.realm = id_;
        TRY(titles_.take(batch, restored.title, depot));
        batch.deletes.push_back(key);
        const auto live = records::depot_key(id_, depot);
        batch.conditions.push_back({live, std::nullopt});
        batch.puts.push_back({live, records::encode(restored)});
        return restored;
      });
}

}  // namespace cairn
