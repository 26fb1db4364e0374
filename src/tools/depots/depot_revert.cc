#include "tools/depots/depots.h"
#include "tools/depots/tools.h"

namespace cairn {
namespace {

Result<Reply> run(Call& call, const Arguments& arguments) {
  auto sight = call.sight();
  auto place = TRY(sight.place(arguments.text("depotId")));
  auto root = TRY(sight.node(arguments.text("root")));
  return depots::committed(call, place,
                           TRY(call.realm().revert(place, root, arguments.text("message"),
                                                   call.session().answers_for())));
}

}  // namespace

Tool depot_revert() {
  return {
      .name = "depot_revert",
      .title = "Go back to an earlier root",
      .description =
          "Brings a root of depot_history back, as a new commit: nothing in the history is lost, "
          "and reverting can itself be reverted. Changes others made since are undone too; to take "
          "back one change, edit and commit instead.",
      .input = shape::object(
          {depots::depot_id(),
           {"root", shape::text("A root of the depot's history (nod_…)")},
           {"message", shape::text("Why", Realm::kMaxMessageBytes), shape::kOptional}}),
      .output = depots::committed_shape(),
      .annotations = {.destructive = true},
      .right = Right::kUpload,
      .audited = {"depotId", "root"},
      .run = run,
  };
}

}  // namespace cairn
