// list_oauth_clients, add_oauth_client, remove_oauth_client: for admins.
#include "base/quote.h"
#include "data/oauth/clients.h"
#include "tools/depots/depots.h"
#include "tools/executor/call.h"
#include "tools/executor/page.h"
#include "tools/executor/shape.h"
#include "tools/grants/tools.h"

namespace cairn {
namespace {

oauth::Clients clients_of(Call& call) {
  auto& services = call.services();
  return {services.realms.store().kv(), services.clock, services.random};
}

std::string_view name_of(oauth::ClientKind kind) {
  switch (kind) {
    case oauth::ClientKind::kAdded:
      return "added";
    case oauth::ClientKind::kRegistered:
      return "registered";
    case oauth::ClientKind::kDocument:
      return "document";
  }
  return "";
}

json::Object render(const oauth::Client& client) {
  json::Array redirects;
  for (const auto& one : client.redirects) redirects.emplace_back(one.text());
  return {{"clientId", client.id},
          {"name", client.name},
          {"kind", name_of(client.kind)},
          {"redirects", std::move(redirects)},
          {"scope", client.allowed ? json::Value(client.allowed->render()) : json::Value(nullptr)},
          {"hasSecret", client.secret.has_value()},
          {"createdAt", client.created_at},
          {"usedAt", client.used_at}};
}

std::vector<shape::Field> client_fields() {
  return {{"clientId", shape::text()},
          {"name", shape::text()},
          {"kind", shape::choice({"added", "registered", "document"},
                                 "By an admin, by itself, or known by its document")},
          {"redirects", shape::list_of(shape::text(), "Where its answers may go")},
          {"scope", shape::nullable(shape::text("What people may grant it at most; null: all"))},
          {"hasSecret", shape::flag()},
          {"createdAt", shape::integer()},
          {"usedAt", shape::integer("To the day")}};
}

Result<Reply> run_list(Call& call, const Arguments& arguments) {
  return list_page(call, arguments, "clients", [&](auto limit, auto cursor) -> Result<RowPage> {
    return rendered(TRY(clients_of(call).list(limit, cursor)), &oauth::ClientPage::clients, render);
  });
}

Result<Reply> run_add(Call& call, const Arguments& arguments) {
  oauth::NewClient wanted{
      .name = std::string(arguments.text("name")),
      .redirects = arguments.texts("redirects").value_or(std::vector<std::string>()),
      .id = std::nullopt,
      .with_secret = arguments.flag("withSecret")};
  if (const auto id = arguments.maybe_text("clientId")) wanted.id = std::string(*id);
  if (const auto scope = arguments.maybe_text("scope")) {
    wanted.allowed = oauth::parse_scopes(*scope);
    if (!wanted.allowed) {
      return fail(Code::kInvalidArgument,
                  "scope is '{}'; it should be of cas:read, cas:write and depot:manage",
                  shown(*scope));
    }
  }
  const auto added = TRY(clients_of(call).add(wanted));
  auto out = render(added.client);
  if (added.secret) out["clientSecret"] = *added.secret;
  return Reply(std::move(out));
}

Result<Reply> run_remove(Call& call, const Arguments& arguments) {
  return Reply(render(TRY(clients_of(call).remove(arguments.text("clientId")))));
}

}  // namespace

Tool list_oauth_clients() {
  return {
      .name = "list_oauth_clients",
      .title = "List OAuth clients",
      .description =
          "Programs that may ask people for access: those that were added and those that "
          "registered themselves. For admins.",
      .input = shape::object({depots::limit("Clients per page (default 100)"), depots::cursor()}),
      .output = shape::object({{"clients", shape::list_of(shape::object(client_fields()))},
                               {"nextCursor", shape::nullable(shape::text())}}),
      .annotations = {.read_only = true, .idempotent = true},
      .right = Right::kAdmin,
      .audience = Audience::kPrograms,
      .run = run_list,
  };
}

Tool add_oauth_client() {
  auto fields = client_fields();
  fields.push_back({"clientSecret", shape::text("Shown this once"), shape::kOptional});
  return {
      .name = "add_oauth_client",
      .title = "Add an OAuth client",
      .description =
          "A program that may ask people for access, under a name that you vouch for. For admins.",
      .input = shape::object(
          {{"name", shape::text("As people will see it", oauth::Client::kMaxNameBytes)},
           {"redirects",
            shape::list_of(shape::text("", 2048),
                           "Where its answers may go: https, http to this machine (any port), or "
                           "a program's own scheme. None: it asks by device codes",
                           oauth::Client::kMaxRedirects),
            shape::kOptional},
           {"clientId",
            shape::text("The https address of its metadata document; default: one is made",
                        oauth::Client::kMaxIdBytes),
            shape::kOptional},
           {"scope", shape::text("What people may grant it at most, e.g. 'cas:read'", 200),
            shape::kOptional},
           {"withSecret", shape::flag("It can keep a secret, and has to send it"),
            shape::kOptional}}),
      .output = shape::object(std::move(fields)),
      .annotations = {},
      .right = Right::kAdmin,
      .audience = Audience::kPrograms,
      .audited = {"name"},
      .run = run_add,
  };
}

Tool remove_oauth_client() {
  return {
      .name = "remove_oauth_client",
      .title = "Remove an OAuth client",
      .description =
          "Forgets a program: it cannot ask or renew its tokens any more, unless it registers "
          "again. What it was granted stays until that is revoked. For admins.",
      .input = shape::object({{"clientId", shape::text("", oauth::Client::kMaxIdBytes)}}),
      .output = shape::object(client_fields()),
      .annotations = {.destructive = true},
      .right = Right::kAdmin,
      .audience = Audience::kPrograms,
      .audited = {"clientId"},
      .run = run_remove,
  };
}

}  // namespace cairn
