#include "tools/workspace/depot_toolbox.h"

#include "base/quote.h"
#include "base/similar.h"
#include "data/access/sight.h"

namespace cairn::work {
namespace {

constexpr std::size_t kMaxDeskBytes = 200;

struct Found {
  Caller caller;
  std::string address;
  std::string title;
  std::string below = {};  // the directory that is all of it
};

Result<Found> at_id(Realm& realm, const Caller& caller, std::string_view name) {
  const Sight sight(realm, caller.session());
  auto place = sight.place(name);
  const auto slash = name.find('/');
  if (!place && slash != std::string_view::npos) {
    // A directory of what the caller sees, as if it were all.
    auto whole = sight.place(name.substr(0, slash));
    if (!whole) return Failure(std::move(place).error());
    const auto below = TRY(Path::parse(name.substr(slash + 1)));
    for (const auto& segment : below.segments()) {
      whole->path = whole->path.child(segment);
    }
    TRY(check_place(whole->path));
    TRY(realm.root_at(*whole));
    return Found{caller.within(*whole, caller.session().who().id), whole->depot.render(),
                 std::string(name), whole->path.render()};
  }
  return Found{caller, std::string(name), TRY(realm.get_depot(TRY(std::move(place)).depot)).title};
}

Failure several(std::string_view name, const std::vector<Found>& same) {
  std::string ids;
  for (const auto& one : same) ids += " " + one.address;
  return fail(Code::kInvalidArgument, "several have the title '{}'; name one of these:{}",
              shown(name), shown(ids, 500));
}

// Lists them all for the hint only.
Failure unknown(Realm& realm, const Caller& caller, std::string_view name) {
  std::vector<std::string> titles;
  const auto places = Sight(realm, caller.session()).places();
  for (const auto& place : places ? *places : std::vector<Place>()) {
    if (auto depot = realm.get_depot(place.depot)) titles.push_back(std::move(depot->title));
  }
  return fail(Code::kDepotNotFound, "there is no depot '{}'{}", shown(name),
              hint_for(name, titles, "; 'cairn depot create' makes one"));
}

// By its id, by the id and a path in it, or by a title that no other has: one read, however many
// depots there are.
Result<Found> find_depot(Realm& realm, const Caller& caller, std::string_view name) {
  if (name.starts_with("dpt_")) return at_id(realm, caller, name);
  const auto& rights = caller.session().rights;
  std::vector<Found> same;
  for (const auto& depot : TRY(realm.depots_titled(name))) {
    for (const auto& place : rights.places(depot.id)) {
      same.push_back({caller, rights.address_of(place), depot.title});
    }
  }
  if (same.size() == 1) return same.front();
  if (same.size() > 1) return several(name, same);
  return unknown(realm, caller, name);
}

}  // namespace

DepotToolbox::DepotToolbox(FileToolsPtr tools, Selection selection, Executor& executor,
                           Caller caller, Desk desk, std::string title, std::string_view below)
    : FileToolbox(std::move(tools), std::move(selection), History::kHas),
      executor_(executor),
      caller_(std::move(caller)),
      desk_(std::move(desk)),
      title_(std::move(title)),
      id_(fmt::format("{} {}/{}", caller_.session().who().id.render(), desk_.depot, below)) {}

std::vector<const Tool*> DepotToolbox::offered() const {
  auto out = FileToolbox::offered();
  std::erase_if(out, [&](const Tool* tool) { return !executor_.may_use(caller_, *tool); });
  return out;
}

Result<std::shared_ptr<const DepotToolbox>> DepotToolbox::open(
    FileToolsPtr tools, Selection selection, Executor& executor, Realms& realms,
    const Caller& caller, std::string_view depot, std::string_view desk) {
  auto found = TRY(find_depot(realms.get(caller.session().realm), caller, depot));
  return std::shared_ptr<const DepotToolbox>(new DepotToolbox(
      std::move(tools), std::move(selection), executor, std::move(found.caller),
      {.depot = std::move(found.address), .name = std::string(desk.substr(0, kMaxDeskBytes))},
      std::move(found.title), found.below));
}

std::string DepotToolbox::introduction() const {
  return fmt::format(
      "Files of the depot '{}', and nothing else. Paths are relative to its root. Every change is "
      "a commit: history lists them, undo takes one back. When another agent has changed a file "
      "since "
      "you read it, both changes are merged, or yours is refused as a CONFLICT: read it again "
      "then.",
      title_);
}

Result<json::Object> DepotToolbox::work(const FileTool& file, Style style, json::Value arguments,
                                        const std::stop_token& stop) const {
  auto desk = desk_;
  desk.manual = style == Style::kManual;
  auto reply =
      TRY(executor_.run(caller_.at(std::move(desk)), file.tool, std::move(arguments), {}, stop));
  return std::move(reply.value.get_object());
}

Result<std::shared_ptr<const DepotToolbox>> DepotWorkspaces::open(
    const Caller& caller, std::string_view depot, std::string_view desk,
    const SelectionRequest& request) const {
  return DepotToolbox::open(tools_, TRY(Selection::parse(request, tools_->tools())), executor_,
                            realms_, caller, depot, desk);
}

}  // namespace cairn::work
