#include "tools/delegates/tools.h"
#include "tools/executor/render.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

Result<Reply> run_rotate_key(Call& call, const Arguments& arguments) {
  auto id = call.session().who().id;
  if (auto given = arguments.maybe_text("delegateId")) id = TRY(DelegateId::parse(*given));
  const std::chrono::seconds overlap(arguments.number("overlap", kMaxKeyOverlap.count()));
  std::optional<std::chrono::seconds> expires_in;
  if (auto seconds = arguments.maybe_number("expiresIn")) expires_in.emplace(*seconds);
  return Reply(render_key(
      TRY(call.services().delegates.rotate_key(call.session(), id, overlap, expires_in))));
}

}  // namespace

Tool rotate_key() {
  return {
      .name = "rotate_key",
      .title = "Replace a key",
      .description =
          "A new key for a delegate that was made with lasting, below you or yourself. The key "
          "before is good for a day yet, so that nothing stops while the new one is put in its "
          "place; with overlap 0 it ends at once. The new key is shown this once.",
      .input = shape::object(
          {{"delegateId", shape::text("dlt_…; default: you"), shape::kOptional},
           {"overlap",
            shape::integer("Seconds that the key before is good yet; default: a day", 0,
                           kMaxKeyOverlap.count()),
            shape::kOptional},
           {"expiresIn",
            shape::integer("Lifetime of the delegate from now on in seconds, at most 366 days; for "
                           "those above it. Default: its end stays",
                           1),
            shape::kOptional}}),
      .output = issued_shape(),
      .annotations = {.destructive = true},
      .audited = {"delegateId"},
      .run = run_rotate_key,
  };
}

}  // namespace cairn
