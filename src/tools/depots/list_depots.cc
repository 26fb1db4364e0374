#include <algorithm>
#include <set>

#include "tools/depots/depots.h"
#include "tools/depots/tools.h"
#include "tools/executor/render.h"

namespace cairn {
namespace {

// A depot as the caller sees it: one row for each of its places.
Result<json::Array> rows_of(Call& call, const Depot& depot) {
  json::Array rows;
  for (const auto& place : call.rights().places(depot.id)) {
    auto root = TRY(depots::root_of(call, place));
    auto row = render_depot(call, depot, place, root);
    row["updatedAt"] = TRY(depots::updated_at(call, depot, place));
    rows.emplace_back(std::move(row));
  }
  return rows;
}

Result<Reply> one_page(json::Array depots) {
  json::Object out;
  out["depots"] = std::move(depots);
  out["nextCursor"] = nullptr;
  out["hasMore"] = false;
  return Reply(std::move(out));
}

// One read, however many depots there are.
Result<Reply> titled(Call& call, std::string_view title) {
  json::Array depots;
  for (const auto& depot : TRY(call.realm().depots_titled(title))) {
    for (auto& row : TRY(rows_of(call, depot))) depots.emplace_back(std::move(row));
  }
  return one_page(std::move(depots));
}

// Those that the caller could restore: of which it saw the whole.
Result<Reply> deleted(Call& call) {
  json::Array depots;
  for (const auto& gone : TRY(call.realm().deleted_depots())) {
    const auto places = call.rights().places(gone.depot.id);
    const auto whole =
        std::ranges::find_if(places, [](const Place& place) { return place.path.is_root(); });
    if (whole == places.end()) continue;
    auto row = render_depot(call, gone.depot, *whole, gone.depot.root);
    row["deletedAt"] = gone.deleted_at;
    row["restorableUntil"] = call.realm().restorable_until(gone);
    depots.emplace_back(std::move(row));
  }
  depots.resize(fitting(call, depots));
  return one_page(std::move(depots));
}

// The same of a caller with a limit: those it sees, and no others. So neither the end of a page nor
// the time that it takes tells of what is hidden.
Result<Reply> of_limited(Call& call, std::size_t limit, std::optional<std::string_view> cursor) {
  std::optional<DepotId> after;
  if (cursor) {
    const auto last = TRY(parse_cursor(*cursor));
    if (last.size() != DepotId().bytes().size()) {
      return fail(Code::kInvalidCursor, "'{}' is not a cursor", *cursor);
    }
    after = DepotId::from_bytes(last);
  }
  std::set<DepotId> seen;  // ids sort by age
  for (const auto& place : TRY(call.sight().places())) {
    if (!after || *after < place.depot) seen.insert(place.depot);
  }
  json::Array depots;
  Budget budget(call.clock(), call.limits());
  std::optional<std::string> last;
  bool more = false;
  for (const auto& id : seen) {
    auto depot = call.realm().get_depot(id);
    if (!depot && depot.error().code == Code::kDepotNotFound) continue;  // deleted meanwhile
    auto rows = TRY(rows_of(call, TRY(std::move(depot))));
    more = depots.size() >= limit ||
           (!budget.take_bytes(static_cast<std::int64_t>(json::write(rows).size())) &&
            !depots.empty());
    if (more) break;
    for (auto& row : rows) depots.emplace_back(std::move(row));
    last = render_cursor(id.bytes());
  }
  json::Object out;
  out["depots"] = std::move(depots);
  out["nextCursor"] = more ? or_null(last) : json::Value(nullptr);
  out["hasMore"] = more;
  return Reply(std::move(out));
}

// Depots are looked at until the page or the answer is full. A depot's places stay on one page, so
// the cursor is always a depot's.
Result<Reply> run_list_depots(Call& call, const Arguments& arguments) {
  if (auto title = arguments.maybe_text("title")) return titled(call, *title);
  if (arguments.flag("deleted")) return deleted(call);
  const auto limit = static_cast<std::size_t>(arguments.number("limit", 100));
  std::optional<std::string> cursor;
  if (auto given = arguments.maybe_text("cursor")) cursor = std::string(*given);
  if (!call.rights().realm_wide()) return of_limited(call, limit, cursor);
  json::Array depots;
  Budget budget(call.clock(), call.limits());
  bool full = false;
  do {
    auto page = TRY(call.realm().list_depots(limit, cursor));
    for (const auto& depot : page.depots) {
      auto rows = TRY(rows_of(call, depot));
      full = !budget.take_bytes(static_cast<std::int64_t>(json::write(rows).size())) &&
             !depots.empty();
      if (full) break;
      for (auto& row : rows) depots.emplace_back(std::move(row));
      cursor = render_cursor(depot.id.bytes());
    }
    if (!full) cursor = std::move(page.next_cursor);
  } while (!full && cursor && depots.size() < limit);
  json::Object out;
  out["depots"] = std::move(depots);
  out["nextCursor"] = or_null(cursor);
  out["hasMore"] = cursor.has_value();
  return Reply(std::move(out));
}

json::Value row_shape() {
  auto out = depot_shape(false);
  auto& properties = out.as_object()["properties"].as_object();
  properties["deletedAt"] = shape::integer();
  properties["restorableUntil"] = shape::integer();
  return out;
}

}  // namespace

Tool list_depots() {
  return {
      .name = "list_depots",
      .title = "List depots",
      .description =
          "The depots you may see, oldest first. A depot is a named tree of files with history, "
          "like a git branch; its depotId is the nodeKey of the fs tools. Usually the first call.",
      .input = shape::object(
          {{"title", shape::text("Only this one"), shape::kOptional},
           {"deleted", shape::flag("Those that restore_depot brings back"), shape::kOptional},
           depots::limit("Default 100"),
           depots::cursor()}),
      .output = shape::object({{"depots", shape::list_of(row_shape())},
                               {"nextCursor", shape::nullable(shape::text())},
                               {"hasMore", shape::flag()}}),
      .annotations = {.read_only = true, .idempotent = true},
      .run = run_list_depots,
  };
}

}  // namespace cairn
