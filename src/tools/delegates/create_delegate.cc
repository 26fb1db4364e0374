#include "tools/delegates/tools.h"
#include "tools/delegates/wanted.h"
#include "tools/depots/record_quota.h"
#include "tools/executor/render.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

Result<Reply> run_create_delegate(Call& call, const Arguments& arguments) {
  TRY(depots::check_record_quota(call));
  NewDelegate made;
  made.name = arguments.text("name");
  made.can_upload = arguments.flag("canUpload");
  made.can_manage_depot = arguments.flag("canManageDepot");
  made.history = !arguments.has("history") || arguments.flag("history");
  if (auto depots = arguments.texts("delegatedDepots")) {
    made.depots = TRY(wanted::depots(call, *depots));
  }
  if (auto scope = arguments.texts("scope")) made.scope = TRY(call.sight().narrow(*scope));
  if (const auto* grants = json::find(arguments.object(), "directories")) {
    made.directories = TRY(wanted::directories(call, *grants));
  }
  if (auto seconds = arguments.maybe_number("expiresIn")) {
    made.expires_in = std::chrono::seconds(*seconds);
  }
  auto& delegates = call.services().delegates;
  if (arguments.flag("lasting")) {
    return Reply(render_key(TRY(delegates.create_key(call.session(), std::move(made)))));
  }
  return Reply(render_issued(TRY(delegates.create(call.session(), std::move(made)))));
}

}  // namespace

Tool create_delegate() {
  return {
      .name = "create_delegate",
      .title = "Create a delegate",
      .description =
          "A child delegate with a part of your rights, and its tokens: give accessToken to "
          "another "
          "agent. Read-only unless canUpload. With a scope it sees only those places, each as if "
          "it "
          "were a whole depot, with its past unless history is false. Shown this once: an access "
          "token for an hour and a refresh token, or with lasting one key.",
      .input = shape::object(
          {{"name", shape::text("For people", Delegate::kMaxNameBytes), shape::kOptional},
           {"canUpload", shape::flag("May write and commit"), shape::kOptional},
           {"canManageDepot", shape::flag("May create, rename and delete depots"),
            shape::kOptional},
           {"delegatedDepots",
            shape::list_of(shape::text(), "Only these (dpt_…); default: yours",
                           Delegate::kMaxRoots),
            shape::kOptional},
           {"scope",
            shape::list_of(shape::text("", 5000),
                           "'dpt_…/docs' a place, 'nod_…' a tree as it is for ever, '0:1:2' child "
                           "2 of child 1 of your root 0, '.' all you see. Default: as yours",
                           Delegate::kMaxRoots),
            shape::kOptional},
           {"directories", grants_shape("The server's directories, by name"), shape::kOptional},
           {"history", shape::flag("false: no earlier versions"), shape::kOptional},
           {"lasting", shape::flag("One lasting key (cairn_…)"), shape::kOptional},
           {"expiresIn",
            shape::integer("Seconds; default: as yours; with lasting 90 days, at most 366", 1),
            shape::kOptional}}),
      .output = issued_shape(),
      .annotations = {},
      .audited = {"name"},
      .run = run_create_delegate,
  };
}

}  // namespace cairn
