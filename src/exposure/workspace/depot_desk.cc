#include "exposure/workspace/depot_desk.h"

#include "base/quote.h"
#include "base/similar.h"
#include "data/access/sight.h"

namespace cairn::workspaces {
namespace {

struct Found {
  std::string address;
  std::string title;
};

// By its id, or by a title that no other has.
Result<Found> find_depot(Executor& executor, const Session& session, std::string_view name) {
  auto& realm = executor.services().realms.get(session.realm);
  const Sight sight(realm, session);
  if (name.starts_with("dpt_")) {
    const auto place = TRY(sight.place(name));
    return Found{std::string(name), TRY(realm.get_depot(place.depot)).title};
  }
  std::vector<Found> same;
  std::vector<std::string> titles;
  for (const auto& place : TRY(sight.places())) {
    auto title = TRY(realm.get_depot(place.depot)).title;
    titles.push_back(title);
    if (title == name) same.push_back({session.rights.address_of(place), std::move(title)});
  }
  if (same.size() == 1) return same.front();
  if (same.size() > 1) {
    return fail(Code::kInvalidArgument, "{} depots have the title '{}'; name one by its id, {}",
                same.size(), shown(name), same.front().address);
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
  auto found = TRY(find_depot(executor, caller.session(), depot));
  return mcp::PrincipalPtr(new DepotDesk(std::move(choice), executor, std::move(caller),
                                         std::move(found.address), std::move(found.title),
                                         std::string(desk.substr(0, 200))));
}

std::string DepotDesk::introduction() const {
  return fmt::format(
      "Files of the depot '{}', and nothing else. Paths are relative to its root. Every change is "
      "kept: history lists them, undo takes one back. When another agent has changed a file since "
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
  auto reply =
      TRY(executor_.run(caller_, row.tool.changes() ? "workspace_change" : "workspace_read",
                        json::Value(std::move(call)), {}, stop));
  return std::move(reply.value.get_object());
}

bool DepotDesk::still_valid() const {
  return executor_.services().delegates.check_again(caller_.session()).has_value();
}

}  // namespace cairn::workspaces
