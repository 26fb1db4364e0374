#include "data/realm/gc.h"
#include "tools/admin/tools.h"
#include "tools/executor/call.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

Result<Reply> run(Call& call, const Arguments&) {
  auto keep = TRY(call.services().delegates.frozen_roots(call.session().realm));
  auto report = TRY(collect_garbage(call.realm(), keep));
  json::Object out;
  out["marked"] = report.marked;
  out["removed"] = report.removed;
  out["freedBytes"] = report.freed_bytes;
  return Reply(std::move(out));
}

}  // namespace

Tool collect_garbage_tool() {
  return {
      .name = "collect_garbage",
      .title = "Collect garbage",
      .description =
          "Removes nodes of the realm that no depot, history or delegate holds and nobody wrote "
          "within the last day.",
      .input = shape::object({}),
      .output = shape::object({{"marked", shape::integer("Nodes in use")},
                               {"removed", shape::integer()},
                               {"freedBytes", shape::integer()}}),
      .annotations = {.destructive = true, .idempotent = true},
      .right = Right::kOwn,
      .audience = Audience::kPrograms,
      .run = run,
  };
}

}  // namespace cairn
