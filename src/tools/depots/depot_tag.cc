#include "tools/depots/depots.h"
#include "tools/depots/tools.h"
#include "tools/executor/render.h"

namespace cairn {
namespace {

Result<Reply> run_depot_tag(Call& call, const Arguments& arguments) {
  const auto depot = TRY(depots::whole(call, arguments.text("depotId")));
  TRY(call.sight().check_history());
  const auto name = arguments.text("name");
  json::Object out;
  out["name"] = name;
  if (arguments.flag("remove")) {
    if (arguments.maybe_text("version")) {
      return fail(Code::kInvalidArgument, "'remove' takes no 'version'");
    }
    TRY(call.realm().remove_tag(depot, name));
    out["removed"] = true;
    return Reply(std::move(out));
  }
  const auto version = TRY(Version::parse(arguments.maybe_text("version").value_or("~0")));
  const auto entry = TRY(call.realm().version_at(depot, version));
  const auto tag = TRY(call.realm().set_tag(depot, name, entry.sequence));
  out["change"] = tag.sequence;
  out["root"] = entry.root.render();
  return Reply(std::move(out));
}

}  // namespace

Tool depot_tag() {
  return {
      .name = "depot_tag",
      .title = "Name a version",
      .description =
          "Gives a version of a depot a name, or moves or removes one. A version with a name is "
          "kept for ever, and dpt_…@name reads it. get_depot lists them.",
      .input = shape::object(
          {depots::depot_id(),
           {"name", shape::text("E.g. v1", 64)},
           {"version", shape::text("~1, #14, 2h, 2026-11-01 … (default: now)"), shape::kOptional},
           {"remove", shape::flag("Take the name away"), shape::kOptional}}),
      .output = shape::object({{"name", shape::text()},
                               {"change", shape::integer(), shape::kOptional},
                               {"root", shape::text(), shape::kOptional},
                               {"removed", shape::flag(), shape::kOptional}}),
      .annotations = {.idempotent = true},
      .right = Right::kUpload,
      .audited = {"depotId", "name", "version"},
      .run = run_depot_tag,
  };
}

}  // namespace cairn
