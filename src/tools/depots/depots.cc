#include "tools/depots/depots.h"

#include <algorithm>
#include <iterator>

#include "base/explain.h"
#include "tools/executor/render.h"

namespace cairn::depots {
namespace {

// Keys cost tokens: as many are shown as one goes back by hand. depot_history has all.
constexpr std::size_t kShownHistory = 10;

}  // namespace

shape::Field depot_id() { return {"depotId", shape::text("Depot id (dpt_…)", 5000)}; }

shape::Field limit(std::string_view description) {
  return {"limit", shape::integer(description, 1, 1000), shape::kOptional};
}

shape::Field dry_run() {
  return {"dryRun", shape::flag("Only say what would happen"), shape::kOptional};
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

namespace {

// The roots before this one, the newest first.
Result<json::Array> history_before(Call& call, const Place& place,
                                   const std::optional<NodeKey>& root) {
  const auto page = TRY(call.realm().history_at(place, kShownHistory + 1, std::nullopt));
  const auto& entries = page.entries;
  // Others may have committed since it became the root.
  auto from =
      std::ranges::find(entries, root, [](const auto& entry) { return std::optional(entry.root); });
  from = from == entries.end() ? entries.begin() : std::next(from);
  json::Array out;
  for (; from != entries.end() && out.size() < kShownHistory; ++from) {
    out.emplace_back(from->root.render());
  }
  return out;
}

Result<json::Object> details_of(Call& call, const Depot& depot, const Place& place,
                                const std::optional<NodeKey>& root) {
  auto out = render_depot(call, depot, place, root);
  out["maxHistory"] = depot.max_history;
  out["history"] = TRY(history_before(call, place, root));
  return out;
}

}  // namespace

Result<json::Object> details(Call& call, const Place& place) {
  const auto depot = TRY(call.realm().get_depot(place.depot));
  return details_of(call, depot, place, TRY(root_of(call, place)));
}

namespace {

void add_outcome(const Call& call, json::Object& out, const CommitResult& result) {
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
  if (!result.same_as_others.empty()) {
    json::Array paths;
    for (const auto& path : result.same_as_others) paths.emplace_back(path);
    paths.resize(fitting(call, paths));
    out["sameAsOthers"] = std::move(paths);
  }
  if (result.base_unknown) {
    out["hint"] =
        "nobody knows what this root grew from, so it took the place of all that was there; "
        "depot_revert to the first root in history brings that back";
  }
}

}  // namespace

Result<Reply> would_commit(Call& call, const Place& place, const CommitResult& result) {
  auto out = TRY(details(call, place));
  add_outcome(call, out, result);
  out["dryRun"] = true;
  return Reply(std::move(out));
}

Result<Reply> committed(Call& call, const Place& place, const CommitResult& result) {
  // From the commit's own result: others may have committed since.
  auto out = TRY(details_of(call, result.depot, place, result.root));
  add_outcome(call, out, result);
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
  properties["sameAsOthers"] = shape::list_of(
      shape::text(), "Paths where others had made the same change: yours is in it only once");
  properties["uncommitted"] =
      shape::list_of(shape::object({{"root", shape::text()},
                                    {"paths", shape::list_of(shape::text(), "Not in the depot")},
                                    {"more", shape::flag("Of paths"), shape::kOptional}}),
                     "Roots that you made from this depot and did not commit");
  properties["hint"] = shape::text();
  properties["dryRun"] = shape::flag("Nothing was changed");
  return out;
}

Result<DepotId> whole(Call& call, std::string_view address) {
  auto place = TRY(call.sight().place(address));
  if (place.path.is_root()) return place.depot;
  return fail(Code::kForbidden, "you may see only a part of {}; this needs the whole of it",
              place.depot.render());
}

Failure with_holder(Call& call, Error error) {
  const auto held = error.details.find("depotId");
  if (error.code != Code::kTargetExists || held == error.details.end()) {
    return Failure(std::move(error));
  }
  const auto id = std::get<std::string>(held->second);
  const auto depot = DepotId::parse(id);
  if (depot && !call.rights().places(*depot).empty()) {
    return Failure(advised(std::move(error), fmt::format("it is {}", id)));
  }
  error.details.erase(held);
  return Failure(std::move(error));
}

}  // namespace cairn::depots
