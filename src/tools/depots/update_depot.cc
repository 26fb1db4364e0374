#include "tools/depots/depots.h"
#include "tools/depots/tools.h"
#include "tools/executor/render.h"

namespace cairn {
namespace {

Result<Reply> run_update_depot(Call& call, const Arguments& arguments) {
  auto depot = TRY(depots::whole(call, arguments.text("depotId")));
  std::optional<Keep> keep;
  if (auto text = arguments.maybe_text("keep")) keep = TRY(Keep::parse(*text));
  if (auto title = arguments.maybe_text("title")) {
    auto renamed = call.realm().rename_depot(depot, *title);
    if (!renamed) return depots::with_holder(call, std::move(renamed).error());
  }
  if (auto most = arguments.maybe_number("maxHistory")) {
    TRY(call.realm().set_max_history(depot, static_cast<std::uint64_t>(*most)));
  }
  if (keep) TRY(call.realm().set_keep(depot, *keep));
  return Reply(TRY(depots::details(call, Place(depot))));
}

}  // namespace

Tool update_depot() {
  return {
      .name = "update_depot",
      .title = "Rename a depot",
      .description = "Changes a depot's title or how much history it keeps.",
      .input = shape::object(
          {depots::depot_id(),
           {"title", shape::text("New title", Realm::kMaxTitleBytes), shape::kOptional},
           {"maxHistory", shape::integer("Earlier roots to show", 1, Realm::kMaxMaxHistory),
            shape::kOptional},
           depots::keep()}),
      .output = depot_shape(true),
      .annotations = {.destructive = true, .idempotent = true},
      .right = Right::kManageDepots,
      .audience = Audience::kPrograms,
      .audited = {"depotId", "title", "keep"},
      .run = run_update_depot,
  };
}

}  // namespace cairn
