#include "tools/delegates/tools.h"
#include "tools/depots/depots.h"
#include "tools/executor/page.h"
#include "tools/executor/render.h"

namespace cairn {
namespace {

Result<Reply> run_list_delegates(Call& call, const Arguments& arguments) {
  auto parent = call.session().who().id;
  if (auto given = arguments.maybe_text("parentId")) parent = TRY(DelegateId::parse(*given));
  return list_page(call, arguments, "delegates", [&](auto limit, auto cursor) -> Result<RowPage> {
    const auto& delegates = call.services().delegates;
    auto page = TRY(delegates.list(call.session(), parent, limit, cursor));
    RowPage out{{}, std::move(page.next_cursor)};
    for (const auto& one : page.delegates) out.rows.emplace_back(TRY(render_known(delegates, one)));
    return out;
  });
}

}  // namespace

Tool list_delegates() {
  return {
      .name = "list_delegates",
      .title = "List delegates",
      .description =
          "The delegates you made, oldest first, revoked and expired ones included, with when each "
          "was "
          "last used. Those that your delegates made are listed with parentId.",
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
