#include "tools/delegates/tools.h"
#include "tools/executor/render.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

Result<Reply> run_get_delegate(Call& call, const Arguments& arguments) {
  auto id = call.session().who().id;
  if (auto given = arguments.maybe_text("delegateId")) id = TRY(DelegateId::parse(*given));
  const auto& delegates = call.services().delegates;
  return Reply(TRY(render_known(delegates, TRY(delegates.get(call.session(), id)))));
}

}  // namespace

Tool get_delegate() {
  return {
      .name = "get_delegate",
      .title = "One delegate",
      .description =
          "A delegate below you, or yourself when delegateId is left out: rights, scope, expiry, "
          "last use.",
      .input =
          shape::object({{"delegateId", shape::text("dlt_…; default: you"), shape::kOptional}}),
      .output = delegate_shape(),
      .annotations = {.read_only = true, .idempotent = true},
      .audited = {"delegateId"},
      .run = run_get_delegate,
  };
}

}  // namespace cairn
