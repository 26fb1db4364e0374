#include "tools/executor/call.h"
#include "tools/executor/render.h"
#include "tools/executor/shape.h"
#include "tools/people/sign_in_rows.h"
#include "tools/people/tools.h"

namespace cairn {
namespace {

json::Object render_rights(const Session& session, Role role) {
  const auto& rights = session.rights;
  const bool own = !session.who().parent;
  return {{"canUpload", rights.can_upload()},
          {"canManageDepot", rights.can_manage_depot()},
          {"seesAll", rights.realm_wide()},
          {"owner", own},
          {"admin", own && role == Role::kAdmin}};
}

Result<Reply> run_get_me(Call& call, const Arguments&) {
  const auto& session = call.session();
  const auto user = TRY(call.services().users.get(session.realm));
  json::Object out;
  out["user"] = json::Object{{"userId", user.id.render()},
                             {"name", user.name},
                             {"role", name(user.role)},
                             {"hasPassword", !user.password.empty()}};
  out["delegate"] = render_delegate(session.who());
  out["rights"] = render_rights(session, user.role);
  out["client"] = or_null(session.client.empty() ? std::nullopt : std::optional(session.client));
  out["audience"] =
      or_null(session.audience.empty() ? std::nullopt : std::optional(session.audience));
  out["validUntil"] = session.valid_until ? json::Value(*session.valid_until) : json::Value();
  const auto& sign_in = call.caller().sign_in();
  out["signIn"] = sign_in ? json::Value(render_sign_in(*sign_in)) : json::Value();
  out["csrf"] = sign_in ? json::Value(sign_in->csrf) : json::Value();
  return Reply(std::move(out));
}

}  // namespace

Tool get_me() {
  return {
      .name = "get_me",
      .title = "Who am I",
      .description = "Who the caller is: its user, its delegate, what it may do and until when.",
      .input = shape::object({}),
      .output = shape::object(
          {{"user", shape::object({{"userId", shape::text()},
                                   {"name", shape::text()},
                                   {"role", shape::choice({"unauthorized", "authorized", "admin"})},
                                   {"hasPassword", shape::flag("It can sign in with one")}})},
           {"delegate", delegate_shape()},
           {"rights", shape::object({{"canUpload", shape::flag()},
                                     {"canManageDepot", shape::flag()},
                                     {"seesAll", shape::flag("All of the realm")},
                                     {"owner", shape::flag("The realm's root delegate")},
                                     {"admin", shape::flag()}})},
           {"client", shape::nullable(shape::text("The OAuth client that the token is for"))},
           {"audience", shape::nullable(shape::text("The path that the token is good for"))},
           {"validUntil", shape::nullable(shape::integer("Of the token, or of its delegates"))},
           {"signIn", shape::nullable(sign_in_shape())},
           {"csrf", shape::nullable(shape::text("A browser sends it as X-Cairn-CSRF with all "
                                                "that changes something"))}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audience = Audience::kPrograms,
      .quick = true,
      .run = run_get_me,
  };
}

}  // namespace cairn
