#include "tools/delegates/tools.h"
#include "tools/executor/render.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

Result<Reply> run_revoke_delegate(Call& call, const Arguments& arguments) {
  auto id = TRY(DelegateId::parse(arguments.text("delegateId")));
  return Reply(render_delegate(TRY(call.services().delegates.revoke(call.session(), id))));
}

}  // namespace

Tool revoke_delegate() {
  return {
      .name = "revoke_delegate",
      .title = "Revoke a delegate",
      .description =
          "Ends a delegate below you at once, and with it every delegate below that one. It cannot "
          "be undone: make a new one instead. What they committed stays.",
      .input = shape::object({{"delegateId", shape::text("dlt_…")}}),
      .output = delegate_shape(),
      .annotations = {.destructive = true, .idempotent = true},
      .audited = {"delegateId"},
      .run = run_revoke_delegate,
  };
}

}  // namespace cairn
