#include "data/realm/path_history.h"
#include "tools/depots/changes.h"
#include "tools/depots/depots.h"
#include "tools/depots/tools.h"
#include "tools/executor/render.h"

namespace cairn {
namespace {

// One page, with no more rows than the answer has room for.
struct Rows {
  json::Array rows;
  std::optional<std::string> next;
};

Result<json::Object> row(Call& call, const Place& place, const HistoryEntry& entry,
                         const std::vector<Tag>& tags) {
  auto out = render_history_entry(entry);
  out["message"] = TRY(depots::Changes(call, place).message(entry));
  json::Array names;
  for (const auto& tag : tags) {
    if (tag.sequence == entry.sequence) names.emplace_back(tag.name);
  }
  if (!names.empty()) out["tags"] = std::move(names);
  return out;
}

// The commits that changed a path, with the roots of the place: those are what one goes back to.
Result<Rows> page_of_path(Call& call, const Place& place, const Path& path, std::size_t limit,
                          std::optional<std::string_view> cursor, const std::vector<Tag>& tags) {
  Place where = place;
  for (const auto& name : path.segments()) where.path = where.path.child(name);
  auto page = TRY(path_history(call.realm(), where, limit, cursor));
  Rows out;
  out.next = std::move(page.next_cursor);
  for (auto& change : page.changes) {
    const auto then = TRY(find_place(call.realm().nodes(), change.commit.root, place.path));
    if (!then) continue;  // the whole place went
    change.commit.root = then->key;
    auto& shown = out.rows.emplace_back(TRY(row(call, place, change.commit, tags))).as_object();
    if (change.key) {
      shown["key"] = change.key->render();
    } else {
      shown["removed"] = true;
    }
  }
  return out;
}

Result<Rows> page_of(Call& call, const Place& place, const Path& path, std::size_t limit,
                     std::optional<std::string_view> cursor) {
  // Names were given with the whole depot in mind.
  const auto tags = place.path.is_root() ? TRY(call.realm().tags(place.depot)) : std::vector<Tag>();
  if (!path.is_root()) return page_of_path(call, place, path, limit, cursor, tags);
  auto page = TRY(call.realm().history_at(place, limit, cursor));
  Rows out;
  out.next = std::move(page.next_cursor);
  for (const auto& entry : page.entries) {
    out.rows.emplace_back(TRY(row(call, place, entry, tags)));
  }
  return out;
}

// Where the page begins: at the cursor, at the version that is named, or now.
struct Beginning {
  Place place;
  std::optional<std::string> cursor;
};
Result<Beginning> beginning(Call& call, const Arguments& arguments) {
  const auto depot = arguments.text("depotId");
  const auto cursor = arguments.maybe_text("cursor");
  const auto named = depot.contains('@') ? TRY(call.sight().target(depot)) : Target();
  Beginning out;
  out.place = named.version_of ? *named.version_of : TRY(call.sight().place(depot));
  if (cursor) {
    out.cursor = *cursor;
  } else if (named.version_of) {
    const bool by_id = depot.starts_with(DepotTag::kPrefix);
    const auto version = by_id ? TRY(DepotAddress::parse(depot)).version.value()
                               : TRY(Version::parse(depot.substr(depot.rfind('@') + 1)));
    out.cursor = history_cursor(TRY(call.realm().version_at(out.place, version)).sequence);
  }
  return out;
}

Result<Reply> run_depot_history(Call& call, const Arguments& arguments) {
  auto [place, cursor] = TRY(beginning(call, arguments));
  TRY(call.sight().check_history());
  const auto path = TRY(Path::parse(arguments.text("path")));
  TRY(check_place(path));
  const auto limit = static_cast<std::size_t>(arguments.number("limit", 50));
  auto page = TRY(page_of(call, place, path, limit, cursor));
  if (const auto fits = fitting(call, page.rows); fits < page.rows.size()) {
    page = TRY(page_of(call, place, path, fits, cursor));  // for its cursor
  }
  json::Object out;
  out["entries"] = std::move(page.rows);
  out["nextCursor"] = or_null(page.next);
  return Reply(std::move(out));
}

}  // namespace

Tool depot_history() {
  return {
      .name = "depot_history",
      .title = "The history of a depot",
      .description =
          "Commits of a depot, newest first; the first is what it is now. Use a root, or "
          "dpt_…@#14, as nodeKey to look at that version; depot_undo takes a commit back, "
          "depot_revert goes back to one.",
      .input =
          shape::object({depots::depot_id(),
                         {"path", shape::text("Only commits that changed this", Path::kMaxBytes),
                          shape::kOptional},
                         depots::limit("Default 50"),
                         depots::cursor()}),
      .output = shape::object({{"entries", shape::list_of(history_entry_shape())},
                               {"nextCursor", shape::nullable(shape::text())}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audited = {"depotId", "path"},
      .run = run_depot_history,
  };
}

}  // namespace cairn
