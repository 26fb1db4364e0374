#include "tools/depots/depots.h"
#include "tools/depots/tools.h"

namespace cairn {
namespace {

Result<Reply> run(Call& call, const Arguments& arguments) {
  auto depot = TRY(depots::whole(call, arguments.text("depotId")));
  TRY(call.realm().delete_depot(depot));
  json::Object out;
  out["deleted"] = depot.render();
  return Reply(std::move(out));
}

}  // namespace

Tool delete_depot() {
  return {
      .name = "delete_depot",
      .title = "Delete a depot",
      .description =
          "Deletes a depot and its history. Its nodes stay until garbage is collected; after that "
          "nothing brings them back.",
      .input = shape::object({depots::depot_id()}),
      .output = shape::object({{"deleted", shape::text()}}),
      .annotations = {.destructive = true},
      .right = Right::kManageDepots,
      .audience = Audience::kPrograms,
      .audited = {"depotId"},
      .run = run,
  };
}

}  // namespace cairn
