#include "tools/depots/depots.h"

#include "tools/executor/render.h"

namespace cairn::depots {
namespace {

// Keys cost who reads them: as many as one goes back by hand. depot_history has all.
constexpr std::size_t kShownHistory = 10;

}  // namespace

shape::Field depot_id() { return {"depotId", shape::text("Depot id (dpt_…)", 5000)}; }

shape::Field limit(std::string_view description) {
  return {"limit", shape::integer(description, 1, 1000), shape::kOptional};
}

shape::Field cursor() {
  return {"cursor", shape::text("nextCursor of the page before"), shape::kOptional};
}

Result<std::optional<NodeKey>> root_of(Call& call, const Place& place) {
  auto root = call.realm().root_at(place);
  if (root) return *root;
  if (root.error().code == Code::kPathNotFound) return std::nullopt;
  return Failure(std::move(root).error());
}

Result<json::Object> details(Call& call, const Place& place) {
  auto depot = TRY(call.realm().get_depot(place.depot));
  auto root = TRY(root_of(call, place));
  auto out = render_depot(call, depot, place, root);
  out["maxHistory"] = depot.max_history;
  json::Array history;
  auto page = TRY(call.realm().history_at(place, kShownHistory + 1, std::nullopt));
  for (const auto& entry : page.entries) {
    // The first is what the depot is now.
    if (history.empty() && root && entry.root == *root && &entry == &page.entries.front()) continue;
    if (history.size() < kShownHistory) history.emplace_back(entry.root.render());
  }
  out["history"] = std::move(history);
  return out;
}

Result<Reply> committed(Call& call, const Place& place, const CommitResult& result) {
  auto out = TRY(details(call, place));
  // Others may have committed since: this is what this commit made.
  out["root"] = result.root.render();
  out["changed"] = result.changed;
  out["merged"] = result.merged;
  if (result.merged) {
    json::Array paths;
    for (const auto& path : result.from_others) paths.emplace_back(path);
    if (const auto fits = fitting(call, paths); fits < paths.size()) {
      out["hint"] = fmt::format(
          "{} more paths came from others; fs_diff from your root to this "
          "one has them",
          paths.size() - fits);
      paths.resize(fits);
    }
    out["fromOthers"] = std::move(paths);
  }
  Reply reply(std::move(out));
  reply.about = result.root;
  return reply;
}

json::Value committed_shape() {
  auto out = depot_shape(true);
  auto& properties = out.as_object()["properties"].as_object();
  properties["changed"] = shape::flag("false: the depot had this root already");
  properties["merged"] = shape::flag("Others had committed; their changes were merged in");
  properties["fromOthers"] = shape::list_of(shape::text(), "Paths whose change came from others");
  properties["hint"] = shape::text();
  return out;
}

Result<DepotId> whole(Call& call, std::string_view address) {
  auto place = TRY(call.sight().place(address));
  if (place.path.is_root()) return place.depot;
  return fail(Code::kForbidden, "you may see only a part of {}; this needs the whole of it",
              place.depot.render());
}

}  // namespace cairn::depots
