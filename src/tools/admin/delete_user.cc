#include "data/oauth/grants.h"
#include "data/realm/remove_realm.h"
#include "tools/admin/tools.h"
#include "tools/executor/call.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

Result<User> the_user(Call& call, std::string_view who) {
  auto id = RealmId::parse(who);
  return id ? call.services().users.get(*id) : call.services().users.find(who);
}

Result<void> check_may_go(Call& call, const User& user) {
  if (user.name == Users::kOwner) {
    return fail(Code::kForbidden, "the machine's owner cannot be deleted");
  }
  if (user.id == call.session().realm) {
    return fail(Code::kForbidden, "nobody deletes themselves; ask another admin");
  }
  return {};
}

// Kept out first, so that nothing comes in behind; the user itself last, so that one that was
// broken off can be named again.
Result<RealmContent> remove(Call& call, const User& user) {
  auto& services = call.services();
  TRY(services.users.set_role(user.id, Role::kUnauthorized));
  TRY(services.sign_ins.end_others(user.id, std::nullopt));
  TRY(oauth::Grants(services.realms.store().kv(), services.delegates).remove_all(user.id));
  TRY(services.delegates.remove_all(user.id));
  TRY(services.endpoints.remove_all(user.id));
  const auto content = TRY(remove_realm(services.realms.get(user.id)));
  TRY(services.audit.remove_all(user.id));
  TRY(services.users.remove(user.id));
  return content;
}

Result<Reply> run_delete_user(Call& call, const Arguments& arguments) {
  const auto user = TRY(the_user(call, arguments.text("userId")));
  TRY(check_may_go(call, user));
  const bool dry_run = arguments.flag("dryRun");
  const auto content =
      dry_run ? TRY(content_of(call.services().realms.get(user.id))) : TRY(remove(call, user));
  json::Object out;
  out["dryRun"] = dry_run;
  out["userId"] = user.id.render();
  out["name"] = user.name;
  out["depots"] = content.depots;
  out["nodes"] = content.nodes;
  out["bytes"] = content.physical_bytes;
  return Reply(std::move(out));
}

}  // namespace

Tool delete_user() {
  return {
      .name = "delete_user",
      .title = "Delete a user",
      .description =
          "Removes a user with its realm for good: tokens, delegates, endpoints, depots with their "
          "histories, files, audit log. Not to be undone: try dryRun first. For admins.",
      .input = shape::object({{"userId", shape::text("usr_…, or the name")},
                              {"dryRun", shape::flag("Only count"), shape::kOptional}}),
      .output = shape::object({{"dryRun", shape::flag()},
                               {"userId", shape::text()},
                               {"name", shape::text()},
                               {"depots", shape::integer("Deleted ones too")},
                               {"nodes", shape::integer()},
                               {"bytes", shape::integer("As stored")}}),
      .annotations = {.destructive = true},
      .right = Right::kAdmin,
      .audience = Audience::kPrograms,
      .audited = {"userId"},
      .run = run_delete_user,
  };
}

}  // namespace cairn
