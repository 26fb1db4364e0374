#include "exposure/workspace/depot_desk.h"

#include "base/quote.h"
#include "base/similar.h"
#include "data/access/sight.h"

namespace cairn::workspaces {
namespace {

struct Found {
  Caller caller;
  std::string address;
  std::string title;
};

Result<Found> at_id(Realm& realm, const Caller& caller, std::string_view name) {
  const Sight sight(realm, caller.session());
  auto place = sight.place(name);
  const auto slash = name.find('/');
  if (!place && slash != std::string_view::npos) {
    // A directory of what the caller sees, as if it were all.
    auto whole = sight.place(name.substr(0, slash));
    if (!whole) return Failure(std::move(place).error());
    for (const auto& segment : TRY(Path::parse(name.substr(slash + 1))).segments()) {
      whole->path = whole->path.child(segment);
    }
    TRY(check_place(whole->path));
    TRY(realm.root_at(*whole));
    return Found{caller.within(*whole, caller.session().who().id), whole->depot.render(),
                 std::string(name)};
  }
  return Found{caller, std::string(name), TRY(realm.get_depot(TRY(std::move(place)).depot)).title};
}

// By its id, by the id and a path in it, or by a title that no other has.
Result<Found> find_depot(Executor& executor, const Caller& caller, std::string_view name) {
  auto& realm = executor.services().realms.get(caller.session().realm);
  if (name.starts_with("dpt_")) return at_id(realm, caller, name);
  std::vector<Found> same;
  std::vector<std::string> titles;
  for (const auto& place : TRY(Sight(realm, caller.session()).places())) {
    auto title = TRY(realm.get_depot(place.depot)).title;
    titles.push_back(title);
    if (title != name) continue;
    same.push_back({caller, caller.session().rights.address_of(place), std::move(title)});
  }
  if (same.size() == 1) return same.front();
  if (same.size() > 1) {
    std::string ids;
    for (const auto& one : same) ids += " " + one.address;
    return fail(Code::kInvalidArgument, "several have the title '{}'; name one of these:{}",
                shown(name), shown(ids, 500));
  }
  const auto near = most_similar(name, titles);
  return fail(Code::kDepotNotFound, "there is no depot '{}'{}", shown(name),
              near.empty() ? "; 'cairn depot create' makes one"
                           : fmt::format("; did you mean '{}'?", shown(near)));
}

}  // namespace

DepotDesk::DepotDesk(Choice choice, Executor& executor, Caller caller, std::string depot,
                     std::string title, std::string desk)
    : Desk(std::move(choice)),
      executor_(executor),
      caller_(std::move(caller)),
      depot_(std::move(depot)),
      title_(std::move(title)),
      desk_(std::move(desk)),
      id_(caller_.session().who().id.render() + " " + depot_) {}

Result<mcp::PrincipalPtr> DepotDesk::make(Choice choice, Executor& executor, Caller caller,
                                          std::string_view depot, std::string_view desk) {
  auto found = TRY(find_depot(executor, caller, depot));
  return mcp::PrincipalPtr(new DepotDesk(std::move(choice), executor, std::move(found.caller),
                                         std::move(found.address), std::move(found.title),
                                         std::string(desk.substr(0, 200))));
}

std::string DepotDesk::introduction() const {
  return fmt::format(
      "Files of the depot '{}', and nothing else. Paths are relative to its root. Every change is "
      "a commit: history lists them, undo takes one back. When another agent has changed a file "
      "since "
      "you read it, both changes are merged, or yours is refused as a CONFLICT: read it again "
      "then.",
      title_);
}

Result<json::Object> DepotDesk::run(const work::FileTools::Row& row, work::Style style,
                                    const json::Value& arguments,
                                    const std::stop_token& stop) const {
  json::Object call{{"depotId", depot_}, {"tool", row.tool.name}, {"arguments", arguments}};
  if (style == work::Style::kManual) call["manual"] = true;
  if (!desk_.empty()) call["desk"] = desk_;
  const std::string_view operation =
      row.tool.changes(arguments.get_object()) ? "workspace_change" : "workspace_read";
  auto reply = executor_.run(caller_, operation, json::Value(std::move(call)), {}, stop);
  if (!reply) {
    // The caller knows the file tool only.
    auto error = std::move(reply).error();
    if (const auto at = error.message.find(operation); at != std::string::npos) {
      error.message.replace(at, operation.size(), row.tool.name);
    }
    return Failure(std::move(error));
  }
  return std::move(reply->value.get_object());
}

bool DepotDesk::still_valid() const {
  return executor_.services().delegates.check_again(caller_.session()).has_value();
}

}  // namespace cairn::workspaces
