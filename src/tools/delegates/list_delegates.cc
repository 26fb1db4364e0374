#include "tools/delegates/tools.h"
#include "tools/depots/depots.h"
#include "tools/executor/render.h"

namespace cairn {
namespace {

Result<Reply> run_list_delegates(Call& call, const Arguments& arguments) {
  auto parent = call.session().who().id;
  if (auto given = arguments.maybe_text("parentId")) parent = TRY(DelegateId::parse(*given));
  const auto limit = static_cast<std::size_t>(arguments.number("limit", 100));
  const auto cursor = arguments.maybe_text("cursor");
  const auto& known = call.services().delegates;
  auto page = TRY(known.list(call.session(), parent, limit, cursor));
  json::Array delegates;
  for (const auto& delegate : page.delegates) delegates.emplace_back(render_delegate(delegate));
  if (const auto fits = fitting(call, delegates); fits < delegates.size()) {
    delegates.resize(fits);
    page = TRY(known.list(call.session(), parent, fits, cursor));  // for its cursor
  }
  json::Object out;
  out["delegates"] = std::move(delegates);
  out["nextCursor"] = or_null(page.next_cursor);
  return Reply(std::move(out));
}

}  // namespace

Tool list_delegates() {
  return {
      .name = "list_delegates",
      .title = "List delegates",
      .description =
          "The delegates you made, oldest first, revoked and expired ones included. Those that "
          "your delegates made are listed with parentId.",
      .input = shape::object(
          {{"parentId", shape::text("One below you (dlt_…); default: you"), shape::kOptional},
           depots::limit("Delegates per page (default 100)"),
           depots::cursor()}),
      .output = shape::object({{"delegates", shape::list_of(delegate_shape())},
                               {"nextCursor", shape::nullable(shape::text())}}),
      .annotations = {.read_only = true, .idempotent = true},
      .run = run_list_delegates,
  };
}

}  // namespace cairn
