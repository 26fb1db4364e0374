#include "tools/depots/depots.h"
#include "tools/depots/tools.h"
#include "tools/executor/render.h"

namespace cairn {
namespace {

Result<Reply> run_delete_depot(Call& call, const Arguments& arguments) {
  auto depot = TRY(depots::whole(call, arguments.text("depotId")));
  const bool dry_run = arguments.flag("dryRun");
  const auto gone = dry_run ? DeletedDepot{TRY(call.realm().get_depot(depot)), call.clock().now()}
                            : TRY(call.realm().delete_depot(depot));
  json::Object out;
  if (dry_run) out["dryRun"] = true;
  out["deleted"] = depot.render();
  out["title"] = gone.depot.title;
  out["restorableUntil"] = call.realm().restorable_until(gone);
  return Reply(std::move(out));
}

Result<Reply> run_restore(Call& call, const Arguments& arguments) {
  // Of its rights alone: the depot is in nobody's sight.
  const auto place = TRY(call.rights().place_at(arguments.text("depotId")));
  if (!place.path.is_root()) {
    return fail(Code::kForbidden, "you may see only a part of {}; this needs the whole of it",
                place.depot.render());
  }
  auto restored = call.realm().restore_depot(place.depot, arguments.maybe_text("title"));
  if (!restored) return depots::with_holder(call, std::move(restored).error());
  return Reply(TRY(depots::details(call, place)));
}

}  // namespace

Tool delete_depot() {
  return {
      .name = "delete_depot",
      .title = "Delete a depot",
      .description =
          "Takes a depot and its history out of sight; its title is free. restore_depot brings it "
          "back until restorableUntil; after that it is collected as garbage.",
      .input = shape::object({depots::depot_id(), depots::dry_run()}),
      .output = shape::object({{"deleted", shape::text()},
                               {"title", shape::text()},
                               {"restorableUntil", shape::integer("Milliseconds since 1970")},
                               {"dryRun", shape::flag("Nothing was changed"), shape::kOptional}}),
      .annotations = {.destructive = true},
      .right = Right::kManageDepots,
      .audience = Audience::kPrograms,
      .audited = {"depotId"},
      .run = run_delete_depot,
  };
}

Tool restore_depot() {
  return {
      .name = "restore_depot",
      .title = "Restore a deleted depot",
      .description =
          "Brings a deleted depot back with its history; list_depots with deleted shows which "
          "there are. When another depot has its title now, give it a new one.",
      .input = shape::object(
          {depots::depot_id(),
           {"title", shape::text("Another title", Realm::kMaxTitleBytes), shape::kOptional}}),
      .output = depot_shape(true),
      .annotations = {},
      .right = Right::kManageDepots,
      .audience = Audience::kPrograms,
      .audited = {"depotId", "title"},
      .run = run_restore,
  };
}

}  // namespace cairn
