#include "exposure/workspace/depot_desk.h"

#include "base/quote.h"
#include "base/similar.h"

namespace cairn::workspaces {
namespace {

struct Found {
  std::string address;
  std::string title;
};

// Every depot the caller may see.
Result<std::vector<Found>> all_depots(Executor& executor, const Caller& caller) {
  std::vector<Found> out;
  json::Object arguments;
  for (;;) {
    const auto page = TRY(executor.run(caller, "list_depots", json::Value(arguments)));
    const auto& answer = page.value.get_object();
    for (const auto& depot : answer.at("depots").get_array()) {
      out.push_back({std::string(json::text(depot.at("depotId"))),
                     std::string(json::text(depot.at("title")))});
    }
    const auto* next = json::find(answer, "nextCursor");
    if (next == nullptr || !next->is_string()) return out;
    arguments["cursor"] = *next;
  }
}

Result<Found> find_depot(Executor& executor, const Caller& caller, std::string_view name) {
  if (name.starts_with("dpt_")) {
    const auto depot = TRY(
        executor.run(caller, "get_depot", json::Value(json::Object{{"depotId", name}})));
    return Found{std::string(name),
                 std::string(json::text(depot.value.get_object().at("title")))};
  }
  std::vector<Found> same;
  std::vector<std::string> titles;
  for (auto& depot : TRY(all_depots(executor, caller))) {
    titles.push_back(depot.title);
    if (depot.title == name) same.push_back(std::move(depot));
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
  auto found = TRY(find_depot(executor, caller, depot));
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
  auto reply = TRY(executor_.run(caller_, row.tool.changes() ? "workspace_change" : "workspace_read",
                                 json::Value(std::move(call)), {}, stop));
  return std::move(reply.value.get_object());
}

bool DepotDesk::still_valid() const {
  return executor_.services().delegates.check_again(caller_.session()).has_value();
}

}  // namespace cairn::workspaces
