#include "tools/depots/depots.h"
#include "tools/depots/tools.h"
#include "tools/executor/render.h"

namespace cairn {
namespace {

Result<Reply> run_get_depot(Call& call, const Arguments& arguments) {
  auto place = TRY(call.sight().place(arguments.text("depotId")));
  Reply reply(TRY(depots::details(call, place)));
  reply.about = TRY(depots::root_of(call, place));
  reply.cacheable = false;  // titles and histories change under one root
  return reply;
}

}  // namespace

Tool get_depot() {
  return {
      .name = "get_depot",
      .title = "One depot",
      .description =
          "A depot's title, root, last ten earlier roots and tags. To read its files pass the "
          "depotId as nodeKey; the root, to keep to one version while others commit; dpt_…@~1, "
          "@#14, @2h, @2026-11-01 or @tag for an earlier one.",
      .input = shape::object({depots::depot_id()}),
      .output = depot_shape(true),
      .annotations = {.read_only = true, .idempotent = true},
      .audited = {"depotId"},
      .run = run_get_depot,
  };
}

}  // namespace cairn
