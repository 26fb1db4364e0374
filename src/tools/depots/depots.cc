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

shape::Field cursor() { return {"cursor", shape::text("From nextCursor"), shape::kOptional}; }

shape::Field keep() {
  return {"keep", shape::text("History kept: 'all', or e.g. '30d,daily=365d,last=100' (default)"),
          shape::kOptional};
}

Result<std::optional<NodeKey>> root_of(Call& call, const Place& place) {
  auto root = call.realm().root_at(place);
  if (root) return *root;
  if (root.error().code == Code::kPathNotFound) return std::nullopt;
  return Failure(std::move(root).error());
}

Result<Millis> updated_at(Call& call, const Depot& depot, const Place& place) {
  if (place.path.is_root()) return depot.updated_at;
  // Each page looks at a thousand commits. What is older than those was not changed for long.
  constexpr int kPages = 3;
  std::optional<std::string> cursor;
  for (int i = 0; i < kPages; ++i) {
    auto page = TRY(call.realm().history_at(place, 1, cursor));
    if (!page.entries.empty()) return page.entries.front().time;
    cursor = std::move(page.next_cursor);
    if (!cursor) break;
  }
  return depot.created_at;
}

namespace {

// The roots before this one, the newest first, and the number of the commit that made this one.
struct Before {
  json::Array roots;
  std::optional<std::uint64_t> change;
  bool more = false;
};

Result<Before> history_before(Call& call, const Place& place, const std::optional<NodeKey>& root,
                              std::size_t most) {
  constexpr std::size_t kPage = 1000;
  Before out;
  // Of a part of a depot each commit costs a look at its tree: one page has to do.
  const bool whole = place.path.is_root();
  std::optional<std::string> cursor;
  std::vector<HistoryEntry> entries;
  do {
    const auto wanted = std::min(kPage, most + 1 - entries.size());
    auto page = TRY(call.realm().history_at(place, wanted, cursor));
    std::ranges::move(page.entries, std::back_inserter(entries));
    cursor = std::move(page.next_cursor);
  } while (cursor && whole && entries.size() <= most);
  // Others may have committed since it became the root.
  auto from =
      std::ranges::find(entries, root, [](const auto& entry) { return std::optional(entry.root); });
  if (from == entries.end()) {
    from = entries.begin();
  } else {
    out.change = from->sequence;
    ++from;
  }
  for (; from != entries.end() && out.roots.size() < most; ++from) {
    out.roots.emplace_back(from->root.render());
  }
  out.more = cursor.has_value() || from != entries.end();
  return out;
}

enum class Shown { kAll, kShort };

Result<json::Object> details_of(Call& call, const Depot& depot, const Place& place,
                                const std::optional<NodeKey>& root, Shown shown) {
  auto out = render_depot(call, depot, place, root);
  out["updatedAt"] = TRY(updated_at(call, depot, place));
  // Programs get what the depot says; agents pay for each key.
  const bool all = shown == Shown::kAll && call.entrance() != Entrance::kMcp;
  const auto most =
      all ? depot.max_history : std::min<std::uint64_t>(depot.max_history, kShownHistory);
  // What was there before is not for everybody.
  if (!call.rights().sees_history()) {
    out["maxHistory"] = depot.max_history;
    out["history"] = json::Array();
    return out;
  }
  auto before = TRY(history_before(call, place, root, most));
  out["maxHistory"] = depot.max_history;
  out["history"] = std::move(before.roots);
  if (before.change) out["change"] = *before.change;
  // From a part of a depot nobody has counted; that there are more is known.
  const bool whole = place.path.is_root();
  if (whole) out["historyCount"] = TRY(call.realm().history_length(depot)) - 1;
  if (before.more && !whole) out["moreHistory"] = true;
  if (shown == Shown::kShort || !whole) return out;
  out["keep"] = depot.keep.render();
  json::Array tags;
  for (const auto& tag : TRY(call.realm().tags(depot.id))) {
    tags.emplace_back(json::Object{{"name", tag.name}, {"change", tag.sequence}});
  }
  tags.resize(fitting(call, tags));
  out["tags"] = std::move(tags);
  return out;
}

}  // namespace

Result<json::Object> details(Call& call, const Place& place) {
  const auto depot = TRY(call.realm().get_depot(place.depot));
  return details_of(call, depot, place, TRY(root_of(call, place)), Shown::kAll);
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
  if (result.base_unknown) {
    out["hint"] =
        "nobody knows what this root grew from, so it would take the place of all that is there; "
        "with expectedRoot, the root it began at, it is merged";
  }
  out["dryRun"] = true;
  return Reply(std::move(out));
}

Result<Reply> committed(Call& call, const Place& place, const CommitResult& result) {
  // From the commit's own result: others may have committed since.
  auto out = TRY(details_of(call, result.depot, place, result.root, Shown::kShort));
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
  // Of what get_depot says, that which one goes on with.
  out.as_object()["required"] = json::Array{"depotId", "root"};
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
    return Failure(advised(std::move(error), fmt::format("the one that has it is {}", id)));
  }
  error.details.erase(held);
  return Failure(std::move(error));
}

}  // namespace cairn::depots
