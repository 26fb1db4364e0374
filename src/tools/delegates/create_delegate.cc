#include "base/quote.h"
#include "tools/delegates/tools.h"
#include "tools/depots/record_quota.h"
#include "tools/executor/render.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

// Depots the caller may use; any other does not exist for it.
Result<std::vector<DepotId>> depots_of(Call& call, const std::vector<std::string>& texts) {
  std::vector<DepotId> out;
  for (const auto& text : texts) {
    auto id = TRY(DepotId::parse(text));
    if (call.rights().places(id).empty()) {
      return fail(Code::kDepotNotFound, "there is no depot {}; list the depots to see their ids",
                  id.render());
    }
    TRY(call.realm().get_depot(id));
    out.push_back(id);
  }
  return out;
}

Result<Reply> run_create_delegate(Call& call, const Arguments& arguments) {
  TRY(depots::check_record_quota(call));
  NewDelegate wanted;
  wanted.name = arguments.text("name");
  wanted.can_upload = arguments.flag("canUpload");
  wanted.can_manage_depot = arguments.flag("canManageDepot");
  wanted.history = !arguments.has("history") || arguments.flag("history");
  if (auto depots = arguments.texts("delegatedDepots")) {
    wanted.depots = TRY(depots_of(call, *depots));
  }
  if (auto scope = arguments.texts("scope")) wanted.scope = TRY(call.sight().narrow(*scope));
  if (const auto* grants = json::find(arguments.object(), "directories")) {
    wanted.directories = grants_of(*grants);
    for (const auto& grant : wanted.directories) {
      // What its user was not given, nobody below can be.
      const auto use = TRY(call.services().users.directory_use(call.session().realm, grant.name));
      if (use >= (grant.write ? DirectoryUse::kWrite : DirectoryUse::kRead)) continue;
      return fail(Code::kPermissionExceeded,
                  "you cannot give {} the directory '{}', because you do not have it; leave it out",
                  grant.write ? "writing in" : "reading in", shown(grant.name));
    }
  }
  if (auto seconds = arguments.maybe_number("expiresIn")) {
    wanted.expires_in = std::chrono::seconds(*seconds);
  }
  auto created = TRY(call.services().delegates.create(call.session(), std::move(wanted)));
  return Reply(render_issued(created));
}

}  // namespace

Tool create_delegate() {
  return {
      .name = "create_delegate",
      .title = "Create a delegate",
      .description =
          "A child delegate with a part of your own rights, and its tokens: give accessToken to "
          "another agent. It is read-only unless canUpload is true. With a scope it sees only "
          "those places, each as if it were a whole depot, with all that ever stood there unless "
          "history is false. The tokens are shown this once.",
      .input = shape::object(
          {{"name", shape::text("For people, e.g. 'doc-writer'", Delegate::kMaxNameBytes),
            shape::kOptional},
           {"canUpload", shape::flag("May write and commit"), shape::kOptional},
           {"canManageDepot", shape::flag("May create, rename and delete depots"),
            shape::kOptional},
           {"delegatedDepots",
            shape::list_of(shape::text(), "Only these depots (dpt_…); default: as yours",
                           Delegate::kMaxRoots),
            shape::kOptional},
           {"scope",
            shape::list_of(shape::text("", 5000),
                           "What it sees: 'dpt_…/docs' a place, 'nod_…' a tree as it is for ever, "
                           "'0:1:2' child 2 of child 1 of your root 0 (of your scope, or depots, "
                           "oldest first), '.' all you see. Default: as yours",
                           Delegate::kMaxRoots),
            shape::kOptional},
           {"directories", grants_shape("The server's directories, by name; default: none"),
            shape::kOptional},
           {"history", shape::flag("false: no earlier versions; default: as yours"),
            shape::kOptional},
           {"expiresIn", shape::integer("Lifetime in seconds; default: as yours", 1),
            shape::kOptional}}),
      .output = issued_shape(),
      .annotations = {},
      .audited = {"name"},
      .run = run_create_delegate,
  };
}

}  // namespace cairn
