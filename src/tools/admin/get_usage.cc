#include "tools/admin/tools.h"
#include "tools/executor/call.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

Result<Reply> run_get_usage(Call& call, const Arguments&) {
  // Counts of the whole would tell whether something is stored that the caller may not see.
  if (!call.rights().realm_wide()) {
    return fail(Code::kForbidden,
                "usage is counted for the whole realm, and this delegate sees only a part of it");
  }
  auto usage = TRY(call.realm().usage());
  json::Object out;
  out["realm"] = call.session().realm.render();
  out["physicalBytes"] = usage.physical_bytes;
  out["logicalBytes"] = usage.logical_bytes;
  out["nodeCount"] = usage.node_count;
  out["quotaLimit"] = usage.quota_limit;
  out["updatedAt"] = call.clock().now();
  return Reply(std::move(out));
}

}  // namespace

Tool get_usage() {
  return {
      .name = "get_usage",
      .title = "Storage in use",
      .description =
          "What the realm stores: bytes as stored (physical, what the quota counts), bytes before "
          "compression (logical), nodes. quotaLimit 0: no quota.",
      .input = shape::object({}),
      .output = shape::object({{"realm", shape::text()},
                               {"physicalBytes", shape::integer()},
                               {"logicalBytes", shape::integer()},
                               {"nodeCount", shape::integer()},
                               {"quotaLimit", shape::integer("0: none")},
                               {"updatedAt", shape::integer("Milliseconds since 1970")}}),
      .annotations = {.read_only = true, .idempotent = true},
      .quick = true,
      .run = run_get_usage,
  };
}

}  // namespace cairn
