// list_grants, revoke_grant.
#include "data/oauth/grants.h"
#include "tools/depots/depots.h"
#include "tools/executor/page.h"
#include "tools/executor/render.h"
#include "tools/executor/shape.h"
#include "tools/grants/tools.h"

namespace cairn {
namespace {

oauth::Grants grants_of(Call& call) {
  auto& services = call.services();
  return {services.realms.store().kv(), services.delegates};
}

json::Value or_null(const std::optional<Millis>& time) {
  return time ? json::Value(*time) : json::Value(nullptr);
}

Result<json::Object> render(Call& call, const oauth::Grant& grant) {
  const auto& delegates = call.services().delegates;
  json::Object out;
  out["delegateId"] = grant.delegate.render();
  out["clientId"] = grant.client_id;
  out["clientName"] = grant.client_name;
  out["clientHost"] =
      grant.client_host.empty() ? json::Value(nullptr) : json::Value(grant.client_host);
  out["redirect"] =
      grant.redirect_place.empty() ? json::Value(nullptr) : json::Value(grant.redirect_place);
  out["resource"] = grant.resource.empty() ? "/" : grant.resource;
  out["scope"] = grant.scopes.render();
  out["createdAt"] = grant.created_at;
  out["grantedAt"] = grant.granted_at;
  out["usedAt"] = or_null(grant.used_at);
  out["usedFrom"] = grant.address.empty() ? json::Value(nullptr) : json::Value(grant.address);
  out["replayedAt"] = or_null(grant.replayed_at);
  // What it may do now: it may have been changed since.
  const auto delegate = TRY(delegates.get(call.session(), grant.delegate));
  out["delegate"] = TRY(render_known(delegates, delegate));
  return out;
}

json::Value grant_shape() {
  return shape::object(
      {{"delegateId", shape::text("The grant's delegate: update_delegate changes what it may do")},
       {"clientId", shape::text()},
       {"clientName", shape::text("As the program calls itself")},
       {"clientHost", shape::nullable(shape::text("Whose program it is; null: not known"))},
       {"redirect", shape::nullable(shape::text("Where its answers go; null: a device"))},
       {"resource", shape::text("The path that it is good for; /: all")},
       {"scope", shape::text("As it was granted")},
       {"createdAt", shape::integer()},
       {"grantedAt", shape::integer("When a person last said yes")},
       {"usedAt", shape::nullable(shape::integer("When tokens were last given out"))},
       {"usedFrom", shape::nullable(shape::text("To which address"))},
       {"replayedAt",
        shape::nullable(shape::integer("Since when its tokens are void, because one came again "
                                       "that was used long ago; null: they are not"))},
       {"delegate", delegate_shape()}});
}

Result<Reply> run_list_grants(Call& call, const Arguments& arguments) {
  return list_page(call, arguments, "grants", [&](auto limit, auto cursor) -> Result<RowPage> {
    auto page = TRY(grants_of(call).list(call.session().realm, limit, cursor));
    RowPage out{{}, std::move(page.next_cursor)};
    for (const auto& grant : page.grants) out.rows.emplace_back(TRY(render(call, grant)));
    return out;
  });
}

Result<Reply> run_revoke_grant(Call& call, const Arguments& arguments) {
  const auto id = TRY(DelegateId::parse(arguments.text("delegateId")));
  return Reply(TRY(render(call, TRY(grants_of(call).revoke(call.session(), id)))));
}

}  // namespace

Tool list_grants() {
  return {
      .name = "list_grants",
      .title = "List grants",
      .description =
          "Programs that were let in through OAuth, oldest first, ended ones included: who they "
          "are, what they may do and when they were last there. For the owner of the realm.",
      .input = shape::object({depots::limit("Grants per page (default 100)"), depots::cursor()}),
      .output = shape::object({{"grants", shape::list_of(grant_shape())},
                               {"nextCursor", shape::nullable(shape::text())}}),
      .annotations = {.read_only = true, .idempotent = true},
      .right = Right::kOwn,
      .audience = Audience::kPrograms,
      .run = run_list_grants,
  };
}

Tool revoke_grant() {
  return {
      .name = "revoke_grant",
      .title = "Revoke a grant",
      .description =
          "Ends at once what a program was granted through OAuth, with every delegate below. It "
          "may ask again. For the owner of the realm.",
      .input = shape::object({{"delegateId", shape::text("The grant's delegate, dlt_…")}}),
      .output = grant_shape(),
      .annotations = {.destructive = true, .idempotent = true},
      .right = Right::kOwn,
      .audience = Audience::kPrograms,
      .audited = {"delegateId"},
      .run = run_revoke_grant,
  };
}

}  // namespace cairn
