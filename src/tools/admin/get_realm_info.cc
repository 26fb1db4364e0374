#include "tools/admin/tools.h"
#include "tools/executor/call.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

Result<Reply> run_get_realm_info(Call& call, const Arguments&) {
  json::Object out;
  out["realm"] = call.session().realm.render();
  if (call.rights().can_upload()) out["commit"] = json::Object();
  out["nodeLimit"] = kMaxNodeBytes;
  out["maxNameBytes"] = kMaxNameBytes;
  out["delegateId"] = call.session().who().id.render();
  out["canUpload"] = call.rights().can_upload();
  out["canManageDepot"] = call.rights().can_manage_depot();
  return Reply(std::move(out));
}

}  // namespace

Tool get_realm_info() {
  return {
      .name = "get_realm_info",
      .title = "Your realm and rights",
      .description =
          "The realm you act in, its limits, and what you may do: commit is present only when you "
          "may write.",
      .input = shape::object({}),
      .output = shape::object(
          {{"realm", shape::text()},
           {"commit", shape::object({}, "Present when you may write"), shape::kOptional},
           {"nodeLimit", shape::integer("Bytes of a node at most")},
           {"maxNameBytes", shape::integer("Bytes of a name at most")},
           {"delegateId", shape::text("Who you are")},
           {"canUpload", shape::flag()},
           {"canManageDepot", shape::flag()}}),
      .annotations = {.read_only = true, .idempotent = true},
      .quick = true,
      .run = run_get_realm_info,
  };
}

}  // namespace cairn
