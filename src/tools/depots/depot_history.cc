#include "tools/depots/depots.h"
#include "tools/depots/tools.h"
#include "tools/executor/render.h"

namespace cairn {
namespace {

Result<Reply> run(Call& call, const Arguments& arguments) {
  auto place = TRY(call.sight().place(arguments.text("depotId")));
  const auto limit = static_cast<std::size_t>(arguments.number("limit", 50));
  const auto cursor = arguments.maybe_text("cursor");
  auto page = TRY(call.realm().history_at(place, limit, cursor));
  json::Array entries;
  for (const auto& entry : page.entries) entries.emplace_back(render_history_entry(entry));
  if (const auto fits = fitting(call, entries); fits < entries.size()) {
    entries.resize(fits);
    page = TRY(call.realm().history_at(place, fits, cursor));  // for its cursor
  }
  json::Object out;
  out["entries"] = std::move(entries);
  out["nextCursor"] = or_null(page.next_cursor);
  return Reply(std::move(out));
}

}  // namespace

Tool depot_history() {
  return {
      .name = "depot_history",
      .title = "The history of a depot",
      .description =
          "Commits of a depot, newest first; the first is what it is now. Use a root as nodeKey to "
          "look at that version, with fs_diff to see what changed since, or with depot_revert to "
          "go back to it.",
      .input = shape::object(
          {depots::depot_id(), depots::limit("Commits per page (default 50)"), depots::cursor()}),
      .output = shape::object({{"entries", shape::list_of(history_entry_shape())},
                               {"nextCursor", shape::nullable(shape::text())}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audited = {"depotId"},
      .run = run,
  };
}

}  // namespace cairn
